"""Record the started processes in a file, so that the next launcher can end what a killed one left."""

import contextlib
import fcntl
import json
import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

import psutil

_GRACE_S = 5.0
_CLOCK_TOLERANCE_S = 2.0  # start times are reckoned from the clock, which may be set meanwhile


@dataclass(frozen=True, kw_only=True)
class Started:
    """A process, by its number and the time it started at, because numbers are given again."""

    pid: int
    created: float  # seconds since the epoch

    @classmethod
    def of(cls, pid: int) -> Self:
        """Return the running process of that number. psutil.NoSuchProcess when it has gone."""
        return cls(pid=pid, created=psutil.Process(pid).create_time())

    def is_alive(self) -> bool:
        """True while exactly this process runs."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.created) < _CLOCK_TOLERANCE_S
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """One run of the launcher. Each of `processes` leads a process group of its own."""

    launcher: Started
    port: int
    processes: tuple[Started, ...] = ()

    @classmethod
    def of_this_process(cls, *, port: int) -> Self:
        """Return the record of a run that begins here."""
        return cls(launcher=Started.of(os.getpid()), port=port)

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Return the record of the last run; None when it ended in order, or when the file cannot be read."""
        try:
            raw = json.loads(path.read_text())
            return cls(
                launcher=Started(**raw["launcher"]),
                port=raw["port"],
                processes=tuple(Started(**process) for process in raw["processes"]),
            )
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None

    @staticmethod
    @contextlib.contextmanager
    def claim(path: Path) -> Iterator[None]:
        """Let one launcher at a time look for the last run and write down its own inside the block.

        Nothing may be started in it: a child would keep the lock for as long as it runs.
        """
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def save(self, path: Path) -> None:
        """Write it in one step."""
        unfinished = path.with_name(path.name + ".new")
        unfinished.write_text(json.dumps(asdict(self)))
        unfinished.replace(path)

    def with_processes(self, pids: Iterable[int]) -> Self:
        """Return the same run with these processes."""
        return replace(self, processes=tuple(Started.of(pid) for pid in pids))

    def end_processes(self) -> int:
        """End what still runs, politely first, and return how many groups that were."""
        groups = [process.pid for process in self.processes if process.is_alive()]
        for group in groups:
            _signal_group(group, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_S
        while any(_list_members(group) for group in groups) and time.monotonic() < deadline:
            time.sleep(0.05)
        for group in groups:
            if _list_members(group):
                _signal_group(group, signal.SIGKILL)
        return len(groups)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def _list_members(group: int) -> list[int]:
    """Return the processes of a group, without those that are dead and only not reaped yet."""
    members = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process.pid)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return members
