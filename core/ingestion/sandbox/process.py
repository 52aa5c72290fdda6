"""Parsing files from outside in a process that may harm nobody, and that may die.

One process parses many files: starting Python and loading a PDF library takes longer than most files do. It is
replaced when it dies, and killed when it takes too long.
"""

import contextlib
import io
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from core.errors import (
    EmptyFileError,
    EncryptedFileError,
    IngestionError,
    NoTextError,
    ParserLimitError,
    SandboxError,
    UnreadableFileError,
    UnsupportedFileError,
)
from core.ingestion.document import UNREAD_PAGES, ParsedDocument, ParsedFile, pages_under
from core.ingestion.errors import NoDocumentError, make_unreadable_error
from core.ingestion.sandbox.child import OUT_OF_MEMORY, SCANS, TOO_MUCH
from core.ingestion.sandbox.environment import clean_environment
from core.ingestion.sandbox.frames import LENGTH, frame, read_frame
from core.ingestion.sandbox.layers import LEAST, NOTHING_HOLDS, Layer, Report
from core.sizes import MEGABYTE

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[3]  # the folder that holds `core`
_STARTING_SECONDS = 120  # in which the process has to start; on an idle machine it takes one, with OCR three
_CRASHED = "its parser crashed on it; the file is damaged or malicious"
_SETTINGS = "INGEST_PARSE_SECONDS or INGEST_PARSE_MEMORY_MB"
_RECOGNITION_SETTINGS = "INGEST_OCR_SECONDS"
_ENDING_SECONDS = 5  # that a process which has closed its pipe has to be gone
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
    memory_mb: int = 2048  # address space, on top of what the process takes before it reads a file
    output_mb: int = 256  # of parsed text, as JSON


class Sandbox:
    """Parses files in the sandboxed process. A context manager; not for several threads at once."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        required: bool = True,
        without: Collection[Layer] = (),
        scans: "Sandbox | None" = None,
        recognises: bool = False,
    ) -> None:
        """Nothing is started yet.

        required: parse nothing unless the kernel closes files and the network to the process. without: layers that
        are left out, for tests of the others. scans: another sandbox, which is given the files in which this one finds
        pictures of text; it recognises them, with larger limits, and starts when the first comes. recognises: whether
        this is such a one.
        """
        self._limits = limits or Limits()
        self._required = required
        self._without = without
        self._scans = scans
        self._recognises = recognises
        self._process: subprocess.Popen[bytes] | None = None
        self.report = NOTHING_HOLDS  # of the process that was last started
        self._served = 0  # files that the process has parsed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._scans is not None:
            self._scans.close()
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

        ParserLimitError when it takes too much time, memory or text, UnreadableFileError when its parser crashes,
        SandboxError when a sandbox is required and does not hold.
        """
        used_before = self._process is not None and self._served > 0
        reply = self._ask(content, name)
        if reply.get("error") == TOO_MUCH and used_before and not reply.get("final"):
            self.close()  # what earlier files left behind must not be blamed on this one
            reply = self._ask(content, name)
        try:
            parsed = _build_parsed_file(reply, name, _RECOGNITION_SETTINGS if self._recognises else _SETTINGS)
        except NoTextError:
            if self._scans is None:
                raise
            return self._scans.parse(content, name)
        if self._scans is not None and any(pages_under(each.metadata, UNREAD_PAGES) for each in parsed.documents):
            return self._scans.parse(content, name)
        return parsed

    def _ask(self, content: bytes, name: str) -> dict[str, Any]:
        process = self._ensure_running()
        reply = _exchange(process, frame({"name": name}, content), self._limits.output_mb, self._limits.seconds)
        if isinstance(reply, dict):
            self._served += 1
            return reply
        self.close()
        if reply == "time":
            message = f"reading it takes longer than {self._limits.seconds} seconds"
            return {"error": TOO_MUCH, "message": message, "final": True}
        if reply == "output":
            return {"error": TOO_MUCH, "message": "its text is too long", "final": True}
        if process.returncode in _ENDED_BY_LIMIT:
            return {"error": TOO_MUCH, "message": "reading it takes more time or memory than is allowed"}
        failure = make_unreadable_error(name, _CRASHED)
        return {"error": type(failure).__name__, "message": failure.message}

    def _ensure_running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process, self.report, self._served = self._start_process(), NOTHING_HOLDS, 0
            greeting = _exchange(self._process, b"", self._limits.output_mb, _STARTING_SECONDS)
            if not isinstance(greeting, dict):
                self.close()
                raise SandboxError
            self.report = Report.from_json(greeting)
            if not self.report.holds:
                logger.warning("ingestion_fence_open", extra=self.report.as_json())
        if self._required and not self.report.holds:
            raise SandboxError(_explain_open_fence(self.report))
        return self._process

    def _start_process(self) -> subprocess.Popen[bytes]:
        limits = (self._limits.memory_mb, self._limits.seconds, self._limits.output_mb)
        options = (",".join(self._without), SCANS if self._recognises else "")
        return subprocess.Popen(
            [sys.executable, "-m", "core.ingestion.sandbox.child", *map(str, limits), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env=clean_environment(),
        )


def _explain_open_fence(report: Report) -> str:
    reached = " and ".join(surface for surface in report.still_open if surface in LEAST)
    return (
        f"Nothing was read: the process that reads files is not fully sandboxed here and could reach {reached}. An "
        "administrator can allow seccomp, as docs/operating.md describes, or accept this with "
        "INGEST_FENCE=best-effort."
    )


def _build_parsed_file(reply: dict[str, Any], name: str, settings: str = _SETTINGS) -> ParsedFile:
    if "error" not in reply:
        try:
            documents = tuple(ParsedDocument.from_json(raw) for raw in reply["documents"])
            return ParsedFile(documents=documents, problems=tuple(reply["problems"]))
        except (KeyError, TypeError, ValueError) as error:  # only a parser that was taken over replies so
            raise make_unreadable_error(name, _CRASHED) from error
    if reply["error"] == TOO_MUCH:
        raise ParserLimitError(f"{name} was not read: {reply.get('message')}. Split it, or raise {settings}.")
    raise _KINDS.get(str(reply["error"]), IngestionError)(str(reply.get("message")))


def _exchange(process: subprocess.Popen[bytes], request: bytes, output_mb: int, seconds: float) -> dict[str, Any] | str:
    """Send a request and read the reply, within so many seconds. "time", "output" or "dead" when there is none."""
    requests, replies = _pipes(process)
    deadline = time.monotonic() + seconds
    unsent, received = memoryview(request), bytearray()
    with selectors.DefaultSelector() as ready:
        for pipe in (requests, replies):
            os.set_blocking(pipe.fileno(), False)
        ready.register(replies, selectors.EVENT_READ)
        if request:
            ready.register(requests, selectors.EVENT_WRITE)
        while not _complete(received):
            if (left := deadline - time.monotonic()) <= 0:
                return "time"
            for key, event in ready.select(left):
                if event & selectors.EVENT_WRITE:
                    unsent = _send(key.fd, unsent)
                    if not unsent:
                        ready.unregister(requests)
                elif not _receive(key.fd, received):
                    _await_end(process)
                    return "dead"
            if len(received) > (output_mb + 1) * MEGABYTE:
                return "output"
    return _read(received)


def _await_end(process: subprocess.Popen[bytes]) -> None:
    """Let a process end that has closed its pipe. One that was taken over may close it and live on."""
    try:
        process.wait(_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise ValueError("the process has no pipes")
    return process.stdin, process.stdout


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
