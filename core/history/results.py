"""Earlier questions, as an audience may see them now: access is asked again at every look."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from core.access.audiences import is_within_roles, readable_among
from core.confidence.decision import NOTHING_FOUND, NOTHING_SELECTED
from core.errors import NotFoundError
from core.filters import filters_from_json
from core.i18n.translation import say, translatable
from core.models import Answer as AnswerRow
from core.models import AuditEvent, Document, Feedback, Query
from core.models import Citation as CitationRow
from core.models.row_security import as_audience
from core.retrieval.catalogue import Catalogue
from core.retrieval.chunk_lookup import contents_of
from core.types import (
    LONGEST_COMMENT,
    Answer,
    Audience,
    Citation,
    ContextMode,
    FeedbackReason,
    Filters,
    Opinion,
    QuoteInPlace,
    Refusal,
    RefusalReason,
    Retrieved,
    mean_similarity_of,
)

_AROUND = 300  # characters shown on each side of a quote
WHICH_ONE = translatable("I cannot tell which one you mean. Please ask again with its name or date.")


def stored_result(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> Answer | Refusal:
    """An earlier result as this audience may see it now; see core.api.stored_result."""
    row = _row(request_id)
    citations = list(row.citations.all())
    visible = _visible(row, citations, audience, viewer)
    is_whole = _is_wording_readable(row.query, audience, viewer)
    common = _common(row, audience, is_whole=is_whole)
    if row.answer_text is None:
        return _refusal(row, visible, common, is_whole=is_whole)
    if len(visible) < len(citations):
        raise NotFoundError
    # What is said to be lacking repeats the question as it stood alone.
    message = row.message if is_whole else ""
    return Answer(
        **common,
        text=row.answer_text,
        message=message,
        citations=tuple(one.as_value() for one in visible),
        verified=row.verification,
    )


def own_result(request_id: str, *, user_id: UUID, audience: Audience) -> Answer | Refusal:
    """An earlier result of a person's own question; see core.api.own_result."""
    if own_question(request_id, user_id=user_id) is None:
        raise NotFoundError
    return stored_result(request_id, audience=audience, viewer=user_id)


def own_question(request_id: str, *, user_id: UUID | None) -> UUID | None:
    """The id of an earlier question of a person's own; see core.api.own_question."""
    if user_id is None or "\0" in request_id:  # from an address; PostgreSQL refuses to look for it
        return None
    kept = Query.objects.filter(request_id=request_id, user_id=user_id, erased_at=None)
    return kept.values_list("pk", flat=True).first()


def _refusal(row: AnswerRow, visible: list[CitationRow], common: dict[str, Any], *, is_whole: bool) -> Refusal:
    """A refusal, with those of its closest passages that may be shown; without any, as if nothing had come close."""
    reason = RefusalReason(row.refusal_reason)
    if reason == RefusalReason.UNSURE and not visible:
        is_selection = row.query.context_mode == ContextMode.SELECTED_TEXT
        reason = RefusalReason.INSUFFICIENT if is_selection else RefusalReason.NOTHING_FOUND
        message = say(NOTHING_SELECTED if is_selection else NOTHING_FOUND)
        return Refusal(**{**common, "confidence": 0.0}, reason=reason, message=message)
    is_vague = reason == RefusalReason.AMBIGUOUS and not is_whole
    message = say(WHICH_ONE) if is_vague else row.message
    return Refusal(**common, reason=reason, message=message, closest=renumber(row.as_value() for row in visible))


