"""The processes of the Procfile that the burst is put to, and what they take of the processor."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil
from honcho.environ import parse_procfile

ROOT = Path(__file__).parents[2]
_STOP_S = 10.0


def free_port() -> int:
    """A port of the loopback address on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Processes:
    """One web process and some workers."""

    def __init__(self, web: subprocess.Popen[bytes], workers: list[subprocess.Popen[bytes]]) -> None:
        self._web, self._workers = web, workers

    def web_cpu_s(self) -> float:
        """Seconds of processor time that the web process has used."""
        return _cpu_s(self._web)

    def worker_cpu_s(self) -> float:
        """Seconds of processor time that the workers have used."""
        return sum(_cpu_s(worker) for worker in self._workers)

    def have_ended(self) -> bool:
        """Whether one of them has ended by itself."""
        return any(process.poll() is not None for process in (self._web, *self._workers))


@contextmanager
def running(environment: Mapping[str, str], *, workers: int, log: IO[bytes]) -> Iterator[Processes]:
    """They run within the block, and have ended after it."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        commands = parse_procfile((ROOT / "Procfile").read_text()).processes
        started.append(_start(commands["web"], environment, log))
        started += [_start(commands["worker"], environment, log) for _ in range(workers)]
        yield Processes(started[0], started[1:])
    finally:
        for process in started:
            _signal(process, signal.SIGTERM)
        for process in started:
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                _signal(process, signal.SIGKILL)
                process.wait()


def _start(command: str, environment: Mapping[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=ROOT,
        env={**os.environ, **environment, "PATH": path},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """To the process and those that it started."""
    if process.poll() is None:
        os.killpg(process.pid, number)


def _cpu_s(process: subprocess.Popen[bytes]) -> float:
    """Of the process and its children."""
    try:
        top = psutil.Process(process.pid)
        family = [top, *top.children(recursive=True)]
        return sum(sum(one.cpu_times()[:2]) for one in family)
    except psutil.NoSuchProcess:
        return 0.0
