"""Landlock: Linux's way for a process to give up files, connections and signals without being root.

See docs.kernel.org/userspace-api/landlock.html, from which the numbers are. A ruleset handles rights and here has no
rule that grants one of them, so that all of them are gone; what was opened before stays open.
"""

import ctypes
import os

from core.library.ingestion.sandbox.kernel import call, forbid_new_privileges

_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same numbers on every architecture
_ASK_VERSION = 1
_EXECUTE_TO_MAKE_SYM = (1 << 13) - 1  # all rights of the first version
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_UNIX_SOCKET, _SIGNAL = 1, 2


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


def version() -> int:
    """Return the version of the kernel's Landlock interface; 0 when there is none, or it is not in use."""
    return max(call(_CREATE_RULESET, None, 0, _ASK_VERSION), 0)


def restrict() -> bool:
    """Give up all that this kernel's Landlock can take, for this thread and those it starts. False: nothing changed."""
    known = version()
    if known == 0 or not forbid_new_privileges():
        return False
    ruleset, size = _make_ruleset(known)
    handle = call(_CREATE_RULESET, ctypes.byref(ruleset), size, 0)
    if handle < 0:
        return False
    try:
        return call(_RESTRICT_SELF, handle, 0) == 0
    finally:
        os.close(handle)


def _make_ruleset(known: int) -> tuple[_Ruleset, int]:
    """Return all rights that a version knows, and how many bytes of the structure it reads: it refuses others."""
    ruleset = _Ruleset(files=_EXECUTE_TO_MAKE_SYM)
    if known >= 2:
        ruleset.files |= _REFER
    if known >= 3:
        ruleset.files |= _TRUNCATE
    if known >= 5:
        ruleset.files |= _IOCTL_DEV
    if known < 4:
        return ruleset, 8
    ruleset.network = _BIND_TCP | _CONNECT_TCP
    if known < 6:
        return ruleset, 16
    ruleset.scoped = _ABSTRACT_UNIX_SOCKET | _SIGNAL
    return ruleset, 24