def stored_citations(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> tuple[Citation, ...]:
    """Those citations of an earlier answer, or of its closest passages, that this audience may read now.

    Empty also when there is neither.
    """
    try:
        row = _row(request_id)
    except NotFoundError:
        return ()
    visible = _visible(row, list(row.citations.all()), audience, viewer)
    return (
        renumber(row.as_value() for row in visible)
        if row.answer_text is None
        else tuple(one.as_value() for one in visible)
    )


def stored_quotes(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> tuple[QuoteInPlace, ...]:
    """The readable citations, or closest passages, with the words around them; see core.api.stored_quotes."""
    citations = stored_citations(request_id, audience=audience, viewer=viewer)
    passages = contents_of((citation.chunk_id for citation in citations), audience=audience)
    return tuple(_in_place(citation, passages.get(citation.chunk_id)) for citation in citations)


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
    row = _row(request_id)
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
        AuditEvent.objects.create(
            actor_id=user_id, action=AuditEvent.Action.FEEDBACK, object_type="answer", object_id=str(row.pk), details={}
        )
    known = [FeedbackReason(reason) for reason in stored.reasons if reason in set(FeedbackReason)]
    return Opinion(verdict=stored.verdict, reasons=tuple(known), comment=stored.comment)


def _in_place(citation: Citation, content: str | None) -> QuoteInPlace:
    """A citation with what stands around it, if its passage still holds the quote where it was found."""
    if content is None or content[citation.start : citation.end] != citation.quoted_excerpt:
        return QuoteInPlace(citation=citation)
    before, after = content[: citation.start], content[citation.end :]
    if len(before) > _AROUND:
        before = "…" + before[-_AROUND + 1 :].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[: _AROUND - 1].rpartition(" ")[0] + "…"
    return QuoteInPlace(citation=citation, before=before.strip(), after=after.strip())


def _row(request_id: str) -> AnswerRow:
    row = (
        AnswerRow.objects.select_related("query", "query__log", "verified_by")
        .prefetch_related("citations")
        .filter(query__request_id=request_id, query__erased_at=None)
        .first()
    )
    if row is None:
        raise NotFoundError
    return row


def _visible(
    row: AnswerRow, citations: list[CitationRow], audience: Audience, viewer: UUID | None
) -> list[CitationRow]:
    """The citations that may be shown. Those of selected text point into no document: they are its asker's alone."""
    if row.query.context_mode == ContextMode.SELECTED_TEXT:
        return citations if viewer is not None and viewer == row.query.user_id else []
    if not is_within_roles(row.verified_answer_id, audience):
        return []
    readable = readable_among((citation.document_id for citation in citations), audience)
    return [citation for citation in citations if citation.document_id in readable]


def _is_wording_readable(query: Query, audience: Audience, viewer: UUID | None) -> bool:
    """Whether what was made of a question may be shown: the words in which it stood alone, and what was asked back.

    They may be words of documents, which the audience must all be able to read, or of a selected text, which is its
    asker's alone.
    """
    if query.context_mode == ContextMode.SELECTED_TEXT:
        return viewer is not None and viewer == query.user_id
    return readable_among(query.named_documents, audience) == set(query.named_documents)


def _find_applied_filters(query: Query, audience: Audience) -> Filters:
    """The filters as they were applied; those given alone, where they would not be applied for this audience."""
    given = filters_from_json(query.filters)
    if query.context_mode == ContextMode.SELECTED_TEXT:
        return Filters(max_results=given.max_results)
    applied = filters_from_json(query.applied_filters) if query.applied_filters else given
    return applied if applied == given or Catalogue(audience).holds(applied) else given


def _common(row: AnswerRow, audience: Audience, *, is_whole: bool) -> dict[str, Any]:
    query, retrieved = row.query, _list_retrieved(row, audience)
    log = getattr(query, "log", None)
    if query.context_mode == ContextMode.SELECTED_TEXT:  # its passages have no ids; their figure is in the log
        mean_similarity = log.mean_similarity if log else None
    else:
        mean_similarity = mean_similarity_of(each.similarity for each in retrieved)
    return {
        **row.get_result_fields(),
        "retrieved": retrieved,
        "mean_similarity": mean_similarity,
        "timings_ms": log.timings_ms if log else {},
        "asked": (is_whole and query.standalone_question) or query.question_text,
        "filters": _find_applied_filters(query, audience),
    }


def _list_retrieved(row: AnswerRow, audience: Audience) -> tuple[Retrieved, ...]:
    """The retrieved chunks whose documents this audience may read now; ids of others would tell that they exist."""
    rows = row.query.retrieved_chunks.filter(chunk__document__in=Document.objects.visible_to(audience).values("pk"))
    with as_audience(audience):
        found = rows.values("chunk_id", "rank", "similarity", "rerank_score", document_id=F("chunk__document_id"))
        return tuple(Retrieved(**one) for one in found)


def renumber(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Closest passages numbered from 1: a gap would tell of one that may not be shown."""
    return tuple(replace(citation, number=number) for number, citation in enumerate(citations, 1))
