"""Sending a request into a process and reading its reply, within limits of time and length."""

import io
import os
import selectors
import time
from dataclasses import dataclass
from typing import Any

from core.library.ingestion.sandbox.frames import LENGTH, read_frame
from core.values.sizes import MEGABYTE


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
        while not _complete(received):
            if (left := deadline - time.monotonic()) <= 0:
                return "time"
            for key, event in ready.select(left):
                if event & selectors.EVENT_WRITE:
                    unsent = _send(key.fd, unsent)
                    if not unsent:
                        ready.unregister(pipes.requests)
                elif not _receive(key.fd, received):
                    return "dead"
            if len(received) > (output_mb + 1) * MEGABYTE:
                return "output"
    return _read(received)


def _read(received: bytearray) -> dict[str, Any] | str:
    """The message of a whole reply; "dead" when it is none, which a parser that was taken over may write."""
    try:
        answer = read_frame(io.BytesIO(received))
    except (ValueError, RecursionError):
        return "dead"
    return answer[0] if answer and isinstance(answer[0], dict) else "dead"


def _send(pipe: int, unsent: memoryview) -> memoryview:
    """Send what the pipe takes and return what is left; nothing when nobody listens any more."""
    try:
        return unsent[os.write(pipe, unsent[:MEGABYTE]) :]
    except BrokenPipeError:
        return unsent[:0]


def _receive(pipe: int, received: bytearray) -> bool:
    """Add what the pipe has. False at its end."""
    piece = os.read(pipe, MEGABYTE)
    received += piece
    return bool(piece)


def _complete(received: bytearray) -> bool:
    """True when a whole reply has arrived; it has no attachment."""
    if len(received) < LENGTH.size:
        return False
    return len(received) >= 2 * LENGTH.size + int(LENGTH.unpack_from(received)[0])
