"""Trying from within what native code could reach, by the C library and past Python. Harmless where it succeeds."""

import ctypes
import os
import socket
import struct
import sys

from core.library.ingestion.sandbox.kernel import LIBC
from core.library.ingestion.sandbox.layers import Exposure

_PATHS = tuple(os.fsencode(path) for path in (sys.executable, "/etc/passwd", "/proc/self/environ"))
_DISCARD = 9  # a port; connecting a datagram socket sends nothing


def still_open() -> tuple[Exposure, ...]:
    """List the surfaces that this process can reach. On a system other than Linux all of them: nothing was closed."""
    if sys.platform != "linux":
        return tuple(Exposure)
    tried = {Exposure.FILES: _files, Exposure.NETWORK: _network, Exposure.PROCESSES: _processes}
    return tuple(surface for surface in Exposure if tried[surface]())


def _files() -> bool:
    for path in _PATHS:
        handle = LIBC.open(path, os.O_RDONLY)
        if handle >= 0:
            LIBC.close(handle)
            return True
    return False


def _network() -> bool:
    """An address of this machine, or a socket with a name in the file system, which no network namespace hides."""
    handle = LIBC.socket(socket.AF_INET, socket.SOCK_DGRAM, 0)
    if handle >= 0:
        port = struct.pack("!H", _DISCARD)
        address = struct.pack("=H", socket.AF_INET) + port + bytes((127, 0, 0, 1)) + bytes(8)
        reached = LIBC.connect(handle, ctypes.c_char_p(address), len(address)) == 0
        LIBC.close(handle)
        if reached:
            return True
    handle = LIBC.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0)
    if handle < 0:
        return False
    LIBC.close(handle)
    return any(LIBC.access(path, os.F_OK) == 0 for path in _PATHS)


def _processes() -> bool:
    """A process of its own making, or the one that started it."""
    child = LIBC.fork()
    if child == 0:
        LIBC._exit(0)
    if child > 0:
        LIBC.waitpid(child, None, 0)
        return True
    return bool(LIBC.kill(os.getppid(), 0) == 0)
