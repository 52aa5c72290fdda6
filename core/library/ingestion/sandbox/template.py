"""The parent's end of a template: a process that makes a copy of itself for each file; see `child`.

A copy is given two pipes of its own, which neither the template nor any other copy has. So what comes out of them is
the copy's, and is about the one file that went in.
"""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from core.library.ingestion.sandbox.environment import clean_environment
from core.library.ingestion.sandbox.exchange import Pipes
from core.library.ingestion.sandbox.orders import COPY, END, EXIT_CODE

# Elsewhere a process cannot safely be copied once it has loaded the system's libraries: macOS ends such copies.
CAN_COPY = sys.platform == "linux"
_ENDING_SECONDS = 30  # that a copy has to be gone; it takes milliseconds
_ROOT = Path(__file__).resolve().parents[4]  # the folder that holds `core`


@dataclass(kw_only=True, slots=True)
class Copy:
    """A copy of a template."""

    pipes: Pipes
    exit_code: int | None = None  # as subprocess has it; None while it runs


class Template:
    """A template that runs. A context manager: to close it ends it, and with it the copy that it made last."""

    def __init__(self, command: Sequence[str], *, makes_copies: bool) -> None:
        """Start it. makes_copies: False for one that parses the first file itself, and ends."""
        self._makes_copies = makes_copies
        self._orders, theirs = socket.socketpair()
        self._orders.settimeout(_ENDING_SECONDS)
        with theirs, contextlib.ExitStack() as undo:
            undo.callback(self._orders.close)
            self.process = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=_ROOT,
                env=clean_environment(),
            )
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_running(self) -> bool:
        """False once the process has ended."""
        return self.process.poll() is None

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        self._orders.close()

    @contextlib.contextmanager
    def copy(self) -> Iterator[Copy]:
        """A copy for one file. When the block ends its process is gone, and its exit code known."""
        with contextlib.ExitStack() as kept:
            with contextlib.ExitStack() as given:
                its_requests, requests = _open_pipe(given, kept)
                replies, its_replies = _open_pipe(kept, given)
                with contextlib.suppress(OSError):  # the template has died; of the pipes this is then the end
                    socket.send_fds(self._orders, [COPY], [its_requests, its_replies])
            copy = Copy(pipes=Pipes(requests=requests, replies=replies))
            try:
                yield copy
            finally:
                copy.exit_code = self._end_copy()

    def _end_copy(self) -> int:
        """Have the copy killed, if it is not gone yet, and return its exit code; that of the template if it died."""
        with contextlib.suppress(OSError):
            if self._makes_copies:
                self._orders.sendall(END)
                answer = self._orders.recv(EXIT_CODE.size, socket.MSG_WAITALL)
                if len(answer) == EXIT_CODE.size:
                    [exit_code] = EXIT_CODE.unpack(answer)
                    return int(exit_code)
        self.process.kill()
        return self.process.wait()


def _open_pipe(reading: contextlib.ExitStack, writing: contextlib.ExitStack) -> tuple[int, int]:
    """The two ends of a pipe, which close with these two."""
    ends = os.pipe()
    for end, closing in zip(ends, (reading, writing), strict=True):
        closing.callback(os.close, end)
    return ends
