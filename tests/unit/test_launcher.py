"""The parts of the launcher: the environment it hands down, the port, the record of what it has started."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from adminsite.launcher import port
from adminsite.launcher.environment import child_environment, is_trial
from adminsite.launcher.record import RunRecord, Started

HOME = Path("/srv/footnote")
ROOT = Path(__file__).parents[2]


def _children(own: dict[str, str]) -> dict[str, str]:
    return child_environment(own, database_url="postgres://x", home=HOME, port=8123)


def test_in_a_terminal_a_trial_prints_warnings_alone() -> None:
    """Unless somebody says what is to be printed; an installation logs as it is set."""

    def level(own: dict[str, str]) -> str | None:
        env = child_environment(own, database_url="postgres://x", home=HOME, port=8123, in_terminal=True)
        return env.get("LOG_LEVEL")

    assert level({}) == "WARNING"
    assert level({"LOG_LEVEL": "DEBUG"}) == "DEBUG"
    assert level({"SECRET_KEY": "x"}) is None
    assert "LOG_LEVEL" not in _children({})


def test_without_settings_the_children_run_for_this_machine_alone() -> None:
    """A trial gets DEBUG and the local page, and everything that the children must agree on."""
    env = _children({"PATH": "/usr/bin", "LANG": "C"})
    path = env.pop("PATH")
    assert path.endswith(os.pathsep + "/usr/bin")
    assert env == {
        "DATABASE_URL": "postgres://x",
        "DEBUG": "1",
        "FOOTNOTE_HOME": str(HOME),
        "LANG": "C",
        "LOCAL_PAGE": "1",
        "PORT": "8123",
        "PYTHONUNBUFFERED": "1",
        "WEB_WARM_UP": "1",
        "WORKER_STOP_TIMEOUT_S": "3",
    }


@pytest.mark.parametrize(
    "own",
    [
        {"SECRET_KEY": "a"},
        {"DEBUG": "0"},
        {"DEBUG": "0", "SECRET_KEY": "a"},
        {"DATABASE_URL": "postgres://db.example.com/footnote"},
        {"SLACK_BOT_TOKEN": "xoxb-1"},
        {"SLACK_APP_TOKEN": "xapp-1"},
        {"SLACK_SIGNING_SECRET": "a"},
        {"SLACK_CLIENT_ID": "1.2"},
        {"WEB_HOST": "192.0.2.7"},
        {"ALLOWED_HOSTS": "footnote.example.com"},
        {"BEHIND_PROXY": "1"},
        {"OIDC_ISSUER": "https://sso.example.com"},
    ],
    ids=lambda own: ", ".join(own),
)
def test_with_settings_of_an_installation_nothing_is_loosened(own: dict[str, str]) -> None:
    """DEBUG and the local page stay as they were set."""
    assert not is_trial(own)
    loosened = {"DEBUG", "LOCAL_PAGE", "WORKER_STOP_TIMEOUT_S"}
    assert {name: value for name, value in _children(own).items() if name in loosened} == {
        name: value for name, value in own.items() if name == "DEBUG"
    }


@pytest.mark.parametrize("own", [{"WEB_HOST": "127.0.0.1"}, {"SLACK_LANGUAGE": "de"}, {"LLM_MODEL": "a/b"}])
def test_what_leaves_the_machine_alone_may_be_set_in_a_trial(own: dict[str, str]) -> None:
    """A language or a model makes no installation."""
    assert is_trial(own)


def test_a_port_that_somebody_listens_on_is_not_free() -> None:
    """And the message can name who has it."""
    with socket.socket() as server:
        server.bind((port.HOST, 0))
        server.listen()
        taken = server.getsockname()[1]
        assert not port.is_free(taken)
        assert port.holder(taken) == f"{psutil.Process().name()} (process {os.getpid()})"
    assert port.is_free(taken)


def _group() -> subprocess.Popen[bytes]:
    """A leader that starts a second process, ignores the polite signal, and has a group of its own."""
    script = "trap '' TERM; sleep 60 & wait; sleep 60"
    process = subprocess.Popen(["/bin/sh", "-c", script], start_new_session=True)
    while not psutil.Process(process.pid).children():
        time.sleep(0.01)
    return process


def test_what_a_killed_launcher_left_is_ended_with_all_its_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what does not listen to the polite signal."""
    monkeypatch.setattr("adminsite.launcher.record._GRACE_S", 0.2)
    leader = _group()
    family = [psutil.Process(leader.pid), *psutil.Process(leader.pid).children(recursive=True)]
    record = RunRecord(launcher=Started(pid=1, created=0), port=1, processes=(Started.of(leader.pid),))
    assert record.end_processes() == 1
    assert leader.wait(5) == -signal.SIGKILL
    _, alive = psutil.wait_procs(family, timeout=5)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []


