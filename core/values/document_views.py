"""Values of opening a document: what its reader is shown, perhaps at a citation."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from core.types import Citation


@dataclass(frozen=True, kw_only=True, slots=True)
class OriginalFile:
    """The file that a document was read from, as it came."""

    sha256: str
    name: str
    media_type: str
    size: int  # bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenedPart:
    """A stretch of a document's text, under one heading."""

    chapter: str
    section: str
    page_number: int | None  # on which it begins
    text: str
    mark: tuple[int, int] | None = None  # offsets of the cited quote in the text, in characters


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenedDocument:
    """A document as a reader opens it, perhaps at a citation."""

    document_id: UUID
    name: str
    document_date: dt.date | None
    authors: str
    full_citation: str
    source_url: str
    collection: str  # its name
    original: OriginalFile | None  # None where none is kept
    parts: tuple[OpenedPart, ...]
    citation: Citation | None = None  # at which it is opened
    page_number: int | None = None  # of its quote now

    @property
    def is_quote_there(self) -> bool:
        """True if the citation's quote still occurs in the text."""
        return any(part.mark for part in self.parts)
