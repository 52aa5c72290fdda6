"""Calls into Linux that Python's library does not have. On other systems each says that it failed."""

import ctypes
import sys

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38  # linux/prctl.h
_SIGKILL = 9
_CAPABILITY_VERSION_3 = 0x20080522  # linux/capability.h
LIBC = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """Make a system call by its number. Arguments are whole numbers, or pointers of ctypes. -1 when it is refused."""
    if sys.platform != "linux":
        return -1
    # Whole numbers are passed as 64 bits: the wrapper of the C library has no types that would widen them.
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    LIBC.syscall.restype = ctypes.c_long
    return int(LIBC.syscall(ctypes.c_long(number), *wide))


def unshare(flags: int) -> bool:
    """Leave namespaces for new ones. flags: the CLONE_NEW... of linux/sched.h."""
    return sys.platform == "linux" and bool(LIBC.unshare(flags) == 0)


def forbid_new_privileges() -> bool:
    """Let no program that this process starts have more rights than it has itself. Landlock and seccomp ask for it."""
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1) == 0


def die_with_the_parent() -> None:
    """Have this process killed when the thread that started it ends. A change of account undoes it."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def keep_memory_private() -> None:
    """Let no other process of the same account read this one's memory and environment, nor the kernel dump it.

    For processes that hold secrets: without it /proc/PID/environ and /proc/PID/mem are open to every process of the
    account, debuggers included.
    """
    _prctl(_PR_SET_DUMPABLE, 0)


def drop_capabilities() -> None:
    """Give up every capability, those of a user namespace included."""
    if sys.platform != "linux":
        return
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    LIBC.capset(ctypes.byref(header), ctypes.byref(nothing))


def _prctl(option: int, value: int) -> int:
    if sys.platform != "linux":
        return -1
    zero = ctypes.c_ulong(0)
    return int(LIBC.prctl(option, ctypes.c_ulong(value), zero, zero, zero))
