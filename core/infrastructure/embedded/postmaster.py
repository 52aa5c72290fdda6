"""The server's main process, found by the file that it keeps in its data folder (postmaster.pid).

The file outlives a killed server, and its process number may by then be another program's. PostgreSQL itself looks
only at the number, and so refuses to start beside a stranger or a dead process that nobody has reaped yet.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.errors import DatabaseUnavailableError

_DYING_TIMEOUT_S = 30
_PORT_LINE = 3  # of postmaster.pid, from 0 (PostgreSQL's src/include/utils/pidfile.h, LOCK_FILE_LINE_PORT)


@dataclass(frozen=True, kw_only=True)
class Postmaster:
    """A running server. `port` is 0 until it has one."""

    pid: int
    port: int


def find(data: Path) -> Postmaster | None:
    """The server that runs on this data folder, if any. The file of one that is gone for good is removed."""
    file = data / "postmaster.pid"
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return None
    pid = int(lines[0]) if lines and lines[0].isdigit() else 0
    if pid and _serves(pid, data):
        port = lines[_PORT_LINE] if len(lines) > _PORT_LINE else ""
        return Postmaster(pid=pid, port=int(port) if port.isdigit() else 0)
    _wait_for_children(data)
    file.unlink(missing_ok=True)
    return None


def _wait_for_children(data: Path) -> None:
    """Wait until no process works on the data. They end by themselves once they notice that the main one is gone."""
    deadline = time.monotonic() + _DYING_TIMEOUT_S
    while any(_serves(process.pid, data) for process in psutil.process_iter()):
        if time.monotonic() > deadline:
            raise DatabaseUnavailableError(f"Processes of a killed server still use {data}. End them first.")
        time.sleep(0.1)


def _serves(pid: int, data: Path) -> bool:
    """True when the process lives and is a PostgreSQL that works in this folder, as all its processes do."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE or not process.name().startswith("postgres"):
            return False
        return Path(process.cwd()) == data.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
