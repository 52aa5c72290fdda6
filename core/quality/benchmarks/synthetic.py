"""Measuring on a library drawn by chance. The database has to be empty: see core.management.scratch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import numpy as np

from core.library.retrieval import vector_index
from core.library.retrieval.by_engine import is_configured
from core.library.retrieval.planner import Strategy
from core.quality.benchmarks import fed_engine, loading, ways
from core.quality.benchmarks.drawing import (
    CHUNKS_PER_DOCUMENT,
    SyntheticVectors,
    World,
    draw,
    find_permitted,
    make_world,
)
from core.quality.benchmarks.measuring import Case, Measurement, Way, limit_statement_time, measure, truths
from core.quality.benchmarks.ways import (
    ENGINE,
    EXACT,
    INDEX,
    IVF,
    MEMORY,
    PLAIN,
    PLANNER,
    QUANTISED,
    Alone,
    Asked,
    ByEngine,
    Ivf,
    Plain,
    hold_copy,
    ways_with_copy,
)
from core.values.sizes import MEGABYTE

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
Report = Callable[[Measurement], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """The measurement to make."""

    strategies: Sequence[str]
    questions: int
    k: int
    candidates: int  # that the ways of the product ask for, of which the first k are judged
    seed: int
    shares: Sequence[float] = ()  # of the corpus, in percent; of a synthetic library only
    chunks: int = 0  # of a synthetic library, a multiple of CHUNKS_PER_DOCUMENT


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Library:
    vectors: SyntheticVectors
    chunk_ids: list[UUID]
    cases: list[Case]
    rows: list[np.ndarray]  # which chunks each case's readers may read


def measure_synthetic(request: Request, *, bar: Bar, report: Report) -> None:
    """Fill the tables, ask in every way for every group of readers, and report each measurement as it is made.

    bar makes a progress bar from a description and a total.
    """
    chance = np.random.default_rng(request.seed)
    vectors = draw(request.chunks // CHUNKS_PER_DOCUMENT, request.questions, chance)
    world = make_world(vectors.topics, request.shares, chance)
    with bar("Filling", request.chunks) as step:
        loaded = loading.load(vectors, world, chance, step)
    library = _make_library(vectors, world, loaded, request.k)
    with ExitStack() as stack:
        engine_s = None
        if ENGINE in request.strategies and is_configured():
            told = stack.enter_context(bar("Telling the engine", world.documents))
            engine_s = stack.enter_context(fed_engine.hold_collection(told))
        step = stack.enter_context(bar("Asking", len(request.strategies) * len(library.cases) * request.questions))
        for way in _list_ways(request, library, engine_s):
            for case in library.cases:
                with limit_statement_time():
                    measurement = measure(
                        way,
                        case,
                        vectors.questions,
                        k=request.k,
                        corpus_size=request.chunks,
                        seed=request.seed,
                        step=step,
                    )
                report(measurement)


def _make_library(vectors: SyntheticVectors, world: World, loaded: loading.LoadedVectors, k: int) -> _Library:
    similarities = vectors.questions @ vectors.chunks.T
    number_of = {pk: number for number, pk in enumerate(loaded.chunk_ids)}
    cases, rows, known = [], [], {}
    for group, audience in zip(world.groups, loaded.audiences, strict=True):
        mask = np.repeat(find_permitted(world, group.people), CHUNKS_PER_DOCUMENT)
        key = mask.tobytes()  # one person's and a channel's are the same
        if key not in known:
            known[key] = truths(similarities, mask, loaded.chunk_ids, k)
        cases.append(
            Case(
                grants=group.grants,
                share=group.share,
                readers=group.readers,
                audience=audience,
                permitted=int(np.count_nonzero(mask)),
                may_read=partial(_may_read, number_of, mask),
                truths=known[key],
            )
        )
        rows.append(mask)
    return _Library(vectors=vectors, chunk_ids=loaded.chunk_ids, cases=cases, rows=rows)


def _may_read(number_of: dict[UUID, int], mask: np.ndarray, pk: UUID) -> bool:
    number = number_of.get(pk)
    return number is not None and bool(mask[number])


def _list_ways(request: Request, library: _Library, engine_s: float | None) -> Iterator[Way]:
    """Yield each way while what it needs is there. IVFFlat first: of two indexes PostgreSQL would choose one by itself.

    engine_s: the seconds in which the engine got its collection; None without one.
    """
    asked = Asked(model=loading.MODEL, candidates=request.candidates, k=request.k)
    k, wanted = request.k, request.strategies
    if IVF in wanted:
        definition, probes = loading.ivf_on("core_chunk", request.chunks)
        build_s = loading.build(definition, request.chunks)
        yield asked.way(IVF, Ivf(asked, probes), memory_mb=vector_index.size_mb(loading.IVF), build_s=build_s)
        loading.drop(loading.IVF)
    if EXACT in wanted:
        yield asked.way(EXACT, Alone(Strategy.EXACT, asked))
    if engine_s is not None:
        yield asked.way(ENGINE, ByEngine(asked), build_s=engine_s)
    index_mb = index_s = 0.0
    if {INDEX, PLAIN} & set(wanted):
        index_mb, index_s = _build_hnsw(request.chunks)
    if INDEX in wanted:
        yield asked.way(INDEX, Alone(Strategy.INDEX, asked), memory_mb=index_mb, build_s=index_s)
    if PLAIN in wanted:
        yield replace(asked, candidates=k).way(PLAIN, Plain(k), memory_mb=index_mb, build_s=index_s)
    if {QUANTISED, PLANNER} & set(wanted):
        with hold_copy(asked.model) as copy:
            would_walk = PLANNER in wanted and not copy.is_there and vector_index.is_useful(request.chunks)
            if would_walk and not index_s:
                index_mb, index_s = _build_hnsw(request.chunks)
            yield from ways_with_copy(wanted, asked, copy=copy, index_mb=index_mb, index_s=index_s)
    if MEMORY in wanted and ways.is_available():
        yield _in_memory(library, k)


def _build_hnsw(chunks: int) -> tuple[float, float]:
    """Build the index. Its megabytes, and the seconds that it took."""
    build_s = loading.build(vector_index.DEFINITION, chunks)
    return vector_index.size_mb(vector_index.NAME), build_s


def _in_memory(library: _Library, k: int) -> Way:
    rows = {case.audience: mask for case, mask in zip(library.cases, library.rows, strict=True)}
    chunks = library.vectors.chunks
    find = ways.InMemory(chunks, library.chunk_ids, rows, k)
    return Way(strategy=MEMORY, find=find, candidates=k, memory_mb=chunks.nbytes / MEGABYTE, build_s=0.0)
