"""Set the operating system's limits for a process. Limits that a system does not have are left out."""

import contextlib
import os
import resource
from pathlib import Path

_OPEN_FILES = 64


def limit(*, memory: int) -> None:
    """Limit memory to so many bytes of address space, and forbid to write files, dump core and start processes."""
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_NPROC, 0)  # not for root
    _set(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _set(resource.RLIMIT_AS, memory)


def allow_cpu(seconds: int) -> None:
    """Let the process use so many more seconds of CPU from now on; then the system kills it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def address_space() -> int:
    """Return the address space in use, in bytes; 0 where the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _set(which: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # macOS knows RLIMIT_AS but refuses to set it
        resource.setrlimit(which, (value, value))
