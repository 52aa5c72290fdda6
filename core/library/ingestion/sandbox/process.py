"""Parsing files from outside in a process that may harm nobody, and that may die.

Each file has a process of its own, so that a parser that one file took over never sees another. Starting Python and
loading a PDF library takes longer than most files do: so the process is a copy of one that has done so; see `template`.
"""

import logging
import signal
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Self

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
from core.library.ingestion.document import UNREAD_PAGES, ParsedDocument, ParsedFile, pages_under
from core.library.ingestion.errors import NoDocumentError, make_unreadable_error
from core.library.ingestion.sandbox.child import ONCE, OUT_OF_MEMORY, SCANS, TOO_MUCH
from core.library.ingestion.sandbox.frames import frame
from core.library.ingestion.sandbox.layers import LEAST, NOTHING_HOLDS, Layer, Report
from core.library.ingestion.sandbox.template import CAN_COPY, Copy, Template, exchange

logger = logging.getLogger(__name__)

_PROGRAM = (sys.executable, "-m", "core.library.ingestion.sandbox.child")
_STARTING_SECONDS = 120  # in which the process has to start; on an idle machine it takes one, with OCR three
_CRASHED = "its parser crashed on it; the file is damaged or malicious"
_SETTINGS = "INGEST_PARSE_SECONDS or INGEST_PARSE_MEMORY_MB"
_RECOGNITION_SETTINGS = "INGEST_OCR_SECONDS"
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
    """The most that parsing one file may take."""

    seconds: int = 120  # of wall time, and as much of CPU
    memory_mb: int = 2048  # address space, on top of what the process takes before it reads a file
    output_mb: int = 256  # of parsed text, as JSON


class Sandbox:
    """Parses files, each in a sandboxed process of its own. A context manager; not for several threads at once."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        required: bool = True,
        without: Collection[Layer] = (),
        scans: "Sandbox | None" = None,
        recognises: bool = False,
        copies: bool = CAN_COPY,
        program: Sequence[str] = _PROGRAM,
    ) -> None:
        """Nothing is started yet.

        required: parse nothing unless the kernel closes files and the network to the process. without: layers that
        are left out, for tests of the others. scans: another sandbox, which is given the files in which this one finds
        pictures of text; it recognises them, with larger limits, and starts when the first comes. recognises: whether
        this is such a one. copies: False starts anew for each file. program: another one than `child`, for tests.
        """
        self._limits = limits or Limits()
        self._required = required
        self._without = without
        self._scans = scans
        self._recognises = recognises
        self._copies = copies
        self._program = program
        self._template: Template | None = None
        self.report = NOTHING_HOLDS  # of the process that parsed last
        self._has_warned = False  # once for each template, as all of its copies are shut in alike

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes."""
        if self._scans is not None:
            self._scans.close()
        template, self._template = self._template, None
        if template is not None:
            template.close()

    def parse(self, content: bytes, name: str) -> ParsedFile:
        """Parse a file; see `core.library.ingestion.parsers.parse`.

        ParserLimitError when it takes too much time, memory or text, UnreadableFileError when its parser crashes,
        SandboxError when a sandbox is required and does not hold.
        """
        reply = self._ask_copy(content, name)
        try:
            parsed = _build_parsed_file(reply, name, _RECOGNITION_SETTINGS if self._recognises else _SETTINGS)
        except NoTextError:
            if self._scans is None:
                raise
            return self._scans.parse(content, name)
        if self._scans is not None and any(pages_under(each.metadata, UNREAD_PAGES) for each in parsed.documents):
            return self._scans.parse(content, name)
        return parsed

    def read_markup(self, content: bytes, name: str, *, form: str, base: str) -> dict[str, Any]:
        """Read markup by `markup.parsing`. Errors as of `parse`; nothing in the reply is checked."""
        reply = self._ask_copy(content, name, form=form, base=base)
        if reply.get("error") == TOO_MUCH:
            raise ParserLimitError(f"{name} was not read: {reply.get('message')}.")
        if "error" in reply:
            raise _KINDS.get(str(reply["error"]), IngestionError)(str(reply.get("message")))
        return reply

    def _ask_copy(self, content: bytes, name: str, **more: str) -> dict[str, Any]:
        limits = self._limits
        with self._ensure_running().copy() as copy:
            self._require_fence(copy)
            request = frame({"name": name, **more}, content)
            reply = exchange(copy.pipes, request, limits.output_mb, limits.seconds)
        if isinstance(reply, dict):
            return reply
        if reply == "time":
            return {"error": TOO_MUCH, "message": f"reading it takes longer than {limits.seconds} seconds"}
        if reply == "output":
            return {"error": TOO_MUCH, "message": "its text is too long"}
        if copy.exit_code in _ENDED_BY_LIMIT:
            return {"error": TOO_MUCH, "message": "reading it takes more time or memory than is allowed"}
        failure = make_unreadable_error(name, _CRASHED)
        return {"error": type(failure).__name__, "message": failure.message}

    def _require_fence(self, copy: Copy) -> None:
        """Have the very process that will parse say what holds it, before it is given the file."""
        greeting = exchange(copy.pipes, b"", self._limits.output_mb, _STARTING_SECONDS)
        if not isinstance(greeting, dict):
            raise SandboxError
        self.report = Report.from_json(greeting)
        if not (self.report.holds or self._has_warned):
            self._has_warned = True
            logger.warning("ingestion_fence_open", extra=self.report.as_json())
        if self._required and not self.report.holds:
            raise SandboxError(_explain_open_fence(self.report))

    def _ensure_running(self) -> Template:
        if self._template is None or not self._template.is_running:
            self.close()
            self._template, self._has_warned = self._start_template(), False
        return self._template

    def _start_template(self) -> Template:
        limits = (self._limits.memory_mb, self._limits.seconds, self._limits.output_mb)
        options = (",".join(self._without), SCANS if self._recognises else "", "" if self._copies else ONCE)
        return Template([*self._program, *map(str, limits), *options], makes_copies=self._copies)


def _explain_open_fence(report: Report) -> str:
    reached = " and ".join(surface for surface in report.still_open if surface in LEAST)
    return (
        f"Nothing was read: the process that reads files is not fully sandboxed here and could reach {reached}. An "
        "administrator can allow seccomp, as docs/sandbox.md describes, or accept this with "
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
