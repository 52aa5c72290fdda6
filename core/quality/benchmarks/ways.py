"""The ways to search that are compared: the product's own, each of its strategies alone, and what others do.

The yardstick is every permitted vector compared in this process's memory, by faiss, on one thread. It is not part of
the product and only in the requirements of development: where it is missing, there is no yardstick.
"""

import importlib
import importlib.util
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from pgvector.django import CosineDistance

from core.library.retrieval.access_filter import count_permitted, select_permitted_chunks
from core.library.retrieval.comparing import nearest_of
from core.library.retrieval.dense import Nearest, Search, nearest_by_index, walk_index
from core.library.retrieval.planner import Plan, Strategy
from core.library.retrieval.vector_copy import current_copy, drop_copy, load_copy
from core.models import Chunk
from core.models.row_security import as_audience, bypass_row_security
from core.models.versions import Versions, current_versions
from core.quality.benchmarks.measuring import Find, Found, Way
from core.types import Audience, Filters
from core.values.sizes import MEGABYTE

PLANNER, EXACT, QUANTISED, ENGINE, INDEX = "planner", "exact", "quantised", "engine", "index"
PLAIN, IVF, MEMORY = "plain", "ivf", "memory"
LIVE_STRATEGIES = (PLANNER, EXACT, QUANTISED, ENGINE, INDEX, PLAIN, IVF)
STRATEGIES = (*LIVE_STRATEGIES, MEMORY)

# What each strategy finds with, by its name: those of the planner, and what is only compared with them.
INDEX_TYPES: dict[str, str] = {
    Strategy.NONE: "none",
    Strategy.EXACT: "exact",
    Strategy.QUANTISED: "quantised",
    Strategy.ENGINE: "engine",
    Strategy.INDEX: "hnsw",
    PLAIN: "hnsw",
    IVF: "ivf",
    MEMORY: "memory",
}

_PLAIN_EF_SEARCH = 40  # pgvector's default


@dataclass(frozen=True, kw_only=True, slots=True)
class Copied:
    """The memory and time that the copy takes."""

    is_there: bool  # False when it would be larger than VECTOR_MEMORY_MB
    memory_mb: float
    build_s: float


@contextmanager
def hold_copy(model: str) -> Iterator[Copied]:
    """Within the block this process has a copy of the vectors of a model, where there is room for it."""
    started = time.perf_counter()
    load_copy(model)
    build_s = time.perf_counter() - started
    try:
        with bypass_row_security():
            copy = current_copy(current_versions(), model)
        if copy is None:
            yield Copied(is_there=False, memory_mb=0.0, build_s=0.0)
        else:
            vectors = copy.vectors
            arrays = (vectors.codes, vectors.scales, vectors.ids, vectors.documents)
            memory_mb = sum(array.nbytes for array in arrays) / MEGABYTE
            yield Copied(is_there=True, memory_mb=memory_mb, build_s=build_s)
    finally:
        drop_copy()


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A request to each strategy: as many candidates as in the product, of which the first k count."""

    model: str
    candidates: int
    k: int

    def search(self, vector: np.ndarray, audience: Audience, versions: Versions) -> Search:
        """Return the product's search for them."""
        return Search(
            vector=vector,
            model=self.model,
            audience=audience,
            filters=Filters(),
            versions=versions,
            limit=self.candidates,
        )

    def way(self, strategy: str, find: Find, *, memory_mb: float = 0.0, build_s: float = 0.0) -> Way:
        """Return a way that is asked for that."""
        return Way(strategy=strategy, find=find, candidates=self.candidates, memory_mb=memory_mb, build_s=build_s)

    def found(self, nearest: Nearest) -> Found:
        """Return the first k results of a search."""
        return Found(ids=list(nearest.similarities)[: self.k], index_type=INDEX_TYPES[nearest.plan.strategy])


class Planned:
    """A search by the product's own planner."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Let the planner choose."""
        with as_audience(audience) as versions:
            return self._asked.found(self._asked.search(vector, audience, versions).run())


class Alone:
    """One strategy of the product, whatever the planner would choose; the index without the fall-back to exact."""

    def __init__(self, strategy: Strategy, asked: Asked) -> None:
        self._plan = Plan(strategy, "measured alone")
        self._asked = asked

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Follow the strategy."""
        with as_audience(audience) as versions:
            is_copied = self._plan.strategy is Strategy.QUANTISED
            copy = current_copy(versions, self._asked.model) if is_copied else None
            search = self._asked.search(vector, audience, versions)
            # With none permitted an index that gives too few is not corrected.
            return self._asked.found(search.follow(self._plan, permitted=0, copy=copy))


class ByEngine:
    """The vector engine, without the fall-back: where it is away, behind or proposes too little, nothing is found."""

    def __init__(self, asked: Asked) -> None:
        self._plan = Plan(Strategy.ENGINE, "measured alone")
        self._asked = asked

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Ask the engine, and compare what it proposes."""
        with as_audience(audience) as versions:
            permitted = count_permitted(audience, Filters(), versions)
            nearest = self._asked.search(vector, audience, versions).by_engine(self._plan, permitted=permitted)
        return self._asked.found(nearest) if nearest else Found(ids=[], index_type=INDEX_TYPES[ENGINE])


