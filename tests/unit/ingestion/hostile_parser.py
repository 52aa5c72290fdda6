"""A parser that a file has taken over: it tries, by the C library and past Python, what a sandbox has to refuse.

`python -m tests.unit.ingestion.hostile_parser MEMORY_MB SECONDS OUTPUT_MB [WITHOUT]` is the sandboxed process with this
parser, and `... alone WITHOUT TARGETS` the sandbox without any, which starts faster; that one writes what succeeded.
"""

import ctypes
import json
import os
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from core.errors import IngestionError
from core.library.ingestion.recognition import Recogniser

LIBC = ctypes.CDLL(None, use_errno=True)
_SEIZE = 0x4206  # ptrace; unlike an attachment it stops nobody


def attempts(targets: dict[str, Any]) -> list[str]:
    """The names of what succeeded. targets: paths and a port that can be reached from without."""
    secret, victim, folder, unix = (os.fsencode(targets[name]) for name in ("secret", "victim", "folder", "unix"))
    parent = targets["parent"]
    tried: dict[str, Callable[[], bool]] = {
        "read the secret key": lambda: _opened(secret, os.O_RDONLY),
        "read the parent's environment": lambda: _opened(b"/proc/%d/environ" % parent, os.O_RDONLY),
        "read the parent's memory": lambda: _opened(b"/proc/%d/mem" % parent, os.O_RDONLY),
        "read its own environment": lambda: _opened(b"/proc/self/environ", os.O_RDONLY),
        "list the folder": lambda: _opened(folder, os.O_RDONLY | os.O_DIRECTORY),
        "write a file": lambda: _opened(folder + b"/written", os.O_CREAT | os.O_WRONLY),
        "remove a file": lambda: LIBC.unlink(victim) == 0,
        "rename a file": lambda: LIBC.rename(victim, victim + b".moved") == 0,
        "make a folder": lambda: LIBC.mkdir(folder + b"/made", 0o700) == 0,
        "connect over TCP": lambda: _connected(socket.AF_INET, _internet(targets["port"]), socket.SOCK_STREAM),
        "connect over UDP": lambda: _connected(socket.AF_INET, _internet(targets["port"]), socket.SOCK_DGRAM),
        "connect to a socket in a folder": lambda: _connected(
            socket.AF_UNIX, struct.pack("=H", socket.AF_UNIX) + unix + b"\0", socket.SOCK_STREAM
        ),
        "fork": _forked,
        "signal the parent": lambda: LIBC.kill(parent, 0) == 0,
        "trace the parent": lambda: LIBC.ptrace(_SEIZE, parent, None, None) == 0,
    }
    return [name for name, succeeds in tried.items() if succeeds()]


def execute() -> None:
    """Become another program, which says so; returns when that is refused."""
    LIBC.execve(b"/bin/sh", (ctypes.c_char_p * 4)(b"sh", b"-c", b"echo executed", None), None)


def _opened(path: bytes, flags: int) -> bool:
    handle = LIBC.open(path, flags, 0o600)
    if handle < 0:
        return False
    LIBC.close(handle)
    return True


def _connected(family: int, address: bytes, kind: int) -> bool:
    handle = LIBC.socket(family, kind, 0)
    if handle < 0:
        return False
    reached = LIBC.connect(handle, address, len(address)) == 0
    LIBC.close(handle)
    return bool(reached)


def _internet(port: int) -> bytes:
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H", port) + bytes((127, 0, 0, 1)) + bytes(8)


def _forked() -> bool:
    child = LIBC.fork()
    if child == 0:
        os._exit(0)
    if child > 0:
        LIBC.waitpid(child, None, 0)
    return bool(child > 0)


def _parse(content: bytes, name: str, recogniser: Recogniser | None) -> NoReturn:
    raise IngestionError(json.dumps(attempts(json.loads(name))))


def _alone(without: str, targets: str) -> None:
    from core.library.ingestion.sandbox.closing import shut_in
    from core.library.ingestion.sandbox.layers import Layer

    wanted = json.loads(targets)
    shut_in(memory_mb=64, without={Layer(name) for name in without.split(",") if name})
    sys.stdout.write(json.dumps(attempts(wanted)) + "\n")
    sys.stdout.flush()
    execute()


if __name__ == "__main__":
    if sys.argv[1] == "alone":
        _alone(*sys.argv[2:])
    else:
        from core.library.ingestion.sandbox import child

        child.parse = _parse  # type: ignore[attr-defined]  # the name that `main` looks up
        child.main()
