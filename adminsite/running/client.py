"""Ask a Footnote that runs to do a command. Imports nothing of Django, which takes seconds to set up."""

import hashlib
import http.client
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adminsite.running.address import find_socket, is_private
from core.infrastructure.version import VERSION

COMMANDS = frozenset({"ask", "search"})
_CONNECT_TIMEOUT_S = 2
# Options that a command's parser answers by itself, on its own output.
_OF_PARSERS = ("-h", "--h", "--vers")


class _Connection(http.client.HTTPConnection):
    """HTTP over the socket of commands."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_CONNECT_TIMEOUT_S)
        self.sock.connect(str(self._path))
        self.sock.settimeout(None)  # an answer has its own time


def try_running(arguments: Sequence[str], env: Mapping[str, str]) -> int | None:
    """Let a Footnote that runs do the command, print what it says, and return the exit code.

    arguments: as in sys.argv. None where none runs, or it leaves the command to this process.
    """
    command, rest = arguments[1:2], list(arguments[2:])
    if not command or command[0] not in COMMANDS or any(each.startswith(_OF_PARSERS) for each in rest):
        return None
    path = find_socket(env)
    if path is None or not is_private(path.parent):
        return None
    order = {"version": VERSION, "command": command[0], "arguments": rest, "environment": digest_environment(env)}
    said = _send_order(path, order)
    if said is None:
        return None
    try:
        for stream, text in ((sys.stdout, said["stdout"]), (sys.stderr, said["stderr"])):
            stream.write(text)
            stream.flush()
    except BrokenPipeError:  # whoever reads has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(said["exit_code"])


def digest_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return a digest of each value, so that the other side can compare them without being given them."""
    return {name: hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest() for name, value in env.items()}


def _send_order(path: Path, order: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what was answered. None where nobody listens, or the command is to be done here."""
    try:
        body = json.dumps(order).encode()
    except UnicodeEncodeError:
        return None
    connection = _Connection(path)
    try:
        connection.request("POST", "/", body=body)
        response = connection.getresponse()
        content = response.read()
        return json.loads(content) if response.status == http.HTTPStatus.OK else None
    except (OSError, http.client.HTTPException, ValueError):
        return None  # the question is asked here instead, also where the web process ended meanwhile
    finally:
        connection.close()