class Plain:
    """The common way, as a reference of what goes wrong: join the grants, order by distance, limit.

    It represents systems without row-level security.
    """

    def __init__(self, k: int) -> None:
        self._k = k

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Join once for each role set. A chunk comes as often as its document is granted."""
        chunks = Chunk.objects.all()
        for roles in audience.role_sets:
            chunks = chunks.filter(document__role_access__role__in=roles)
        with bypass_row_security():
            _configure_search({"hnsw.iterative_scan": "off", "hnsw.ef_search": str(_PLAIN_EF_SEARCH)})
            nearest = chunks.order_by(CosineDistance("embedding", vector)).values_list("pk", flat=True)
            return Found(ids=list(nearest[: self._k]), index_type=INDEX_TYPES[PLAIN])


class Ivf:
    """An IVFFlat index, walked on until enough permitted chunks are found."""

    def __init__(self, asked: Asked, probes: int) -> None:
        self._asked, self._probes = asked, probes

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Search through the index. PostgreSQL would rather sort at small shares; what is measured is the index."""
        with as_audience(audience):
            widen_ivf_walk(self._probes)
            chunks = select_permitted_chunks(audience, Filters()).filter(embedding_model=self._asked.model)
            found = walk_index(chunks, vector, self._asked.candidates)
        return Found(ids=list(found)[: self._asked.k], index_type=INDEX_TYPES[IVF])


class EverythingExactly:
    """Every chunk compared, whoever may read it: for measuring, and never for a person."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Read as the library's maintenance does; the audience does not matter."""
        with bypass_row_security():
            chunks = Chunk.objects.filter(embedding_model=self._asked.model)
            found = nearest_of(chunks, vector, self._asked.candidates)
        return Found(ids=list(found)[: self._asked.k], index_type=INDEX_TYPES[EXACT])


class EverythingByIndex:
    """The HNSW index over every chunk, whoever may read it: for measuring, and never for a person."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Read as the library's maintenance does; the audience does not matter."""
        with bypass_row_security():
            chunks = Chunk.objects.filter(embedding_model=self._asked.model)
            found = nearest_by_index(chunks, vector, self._asked.candidates)
        return Found(ids=list(found)[: self._asked.k], index_type=INDEX_TYPES[INDEX])


def ways_with_copy(
    wanted: Sequence[str], asked: Asked, *, copy: Copied, index_mb: float, index_s: float
) -> Iterator[Way]:
    """Yield the ways for which this process has a copy of the vectors: the strategy alone, and the product's choice."""
    if QUANTISED in wanted and copy.is_there:
        find = Alone(Strategy.QUANTISED, asked)
        yield asked.way(QUANTISED, find, memory_mb=copy.memory_mb, build_s=copy.build_s)
    if PLANNER in wanted:
        memory_mb, build_s = index_mb + copy.memory_mb, index_s + copy.build_s
        yield asked.way(PLANNER, Planned(asked), memory_mb=memory_mb, build_s=build_s)


def widen_ivf_walk(probes: int) -> None:
    """To the end of the transaction, IVFFlat indexes are walked, and on until enough is found."""
    _configure_search({"ivfflat.iterative_scan": "relaxed_order", "ivfflat.probes": str(probes), "enable_sort": "off"})


def _configure_search(values: dict[str, str]) -> None:
    """Set PostgreSQL's settings to the end of the transaction."""
    with connection.cursor() as cursor:
        for name, value in values.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])


def is_available() -> bool:
    """Return True if faiss can be used. On macOS it cannot be in one process with torch: each brings its own OpenMP."""
    return importlib.util.find_spec("faiss") is not None and not (sys.platform == "darwin" and "torch" in sys.modules)


class InMemory:
    """IndexFlatIP with a bitmap of the permitted rows, made beforehand for each audience."""

    def __init__(self, vectors: np.ndarray, ids: Sequence[UUID], rows: Mapping[Audience, np.ndarray], k: int) -> None:
        self._faiss: Any = importlib.import_module("faiss")
        self._faiss.omp_set_num_threads(1)
        self._index = self._faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)
        self._ids, self._k = ids, k
        self._permitted = {audience: np.packbits(mask, bitorder="little") for audience, mask in rows.items()}

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Compare the question with every permitted vector."""
        selector = self._faiss.IDSelectorBitmap(self._permitted[audience])
        parameters = self._faiss.SearchParameters(sel=selector)
        _, [numbers] = self._index.search(vector[np.newaxis], self._k, params=parameters)
        return Found(ids=[self._ids[number] for number in numbers if number >= 0], index_type=INDEX_TYPES[MEMORY])
