"""Measuring on the library as it is, in which nothing is written: neither rows nor indexes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import numpy as np

from core.access.audiences import audience_of_roles
from core.errors import FootnoteError
from core.library.retrieval import vector_index
from core.library.retrieval.access_filter import select_permitted_chunks
from core.library.retrieval.comparing import nearest_of
from core.library.retrieval.planner import Strategy
from core.models import Chunk, EmbeddingModel, RoleDocumentAccess
from core.models.row_security import as_audience, bypass_row_security
from core.quality.benchmarks import fed_engine
from core.quality.benchmarks.drawing import near
from core.quality.benchmarks.measuring import AS_NEAR, Case, Way, limit_statement_time, measure
from core.quality.benchmarks.synthetic import Bar, Report, Request
from core.quality.benchmarks.vector_table import hold_vectors, indexed_by
from core.quality.benchmarks.ways import (
    ENGINE,
    EXACT,
    INDEX,
    IVF,
    PLAIN,
    PLANNER,
    QUANTISED,
    Alone,
    Asked,
    ByEngine,
    Copied,
    EverythingByIndex,
    EverythingExactly,
    Plain,
    hold_copy,
    ways_with_copy,
)
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
    corpus = _read_corpus(request)
    cases = [_make_case(audience, documents, corpus, request.k) for audience, documents in _choose_roles()]
    most = len(request.strategies) * (len(cases) + 1) * len(corpus.questions)
    with ExitStack() as stack:
        copy = (
            stack.enter_context(hold_copy(corpus.model))
            if {QUANTISED, PLANNER}.intersection(request.strategies)
            else None
        )
        step = stack.enter_context(bar("Asking", most))
        for way, some in _pair_ways(request, corpus, copy, cases):
            for case in some:
                with limit_statement_time():
                    report(
                        measure(
                            way,
                            case,
                            corpus.questions,
                            k=request.k,
                            corpus_size=len(corpus.document_of),
                            seed=request.seed,
                            step=step,
                        )
                    )


def _pair_ways(
    request: Request, corpus: _Corpus, copy: Copied | None, cases: Sequence[Case]
) -> Iterator[tuple[Way, Sequence[Case]]]:
    """Yield each way, while what it needs is there, with the readers for whom it is measured."""
    asked = Asked(model=corpus.model, candidates=request.candidates, k=request.k)
    everything = [_make_whole_case(corpus, request.k)]
    for way in _list_ways(request, asked, copy):
        yield way, cases
    for way in _over_everything(request, asked):
        yield way, everything
    lacking = [IVF] if vector_index.is_built() else [INDEX, IVF]
    if wanted := [strategy for strategy in lacking if strategy in request.strategies]:
        with hold_vectors(corpus.model, len(corpus.document_of)):
            for strategy in wanted:
                with indexed_by(strategy, asked, len(corpus.document_of)) as (of_readers, of_all):
                    yield of_readers, cases
                    yield of_all, everything


def _read_corpus(request: Request) -> _Corpus:
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


def _choose_roles() -> list[tuple[Audience, frozenset[UUID]]]:
    """Roles that read something, with their documents: at most MOST_ROLES, from the largest to the smallest."""
    granted: dict[UUID, set[UUID]] = {}
    for role, document in RoleDocumentAccess.objects.values_list("role_id", "document_id"):
        granted.setdefault(role, set()).add(document)
    by_size = sorted(granted, key=lambda role: (-len(granted[role]), role))
    places = np.linspace(0, len(by_size) - 1, min(MOST_ROLES, len(by_size))).round().astype(int)
    chosen = [by_size[place] for place in places]
    return [(audience_of_roles([role]), frozenset(granted[role])) for role in chosen]


def _make_case(audience: Audience, documents: frozenset[UUID], corpus: _Corpus, k: int) -> Case:
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


def _make_whole_case(corpus: _Corpus, k: int) -> Case:
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
    """Return the k most similar, and those that are as near as the last of them."""
    if not similarities:
        return frozenset()
    least = sorted(similarities.values(), reverse=True)[:k][-1]
    return frozenset(pk for pk, similarity in similarities.items() if similarity >= least - AS_NEAR)


def _list_ways(request: Request, asked: Asked, copy: Copied | None) -> Iterator[Way]:
    wanted, index = request.strategies, vector_index.is_built()
    index_mb = vector_index.size_mb(vector_index.NAME) if index else 0.0
    if EXACT in wanted:
        yield asked.way(EXACT, Alone(Strategy.EXACT, asked))
    if ENGINE in wanted and fed_engine.is_there(asked.model):
        yield asked.way(ENGINE, ByEngine(asked))
    if INDEX in wanted and index:
        yield asked.way(INDEX, Alone(Strategy.INDEX, asked), memory_mb=index_mb)
    if PLAIN in wanted and index:
        yield replace(asked, candidates=asked.k).way(PLAIN, Plain(asked.k), memory_mb=index_mb)
    if copy is not None:
        yield from ways_with_copy(wanted, asked, copy=copy, index_mb=index_mb, index_s=0.0)


def _over_everything(request: Request, asked: Asked) -> Iterator[Way]:
    if EXACT in request.strategies:
        yield asked.way(EXACT, EverythingExactly(asked))
    if INDEX in request.strategies and vector_index.is_built():
        yield asked.way(INDEX, EverythingByIndex(asked), memory_mb=vector_index.size_mb(vector_index.NAME))
