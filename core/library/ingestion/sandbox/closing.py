"""Put this process behind every layer that there is here: the kernel's, limits of memory and CPU, Python's audit hook.

In two steps, for a process that makes copies of itself: `enclose` before there are any, `seal` in each of them. What is
still open is found by trying, by the C library and past Python, as native code could.
"""

import contextlib
import ctypes
import os
import resource
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.library.ingestion.sandbox import landlock, seccomp
from core.library.ingestion.sandbox.kernel import (
    LIBC,
    die_with_the_parent,
    drop_capabilities,
    forbid_new_privileges,
    keep_memory_private,
    unshare,
)
from core.library.ingestion.sandbox.layers import Exposure, Layer, Report
from core.values.sizes import MEGABYTE

_NEW_USER, _NEW_IPC, _NEW_NETWORK = 0x10000000, 0x08000000, 0x40000000  # linux/sched.h
# Numbers that no package gives to an account; systemd, too, takes them for services that need one for a while. Another
# one than nobody's: other programs run as nobody, an embedded PostgreSQL among them.
_FIRST_ACCOUNT, _ACCOUNTS = 61184, 4336

_TRIED_PATHS = tuple(os.fsencode(path) for path in (sys.executable, "/etc/passwd", "/proc/self/environ"))
_DISCARD = 9  # a port; connecting a datagram socket sends nothing

_REFUSED_EVENTS = (
    "open",
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.listdir",
    "os.scandir",
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

_OPEN_FILES = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Enclosure:
    """Layers that `enclose` put around a process, and what `seal` needs to add the rest."""

    held: frozenset[Layer]
    without: frozenset[Layer]
    memory: int  # bytes of address space that may be used in all


def shut_in(*, memory_mb: int, without: Collection[Layer] = ()) -> Report:
    """Give up all rights but to compute and to use the pipes that are open, and report the layers that hold.

    Everything has to be imported before. memory_mb: what may be used on top of what is used now. without: layers that
    are left out, for tests of the others.
    """
    return seal(enclose(memory_mb=memory_mb, without=without))


def enclose(*, memory_mb: int, without: Collection[Layer] = ()) -> Enclosure:
    """Give up all rights but to compute, to make copies of this process, and to end them; see `shut_in`.

    A copy does the rest, with `seal`, before it is given a file.
    """
    memory = address_space() + memory_mb * MEGABYTE
    # Each step takes rights that the ones before it needed.
    steps: tuple[tuple[Layer, Callable[[], bool]], ...] = (
        (Layer.NETWORK_NAMESPACE, _leave_the_network),
        (Layer.EMPTY_ROOT, _leave_the_files),
        (Layer.OWN_ACCOUNT, _leave_the_account),
        (Layer.LANDLOCK, landlock.restrict),
        (Layer.SECCOMP, lambda: _settle() and seccomp.restrict(copies=True)),
    )
    held = frozenset(layer for layer, close in steps if layer not in without and close())
    if Layer.SECCOMP in without:
        _settle()
    return Enclosure(held=held, without=frozenset(without), memory=memory)


def seal(enclosure: Enclosure) -> Report:
    """Give up what `enclose` left, and report the layers that hold. For the parsing process, which makes no copies."""
    limit_resources(memory=enclosure.memory)
    die_with_the_parent()  # a copy does not inherit it
    steps: tuple[tuple[Layer, Callable[[], bool]], ...] = (
        (Layer.LANDLOCK, landlock.restrict),  # once more: now the template and other copies are outside, too
        (Layer.AUDIT_HOOK, add_audit_hook),
        (Layer.SECCOMP, seccomp.restrict),
    )
    again = {layer for layer, _ in steps}
    held = {layer for layer, close in steps if layer not in enclosure.without and close()} | (enclosure.held - again)
    return Report(layers=tuple(layer for layer in Layer if layer in held), still_open=still_open())


def _leave_the_network() -> bool:
    """Move into a network namespace without any interface but a loopback that is down.

    Who is not root asks for a namespace of users as well, and has all capabilities in it until `_settle`.
    """
    namespaces = _NEW_NETWORK | _NEW_IPC
    return unshare(namespaces if _is_root() else namespaces | _NEW_USER)


def _leave_the_files() -> bool:
    """Make an empty folder that is gone from its place the root. Needs root, or a namespace of users."""
    if sys.platform != "linux":
        return False
    try:
        empty = tempfile.mkdtemp(prefix="footnote-")
    except OSError:
        return False
    try:
        os.chdir(empty)
        Path(empty).rmdir()
        os.chroot(".")
        os.chdir("/")
    except OSError:
        return False
    return True


def _leave_the_account() -> bool:
    """As root become an account that owns nothing. Where only some accounts are mapped, nobody's has to do."""
    if not _is_root():
        return False
    for number in (_FIRST_ACCOUNT + os.getpid() % _ACCOUNTS, 65534):
        try:
            os.setgroups([])
            os.setresgid(number, number, number)
            os.setresuid(number, number, number)
        except OSError:
            continue
        return True
    return False


def _settle() -> bool:
    """Drop rights that need no layer of their own, after the last change of account, which would undo some of it."""
    drop_capabilities()
    keep_memory_private()
    die_with_the_parent()
    return forbid_new_privileges()


def _is_root() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0


def still_open() -> tuple[Exposure, ...]:
    """List the surfaces that this process can reach, by trying, which is harmless where it succeeds.

    On a system other than Linux all of them: nothing was closed.
    """
    if sys.platform != "linux":
        return tuple(Exposure)
    tried = {
        Exposure.FILES: _can_open_files,
        Exposure.NETWORK: _can_reach_network,
        Exposure.PROCESSES: _can_reach_processes,
    }
    return tuple(surface for surface in Exposure if tried[surface]())


def _can_open_files() -> bool:
    for path in _TRIED_PATHS:
        handle = LIBC.open(path, os.O_RDONLY)
        if handle >= 0:
            LIBC.close(handle)
            return True
    return False


def _can_reach_network() -> bool:
    """Try an address of this machine, and a socket with a name in the file system, which no network namespace hides."""
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
    return any(LIBC.access(path, os.F_OK) == 0 for path in _TRIED_PATHS)


def _can_reach_processes() -> bool:
    """Try a process of its own making, and the one that started it."""
    child = LIBC.fork()
    if child == 0:
        LIBC._exit(0)
    if child > 0:
        LIBC.waitpid(child, None, 0)
        return True
    return bool(LIBC.kill(os.getppid(), 0) == 0)


def add_audit_hook() -> bool:
    """Refuse in Python what a parser never needs once it is imported: files, sockets, processes. Always True."""
    sys.addaudithook(_refuse_event)
    return True


def _refuse_event(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED_EVENTS):
        raise PermissionError(f"a parser may not use {event}")


def limit_resources(*, memory: int) -> None:
    """Limit memory to so many bytes of address space, and forbid to write files, dump core and start processes."""
    _set_limit(resource.RLIMIT_CORE, 0)
    _set_limit(resource.RLIMIT_FSIZE, 0)
    _set_limit(resource.RLIMIT_NPROC, 0)  # not for root
    _set_limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _set_limit(resource.RLIMIT_AS, memory)


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


def _set_limit(which: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # macOS knows RLIMIT_AS but refuses to set it
        resource.setrlimit(which, (value, value))
