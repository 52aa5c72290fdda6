"""seccomp: the kernel refuses every system call but those of a list, whoever asks for it.

The filter is a program of the kernel's packet filter (linux/filter.h): it sees the call's number, the architecture and
the arguments, and cannot see what they point at. See kernel.org/doc/html/latest/userspace-api/seccomp_filter.html.
"""

import ctypes
import os
import struct
import sys

from core.library.ingestion.sandbox.kernel import call, forbid_new_privileges
from core.library.ingestion.sandbox.system_calls import OF_ITSELF_ONLY, Architecture, architecture

_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, little endian
_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000 | 1, 0x7FFF0000  # SECCOMP_RET_KILL_PROCESS, _ERRNO with EPERM, _ALLOW
_SET_MODE_FILTER, _ALL_THREADS = 1, 1  # SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def restrict(*, copies: bool = False) -> bool:
    """Refuse this process, all of its threads, every call that a parser does not need. False: nothing changed.

    Whatever is still to be imported or opened has to be so before. copies: leave what it takes to make copies of this
    process, to end them, and to restrict them further: of two filters each refuses what it does not allow.
    """
    processor = architecture()
    if sys.platform != "linux" or processor is None or not forbid_new_privileges():
        return False
    instructions = program(processor, own_id=None if copies else os.getpid())
    given = _Program(length=len(instructions) // 8, instructions=instructions)
    return call(processor.seccomp, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(given)) == 0


def program(processor: Architecture, *, own_id: int | None) -> bytes:
    """The filter. own_id: the number of the process, the only one that it may send a signal; None for a template.

    A template's copies have other numbers, and each has a filter of its own as well.
    """
    # To prlimit64 the caller is 0.
    of_itself = dict(zip(OF_ITSELF_ONLY, (own_id, 0), strict=True)) if own_id is not None else {}
    allowed = processor.allowed if own_id is not None else {**processor.allowed, **processor.of_templates}
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_JUMP_IF_EQUAL, processor.audit, then=1),
        _step(_RETURN, _KILL),  # calls of another architecture have other numbers
        _step(_LOAD, _NUMBER),
    ]
    for name, number in allowed.items():
        if name not in of_itself:
            steps += [_step(_JUMP_IF_EQUAL, number, otherwise=1), _step(_RETURN, _ALLOW)]
    # The lower half is compared: the kernel, too, takes these numbers as 32 bits.
    for name, itself in of_itself.items():
        steps += [
            _step(_JUMP_IF_EQUAL, allowed[name], otherwise=4),
            _step(_LOAD, _FIRST_ARGUMENT),
            _step(_JUMP_IF_EQUAL, itself, otherwise=1),
            _step(_RETURN, _ALLOW),
            _step(_RETURN, _REFUSE),
        ]
    return b"".join([*steps, _step(_RETURN, _REFUSE)])


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; then and otherwise: how many of the next ones are passed over."""
    return struct.pack("=HBBI", code, then, otherwise, value)
