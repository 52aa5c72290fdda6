"""Compare the sentences of a verified answer with its writer's quotes, by the verification of answers.

The writer must be able to read the quoted documents, or they are as if they did not exist. No judge is asked, and the
writer is none: a sentence that rules doubt is refused, and can be said in the source's words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.asking.generation.prose import statements_of_prose
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.quote_normalisation import find_quote, fold
from core.asking.verification.statements import cite, list_complaints, verify
from core.language.nlp.text import drop_citations
from core.library.retrieval.search import passage_of
from core.models import Chunk
from core.models.row_security import as_audience
from core.types import Audience, Citation, Quote, Statement

MOST_QUOTES = 8  # of one answer, as many as verification looks at
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CHUNKS = 2000  # of one document, which are looked through


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceQuote:
    """Words that are said to occur in a document."""

    document: str  # its id, its title, or where it came from
    quote: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Quoted:
    """An answer with what carries it, or what is wrong with it."""

    cited_text: str = ""  # with the numbers of its citations; empty unless every sentence is carried
    citations: tuple[Citation, ...] = ()
    problems: tuple[str, ...] = ()


def hold_against_quotes(text: str, quotes: Sequence[SourceQuote], *, question: str, writer: Audience) -> Quoted:
    """Find the quotes in documents that the writer may read, and hold every sentence of the text against them."""
    statements = statements_of_prose(drop_citations(text)) or []
    if not statements:
        return Quoted(problems=("Write the answer.",))
    if not quotes:
        return Quoted(problems=("Name at least one source: a document and the words in it that carry the answer.",))
    found, missing = _find_all(quotes, writer)
    if missing:
        return Quoted(problems=missing)
    passages = list({one.passage.chunk_id: one.passage for one in found}.values())
    any_of = tuple(Quote(passage=0, text=one.quote) for one in quotes)  # passage 0: no particular one
    said = [Statement(text=str(one["text"]), quotes=any_of) for one in statements]
    verified = verify(said, passages, question=question)
    if verified.dropped or not verified.citations:
        complaints = list_complaints(said, passages, question=question)
        return Quoted(problems=tuple(complaint.removeprefix("- ") for complaint in complaints))
    return Quoted(cited_text=verified.text, citations=verified.citations)


def find_sources(quotes: Sequence[SourceQuote], *, writer: Audience) -> Quoted:
    """Find the quotes alone in documents that the writer may read: for a draft."""
    found, missing = _find_all(quotes, writer)
    return Quoted(
        citations=tuple(cite(one, number=number) for number, one in enumerate(found, 1)), problems=tuple(missing)
    )


def _find_all(quotes: Sequence[SourceQuote], writer: Audience) -> tuple[list[FoundQuote], tuple[str, ...]]:
    """Find the places of the quotes, and describe the quotes that are found nowhere."""
    found = [(quote, _find_quote(quote, writer)) for quote in quotes[:MOST_QUOTES]]
    missing = [_explain_missing(quote) for quote, place in found if place is None]
    if len(quotes) > MOST_QUOTES:
        missing.append(f"Give at most {MOST_QUOTES} sources.")
    return list(dict.fromkeys(place for _, place in found if place)), tuple(missing)


def _explain_missing(quote: SourceQuote) -> str:
    return (
        f"“{quote.quote[:80].strip()}” does not stand in a document called “{quote.document[:80]}” that you may read. "
        "Copy the words as they are."
    )


def _find_quote(quote: SourceQuote, writer: Audience) -> FoundQuote | None:
    """Find a quote in a document that the writer may read."""
    if not fold(quote.quote)[0].strip():
        return None
    with as_audience(writer):
        chunks = Chunk.objects.visible_to(writer).for_reading()
        for named in _filter_by_name(quote.document.strip()):
            for chunk in chunks.filter(**named).order_by("document", "chunk_index")[:_CHUNKS]:
                if span := find_quote(quote.quote, chunk.content):
                    return FoundQuote(passage=passage_of(chunk, 1.0, 1.0, 1), start=span[0], end=span[1])
    return None


def _filter_by_name(name: str) -> list[dict[str, str]]:
    """Return filters of chunks for the names that a document may have; then for its restricted sections."""
    if _ID.fullmatch(name):
        return [{"document_id": name}, {"document__part_of_id": name}]
    named = [{"document__title__iexact": name}, {"document__source": name}, {"document__source_url": name}]
    return [*named, {"document__part_of__title__iexact": name}, {"document__part_of__source": name}]
