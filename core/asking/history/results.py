"""Show earlier questions as an audience may see them now: access is asked again at every look."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from core.asking.alerts import weigh_votes
from core.asking.confidence.endings import COME_CLOSEST, NOTHING_FOUND, NOTHING_SELECTED
from core.asking.history.contradictions import read_contradiction
from core.asking.history.visibility import Visibility
from core.errors import NotFoundError
from core.language.i18n.translation import say, translatable
from core.library.retrieval.chunk_lookup import contents_of
from core.models import Answer as AnswerRow
from core.models import AuditEvent, Document, Feedback, Query
from core.models.row_security import as_audience
from core.types import (
    LONGEST_COMMENT,
    Answer,
    Audience,
    Citation,
    ContextMode,
    FeedbackReason,
    Opinion,
    QuoteInPlace,
    Refusal,
    RefusalReason,
    Retrieved,
)

_AROUND = 300  # characters shown on each side of a quote
WHICH_ONE = translatable("I cannot tell which one you mean. Please ask again with its name or date.")
# What is said instead to who may not read all documents whose words the message may hold.
_BARE = {
    RefusalReason.AMBIGUOUS: WHICH_ONE,
    RefusalReason.UNSURE: COME_CLOSEST,
    RefusalReason.NOTHING_FOUND: NOTHING_FOUND,
    RefusalReason.INSUFFICIENT: NOTHING_SELECTED,
}


def stored_result(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> Answer | Refusal:
    """Return an earlier result as this audience may see it now; see core.api.stored_result."""
    row = _find_row(request_id)
    result = _read_result(row, Visibility.of([row], audience=audience, viewer=viewer), _list_retrieved(row, audience))
    if result is None:
        raise NotFoundError
    return result


def stored_results(
    request_ids: Collection[str], *, audience: Audience, viewer: UUID | None = None
) -> dict[str, Answer | Refusal]:
    """Return many earlier results as this audience may see them now; see core.api.stored_results."""
    rows = list(_select_rows().filter(query__request_id__in=request_ids))
    visibility = Visibility.of(rows, audience=audience, viewer=viewer)
    judged = {row.query.request_id: _read_result(row, visibility, ()) for row in rows}
    return {request_id: result for request_id, result in judged.items() if result is not None}


def _read_result(row: AnswerRow, visibility: Visibility, retrieved: tuple[Retrieved, ...]) -> Answer | Refusal | None:
    """Return a result as it may be seen; None unless every document that it cites may be read."""
    visible, common = visibility.list_visible(row), _list_common_fields(row, visibility, retrieved)
    is_whole = visibility.is_wording_readable(row.query)
    if row.answer_text is None:
        return _build_refusal(row, visible, common, is_whole=is_whole)
    if len(visible) < len(row.citations.all()):
        return None
    # The list of missing aspects repeats the standalone question.
    message = row.message if is_whole else ""
    return Answer(
        **common,
        text=row.answer_text,
        message=message,
        citations=tuple(visible),
        verified=row.verification,
        contradiction=read_contradiction(row.contradiction, visible, visibility.audience),
    )


def own_result(request_id: str, *, user_id: UUID, audience: Audience) -> Answer | Refusal:
    """Return an earlier result of a person's own question; see core.api.own_result."""
    if own_question(request_id, user_id=user_id) is None:
        raise NotFoundError
    return stored_result(request_id, audience=audience, viewer=user_id)


def mean_similarity_of(similarities: Sequence[float]) -> float | None:
    """Return the mean of the similarities of what was retrieved; None when nothing was."""
    return sum(similarities) / len(similarities) if similarities else None


def note_told(request_id: str) -> None:
    """Note that an overheard question was answered; see core.api.note_told."""
    Query.objects.filter(request_id=request_id).update(is_overheard=False)


def own_question(request_id: str, *, user_id: UUID | None) -> UUID | None:
    """Return the id of an earlier question of a person's own; see core.api.own_question."""
    if user_id is None or "\0" in request_id:  # from an address; PostgreSQL refuses to look for it
        return None
    kept = Query.objects.filter(request_id=request_id, user_id=user_id, erased_at=None)
    return kept.values_list("pk", flat=True).first()


def _build_refusal(row: AnswerRow, visible: list[Citation], common: dict[str, Any], *, is_whole: bool) -> Refusal:
    """Return a refusal, with those of its closest passages that may be shown.

    Without any, as if nothing had come close.
    """
    reason = RefusalReason(row.refusal_reason)
    if reason == RefusalReason.UNSURE and not visible:
        is_selection = row.query.context_mode == ContextMode.SELECTED_TEXT
        reason = RefusalReason.INSUFFICIENT if is_selection else RefusalReason.NOTHING_FOUND
        message = say(NOTHING_SELECTED if is_selection else NOTHING_FOUND)
        return Refusal(**{**common, "confidence": 0.0}, reason=reason, message=message)
    # What was asked back and how a word was read may be words of documents.
    message = row.message if is_whole or reason not in _BARE else say(_BARE[reason])
    return Refusal(**common, reason=reason, message=message, closest=renumber(visible))


