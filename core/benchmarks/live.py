"""Measuring on the library as it is. Nothing is written: neither rows nor indexes."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import numpy as np
from django.db import connection

from core.access.audiences import audience_of_roles
from core.benchmarks import loading
from core.benchmarks.copying import Copied, hold_copy
from core.benchmarks.measuring import Case, Measurement, Way, limit_statement_time, measure
from core.benchmarks.synthetic import Bar, Report, Request
from core.benchmarks.truth import AS_NEAR
from core.benchmarks.vectors import near
from core.benchmarks.ways import (
    EXACT,
    INDEX,
    PLAIN,
    PLANNER,
    QUANTISED,
    Alone,
    EverythingByIndex,
    EverythingExactly,
    Plain,
    ways_with_copy,
)
from core.errors import FootnoteError
from core.models import Chunk, EmbeddingModel, RoleDocumentAccess
from core.models.row_security import as_audience, bypass_row_security
from core.retrieval.access_filter import select_permitted_chunks
from core.retrieval.dense import nearest_of
from core.retrieval.planner import Strategy
from core.types import Audience, Filters

MOST_ROLES = 8
ROLES, EVERYTHING, ONE = "roles", "everything", "one"
_SPARE = 50  # results beyond k among which there may be some that are as near as the last


class NoChunksError(FootnoteError):
    """The library has no chunks to measure. Ingest documents first, or use --synthetic N."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Corpus:
    model: str
    document_of: Mapping[UUID, UUID]  # by chunk
    questions: np.ndarray


def measure_live(request: Request, *, bar: Bar, report: Report) -> None:
    """Ask in every way for roles as they are, and for the whole library. NoChunksError when it is empty.

    The truth is what comparing every permitted chunk gives. Questions are drawn near chunks chosen by chance.
    """
    corpus = _corpus(request)
    audiences = _roles()
    with ExitStack() as stack:
        copy = stack.enter_context(hold_copy(corpus.model)) if _needs_copy(request) else None
        ways, over_all = list(_ways(request, corpus.model, copy)), list(_over_everything(request, corpus.model))
        total = (len(ways) * len(audiences) + len(over_all)) * len(corpus.questions)
        step = stack.enter_context(bar("Asking", total))

        def ask(way: Way, case: Case) -> Measurement:
            size = len(corpus.document_of)
            with limit_statement_time():
                return measure(way, case, corpus.questions, k=request.k, corpus_size=size, seed=request.seed, step=step)

        for audience, documents in audiences:
            case = _case(audience, documents, corpus, request.k)
            for way in ways:
                report(ask(way, case))
        if over_all:
            everything = _everything(corpus, request.k)
            for way in over_all:
                report(ask(way, everything))


def has_index() -> bool:
    """Whether the HNSW index is there and complete."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [loading.HNSW])
        row = cursor.fetchone()
    return bool(row and row[0])


def _corpus(request: Request) -> _Corpus:
    model = EmbeddingModel.objects.first()
    if model is None:
        raise NoChunksError
    chance = np.random.default_rng(request.seed)
    with bypass_row_security():
        chunks = Chunk.objects.filter(embedding_model=model.name).order_by("pk")
        document_of = dict(chunks.values_list("pk", "document_id").iterator())
        if not document_of:
            raise NoChunksError
        ids = list(document_of)
        chosen = chance.choice(len(ids), request.questions, replace=request.questions > len(ids))
        vectors = dict(chunks.filter(pk__in=[ids[place] for place in chosen]).values_list("pk", "embedding"))
    asked = np.stack([np.asarray(vectors[ids[place]], dtype=np.float32) for place in chosen])
    return _Corpus(model=model.name, document_of=document_of, questions=near(asked, chance))


def _roles() -> list[tuple[Audience, frozenset[UUID]]]:
    """Roles that read something, with their documents: at most MOST_ROLES, from the largest to the smallest."""
    granted: dict[UUID, set[UUID]] = {}
    for role, document in RoleDocumentAccess.objects.values_list("role_id", "document_id"):
        granted.setdefault(role, set()).add(document)
    by_size = sorted(granted, key=lambda role: (-len(granted[role]), role))
    places = np.linspace(0, len(by_size) - 1, min(MOST_ROLES, len(by_size))).round().astype(int)
    chosen = [by_size[place] for place in places]
    return [(audience_of_roles([role]), frozenset(granted[role])) for role in chosen]


def _case(audience: Audience, documents: frozenset[UUID], corpus: _Corpus, k: int) -> Case:
    permitted = sum(document in documents for document in corpus.document_of.values())
    with as_audience(audience):
        chunks = select_permitted_chunks(audience, Filters()).filter(embedding_model=corpus.model)
        truths = [_as_near(nearest_of(chunks, vector, k + _SPARE), k) for vector in corpus.questions]
    return Case(
        grants=ROLES,
        share=round(100 * permitted / len(corpus.document_of), 3),
        readers=ONE,
        audience=audience,
        permitted=permitted,
        may_read=partial(_may_read, corpus.document_of, documents),
        truths=truths,
    )


def _everything(corpus: _Corpus, k: int) -> Case:
    with bypass_row_security():
        chunks = Chunk.objects.filter(embedding_model=corpus.model)
        truths = [_as_near(nearest_of(chunks, vector, k + _SPARE), k) for vector in corpus.questions]
    return Case(
        grants=EVERYTHING,
        share=100.0,
        readers=ONE,
        audience=Audience.nobody(),
        permitted=len(corpus.document_of),
        may_read=corpus.document_of.__contains__,
        truths=truths,
    )


def _may_read(document_of: Mapping[UUID, UUID], documents: frozenset[UUID], pk: UUID) -> bool:
    return document_of.get(pk) in documents


def _as_near(similarities: dict[UUID, float], k: int) -> frozenset[UUID]:
    """The k most similar, and those that are as near as the last of them."""
    if not similarities:
        return frozenset()
    least = sorted(similarities.values(), reverse=True)[:k][-1]
    return frozenset(pk for pk, similarity in similarities.items() if similarity >= least - AS_NEAR)


def _needs_copy(request: Request) -> bool:
    return bool({QUANTISED, PLANNER} & set(request.strategies))


def _ways(request: Request, model: str, copy: Copied | None) -> Iterator[Way]:
    k, wanted, index = request.k, request.strategies, has_index()
    index_mb = loading.size_mb(loading.HNSW) if index else 0.0
    nothing = Way(strategy=EXACT, find=Alone(Strategy.EXACT, model, k), memory_mb=0.0, build_s=0.0)
    if EXACT in wanted:
        yield nothing
    if INDEX in wanted and index:
        yield replace(nothing, strategy=INDEX, find=Alone(Strategy.INDEX, model, k), memory_mb=index_mb)
    if PLAIN in wanted and index:
        yield replace(nothing, strategy=PLAIN, find=Plain(k), memory_mb=index_mb)
    if copy is not None:
        yield from ways_with_copy(wanted, model, k, copy=copy, index_mb=index_mb, index_s=0.0)


def _over_everything(request: Request, model: str) -> Iterator[Way]:
    if EXACT in request.strategies:
        find = EverythingExactly(model, request.k)
        yield Way(strategy=EXACT, find=find, memory_mb=0.0, build_s=0.0)
    if INDEX in request.strategies and has_index():
        index_mb = loading.size_mb(loading.HNSW)
        yield Way(strategy=INDEX, find=EverythingByIndex(model, request.k), memory_mb=index_mb, build_s=0.0)