def test_a_stranger_with_the_same_number_is_left_alone() -> None:
    """A process number alone does not make it ours."""
    stranger = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    try:
        ours = Started(pid=stranger.pid, created=Started.of(stranger.pid).created - 3600)
        assert RunRecord(launcher=ours, port=1, processes=(ours,)).end_processes() == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_the_record_survives_the_way_to_the_file_and_back(tmp_path: Path) -> None:
    """A missing or damaged file counts as no record."""
    path = tmp_path / "run.json"
    assert RunRecord.load(path) is None
    record = RunRecord(launcher=Started.of(os.getpid()), port=8000, processes=(Started(pid=2, created=3.5),))
    record.save(path)
    assert RunRecord.load(path) == record
    assert record.launcher.is_alive()
    path.write_text("{")
    assert RunRecord.load(path) is None


def test_of_two_that_start_at_once_the_second_sees_what_the_first_wrote(tmp_path: Path) -> None:
    """Looking for another run and writing down one's own is one step, in whichever process."""
    path = tmp_path / "run.json"
    script = "import sys; from pathlib import Path; from adminsite.launcher.record import RunRecord\n"
    script += "print('asks', flush=True)\n"
    script += "with RunRecord.claim(Path(sys.argv[1])): print(RunRecord.load(Path(sys.argv[1])).port)"
    with RunRecord.claim(path):
        second = subprocess.Popen(
            [sys.executable, "-c", script, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert second.stdout is not None
        assert second.stdout.readline() == "asks\n"
        time.sleep(0.1)
        RunRecord.of_this_process(port=8123).save(path)
    assert second.communicate(timeout=30)[0] == "8123\n"
    assert second.returncode == 0


_RUN = """
import os, sys, time
from pathlib import Path
from adminsite.launcher.processes import Processes
from adminsite.launcher.record import RunRecord
folder = Path(sys.argv[1])
record = RunRecord.of_this_process(port=1)
run = Processes(folder / "Procfile", os.environ, record=record, record_path=folder / "run.json", stop_timeout_s=0.1)
began = time.monotonic()
code = run.run(meanwhile=lambda: None)
print("took", time.monotonic() - began)
sys.exit(code)
"""


def test_who_does_not_stop_in_time_is_killed_and_who_ended_first_is_the_exit_code(tmp_path: Path) -> None:
    """The time is the one that was given, not honcho's own five seconds."""
    (tmp_path / "Procfile").write_text("first: sleep 0.5; exit 7\nstubborn: trap '' TERM; sleep 60 & wait; sleep 60\n")
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(tmp_path)], cwd=ROOT, check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 7, done.stderr
    assert "sending SIGKILL to stubborn" in done.stdout
    assert float(done.stdout.rpartition("took ")[2]) < 5


def _make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make with our Makefile in another folder."""
    (folder / "requirements.txt").touch()
    (folder / "requirements.lock").touch()
    return subprocess.run(
        [shutil.which("make") or "make", f"--makefile={ROOT / 'Makefile'}", f"--directory={folder}", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_make_says_that_a_python_is_too_old(tmp_path: Path) -> None:
    """Nothing is made with it."""
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = _make(tmp_path, "setup", f"PYTHON={old}")
    assert done.returncode != 0
    assert f"{old} is not Python 3.11 or newer" in done.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("broken", ["pip", "python"])
def test_make_makes_a_broken_environment_anew(tmp_path: Path, broken: str) -> None:
    """Without pip it was broken off as it was made; without a Python the system's has gone. A whole one stays."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (programs / "pip").touch()
    (tmp_path / "requirements.txt").touch()
    (tmp_path / "requirements.lock").touch()
    (tmp_path / ".venv" / "ready").touch()
    assert "-m venv" not in _make(tmp_path, "--dry-run", "setup").stdout

    (programs / broken).unlink()
    assert "-m venv" in _make(tmp_path, "--dry-run", "setup").stdout