def stored_citations(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> tuple[Citation, ...]:
    """Return those citations of an earlier answer, or of its closest passages, that this audience may read now.

    Empty also when there is neither.
    """
    try:
        row = _find_row(request_id)
    except NotFoundError:
        return ()
    visible = Visibility.of([row], audience=audience, viewer=viewer).list_visible(row)
    return renumber(visible) if row.answer_text is None else tuple(visible)


def stored_quotes(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> tuple[QuoteInPlace, ...]:
    """Return the readable citations, or closest passages, with the words around them; see core.api.stored_quotes."""
    citations = stored_citations(request_id, audience=audience, viewer=viewer)
    passages = contents_of((citation.chunk_id for citation in citations), audience=audience)
    return tuple(_put_in_place(citation, passages.get(citation.chunk_id)) for citation in citations)


def give_feedback(
    request_id: str,
    *,
    user_id: UUID,
    verdict: str,
    reasons: Iterable[str] | None = None,
    comment: str | None = None,
) -> Opinion:
    """Store a person's verdict on an answer and return what is stored; see core.api.give_feedback."""
    if verdict not in Feedback.Verdict.values:
        raise ValueError(f"a verdict must be one of {', '.join(Feedback.Verdict.values)}")
    if comment and len(comment) > LONGEST_COMMENT:
        raise ValueError(f"a comment may have at most {LONGEST_COMMENT} characters")
    given = None if reasons is None else list(dict.fromkeys(FeedbackReason(reason) for reason in reasons))
    row = _find_row(request_id)
    with transaction.atomic():
        before = Feedback.objects.select_for_update().filter(answer=row, user_id=user_id).first()
        kept = before if before and before.verdict == verdict else None
        stored, _ = Feedback.objects.update_or_create(
            answer=row,
            user_id=user_id,
            defaults={
                "verdict": verdict,
                "reasons": given if given is not None else kept.reasons if kept else [],
                "comment": comment if comment is not None else kept.comment if kept else "",
            },
        )
        weigh_votes(row)
        AuditEvent.objects.create(
            actor_id=user_id, action=AuditEvent.Action.FEEDBACK, object_type="answer", object_id=str(row.pk), details={}
        )
    known = [FeedbackReason(reason) for reason in stored.reasons if reason in set(FeedbackReason)]
    return Opinion(verdict=stored.verdict, reasons=tuple(known), comment=stored.comment)


def _put_in_place(citation: Citation, content: str | None) -> QuoteInPlace:
    """Return a citation with the text around it, if its passage still has the quote at that place."""
    if content is None or content[citation.start : citation.end] != citation.quoted_excerpt:
        return QuoteInPlace(citation=citation)
    before, after = content[: citation.start], content[citation.end :]
    if len(before) > _AROUND:
        before = "…" + before[-_AROUND + 1 :].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[: _AROUND - 1].rpartition(" ")[0] + "…"
    return QuoteInPlace(citation=citation, before=before.strip(), after=after.strip())


def _find_row(request_id: str) -> AnswerRow:
    row = _select_rows().filter(query__request_id=request_id).first()
    if row is None:
        raise NotFoundError
    return row


def _select_rows() -> QuerySet[AnswerRow]:
    """Return the results whose texts are kept."""
    rows = AnswerRow.objects.select_related("query", "query__log", "verified_by").prefetch_related("citations")
    return rows.filter(query__erased_at=None)


def _list_common_fields(row: AnswerRow, visibility: Visibility, retrieved: tuple[Retrieved, ...]) -> dict[str, Any]:
    query, is_whole = row.query, visibility.is_wording_readable(row.query)
    log = getattr(query, "log", None)
    if query.context_mode == ContextMode.SELECTED_TEXT:  # its passages have no ids; their figure is in the log
        mean_similarity = log.mean_similarity if log else None
    else:
        mean_similarity = mean_similarity_of([each.similarity for each in retrieved])
    return {
        **row.get_result_fields(),
        "retrieved": retrieved,
        "mean_similarity": mean_similarity,
        "timings_ms": log.timings_ms if log else {},
        "asked": (is_whole and query.standalone_question) or query.question_text,
        "filters": visibility.find_applied_filters(query),
    }


def _list_retrieved(row: AnswerRow, audience: Audience) -> tuple[Retrieved, ...]:
    """Return the retrieved chunks whose documents this audience may read now; other ids would reveal they exist."""
    rows = row.query.retrieved_chunks.filter(chunk__document__in=Document.objects.visible_to(audience).values("pk"))
    with as_audience(audience):
        found = rows.values("chunk_id", "rank", "similarity", "rerank_score", document_id=F("chunk__document_id"))
        return tuple(Retrieved(**one) for one in found)


def renumber(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Number closest passages from 1: a gap would reveal one that may not be shown."""
    return tuple(replace(citation, number=number) for number, citation in enumerate(citations, 1))
