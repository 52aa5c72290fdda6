"""Having markup from outside read in the sandbox: this process gets bounded lists of plain values."""

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from core.errors import ParserLimitError
from core.library.ingestion.markup.values import MOST_RESOURCES, Entries, Links, Resource, Resources, make_unread_error
from core.library.ingestion.sandbox.process import Limits, Sandbox

MARKUP_LIMITS = Limits(seconds=60, memory_mb=1024, output_mb=64)
_Value = TypeVar("_Value")


class MarkupReader:
    """Reads markup in a sandboxed process, which starts with the first and ends with this object.

    Its methods raise ParserLimitError for what takes too much time or memory, UnreadableFileError for what is damaged
    or not of its form, and SandboxError where a sandbox is required and does not hold. Not for several threads at once.
    """

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        """sandbox: another one than that with the limits above, which has to hold."""
        self._sandbox = sandbox or Sandbox(MARKUP_LIMITS)
        weakref.finalize(self, self._sandbox.close)

    def close(self) -> None:
        """End the process. The next markup starts another one."""
        self._sandbox.close()

    def read_links(self, content: bytes, base: str) -> Links:
        """Return the links of an HTML page. base: its own address."""
        return self._read_in_sandbox("links", content, base, base, Links.from_json)

    def read_entries(self, content: bytes, base: str) -> Entries | None:
        """Return the entries of a sitemap, an index of sitemaps or a feed; None for all else. base: its address."""
        return self._read_in_sandbox("entries", content, base, base, _build_entries)

    def read_folder(self, content: bytes, name: str) -> tuple[Resource, ...]:
        """Return a WebDAV server's properties of a file, or of a folder and its members. name: for messages."""
        told = self._read_in_sandbox("folder", content, "", name, Resources.from_json)
        if not told.is_whole:
            raise ParserLimitError(f"{name} holds more than {MOST_RESOURCES:,} files and folders. Split it.")
        return told.found

    def _read_in_sandbox(
        self, form: str, content: bytes, base: str, name: str, build: Callable[[dict[str, Any]], _Value]
    ) -> _Value:
        reply = self._sandbox.read_markup(content, name, form=form, base=base)
        try:
            return build(reply)
        except (KeyError, TypeError, ValueError) as error:  # only a parser that was taken over replies so
            raise make_unread_error(name, "its parser did not answer as it should") from error


def _build_entries(raw: dict[str, Any]) -> Entries | None:
    return None if raw.get("none") is True else Entries.from_json(raw)
