"""Putting this process behind every layer that there is here.

In two steps, for a process that makes copies of itself: `enclose` before there are any, `seal` in each of them.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from core.library.ingestion.sandbox import audit, landlock, seccomp
from core.library.ingestion.sandbox.attempts import still_open
from core.library.ingestion.sandbox.kernel import (
    die_with_the_parent,
    drop_capabilities,
    forbid_new_privileges,
    keep_memory_private,
    unshare,
)
from core.library.ingestion.sandbox.layers import Layer, Report
from core.library.ingestion.sandbox.limits import address_space, limit
from core.values.sizes import MEGABYTE

_NEW_USER, _NEW_IPC, _NEW_NETWORK = 0x10000000, 0x08000000, 0x40000000  # linux/sched.h
# Numbers that no package gives to an account; systemd, too, takes them for services that need one for a while. Another
# one than nobody's: other programs run as nobody, an embedded PostgreSQL among them.
_FIRST_ACCOUNT, _ACCOUNTS = 61184, 4336


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
    limit(memory=enclosure.memory)
    die_with_the_parent()  # a copy does not inherit it
    steps: tuple[tuple[Layer, Callable[[], bool]], ...] = (
        (Layer.LANDLOCK, landlock.restrict),  # once more: now the template and other copies are outside, too
        (Layer.AUDIT_HOOK, audit.refuse),
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
