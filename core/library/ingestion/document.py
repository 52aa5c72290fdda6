"""Hold a parsed document as plain values, without a trace of the format it came in."""

import datetime as dt
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from core.language.nlp.layout import BAR, BlockKind, stretches
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.extent import Extent, Found, Loss

# The lengths of the columns that these go into.
MAX_TITLE = 500
MAX_HEADING = 300
MAX_URL = 1000
# In a document's metadata: the numbers of its pages that are pictures, or whose fonts do not say what they show.
RECOGNISED_PAGES = "recognised_pages"  # their text was recognised
UNREAD_PAGES = "unread_pages"  # it was not: text recognition is not installed, or could not read them
GARBLED_PAGES = "garbled_pages"  # those of the unread ones that have text, but not the one that they show


def pages_under(metadata: Any, key: str) -> tuple[int, ...]:
    """Return the page numbers that a document's metadata has under a key; a file may state anything there."""
    found = metadata.get(key) if isinstance(metadata, dict) else None
    return tuple(number for number in found if type(number) is int) if isinstance(found, list) else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A paragraph, list, table or piece of code, with its place."""

    text: str  # not blank
    chapter: str = ""
    section: str = ""  # the path of headings below the chapter, joined by " > "
    page_number: int | None = None  # from 1; None where the format has no pages
    continues: bool = False  # True when this is the rest of the paragraph that the block before it began


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDocument:
    """A document as described by its file. Empty and None mean that the file does not say."""

    title: str
    blocks: tuple[Block, ...]
    document_type: str = ""  # a value of Document.Type
    document_date: dt.date | None = None
    source_url: str = ""
    full_citation: str = ""
    arxiv_id: str | None = None
    identifier: str = ""  # the document's id within a file that holds several
    metadata: dict[str, Any] = field(default_factory=dict)  # JSON values
    extent: Extent = field(default_factory=Extent)  # as far as the parser counts; see also `measure_extent`
    comments: tuple[Block, ...] = ()  # no part of its text; see `include_comments`

    def as_json(self) -> dict[str, Any]:
        """This document as JSON values."""
        fields = asdict(self)
        fields["document_date"] = self.document_date.isoformat() if self.document_date else None
        fields["extent"] = self.extent.as_json()
        return fields

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Self:
        """Return the document that `as_json` was made of. KeyError, TypeError or ValueError when it is not one."""
        raw = dict(raw)
        raw["blocks"] = tuple(Block(**block) for block in raw["blocks"])
        raw["comments"] = tuple(Block(**block) for block in raw["comments"])
        date = raw["document_date"]
        raw["document_date"] = dt.date.fromisoformat(date) if date else None
        raw["extent"] = Extent.from_json(raw["extent"])
        return cls(**raw)


def include_comments(document: ParsedDocument) -> ParsedDocument:
    """Return a document with its comments as passages behind its text."""
    left_out = dict(document.extent.left_out)
    left_out[Loss.COMMENTS] = max(0, left_out.get(Loss.COMMENTS, 0) - len(document.comments))
    extent = replace(document.extent, left_out={kind: count for kind, count in left_out.items() if count})
    chapter = one_line(document.title, MAX_HEADING)
    comments = (replace(block, chapter=chapter) for block in document.comments)
    return replace(document, blocks=(*document.blocks, *comments), comments=(), extent=extent)


def measure_extent(document: ParsedDocument) -> Extent:
    """Return what the parser counted, with the tables and pages that the blocks are of."""
    tables = sum(_count_tables(block.text) for block in document.blocks)
    pages = max((block.page_number or 0 for block in document.blocks), default=0)
    counted = {Found.PAGES: pages, Found.TABLES: tables} | dict(document.extent.found)
    return Extent(
        found={kind: count for kind in Found if (count := counted.get(kind, 0))}, left_out=document.extent.left_out
    )


def _count_tables(text: str) -> int:
    if BAR not in text:
        return 0
    return len({one.group for one in stretches(text) if one.kind in (BlockKind.HEADER, BlockKind.ROW)})


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedFile:
    """The documents of one file, and what is wrong with the parts of it that could not be read."""

    documents: tuple[ParsedDocument, ...]
    problems: tuple[str, ...] = ()
