"""Running the processes of the Procfile until one of them ends or somebody stops them."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
from honcho import manager as honcho
from honcho.environ import parse_procfile

from adminsite.launcher.record import RunRecord

_STARTED_TIMEOUT_S = 10.0
_STOPPED_BY_PERSON = {130, 143}  # honcho's codes for SIGINT and SIGTERM


class Processes:
    """The processes of one run."""

    def __init__(
        self,
        procfile: Path,
        env: Mapping[str, str],
        *,
        record: RunRecord,
        record_path: Path,
        stop_timeout_s: float,
        beside: Mapping[str, str] | None = None,
    ) -> None:
        """stop_timeout_s: how long the others have to end after the first of them has; then they are killed.

        beside: further commands by name, which are run as those of the Procfile.
        """
        honcho.KILL_WAIT = stop_timeout_s  # honcho has no other way to say it, and its own five seconds are too few
        self._manager = honcho.Manager()
        self._record = record
        self._record_path = record_path
        self._ended = threading.Event()
        self._commands = {**parse_procfile(procfile.read_text()).processes, **(beside or {})}
        for name, command in self._commands.items():
            self._manager.add_process(name, command, env=dict(env), cwd=str(procfile.parent))

    @property
    def ended(self) -> bool:
        """True once the processes are being stopped or have stopped by themselves."""
        return self._ended.is_set()

    def run(self, *, meanwhile: Callable[[], None]) -> int:
        """Run them, and `meanwhile` in a thread beside. The exit code is 0 only when a person stopped them.

        Their output comes out here, each line with its process's name. When one ends, all others are stopped.
        """
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))  # the terminal was closed
        beside = [threading.Thread(target=target, daemon=True) for target in (self._take_down, meanwhile)]
        for thread in beside:
            thread.start()
        try:
            self._manager.loop()
        finally:
            self._ended.set()
            self._record.end_processes()  # a signal in the first moments finds the manager not ready to pass it on
        code = int(self._manager.returncode or 0)
        return 0 if code in _STOPPED_BY_PERSON else code or 1

    def _take_down(self) -> None:
        """Write down the processes as soon as they have started, for a later run that may have to end them."""
        deadline = time.monotonic() + _STARTED_TIMEOUT_S
        while not self.ended and time.monotonic() < deadline:
            children = psutil.Process().children(recursive=True)
            leaders = [child.pid for child in children if _leads_a_group(child.pid)]
            if len(leaders) > len(self._record.processes):
                with contextlib.suppress(psutil.NoSuchProcess):  # one that ends at once; then all are being stopped
                    self._record = self._record.with_processes(leaders)
                    self._record.save(self._record_path)
            if len(leaders) >= len(self._commands):
                return
            time.sleep(0.05)


def _leads_a_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False
