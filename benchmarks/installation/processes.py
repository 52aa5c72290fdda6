"""The processes of the Procfile that a measurement is put to, and what they take of the machine."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
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


class Process:
    """One process of the Procfile, by its name there: started, killed, started again.

    within: a command line that runs the one that is put behind it as one word, such as `nice sh -c`.
    """

    def __init__(self, name: str, environment: Mapping[str, str], log: IO[bytes], *, within: str = "") -> None:
        command = parse_procfile((ROOT / "Procfile").read_text()).processes[name]
        self.name = name
        self._command = f"exec {within} {shlex.quote(command)}" if within else command
        self._environment = environment
        self._log = log
        self._running: subprocess.Popen[bytes] | None = None
        self.started_at = 0.0  # Unix time
        self.starts = 0

    def start(self) -> None:
        """Run it, in a session of its own."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        self._running = subprocess.Popen(
            ["/bin/sh", "-c", self._command],
            cwd=ROOT,
            env={**os.environ, **self._environment, "PATH": path},
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        self.started_at = time.time()
        self.starts += 1

    def kill(self) -> None:
        """End it, and all that it started, at once: nothing of it is cleaned up."""
        self._signal(signal.SIGKILL)
        if self._running:
            self._running.wait()
            self._running = None

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def wait(self) -> None:
        """Wait until it has ended, killing it if that takes too long."""
        if self._running is None:
            return
        try:
            self._running.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def end_code(self) -> int | None:
        """The exit code of one that has ended by itself; None while it runs."""
        return self._running.poll() if self._running else None

    def cpu_s(self) -> float:
        """Seconds of processor time that it and its children have used."""
        return sum(sum(one.cpu_times()[:2]) for one in self._family())

    def rss_mb(self) -> float:
        """Megabytes of memory that it and its children hold."""
        return sum(one.memory_info().rss for one in self._family()) / 2**20

    def _family(self) -> list[psutil.Process]:
        if self._running is None:
            return []
        with suppress(psutil.NoSuchProcess):
            top = psutil.Process(self._running.pid)
            return [one for one in (top, *top.children(recursive=True)) if one.status() != psutil.STATUS_ZOMBIE]
        return []

    def _signal(self, number: signal.Signals) -> None:
        if self._running and self._running.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._running.pid, number)


class Processes:
    """One web process and some workers."""

    def __init__(self, web: Process, workers: list[Process]) -> None:
        self._web, self._workers = web, workers

    def web_cpu_s(self) -> float:
        """Seconds of processor time that the web process has used."""
        return _cpu_s(self._web)

    def worker_cpu_s(self) -> float:
        """Seconds of processor time that the workers have used."""
        return sum(_cpu_s(worker) for worker in self._workers)

    def have_ended(self) -> bool:
        """Return True if one of them has ended by itself."""
        return any(process.end_code() is not None for process in (self._web, *self._workers))


@contextmanager
def ending(*processes: Process) -> Iterator[None]:
    """They have ended after the block, whether they were started in it or not."""
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


@contextmanager
def running(environment: Mapping[str, str], *, workers: int, log: IO[bytes]) -> Iterator[Processes]:
    """They run within the block, and have ended after it."""
    web = Process("web", environment, log)
    several = [Process("worker", environment, log) for _ in range(workers)]
    with ending(web, *several):
        for process in (web, *several):
            process.start()
        yield Processes(web, several)


def _cpu_s(process: Process) -> float:
    with suppress(psutil.NoSuchProcess):
        return process.cpu_s()
    return 0.0
