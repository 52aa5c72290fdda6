"""Read the rows and passages of some questions of a conversation, in as many queries for many as for one."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.http import HttpRequest

from adminsite.admin.base import viewer
from adminsite.admin.quality import may_acknowledge
from adminsite.admin.question_texts import is_readable
from core import api
from core.access.audiences import audience_of
from core.models import AgentStep, Alert, Chunk, Feedback, Query, RetrievedChunk, User
from core.models.row_security import as_audience
from core.types import Answer, Audience, Refusal
from core.values.document_names import reference_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Holds a passage that the viewer may read."""

    document_id: UUID
    title: str
    reference: str  # Chapter X, Section Y, Page Z
    text: str  # empty for who may not look at passages


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Holds a passage as it was found. Without a place: the viewer may not read it, or it is gone."""

    rank: int
    similarity: float
    rerank_score: float | None
    place: Place | None

    @classmethod
    def of(cls, row: RetrievedChunk, places: dict[UUID, Place]) -> "Found":
        """Describe a row, with the place of its passage where the viewer may read it."""
        return cls(
            rank=row.rank,
            similarity=row.similarity,
            rerank_score=row.rerank_score,
            place=places.get(row.chunk_id),
        )


def read_places(chunk_ids: Iterable[UUID], *, audience: Audience, with_text: bool) -> dict[UUID, Place]:
    """Return those of the passages that the audience may read now, in as many queries for many as for one."""
    wanted = set(chunk_ids)
    if not wanted:
        return {}
    columns = ["pk", "document_id", "document__title", "chapter_name", "section_title", "page_number"]
    with as_audience(audience):
        rows = Chunk.objects.visible_to(audience).filter(pk__in=wanted)
        read = list(rows.values_list(*columns, *(["content"] if with_text else [])))
    return {
        pk: Place(
            document_id=document,
            title=title,
            reference=reference_of("" if chapter == title else chapter, section, page),
            text="".join(content),
        )
        for pk, document, title, chapter, section, page, *content in read
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class Rights:
    """The parts of the page that the viewer may see; without a right the part is not there."""

    answers: bool
    votes: bool
    evaluations: bool
    alerts: bool
    acknowledges: bool
    documents: bool
    passages: bool
    figures: bool

    @classmethod
    def of(cls, request: HttpRequest) -> "Rights":
        """Find the rights by the permissions of the pages that showed these parts each by itself."""
        may = request.user.has_perm
        return cls(
            answers=may("core.view_answer"),
            votes=may("core.view_feedback"),
            evaluations=may("core.view_evaluationresult"),
            alerts=may("core.view_alert"),
            acknowledges=may_acknowledge(request),
            documents=may("core.view_document"),
            passages=may("core.view_chunk"),
            figures=may("core.view_querylog"),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """The rows that the page needs besides the questions themselves, by question."""

    results: dict[str, Answer | Refusal]
    places: dict[UUID, Place]
    retrieved: dict[Any, list[RetrievedChunk]]
    steps: dict[Any, list[AgentStep]]
    votes: dict[Any, list[Feedback]]
    alerts: dict[Any, list[Alert]]


def select_questions(queries: QuerySet[Query]) -> QuerySet[Query]:
    """Return questions in the order in which they were asked, with their answers and figures."""
    joined = queries.select_related("user", "answer__verified_answer", "answer__verified_by", "log__evaluation")
    return joined.annotate(cited=Count("answer__citations")).order_by("created_at", "pk")


def read_rows(request: HttpRequest, queries: list[Query], rights: Rights, *, reader: User | None = None) -> Rows:
    """Read the rows of these questions that the viewer may see; with a reader, their results as that person may.

    Whoever gives a reader sees to it that the viewer may preview texts, and that the look is recorded.
    """
    eyes = reader or viewer(request)
    audience = audience_of([eyes.pk])
    ids = [query.pk for query in queries]
    shown = [query.request_id for query in queries if is_readable(request, query)]
    results = api.stored_results(shown, audience=audience, viewer=eyes.pk)
    retrieved = list(RetrievedChunk.objects.filter(query__in=ids).order_by("rank"))
    steps = list(AgentStep.objects.filter(answer__query__in=ids).select_related("answer").order_by("number"))
    chunk_ids = {row.chunk_id for row in retrieved}.union(*(step.chunk_ids for step in steps))
    votes = Feedback.objects.filter(answer__query__in=ids).select_related("user", "answer").order_by("created_at")
    alerts = Alert.objects.filter(evaluation__query_log__query__in=ids)
    alerts = alerts.select_related("evaluation__query_log", "acknowledged_by").order_by("metric")
    return Rows(
        results=results,
        places=read_places(chunk_ids, audience=audience, with_text=rights.passages),
        retrieved=_group_rows(retrieved, lambda row: row.query_id),
        steps=_group_rows(steps if rights.answers else [], lambda row: row.answer.query_id),
        votes=_group_rows(votes if rights.votes else [], lambda row: row.answer.query_id),
        alerts=_group_rows(alerts if rights.alerts else [], lambda row: row.evaluation.query_log.query_id),
    )


def _group_rows(rows: Any, key: Any) -> dict[Any, list[Any]]:
    grouped: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[key(row)].append(row)
    return dict(grouped)
