"""Contradictions as they are kept, without a word of either document, and as those who may read both are shown them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Q

from core.access.audiences import may_read_all
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.statements import cite, shorten
from core.infrastructure.public_address import PlaceInChunk, build_document_address
from core.language.nlp.structure import find_unit_at
from core.language.wording import compare_dates
from core.library.owners import rank_by_authority
from core.library.retrieval.chunk_lookup import passages_again
from core.models import SourceContradiction
from core.types import Audience, Citation, Contradiction, Edition, Passage

State = SourceContradiction.State


def show_contradiction(
    found: Contradiction | None, citations: Sequence[Citation], *, audience: Audience
) -> Contradiction | None:
    """Return what was found as an answer with these citations shows it; None unless the audience may read both now."""
    if found is None or not may_read_all([found.cited, found.by.edition], audience):
        return None
    return _prepare(found, citations)


def write_contradiction(found: Contradiction) -> dict[str, Any]:
    """Return what is kept of a contradiction: no word of either document."""
    cited = next(quote for quote in found.quotes if quote.edition == found.cited)
    return {
        "cited": [str(found.cited.document_id), found.cited.version],
        "quoted": [cited.number, cited.start, cited.end],
        "other": [str(found.by.document_id), found.by.document_version],
        "chunk": str(found.by.chunk_id),
        "says": list(found.says),
    }


def read_contradiction(
    kept: dict[str, Any] | None, citations: Sequence[Citation], audience: Audience
) -> Contradiction | None:
    """Return a kept contradiction of one of these citations, where the audience may read the other document now.

    Of a document that has another edition by now, nothing is shown: it may say the same as the cited one.
    """
    if not kept:
        return None
    edition, other = (Edition(UUID(document_id), version) for document_id, version in (kept["cited"], kept["other"]))
    quote = _cut_quote([one for one in citations if one.edition == edition], kept.get("quoted"))
    if quote is None:
        return None
    found = passages_again([(UUID(kept["chunk"]), 0.0)], audience=audience)
    if not found or found[0].edition != other:
        return None
    start, end = kept["says"]
    quotes = quote, _quote_around(found[0], start, end)
    return _prepare(Contradiction(cited=edition, by=found[0], says=(start, end), quotes=quotes), citations)


def _prepare(found: Contradiction, citations: Sequence[Citation]) -> Contradiction | None:
    """Put the quote first that people should go by, and say where each is opened; None where that was decided.

    Of two documents of which one was said to hold, an answer that quotes the other one still says so.
    """
    if found.by.edition is None:
        return None
    one, other = (_make_openable(quote, citations) for quote in found.quotes)
    holding = _find_holding(one, other)
    if holding is None:
        return replace(found, quotes=(other, one) if _comes_first(other, one) else (one, other))
    if found.cited.document_id in holding:
        return None
    return replace(found, quotes=(other, one) if other.document_id in holding else (one, other))


def _find_holding(one: Citation, other: Citation) -> frozenset[UUID] | None:
    """Return the documents that were said to hold of two that contradict each other there; None if nobody decided."""
    pairs = _is_at("newer", one) & _is_at("older", other) | _is_at("newer", other) & _is_at("older", one)
    row = SourceContradiction.objects.filter(pairs, state__in=(State.ONE_HOLDS, State.BOTH_HOLD)).first()
    if row is None:
        return None
    sides = {"newer": row.newer_id, "older": row.older_id}
    return frozenset(sides.values() if row.state == State.BOTH_HOLD else [sides[row.holds]])


def _is_at(side: str, quote: Citation) -> Q:
    """Build the condition that a side of a pair says something in these words."""
    is_document = {side: quote.document_id, f"{side}_chunk_id": quote.chunk_id}
    return Q(**is_document, **{f"{side}_start__lt": quote.end, f"{side}_end__gt": quote.start})


def _comes_first(one: Citation, other: Citation) -> bool:
    """Return True if a document is newer than another, or else the one of them that its owner stands by."""
    is_newer = compare_dates(one.document_date, other.document_date)
    if is_newer is not None or one.document_id is None or other.document_id is None:
        return bool(is_newer)
    first, *_ = rank_by_authority([other.document_id, one.document_id])
    return first == one.document_id


def _make_openable(quote: Citation, citations: Sequence[Citation]) -> Citation:
    """Give a quote the number and the page of the citation that has it, or else a page of its own."""
    for citation in citations:
        is_cited = citation.edition == quote.edition and (
            citation.number == quote.number or citation.chunk_id == quote.chunk_id
        )
        if is_cited and citation.start <= quote.start and quote.end <= citation.end:
            quote = replace(quote, number=citation.number, citation_id=citation.citation_id)
            return replace(quote, opens_at=citation.opens_at)
    if quote.document_id is None or quote.chunk_id is None:
        return replace(quote, number=0)
    place = PlaceInChunk(chunk_id=quote.chunk_id, start=quote.start, end=quote.end)
    return replace(quote, number=0, opens_at=build_document_address(quote.document_id, at=place))


def _cut_quote(cited: Sequence[Citation], quoted: Sequence[int] | None) -> Citation | None:
    """Return the part of a citation that contradicts; of what was kept without it, the whole of the first one."""
    if quoted is None:
        return cited[0] if cited else None
    number, start, end = quoted
    for citation in cited:
        if citation.number == number:
            words = citation.quoted_excerpt[start - citation.start : end - citation.start]
            return replace(citation, start=start, end=end, quoted_excerpt=words, excerpt=shorten(words))
    return None


def _quote_around(passage: Passage, start: int, end: int) -> Citation:
    """Quote the sentence, item or row of a passage that has these words."""
    unit = find_unit_at(passage.content, start)
    found = FoundQuote(passage=passage, start=unit.start if unit else start, end=max(unit.end, end) if unit else end)
    return cite(found, number=0)
