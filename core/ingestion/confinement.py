"""Taking rights away from the process that parses, before it sees a file from outside.

Two layers: what the operating system enforces (limits, and on Linux a network namespace of its own), and an audit
hook in Python, which also works where the first is not to be had. A right that is gone does not come back.
"""

import contextlib
import ctypes
import os
import resource
import sys
from typing import Any

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000  # linux/sched.h
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38  # linux/prctl.h
_SIGKILL = 9
_MB = 1024 * 1024
_OPEN_FILES = 64
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_REFUSED = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.kill",
    "shutil.",
    "tempfile.",
    "ftplib.",
    "http.client.",
    "urllib.",
)


def leave_the_network() -> None:
    """Move into a network namespace without any interface, where the system allows it (Linux)."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        libc.unshare(_CLONE_NEWNET)  # root needs no namespace of its own for users
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def limit(*, memory_mb: int) -> None:
    """Limit memory, and forbid to write files and dump core. Limits that a system does not have are left out."""
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _set(resource.RLIMIT_AS, memory_mb * _MB)


def allow_cpu(seconds: int) -> None:
    """Let the process use so many more seconds of CPU from now on; then the system kills it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def refuse_by_audit() -> None:
    """Refuse in Python what a parser never needs: sockets, processes, and writing or removing files."""
    sys.addaudithook(_hook)


def _set(which: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # macOS knows RLIMIT_AS but refuses to set it
        resource.setrlimit(which, (value, value))


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        _, mode, flags = arguments
        if (isinstance(mode, str) and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & _WRITING):
            raise PermissionError("a parser may not write files")
    elif event.startswith(_REFUSED):
        raise PermissionError(f"a parser may not use {event}")
