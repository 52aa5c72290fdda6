"""From a draft to what may be shown: quotes found, statements carried, citations numbered. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.citations.folding import find_quote
from core.citations.support import supports
from core.types import Citation, Passage, Statement

EXCERPT_LENGTH = 200  # characters

_MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ANGLE_LINK = re.compile(r"<[a-z]+:[^>|]*(?:\|([^>]*))?>", re.IGNORECASE)
_BARE_LINK = re.compile(r"\b(?:[a-z][a-z0-9+.-]*://|www\.|mailto:|javascript:|data:)\S+", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """What is left of a draft."""

    text: str  # sentences with their citation numbers, "… [1][2]"
    citations: tuple[Citation, ...]
    dropped: int  # statements whose quotes did not check


def verify(statements: Sequence[Statement], passages: Sequence[Passage]) -> Verified:
    """Keep the statements that their quotes carry, each quote standing verbatim in the passage that it names.

    passages: those the model was shown, in the order of their numbers; all of them visible to the audience.
    """
    citations: list[Citation] = []
    sentences: list[str] = []
    for statement in statements:
        text = without_links(statement.text)
        found = _found_quotes(statement, passages)
        if not found or not _carried(text, found):
            continue
        numbers = [_number_of(passage, span, citations) for passage, span in found]
        marks = "".join(f"[{number}]" for number in dict.fromkeys(numbers))
        sentences.append(f"{text} {marks}")
    return Verified(text="\n".join(sentences), citations=tuple(citations), dropped=len(statements) - len(sentences))


def without_links(text: str) -> str:
    """Text without addresses: the words of a link stay, where it leads goes. Links come from citations alone."""
    text = _MARKDOWN_LINK.sub(r"\1", text)
    text = _ANGLE_LINK.sub(lambda found: found.group(1) or "", text)
    return " ".join(_BARE_LINK.sub("(link left out)", text).split())


def _found_quotes(statement: Statement, passages: Sequence[Passage]) -> list[tuple[Passage, tuple[int, int]]]:
    found: list[tuple[Passage, tuple[int, int]]] = []
    for quote in statement.quotes:
        if not 1 <= quote.passage <= len(passages):
            continue
        passage = passages[quote.passage - 1]
        span = find_quote(quote.text, passage.content)
        if span:
            found.append((passage, span))
    return found


def _carried(text: str, found: list[tuple[Passage, tuple[int, int]]]) -> bool:
    quotes = [without_links(passage.content[start:end]) for passage, (start, end) in found]
    sources = " ".join(passage.source for passage, _ in found)
    return supports(text, quotes, sources)


def _number_of(passage: Passage, span: tuple[int, int], citations: list[Citation]) -> int:
    """The number of the citation for this quote, made if it is not there yet."""
    start, end = span
    quoted = passage.content[start:end]
    for known in citations:
        if (known.chunk_id, known.start, known.quoted_excerpt) == (passage.chunk_id, start, quoted):
            return known.number
    citations.append(
        Citation(
            number=len(citations) + 1,
            chunk_id=passage.chunk_id,
            document_id=passage.document_id,
            document_name=passage.document_name,
            document_date=passage.document_date,
            page_number=passage.page_number,
            section=passage.section or _chapter_apart(passage),
            source_url=passage.source_url,
            excerpt=shortened(quoted),
            quoted_excerpt=quoted,
            start=start,
            end=end,
            relevance_score=passage.similarity,
        )
    )
    return len(citations)


def _chapter_apart(passage: Passage) -> str:
    """The chapter, when it tells more than the document's name."""
    return passage.chapter if passage.chapter != passage.document_name else ""


def shortened(text: str) -> str:
    """Text on one line of at most EXCERPT_LENGTH characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= EXCERPT_LENGTH:
        return line
    return line[: EXCERPT_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
