"""Find who had asked what a change answers: in its gap, in gaps near to it, and to whom a contradiction was shown."""

import datetime as dt
from collections.abc import Iterable
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.library import embedding
from core.models import Answer, Chunk, ContentGap, Document, GapQuestion, LateAnswer, ProposedChange, Query
from core.models.row_security import bypass_row_security
from core.quality.gaps.assigning import UNANSWERED
from core.types import NOBODY_ASKED

_MOST_ASKERS = 500  # of one change
_MOST_BESIDE = 100  # questions of other gaps that are asked again for one change
_MOST_WAITING = 5_000  # that are looked at for that
_NEAR = 0.25  # cosine similarity from which a question may be answered by a passage: docs/evaluation.md
_MOST_CHUNKS = 5_000  # of a changed document
_ASKED_WITHIN = dt.timedelta(days=90)


def list_askers(row: ProposedChange) -> Iterable[tuple[UUID, UUID]]:
    """List the latest question of each person who had asked, and the person; nobody who was answered since."""
    if row.gap_id:
        answered = _find_answered(Q(gap=row.gap_id))
        gap = GapQuestion.objects.filter(gap=row.gap_id, outcome__in=UNANSWERED)
        asked = Query.objects.filter(pk__in=gap.values("query"))
    else:
        answered = {}
        told = LateAnswer.objects.exclude(asked_again=None).values("query")
        asked = Query.objects.filter(pk__in=_select_contradicted(row).values("query")).exclude(pk__in=told)
    rows = asked.filter(erased_at=None, user__is_active=True).order_by("-created_at", "pk")
    latest: dict[UUID, UUID] = {}
    for query_id, user_id, asked_at in rows.values_list("pk", "user_id", "created_at")[:5000]:
        if user_id and answered.get((row.gap_id, user_id), asked_at) <= asked_at:
            latest.setdefault(user_id, query_id)
    return [(query_id, user_id) for user_id, query_id in list(latest.items())[:_MOST_ASKERS]]


def _find_answered(of: Q) -> dict[tuple[UUID | None, UUID | None], dt.datetime]:
    """Find when a person was last answered what a gap asks, by asking again or by a change; by gap and person.

    of: the questions of gaps that are looked at.
    """
    questions = GapQuestion.objects.filter(of)
    by_asking = questions.filter(outcome=GapQuestion.Outcome.ANSWERED).order_by("asked_at")
    rows = by_asking.values_list("gap_id", "query__user_id", "asked_at")
    found: dict[tuple[UUID | None, UUID | None], dt.datetime] = {(gap, user): at for gap, user, at in rows}
    late = LateAnswer.objects.exclude(asked_again=None).filter(query__in=questions.values("query"))
    told = late.order_by("created_at").values_list("query__gap_question__gap_id", "query__user_id", "created_at")
    for gap, user, at in told:
        found[gap, user] = max(at, found.get((gap, user), at))
    return found


def _select_contradicted(row: ProposedChange) -> QuerySet[Answer]:
    pair = row.contradiction
    if pair is None:
        return Answer.objects.none()
    both = (str(pair.newer_id), str(pair.older_id))
    since = timezone.now() - dt.timedelta(days=settings.FOOTNOTES_DAYS or 0)
    answers = Answer.objects.filter(
        contradiction__cited__0__in=both, contradiction__other__0__in=both, created_at__gte=since
    )
    return answers.exclude(query__conversation__origin__in=NOBODY_ASKED)


def list_beside(row: ProposedChange, own: set[UUID]) -> list[tuple[UUID, UUID]]:
    """List questions of other gaps that come near to the changed document, and who asked; the nearest first."""
    documents = [document.pk for document in list_changed(row)]
    name = embedding.provider().name
    with bypass_row_security():  # which questions come near is told to nobody; each is asked by its asker's own rights
        chunks = Chunk.objects.filter(document__in=documents, embedding_model=name)
        vectors = np.array(list(chunks.values_list("embedding", flat=True)[:_MOST_CHUNKS]), dtype=np.float32)
    if not len(vectors):
        return []
    is_open = Q(gap__state__in=(ContentGap.State.OPEN, ContentGap.State.INVITED))
    waiting = GapQuestion.objects.filter(
        is_open | Q(gap__state=ContentGap.State.CLOSED, gap__closed_at__gte=row.sent_at),
        outcome__in=UNANSWERED,
        asked_at__gte=timezone.now() - _ASKED_WITHIN,
        embedding_model=name,
        embedding__isnull=False,
        query__erased_at=None,
        query__user__is_active=True,
    ).exclude(gap=row.gap_id)
    answered = _find_answered(Q(asked_at__gte=timezone.now() - _ASKED_WITHIN))
    near: dict[tuple[UUID, UUID], tuple[float, UUID]] = {}  # by gap and person
    rows = waiting.order_by("-asked_at", "pk").values_list(
        "gap_id", "query_id", "query__user_id", "asked_at", "embedding"
    )
    for gap_id, query_id, user_id, asked_at, vector in rows[:_MOST_WAITING]:
        similarity = float((vectors @ np.asarray(vector, dtype=np.float32)).max())
        if (
            similarity >= _NEAR
            and query_id not in own
            and user_id
            and answered.get((gap_id, user_id), asked_at) <= asked_at
        ):
            near.setdefault((gap_id, user_id), (similarity, query_id))
    nearest = sorted(near.items(), key=lambda one: -one[1][0])[:_MOST_BESIDE]
    return [(query_id, user_id) for (_, user_id), (_, query_id) in nearest]


def list_changed(row: ProposedChange) -> list[Document]:
    """List the documents that hold a change, and their restricted sections."""
    whole = Q(pk=row.document_id)
    if row.item_key:
        whole |= Q(sync_item__source=row.source_id, sync_item__key=row.item_key)
    ids = list(Document.objects.filter(whole).values_list("pk", flat=True))
    return list(Document.objects.filter(Q(pk__in=ids) | Q(part_of__in=ids)))
