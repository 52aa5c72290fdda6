"""`manage.py start`, whole: the real processes on a database of their own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
READY_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30

Start = Callable[..., subprocess.Popen[str]]


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder that the server's account can reach, which pytest's own temporary folders are not under root."""
    folder = Path(tempfile.mkdtemp(prefix="footnote-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def kept_home() -> Iterator[Path]:
    """A home for several starts: the first one makes the database, which takes most of a start's time."""
    with _folder() as folder:
        yield folder


@pytest.fixture
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """The kept home where the test asks for it, with nothing said in it yet; otherwise a new one."""
    if "kept_home" in request.fixturenames:
        kept: Path = request.getfixturevalue("kept_home")
        (kept / "output").unlink(missing_ok=True)
        yield kept
        return
    with _folder() as folder:
        yield folder


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Runs the command with no settings but these, its output in a file."""
    started = []

    def run(*arguments: str, **settings: str) -> subprocess.Popen[str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with (home / "output").open("a") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "start", *arguments],
                cwd=ROOT,
                env=kept | {"FOOTNOTE_HOME": str(home)} | settings,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.wait(STOP_TIMEOUT_S)


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def _wait_until_ready(home: Path, process: subprocess.Popen[str], times: int = 1) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_S
    while (home / "output").read_text().count("Footnote is ready.") < times:
        assert process.poll() is None, (home / "output").read_text()
        assert time.monotonic() < deadline, (home / "output").read_text()
        time.sleep(0.02)


def _list_living(home: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Yield the processes that work for this home by name, those that are dead but not reaped left out."""
    for process in psutil.process_iter():
        try:
            of_home = process.environ().get("FOOTNOTE_HOME") == str(home) or process.cwd().startswith(str(home))
            if of_home and process.status() != psutil.STATUS_ZOMBIE:
                yield process.name(), process
        except psutil.Error:
            continue


def _living(home: Path) -> set[str]:
    return {name for name, _ in _list_living(home)}


@pytest.mark.usefixtures("kept_home")
def test_start_serves_refuses_a_second_one_and_stops_on_interrupt(home: Path, start: Start) -> None:
    """The models are loaded when it is ready; after Ctrl-C no process is left, neither ours nor PostgreSQL's.

    Without the reader, of which nothing is asked here.
    """
    port = _free_port()
    first = start("--no-demo", PORT=port, READER="none")
    _wait_until_ready(home, first)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as response:
        answer = json.load(response)
    assert answer["status"] == "ok"
    assert answer["checks"] == {"database": "ok", "migrations": "ok", "pgvector": "ok"}
    assert answer["ingestion"]["fence"] == "best-effort"  # a trial reads files on whatever machine
    token = (home / "local_page_token").read_text()
    assert f"http://127.0.0.1:{port}/local/?token={token}\n" in (home / "output").read_text()
    web = [process for name, process in _list_living(home) if name == "gunicorn"]
    assert any("libtorch" in mapped.path for process in web for mapped in process.memory_maps())

    assert start("--no-demo", PORT=port).wait(READY_TIMEOUT_S) == 1
    assert (
        f"Footnote is already running on http://127.0.0.1:{port} (process {first.pid})" in (home / "output").read_text()
    )

    first.send_signal(signal.SIGINT)
    assert first.wait(STOP_TIMEOUT_S) == 0
    assert _living(home) == set()
    assert not (home / "run.json").exists()


@pytest.mark.parametrize(
    "own",
    [
        {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"},
        pytest.param({"WEB_HOST": "0.0.0.0"}, marks=pytest.mark.slow),  # noqa: S104
    ],
)
def test_a_start_with_a_workspace_or_a_host_is_no_trial(home: Path, start: Start, own: dict[str, str]) -> None:
    """It says what an installation lacks, and stops before anything listens."""
    assert start("--no-demo", PORT=_free_port(), **own).wait(READY_TIMEOUT_S) == 1
    said = (home / "output").read_text()
    assert "SECRET_KEY is not set." in said
    assert "Footnote is ready" not in said


@pytest.mark.slow
@pytest.mark.usefixtures("kept_home")
def test_what_a_killed_start_leaves_does_not_hinder_the_next(home: Path, start: Start) -> None:
    """The port is free again because the next start ends the web process that the killed one left."""
    port = _free_port()
    killed = start("--no-demo", PORT=port)
    _wait_until_ready(home, killed)
    killed.kill()
    killed.wait()
    assert "gunicorn" in _living(home)

    second = start("--no-demo", PORT=port)
    _wait_until_ready(home, second, times=2)
    assert "Stopped processes left over from an earlier run." in (home / "output").read_text()
    second.terminate()
    assert second.wait(STOP_TIMEOUT_S) == 0
    assert _living(home) == set()


def test_a_taken_port_is_said_so(home: Path, start: Start) -> None:
    """The message names the port, who has it, and the way out."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        assert start("--no-demo", PORT=str(port)).wait(READY_TIMEOUT_S) == 1
    said = (home / "output").read_text()
    assert f"Port {port} is taken by" in said
    assert f"PORT={port + 1} make run" in said
    assert "Traceback" not in said
