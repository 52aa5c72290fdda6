"""The parent's end of a template: a process that makes a copy of itself for each file; see `child`.

A copy is given two pipes of its own, which neither the template nor any other copy has. So what comes out of them is
the copy's, and is about the one file that went in. A request goes in and a reply comes out within limits of time and
length.
"""

import contextlib
import io
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from core.library.ingestion.sandbox.environment import clean_environment
from core.library.ingestion.sandbox.frames import COPY, END, EXIT_CODE, LENGTH, read_frame
from core.values.sizes import MEGABYTE

# Elsewhere a process cannot safely be copied once it has loaded the system's libraries: macOS ends such copies.
CAN_COPY = sys.platform == "linux"
_ENDING_SECONDS = 30  # that a copy has to be gone; it takes milliseconds
_ROOT = Path(__file__).resolve().parents[4]  # the folder that holds `core`


@dataclass(frozen=True, kw_only=True, slots=True)
class Pipes:
    """This process's ends of the pipes to and from another one."""

    requests: int
    replies: int


def exchange(pipes: Pipes, request: bytes, output_mb: int, seconds: float) -> dict[str, Any] | str:
    """Send a request and read the reply, within so many seconds. "time", "output" or "dead" when there is none."""
    deadline = time.monotonic() + seconds
    unsent, received = memoryview(request), bytearray()
    with selectors.DefaultSelector() as ready:
        for pipe in (pipes.requests, pipes.replies):
            os.set_blocking(pipe, False)
        ready.register(pipes.replies, selectors.EVENT_READ)
        if request:
            ready.register(pipes.requests, selectors.EVENT_WRITE)
        while not _is_complete(received):
            if (left := deadline - time.monotonic()) <= 0:
                return "time"
            for key, event in ready.select(left):
                if event & selectors.EVENT_WRITE:
                    unsent = _send_piece(key.fd, unsent)
                    if not unsent:
                        ready.unregister(pipes.requests)
                elif not _receive_piece(key.fd, received):
                    return "dead"
            if len(received) > (output_mb + 1) * MEGABYTE:
                return "output"
    return _read_reply(received)


def _read_reply(received: bytearray) -> dict[str, Any] | str:
    """Return the message of a whole reply; "dead" when it is none, which a parser that was taken over may write."""
    try:
        answer = read_frame(io.BytesIO(received))
    except (ValueError, RecursionError):
        return "dead"
    return answer[0] if answer and isinstance(answer[0], dict) else "dead"


def _send_piece(pipe: int, unsent: memoryview) -> memoryview:
    """Send what the pipe takes and return what is left; nothing when nobody listens any more."""
    try:
        return unsent[os.write(pipe, unsent[:MEGABYTE]) :]
    except BrokenPipeError:
        return unsent[:0]


def _receive_piece(pipe: int, received: bytearray) -> bool:
    """Add what the pipe has. False at its end."""
    piece = os.read(pipe, MEGABYTE)
    received += piece
    return bool(piece)


def _is_complete(received: bytearray) -> bool:
    """Return True if a whole reply has arrived; it has no attachment."""
    if len(received) < LENGTH.size:
        return False
    return len(received) >= 2 * LENGTH.size + int(LENGTH.unpack_from(received)[0])


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
    """Return the two ends of a pipe, which close with these two."""
    ends = os.pipe()
    for end, closing in zip(ends, (reading, writing), strict=True):
        closing.callback(os.close, end)
    return ends
