"""Passages and statements for the tests of verification."""

import datetime as dt

from core.asking.verification.statements import Verified, verify
from core.types import Passage, Quote, Statement


def passage(content: str, *, name: str = "Minutes", date: dt.date | None = None, section: str = "") -> Passage:
    """A passage of a document without a chunk."""
    return Passage(
        chunk_id=None, document_id=None, document_name=name, document_type="minutes", document_date=date,
        source_url="", page_number=None, chapter="", section=section, content=content,
        similarity=0.7, score=0.7, rank=1,
    )  # fmt: skip


def statement(text: str, *quotes: str | tuple[int, str]) -> Statement:
    """A statement; a quote without a number is one of the first passage."""
    pairs = [quote if isinstance(quote, tuple) else (1, quote) for quote in quotes]
    return Statement(text=text, quotes=tuple(Quote(passage=number, text=quoted) for number, quoted in pairs))


def verified(text: str, content: str, quote: str = "", *, date: dt.date | None = None) -> Verified:
    """One statement held against one passage, of which it quotes all unless a quote is given."""
    return verify([statement(text, quote or content)], [passage(content, date=date)])
