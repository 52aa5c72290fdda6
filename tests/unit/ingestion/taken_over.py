"""A parser that the first file takes over for good: it keeps what it saw, and reaches for what comes after.

`python -m tests.unit.ingestion.taken_over ...` is `core.library.ingestion.sandbox.child` with this parser in place of
all others, so that it starts fast. A file's name says what it does, and holds what there is to reach as JSON.
"""

import ctypes
import errno
import json
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from core.errors import IngestionError
from core.library.ingestion.recognition import Recogniser
from core.library.ingestion.sandbox import child
from core.library.ingestion.sandbox.frames import frame

FORGED = "forged"
_LIBC = ctypes.CDLL(None, use_errno=True)
_SEIZE, _SIGNAL_NOTHING = 0x4206, 0
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438  # the same numbers on every architecture
_DESCRIPTORS = 64
_seen: list[str] = []


def _parse(content: bytes, name: str, recogniser: Recogniser | None) -> NoReturn:
    """Do what the name says and report it in an error; the content is what must not be seen again."""
    asked: dict[str, Any] = json.loads(name)
    found = {"open": _open(), **_look_around(asked.get("others", []))}
    _seen.append(content.decode())
    match asked.get("then"):
        case "hang":
            _hang()
        case "crash":
            os.abort()
        case "close":
            for descriptor in _open():
                os.close(descriptor)
            _hang()
        case "forge":
            reply = frame({"error": "IngestionError", "message": json.dumps(found)})
            forged = frame({"error": "IngestionError", "message": FORGED})
            for descriptor in _open():
                _fails_with(partial(os.write, descriptor, reply + forged))
            _hang()
    raise IngestionError(json.dumps(found))


def _look_around(others: list[int]) -> dict[str, Any]:
    """Report this process's identity, and what it has and reaches.

    others: processes besides the one it was forked from.
    """
    reached = {
        f"{does} {number}" for number in (os.getppid(), *others) for does, try_it in _REACHING.items() if try_it(number)
    }
    reached |= {does for does, try_it in _MAKING.items() if try_it()}
    return {
        "process": os.getpid(),
        "template": os.getppid(),
        "seen": list(_seen),
        "reached": sorted(reached),
    }


def _open() -> list[int]:
    return [number for number in range(_DESCRIPTORS) if _fails_with(partial(os.lseek, number, 0, 1)) != errno.EBADF]


def _fails_with(what: Callable[[], object]) -> int | None:
    try:
        what()
    except OSError as error:
        return error.errno
    return None


def _read_memory(number: int) -> bool:
    """A word of this process's own address space, which in a copy is where it is in the template."""
    word = ctypes.create_string_buffer(8)
    piece = (ctypes.c_uint64 * 2)(ctypes.addressof(word), 8)
    return bool(_LIBC.process_vm_readv(number, piece, 1, piece, 1, 0) > 0)


def _take_descriptor(number: int) -> bool:
    handle = _LIBC.syscall(_PIDFD_OPEN, number, 0)
    return bool(handle >= 0 and any(_LIBC.syscall(_PIDFD_GETFD, handle, each, 0) >= 0 for each in range(8)))


def _fork() -> bool:
    made = _LIBC.fork()
    if made == 0:
        os._exit(0)
    return bool(made > 0)


def _hang() -> None:
    while True:
        time.sleep(60)


_REACHING: dict[str, Callable[[int], bool]] = {
    "signal": lambda number: _LIBC.kill(number, _SIGNAL_NOTHING) == 0,
    "trace": lambda number: _LIBC.ptrace(_SEIZE, number, None, None) == 0,
    "read the memory of": _read_memory,
    "take a descriptor of": _take_descriptor,
    "signal a thread of": lambda number: _LIBC.syscall(_TGKILL, number, number, _SIGNAL_NOTHING) == 0,
}
_TGKILL = {"x86_64": 234, "aarch64": 131}.get(os.uname().machine, -1)
_MAKING: dict[str, Callable[[], bool]] = {
    "fork": _fork,
    "be dumpable": lambda: _LIBC.prctl(4, 1, 0, 0, 0) == 0,
    "ask for shared memory": lambda: _LIBC.shmget(7, 4096, 0o1600) >= 0,
}

if __name__ == "__main__":
    child.parse = _parse  # type: ignore[attr-defined]  # the name that `main` looks up
    child.load_parsers = lambda: None  # type: ignore[attr-defined]
    child.main()
