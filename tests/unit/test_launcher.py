"""The parts of the launcher: the environment it hands down, the port, the record of what it has started."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from adminsite.launcher import port
from adminsite.launcher.environment import child_environment, is_trial
from adminsite.launcher.record import RunRecord, Started

HOME = Path("/srv/footnote")


def _children(own: dict[str, str]) -> dict[str, str]:
    return child_environment(own, database_url="postgres://x", home=HOME, port=8123)


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
    }


@pytest.mark.parametrize("own", [{"SECRET_KEY": "a"}, {"DEBUG": "0"}, {"DEBUG": "0", "SECRET_KEY": "a"}])
def test_with_settings_of_an_installation_nothing_is_loosened(own: dict[str, str]) -> None:
    """DEBUG and the local page stay as they were set."""
    assert not is_trial(own)
    assert {name: value for name, value in _children(own).items() if name in {"DEBUG", "LOCAL_PAGE"}} == {
        name: value for name, value in own.items() if name == "DEBUG"
    }


def test_with_a_slack_workspace_there_is_no_local_page() -> None:
    """A trial against real Slack needs no stand-in."""
    env = _children({"SLACK_BOT_TOKEN": "xoxb-1"})
    assert env["DEBUG"] == "1"
    assert "LOCAL_PAGE" not in env


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
