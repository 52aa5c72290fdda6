"""A network namespace with nothing but loopback, for root and for ordinary users."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

# From Linux' <linux/sockios.h> and <linux/if.h>.
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 0x1

# Root may make one; others need a user namespace beside it, in which they keep their id and the right to set it up.
_COMMANDS = (("unshare", "--net"), ("unshare", "--map-current-user", "--net", "--keep-caps"))


def namespace_command() -> tuple[str, ...] | None:
    """The command to put before one that is to run in a namespace of its own; None where that cannot be had."""
    if not sys.platform.startswith("linux") or not shutil.which("unshare"):
        return None
    probe = (sys.executable, "-c", "from tests.acceptance.slack.namespace import loopback_up; loopback_up()")
    for command in _COMMANDS[os.geteuid() != 0 :]:
        if subprocess.run([*command, *probe], capture_output=True, check=False, timeout=60).returncode == 0:
            return command
    return None


def loopback_up() -> None:
    """Bring the loopback interface up: in a new namespace it is down. PermissionError outside of one's own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))
