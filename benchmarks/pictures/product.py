"""Start Footnote as `make run` does, on a database of its own, and run its commands."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.installation.processes import ROOT, free_port

_STARTED_S = 900.0  # the sample library is read first
_STOP_S = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """A running installation with the sample library."""

    url: str  # without a slash at the end
    local_page: str  # the address with its token
    password: str  # of admin@example.com
    environment: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """Run a management command and return its output. CalledProcessError when it fails."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True, check=True)
        return str(done.stdout)

    def call(self, expression: str) -> None:
        """Evaluate a call of benchmarks.pictures.furnishing within Django."""
        self.manage(
            "shell", "-c", f"from pathlib import Path; from benchmarks.pictures import furnishing; {expression}"
        )


@contextmanager
def running(home: Path) -> Iterator[Product]:
    """Run a new installation in the folder `home` within the block. RuntimeError, with its output, if it ends first."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "LLM_MODEL"}},
        "FOOTNOTE_HOME": str(home),
        "PORT": str(free_port()),
        "SOURCE_FOLDERS": str(home),
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", "start"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    timer = threading.Timer(_STARTED_S, process.kill)
    timer.start()
    try:
        said = _read_until_ready(process)
        timer.cancel()
        threading.Thread(target=_drain, args=(process,), daemon=True).start()
        yield Product(
            url=f"http://127.0.0.1:{environment['PORT']}",
            local_page=re.findall(r"http://\S+/local/\?token=\S+", said)[0],
            password=re.findall(r"password (\S+)\.$", said, re.MULTILINE)[0],
            environment=environment,
        )
    finally:
        timer.cancel()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()


def _read_until_ready(process: subprocess.Popen[str]) -> str:
    said: list[str] = []
    for line in process.stdout or ():
        said.append(line)
        if line.startswith("Stop with Ctrl-C"):
            return "".join(said)
    raise RuntimeError("Footnote ended before it was ready:\n" + "".join(said[-20:]))


def _drain(process: subprocess.Popen[str]) -> None:
    for _ in process.stdout or ():
        pass
