"""The system calls that a parser needs once everything is imported, by architecture. All others are refused.

The numbers are those of asm/unistd_64.h for x86-64 and of asm-generic/unistd.h for arm64.
"""

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

# Memory, pipes that are open, time, signals to itself, and its own end. Nothing here opens, connects or starts.
_X86_64 = {
    "read": 0,
    "write": 1,
    "close": 3,
    "fstat": 5,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "readv": 19,
    "writev": 20,
    "sched_yield": 24,
    "mremap": 25,
    "madvise": 28,
    "nanosleep": 35,
    "getpid": 39,
    "exit": 60,
    "gettimeofday": 96,
    "getrusage": 98,
    "times": 100,
    "getuid": 102,
    "getgid": 104,
    "geteuid": 107,
    "getegid": 108,
    "getppid": 110,
    "sigaltstack": 131,
    "gettid": 186,
    "futex": 202,
    "sched_getaffinity": 204,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "getrandom": 318,
    "membarrier": 324,
    "tgkill": 234,
    "prlimit64": 302,
}
_ARM64 = {
    "read": 63,
    "write": 64,
    "close": 57,
    "fstat": 80,
    "lseek": 62,
    "mmap": 222,
    "mprotect": 226,
    "munmap": 215,
    "brk": 214,
    "rt_sigaction": 134,
    "rt_sigprocmask": 135,
    "rt_sigreturn": 139,
    "readv": 65,
    "writev": 66,
    "sched_yield": 124,
    "mremap": 216,
    "madvise": 233,
    "nanosleep": 101,
    "getpid": 172,
    "exit": 93,
    "gettimeofday": 169,
    "getrusage": 165,
    "times": 153,
    "getuid": 174,
    "getgid": 176,
    "geteuid": 175,
    "getegid": 177,
    "getppid": 173,
    "sigaltstack": 132,
    "gettid": 178,
    "futex": 98,
    "sched_getaffinity": 123,
    "restart_syscall": 128,
    "clock_gettime": 113,
    "clock_getres": 114,
    "clock_nanosleep": 115,
    "exit_group": 94,
    "getrandom": 278,
    "membarrier": 283,
    "tgkill": 131,
    "prlimit64": 261,
}
# What a template needs besides: it takes pipes from its parent, makes copies of itself, restricts them and ends them.
# A copy's own filter refuses all of it again before there is a file.
_X86_64_TEMPLATE = {
    "recvmsg": 47,
    "clone": 56,
    "fork": 57,  # musl's way
    "wait4": 61,
    "kill": 62,
    "prctl": 157,
    "set_robust_list": 273,
    "seccomp": 317,
    "landlock_create_ruleset": 444,
    "landlock_restrict_self": 446,
}
_ARM64_TEMPLATE = {
    "recvmsg": 212,
    "clone": 220,
    "wait4": 260,
    "kill": 129,
    "prctl": 167,
    "set_robust_list": 99,
    "seccomp": 277,
    "landlock_create_ruleset": 444,
    "landlock_restrict_self": 446,
}
# Calls that reach another process with another first argument than this one; see `seccomp`.
OF_ITSELF_ONLY = ("tgkill", "prlimit64")


@dataclass(frozen=True, kw_only=True, slots=True)
class Architecture:
    """The parts of a filter that depend on the processor."""

    audit: int  # its AUDIT_ARCH_... of linux/audit.h
    seccomp: int  # the number of the call seccomp
    allowed: Mapping[str, int]
    of_templates: Mapping[str, int]  # allowed to them in addition


_ARCHITECTURES = {
    "x86_64": Architecture(audit=0xC000003E, seccomp=317, allowed=_X86_64, of_templates=_X86_64_TEMPLATE),
    "aarch64": Architecture(audit=0xC00000B7, seccomp=277, allowed=_ARM64, of_templates=_ARM64_TEMPLATE),
}


@cache
def architecture() -> Architecture | None:
    """This machine's. None where we have no table for it, and for a 32-bit Python on a 64-bit kernel.

    Kept: a process that is shut in cannot ask the kernel again.
    """
    if sys.maxsize < 2**32:  # platform.architecture() would open the interpreter and start a program
        return None
    return _ARCHITECTURES.get(platform.machine())
