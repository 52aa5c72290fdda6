"""A machine that refuses some system calls, as container runtimes do.

`python -m tests.unit.ingestion.refusing CALL[,CALL...] COMMAND...` runs a command on one.
"""

import ctypes
import os
import struct
import sys

NUMBERS = {
    "x86_64": {"unshare": 272, "chroot": 161, "setresuid": 117, "seccomp": 317, "landlock_create_ruleset": 444},
    "aarch64": {"unshare": 97, "chroot": 51, "setresuid": 147, "seccomp": 277, "landlock_create_ruleset": 444},
}
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # linux/bpf_common.h
_ALLOW, _NOT_PERMITTED = 0x7FFF0000, 0x00050001  # linux/seccomp.h
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2  # linux/prctl.h


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse(numbers: list[int]) -> None:
    """Refuse these calls to this process and all that come after it."""
    steps = [struct.pack("=HBBI", _LOAD, 0, 0, 0)]
    for number in numbers:
        steps.append(struct.pack("=HBBI", _JUMP_IF_EQUAL, 0, 1, number))
        steps.append(struct.pack("=HBBI", _RETURN, 0, 0, _NOT_PERMITTED))
    steps.append(struct.pack("=HBBI", _RETURN, 0, 0, _ALLOW))
    program = _Program(length=len(steps), instructions=b"".join(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero)
    if libc.prctl(_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.byref(program), zero, zero) != 0:
        raise OSError(ctypes.get_errno(), "the filter was refused")


if __name__ == "__main__":
    refuse([NUMBERS[os.uname().machine][name] for name in sys.argv[1].split(",")])
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - it becomes the command
