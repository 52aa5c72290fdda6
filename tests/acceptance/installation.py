"""Footnote as somebody runs it: a web and a worker process on a database of their own."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.prepared_home import Prepare

ROOT = Path(__file__).resolve().parents[2]
READY_TIMEOUT_S = 90
STOP_TIMEOUT_S = 20


@dataclass(kw_only=True)
class Installation:
    """A folder with a database and a log, and the processes that were started on it."""

    home: Path
    port: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the web process."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def local_page(self) -> str:
        """The local page's address, as a start prints it."""
        return f"{self.url}/local/?token={(self.home / 'local_page_token').read_text()}"

    @property
    def log(self) -> Path:
        """The log of the processes."""
        return self.home / "processes.log"

    def manage(self, *arguments: str) -> str:
        """Run a management command and return what it printed. AssertionError, with its errors, when it failed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self._environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start what the Procfile calls web and worker, and wait until the web process is ready."""
        commands = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines() if line)
        with self.log.open("ab") as log:
            for name in ("web", "worker"):
                command = ["/bin/sh", "-c", commands[name]]
                process = subprocess.Popen(
                    command, cwd=ROOT, env=self._environment(), stdout=log, stderr=log, start_new_session=True
                )
                self.processes.append(process)
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not self._is_ready():
            assert time.monotonic() < deadline, self.log.read_text()
            assert all(process.poll() is None for process in self.processes), self.log.read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the processes, those that do not listen by force."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
        return kept | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "FOOTNOTE_HOME": str(self.home),
            "PORT": str(self.port),
            "DEBUG": "1",
            "LOCAL_PAGE": "1",
            "EVALUATION_ENABLED": "0",  # two cores: the answers need them
            "READER": "none",  # takes seconds of each; tests/acceptance/slack has answers that were read
        }


@contextmanager
def installation(prepare_home: Prepare) -> Iterator[Installation]:
    """An installation with an empty, migrated database; its processes and its folder are gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="footnote-acceptance-"))
    home.chmod(0o755)  # under root, the database runs as another user
    here = Installation(home=home, port=_free_port())
    try:
        prepare_home(home)
        yield here
    finally:
        here.stop()
        shutil.rmtree(home, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
