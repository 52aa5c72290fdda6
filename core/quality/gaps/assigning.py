"""Putting new questions into gaps. Groups stay from week to week: a question joins the gap that it is near to."""

import datetime as dt
import logging
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import Avg, Count, Max, Min, QuerySet
from django.utils import timezone

from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.models import ContentGap, GapQuestion, GapUpdate, Query
from core.quality.gaps.candidates import is_about_something, select_answered, select_unanswered, text_to_embed
from core.quality.gaps.grouping import Groups, middle_of
from core.quality.gaps.heaps import choose_heaps, measure_found
from core.quality.gaps.refusals import note_read

logger = logging.getLogger(__name__)

AT_ONCE = 100  # questions of one transaction
UNANSWERED = (GapQuestion.Outcome.REFUSED, GapQuestion.Outcome.UNSURE, GapQuestion.Outcome.VOTED_DOWN)


def assign_new_questions() -> int:
    """Put the questions that no gap has yet into gaps, oldest first; how many were put."""
    provider = embedding.provider()
    _embed_again(provider)
    now, put = timezone.now(), 0
    for queries in _read_batches(select_unanswered()):
        put += _assign_batch(queries, provider)
    GapUpdate.objects.update_or_create(pk=1, defaults={"updated_at": now})
    if put:
        logger.info("gaps_assigned", extra={"questions": put})
    return put


def record_answered(*, since: dt.datetime) -> list[GapQuestion]:
    """Put the questions since that time that were answered into the gaps that ask the same; return those put.

    They show whether a gap was closed. They begin no gap.
    """
    provider = embedding.provider()
    groups = _load_groups(provider)
    put: list[GapQuestion] = []
    for queries in _read_batches(select_answered().filter(created_at__gte=since)) if groups.ids else ():
        vectors = provider.embed([text_to_embed(query) for query in queries])
        found = [(q, v, groups.find(text_to_embed(q), v)) for q, v in zip(queries, vectors, strict=True)]
        put += _store_questions((query, vector, gap, None) for query, vector, gap in found if gap is not None)
    return put


def leave_out_small_talk() -> int:
    """Take the questions out of gaps that ask nothing, as rules of later releases tell; how many they were."""
    asked = GapQuestion.objects.filter(query__erased_at=None).values_list("pk", "gap_id", "query__question_text")
    out = [(pk, gap) for pk, gap, text in asked.iterator() if not is_about_something(text)]
    GapQuestion.objects.filter(pk__in=[pk for pk, _ in out]).delete()
    touched = {gap for _, gap in out}
    count_again(touched)
    name_again(touched)
    return len(out)


def _read_batches(found: QuerySet[Query]) -> Iterator[list[Query]]:
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


def _assign_batch(queries: Sequence[Query], provider: EmbeddingProvider) -> int:
    vectors = provider.embed([text_to_embed(query) for query in queries])
    groups = _load_groups(provider)
    begun: list[ContentGap] = []
    places: list[UUID] = []
    for query, vector in zip(queries, vectors, strict=True):
        words = text_to_embed(query)
        gap_id = groups.find(words, vector)
        if gap_id is None:
            begun.append(ContentGap(first_seen=query.created_at, last_seen=query.created_at))
            gap_id = begun[-1].pk
            groups.add(gap_id, vector, words)
        places.append(gap_id)
    found = [measure_found(query) for query in queries]
    with transaction.atomic():
        ContentGap.objects.bulk_create(begun)
        put = _store_questions(zip(queries, vectors, places, found, strict=True))
        touched = {question.gap_id for question in put}
        _reopen_gaps(put)
        count_again(touched)
        name_again(touched)
    note_read(put)
    return len(put)


def _store_questions(found: Iterable[tuple[Query, np.ndarray, UUID, float | None]]) -> list[GapQuestion]:
    name = embedding.provider().name
    rows = [
        GapQuestion(
            gap_id=gap_id,
            query=query,
            outcome=query.outcome,  # type: ignore[attr-defined]  # annotated
            asked_at=query.created_at,
            found=probability,
            embedding=vector,
            embedding_model=name,
        )
        for query, vector, gap_id, probability in found
    ]
    return GapQuestion.objects.bulk_create(rows, ignore_conflicts=True)


def _reopen_gaps(put: Sequence[GapQuestion]) -> None:
    """A gap that was closed is open again when its question is not answered after that."""
    for question in put:
        ContentGap.objects.filter(
            pk=question.gap_id, state=ContentGap.State.CLOSED, closed_at__lt=question.asked_at
        ).update(state=ContentGap.State.OPEN, closed_at=None)


def _load_groups(provider: EmbeddingProvider) -> Groups:
    """The gaps with the middles of their questions, oldest gap first; those without any embedding are left out."""
    rows = (
        GapQuestion.objects.filter(embedding__isnull=False, embedding_model=provider.name, outcome__in=UNANSWERED)
        .order_by("gap__first_seen", "gap_id")
        .values("gap_id", "gap__first_seen")
        .annotate(middle=Avg("embedding"))
    )
    named = ContentGap.objects.select_related("label_query").in_bulk([row["gap_id"] for row in rows])
    groups = Groups()
    for row in rows:
        label = named[row["gap_id"]].label_query
        words = text_to_embed(label) if label else ""
        groups.add(row["gap_id"], middle_of(np.asarray(row["middle"], dtype=np.float32)[None, :]), words)
    return groups


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
    choose_heaps(changed)
    ContentGap.objects.bulk_update(changed, ["asked", "people", "first_seen", "last_seen", "heap"])
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
