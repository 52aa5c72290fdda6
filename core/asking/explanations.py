"""Explain a question's answer from its records, as far as one viewer may read them now.

Nothing is searched or asked again, and nothing is stored. Every part is checked against the viewer's access at this
moment, so that a document that they may not read looks as if it had been deleted since.
"""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from core.asking.history import listing, results
from core.asking.verification.reasons import Reason
from core.infrastructure.database_errors import translate_database_errors
from core.infrastructure.public_address import build_receipt_address
from core.library.retrieval.chunk_lookup import passages_again
from core.models import Query
from core.types import Answer, Audience, Citation, ContextMode, Passage, ReadableCollection, Refusal
from core.values.explained import Explanation, LeftOut, ReadPassage

_KINDS = {
    LeftOut.QUOTE: (Reason.NO_QUOTE, Reason.QUOTE_NOT_FOUND, Reason.QUOTE_TOO_SHORT),
    LeftOut.FIGURES: (Reason.ADDRESS, Reason.NUMBER, Reason.DATE, Reason.NAME, Reason.SWAPPED, Reason.COLUMN),
    LeftOut.CONTRADICTED: (Reason.NEGATION, Reason.OPPOSITE),
    LeftOut.BEYOND_QUOTE: (
        Reason.UNRELATED,
        Reason.MIXED_SOURCES,
        Reason.QUANTIFIER,
        Reason.CONDITION,
        Reason.MODALITY,
        Reason.SUBJECT,
        Reason.NOT_ENTAILED,
    ),
    LeftOut.FORM: (Reason.EMPTY, Reason.TOO_LONG, Reason.REPEATED),
}
_KIND_OF = {reason: kind for kind, reasons in _KINDS.items() for reason in reasons}


def explain(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> Explanation:
    """Say how an earlier question was decided, from its record. Raises NotFoundError as core.api.stored_result does.

    audience, viewer: the one person who looks, whoever asked. The caller has made sure that the answer was shown to
    them: an answer cites only what they may read, but the question is its asker's.
    """
    if not isinstance(audience, Audience):
        raise TypeError("an audience is needed; unknown readers are Audience.nobody()")
    with translate_database_errors():
        result = results.stored_result(request_id, audience=audience, viewer=viewer)
        query = Query.objects.select_related("log").get(request_id=request_id)
        if result.context_mode == ContextMode.SELECTED_TEXT:
            return _build_explanation(result, query, dropped=_read_dropped(query) if viewer == query.user_id else {})
        return _explain_search(result, query, audience)


def explain_own(request_id: str, *, user_id: UUID, audience: Audience) -> Explanation:
    """Say how a person's own question was decided. Raises NotFoundError for everybody else's; else as explain."""
    results.own_result(request_id, user_id=user_id, audience=audience)
    return explain(request_id, audience=audience, viewer=user_id)


def _explain_search(result: Answer | Refusal, query: Query, audience: Audience) -> Explanation:
    log = getattr(query, "log", None)
    retrieved = list(query.retrieved_chunks.order_by("rank").values_list("chunk_id", "similarity"))
    passages = passages_again(retrieved, audience=audience)
    # What was written came of all that was read: without a part of that, its figures would reveal the part.
    is_whole = log is not None and len(passages) == len(log.chunk_ids)
    return _build_explanation(
        result,
        query,
        passages=passages,
        collections=listing.collections(audience, result.filters),
        dropped=_read_dropped(query) if is_whole else {},
    )


def _build_explanation(
    result: Answer | Refusal,
    query: Query,
    *,
    dropped: dict[str, int],
    passages: tuple[Passage, ...] = (),
    collections: tuple[ReadableCollection, ...] = (),
) -> Explanation:
    return Explanation(
        result=result,
        question=query.question_text,
        understood=result.asked if result.asked.split() != query.question_text.split() else "",
        collections=collections,
        passages=_merge_passages(passages, result.citations if isinstance(result, Answer) else result.closest),
        left_out=_count_by_kind(dropped),
        is_at_limit=len(passages) >= result.filters.max_results,
        receipt_at=build_receipt_address(result.request_id),
    )


def _read_dropped(query: Query) -> dict[str, int]:
    log = getattr(query, "log", None)
    return log.dropped_reasons if log else {}


def _count_by_kind(dropped: dict[str, int]) -> tuple[tuple[LeftOut, int], ...]:
    counted: Counter[LeftOut] = Counter()
    for reason, count in dropped.items():
        # A reason of another release is shown as the kind that all have in common.
        kind = _KIND_OF[Reason(reason)] if reason in set(Reason) else LeftOut.BEYOND_QUOTE
        counted[kind] += count
    return tuple(counted.most_common())


def _merge_passages(passages: Iterable[Passage], citations: Iterable[Citation]) -> tuple[ReadPassage, ...]:
    """Put the quoted passages first, each once; those of an edition that was replaced are known by their citations."""
    quoted: dict[object, ReadPassage] = {}
    for citation in citations:
        if citation.document_id is None:
            continue
        place = (citation.document_id, citation.chapter, citation.section, citation.page_number)
        read = _describe_passage(citation, citation.document_id, address=citation.opens_at or citation.source_url)
        quoted.setdefault(citation.chunk_id or place, read)
    others = [
        _describe_passage(passage, passage.document_id, address=passage.source_url)
        for passage in passages
        if passage.document_id and passage.chunk_id not in quoted
    ]
    return (*quoted.values(), *others)


def _describe_passage(place: Citation | Passage, document_id: UUID, *, address: str) -> ReadPassage:
    return ReadPassage(
        document_id=document_id,
        document_name=place.document_name,
        document_date=place.document_date,
        chapter=place.chapter,
        section=place.section,
        page_number=place.page_number,
        address=address,
        is_quoted=isinstance(place, Citation),
    )
