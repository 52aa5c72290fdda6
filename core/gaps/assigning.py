"""Putting new questions into gaps. Groups stay from week to week: a question joins the gap that it is near to."""

import datetime as dt
import logging
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import Avg, Count, Max, Min, QuerySet

from core import embedding
from core.embedding import EmbeddingProvider
from core.gaps.candidates import is_about_something, select_answered, select_unanswered, text_to_embed
from core.gaps.grouping import group, middle_of, nearest_group
from core.models import ContentGap, GapQuestion, Query

logger = logging.getLogger(__name__)

AT_ONCE = 500  # questions of one transaction
UNANSWERED = (GapQuestion.Outcome.REFUSED, GapQuestion.Outcome.UNSURE, GapQuestion.Outcome.VOTED_DOWN)


def assign_new_questions() -> int:
    """Put the questions that no gap has yet into gaps, oldest first; how many were put."""
    provider = embedding.provider()
    _embed_again(provider)
    put = 0
    for queries in _batches(select_unanswered()):
        with transaction.atomic():
            put += _assign(queries, provider)
    if put:
        logger.info("gaps_assigned", extra={"questions": put})
    return put


def record_answered(*, since: dt.datetime) -> int:
    """Put the questions since that time that were answered into the gaps that ask the same; how many were put.

    They show whether a gap was closed. They begin no gap.
    """
    provider, put = embedding.provider(), 0
    ids, middles = _middles(provider)
    if not ids:
        return 0
    for queries in _batches(select_answered().filter(created_at__gte=since)):
        vectors = provider.embed([text_to_embed(query) for query in queries])
        places = nearest_group(vectors, middles)
        put += len(_store((q, v, ids[p]) for q, v, p in zip(queries, vectors, places, strict=True) if p is not None))
    return put


def _batches(found: QuerySet[Query]) -> Iterator[list[Query]]:
    """Questions without a gap, oldest first. Greetings stay without one, so each batch goes on behind the last."""
    rows = found.filter(gap_question=None).order_by("created_at", "pk")
    after: dt.datetime | None = None
    seen: set[UUID] = set()
    while True:
        batch = list((rows if after is None else rows.filter(created_at__gte=after)).exclude(pk__in=seen)[:AT_ONCE])
        if kept := [query for query in batch if is_about_something(query.question_text)]:
            yield kept
        if len(batch) < AT_ONCE:
            return
        after = batch[-1].created_at
        seen = {query.pk for query in batch if query.created_at == after}


def _assign(queries: Sequence[Query], provider: EmbeddingProvider) -> int:
    vectors = provider.embed([text_to_embed(query) for query in queries])
    ids, middles = _middles(provider)
    places = nearest_group(vectors, middles)
    new = [row for row, place in enumerate(places) if place is None]
    begun = dict(zip(new, _begin([queries[row] for row in new], vectors[new]), strict=True)) if new else {}
    put = _store(
        (query, vectors[row], begun[row] if place is None else ids[place])
        for row, (query, place) in enumerate(zip(queries, places, strict=True))
    )
    touched = {question.gap_id for question in put}
    _reopen(put)
    count_again(touched)
    name_again(touched)
    return len(put)


def _begin(queries: Sequence[Query], vectors: np.ndarray) -> list[UUID]:
    """New gaps for questions that are near to none: for each question the gap that it is in."""
    numbers = group(vectors)
    asked: dict[int, list[dt.datetime]] = {}
    for query, number in zip(queries, numbers, strict=True):
        asked.setdefault(number, []).append(query.created_at)
    gaps = {number: ContentGap(first_seen=min(times), last_seen=max(times)) for number, times in asked.items()}
    ContentGap.objects.bulk_create(gaps.values())
    return [gaps[number].pk for number in numbers]


def _store(found: Iterable[tuple[Query, np.ndarray, UUID]]) -> list[GapQuestion]:
    name = embedding.provider().name
    rows = [
        GapQuestion(
            gap_id=gap_id,
            query=query,
            outcome=query.outcome,  # type: ignore[attr-defined]  # annotated
            asked_at=query.created_at,
            embedding=vector,
            embedding_model=name,
        )
        for query, vector, gap_id in found
    ]
    return GapQuestion.objects.bulk_create(rows, ignore_conflicts=True)


def _reopen(put: Sequence[GapQuestion]) -> None:
    """A gap that was closed is open again when its question is not answered after that."""
    for question in put:
        ContentGap.objects.filter(
            pk=question.gap_id, state=ContentGap.State.CLOSED, closed_at__lt=question.asked_at
        ).update(state=ContentGap.State.OPEN, closed_at=None)


def _middles(provider: EmbeddingProvider) -> tuple[list[UUID], np.ndarray]:
    """The gaps with the middles of their questions, oldest gap first; those without any embedding are left out."""
    rows = (
        GapQuestion.objects.filter(embedding__isnull=False, embedding_model=provider.name, outcome__in=UNANSWERED)
        .order_by("gap__first_seen", "gap_id")
        .values("gap_id", "gap__first_seen")
        .annotate(middle=Avg("embedding"))
    )
    found = [(row["gap_id"], np.asarray(row["middle"], dtype=np.float32)) for row in rows]
    middles = [middle_of(middle[None, :]) for _, middle in found]
    return [gap_id for gap_id, _ in found], np.array(middles, dtype=np.float32)


def _embed_again(provider: EmbeddingProvider) -> None:
    """Embed the questions whose embedding is of another model, or was erased with a document's words."""
    rows = GapQuestion.objects.filter(query__erased_at=None).exclude(
        embedding__isnull=False, embedding_model=provider.name
    )
    while batch := list(rows.select_related("query").order_by("pk")[:AT_ONCE]):
        vectors = provider.embed([text_to_embed(question.query) for question in batch])
        for question, vector in zip(batch, vectors, strict=True):
            question.embedding, question.embedding_model = vector, provider.name
        GapQuestion.objects.bulk_update(batch, ["embedding", "embedding_model"])


def count_again(gap_ids: Iterable[UUID]) -> None:
    """Count a gap's questions and people, and delete it where it has no question left."""
    gaps = ContentGap.objects.filter(pk__in=list(gap_ids))
    counted = GapQuestion.objects.filter(gap__in=gaps, outcome__in=UNANSWERED).order_by().values("gap_id")
    figures = {
        row["gap_id"]: row
        for row in counted.annotate(
            asked=Count("pk"), people=Count("query__user", distinct=True), first=Min("asked_at"), last=Max("asked_at")
        )
    }
    for gap in (changed := [gap for gap in gaps if gap.pk in figures]):
        row = figures[gap.pk]
        gap.asked, gap.people = row["asked"], row["people"]
        gap.first_seen, gap.last_seen = row["first"], row["last"]
    ContentGap.objects.bulk_update(changed, ["asked", "people", "first_seen", "last_seen"])
    gaps.exclude(pk__in=figures).delete()


def name_again(gap_ids: Iterable[UUID]) -> None:
    """Call each gap by the question that is nearest to its middle among those whose text is kept."""
    named = []
    for gap in ContentGap.objects.filter(pk__in=list(gap_ids)):
        questions = list(gap.questions.filter(embedding__isnull=False, outcome__in=UNANSWERED)[:AT_ONCE])
        if questions:
            vectors = np.array([question.embedding for question in questions], dtype=np.float32)
            gap.label_query_id = questions[int((vectors @ middle_of(vectors)).argmax())].query_id
            named.append(gap)
    ContentGap.objects.bulk_update(named, ["label_query"])
