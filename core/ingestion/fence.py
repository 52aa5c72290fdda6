"""Parsing files from outside in a process that may harm nobody, and that may die.

One process parses many files: starting Python and loading a PDF library takes longer than most files do. It is
replaced when it dies, and killed when it takes too long.
"""

import contextlib
import io
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from core.errors import (
    EmptyFileError,
    EncryptedFileError,
    IngestionError,
    NoTextError,
    ParserLimitError,
    UnreadableFileError,
    UnsupportedFileError,
)
from core.ingestion.document import ParsedDocument, ParsedFile
from core.ingestion.errors import NoDocumentError, unreadable
from core.ingestion.fenced import OUT_OF_MEMORY, TOO_MUCH
from core.ingestion.frames import LENGTH, frame, read_frame

_ROOT = Path(__file__).resolve().parent.parent.parent  # the folder that holds `core`
_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # no secrets
_MB = 1024 * 1024
_STARTING_SECONDS = 20  # on top of a file's time: the process may have to start first
_KINDS: dict[str, type[IngestionError]] = {
    kind.__name__: kind
    for kind in (
        UnsupportedFileError,
        NoDocumentError,
        UnreadableFileError,
        EncryptedFileError,
        EmptyFileError,
        NoTextError,
    )
}
# SIGKILL is what the kernel sends when the machine itself is short of memory.
_ENDED_BY_LIMIT = {-signal.SIGXCPU, -signal.SIGKILL, OUT_OF_MEMORY}


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What parsing one file may take."""

    seconds: int = 120  # of wall time, and as much of CPU
    memory_mb: int = 2048  # address space of the process
    output_mb: int = 256  # of parsed text, as JSON


class Fence:
    """Parses files in the fenced process. A context manager; not for several threads at once."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0  # files that the process has parsed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def parse(self, content: bytes, name: str) -> ParsedFile:
        """Parse a file; see `core.ingestion.parsers.parse`.

        ParserLimitError when it takes too much time, memory or text, UnreadableFileError when its parser crashes.
        """
        used_before = self._process is not None and self._served > 0
        reply = self._ask(content, name)
        if reply.get("error") == TOO_MUCH and used_before and not reply.get("slow"):
            self.close()  # what earlier files left behind must not be blamed on this one
            reply = self._ask(content, name)
        return _parsed_file(reply, name)

    def _ask(self, content: bytes, name: str) -> dict[str, Any]:
        process = self._running()
        reply = _exchange(process, frame({"name": name}, content), self._limits)
        if isinstance(reply, dict):
            self._served += 1
            return reply
        self.close()
        if reply == "time":
            message = f"reading it takes longer than {self._limits.seconds} seconds"
            return {"error": TOO_MUCH, "message": message, "slow": True}
        if reply == "output":
            return {"error": TOO_MUCH, "message": "its text is too long"}
        if process.returncode in _ENDED_BY_LIMIT:
            return {"error": TOO_MUCH, "message": "reading it takes more time or memory than is allowed"}
        failure = unreadable(name, "its parser crashed on it; it is damaged or made to do harm")
        return {"error": type(failure).__name__, "message": failure.message}

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            limits = (self._limits.memory_mb, self._limits.seconds, self._limits.output_mb)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "core.ingestion.fenced", *map(str, limits)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=_ROOT,
                env=_environment(),
            )
            self._served = 0
        return self._process


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _parsed_file(reply: dict[str, Any], name: str) -> ParsedFile:
    if "error" not in reply:
        documents = tuple(ParsedDocument.from_json(raw) for raw in reply["documents"])
        return ParsedFile(documents=documents, problems=tuple(reply["problems"]))
    if reply["error"] == TOO_MUCH:
        raise ParserLimitError(
            f"{name} was given up: {reply['message']}. "
            "Split it, or raise INGEST_PARSE_SECONDS or INGEST_PARSE_MEMORY_MB."
        )
    raise _KINDS.get(reply["error"], IngestionError)(reply["message"])


def _exchange(process: subprocess.Popen[bytes], request: bytes, limits: Limits) -> dict[str, Any] | str:
    """Send a request and read the reply. "time", "output" or "dead" when there is none."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("the process has no pipes")
    deadline = time.monotonic() + limits.seconds + _STARTING_SECONDS
    unsent, received = memoryview(request), bytearray()
    with selectors.DefaultSelector() as ready:
        for pipe, event in ((process.stdin, selectors.EVENT_WRITE), (process.stdout, selectors.EVENT_READ)):
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, event)
        while not _complete(received):
            if (left := deadline - time.monotonic()) <= 0:
                return "time"
            for key, event in ready.select(left):
                if event & selectors.EVENT_WRITE:
                    unsent = _send(key.fd, unsent)
                    if not unsent:
                        ready.unregister(process.stdin)
                elif not _receive(key.fd, received):
                    process.wait()
                    return "dead"
            if len(received) > (limits.output_mb + 1) * _MB:
                return "output"
    answer = read_frame(io.BytesIO(received))
    return answer[0] if answer else "dead"


def _send(pipe: int, unsent: memoryview) -> memoryview:
    """Send what the pipe takes and return what is left; nothing when nobody listens any more."""
    try:
        return unsent[os.write(pipe, unsent[:_MB]) :]
    except BrokenPipeError:
        return unsent[:0]


def _receive(pipe: int, received: bytearray) -> bool:
    """Add what the pipe has. False at its end."""
    piece = os.read(pipe, _MB)
    received += piece
    return bool(piece)


def _complete(received: bytearray) -> bool:
    """True when a whole reply has arrived; it has no attachment."""
    if len(received) < LENGTH.size:
        return False
    return len(received) >= 2 * LENGTH.size + int(LENGTH.unpack_from(received)[0])
