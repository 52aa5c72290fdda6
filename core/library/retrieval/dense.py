"""The chunks nearest in meaning among those that an audience may read, by the strategy that the planner chooses.

For those who decide access also the documents near in meaning, whoever may read them, as ids alone.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.conf import settings
from pgvector.django import CosineDistance

from core.library.retrieval import vector_index
from core.library.retrieval.access_filter import (
    candidate_chunks,
    count_all,
    count_permitted,
    narrows_chunks,
)
from core.library.retrieval.by_engine import EngineSearch, is_configured
from core.library.retrieval.candidates import Permitted
from core.library.retrieval.comparing import nearest_among, nearest_of
from core.library.retrieval.planner import Plan, Strategy, choose
from core.library.retrieval.vector_copy import VectorCopy, current_copy
from core.models import Chunk
from core.models.querysets import ChunkQuerySet
from core.models.reading import search_connection
from core.models.row_security import bypass_row_security
from core.models.versions import Versions
from core.types import Audience, Filters

logger = logging.getLogger(__name__)

# Candidates of eight bits a number for each that is wanted, and more. Of 200,000 chunks the true 20 were always among
# the first 21, and the true 400 among the first 420 (docs/decisions/0066).
_OVERSAMPLING = 1.1
_MORE_CANDIDATES = 20
# The index gives about the nearest first; of half as many again the nearest are taken.
_INDEX_OVERSAMPLING = 1.5

_NEAR_CHUNKS = 50  # looked at for their documents


@dataclass(frozen=True, kw_only=True, slots=True)
class Nearest:
    """Chunks with their cosine similarity, most similar first, and how they were found."""

    similarities: dict[UUID, float]
    plan: Plan
    permitted: int  # chunks that the audience may read, after the filters of documents


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """One search by meaning. To be run in a transaction that reads for its audience."""

    vector: np.ndarray  # (dimension,), unit length
    model: str
    audience: Audience
    filters: Filters
    versions: Versions  # of the beginning of the transaction
    limit: int

    def run(self) -> Nearest:
        """Find the nearest chunks by the cheapest way that finds the true ones."""
        copy = None if narrows_chunks(self.filters) else current_copy(self.versions, self.model)
        permitted = count_permitted(self.audience, self.filters, self.versions)
        possible = {Strategy.INDEX}
        if copy is not None:
            possible.add(Strategy.QUANTISED)
        elif is_configured() and not narrows_chunks(self.filters):
            possible.add(Strategy.ENGINE)
        while True:
            plan = choose(permitted=permitted, total=count_all(self.versions), wanted=self.limit, possible=possible)
            if plan.strategy is Strategy.INDEX and not vector_index.is_built():
                possible.remove(Strategy.INDEX)
            elif plan.strategy is Strategy.ENGINE:
                if found := self.by_engine(plan, permitted=permitted):
                    return found
                possible.remove(Strategy.ENGINE)
            else:
                return self.follow(plan, permitted=permitted, copy=copy)

    def follow(self, plan: Plan, *, permitted: int, copy: VectorCopy | None) -> Nearest:
        """Find the nearest chunks as a plan says; exactly where the index gave too few."""
        match plan.strategy:
            case Strategy.NONE:
                similarities = {}
            case Strategy.INDEX:
                similarities = nearest_by_index(self._select_chunks(), self.vector, self.limit)
                if len(similarities) < min(self.limit, permitted):
                    logger.info("index_fell_short", extra={"found": len(similarities), "permitted": permitted})
                    plan = Plan(Strategy.EXACT, f"the index found {len(similarities)} only")
                    similarities = nearest_of(self._select_chunks(), self.vector, self.limit)
            case Strategy.QUANTISED if copy is not None:
                similarities = self._by_copy(copy)
            case _:
                similarities = nearest_of(self._select_chunks(), self.vector, self.limit)
        return Nearest(similarities=similarities, plan=plan, permitted=permitted)

    def _select_chunks(self) -> ChunkQuerySet:
        return candidate_chunks(self.audience, self.filters, self.versions).filter(embedding_model=self.model)

    def _by_copy(self, copy: VectorCopy) -> dict[UUID, float]:
        permitted = self._make_permitted()
        candidates = copy.nearest(self.vector, permitted, round(self.limit * _OVERSAMPLING) + _MORE_CANDIDATES)
        return nearest_among(candidates, permitted.as_bits(), self.vector, self.model, self.limit)

    def by_engine(self, plan: Plan, *, permitted: int) -> Nearest | None:
        """Find the nearest chunks by the vector engine, as the plan says; None where it fails."""
        similarities = EngineSearch(
            vector=self.vector,
            model=self.model,
            chunks=self._select_chunks(),
            permitted=self._make_permitted(),
            count=permitted,
            limit=self.limit,
        ).run()
        return None if similarities is None else Nearest(similarities=similarities, plan=plan, permitted=permitted)

    def _make_permitted(self) -> Permitted:
        return Permitted(audience=self.audience, filters=self.filters, versions=self.versions)


def nearest_by_index(chunks: ChunkQuerySet, vector: np.ndarray, limit: int) -> dict[UUID, float]:
    """About the nearest of these chunks, by the HNSW index: cosine similarity by id, most similar first.

    relaxed_order gives neighbours slightly out of order and goes on past what the filters leave out.
    """
    widen_index_walk()
    return walk_index(chunks, vector, limit)


def widen_index_walk() -> None:
    """To the end of the transaction, HNSW indexes are walked as widely as the settings say, until enough is found."""
    with search_connection().cursor() as cursor:
        cursor.execute(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %s, true)",
            [str(settings.HNSW_EF_SEARCH)],
        )


def walk_index(chunks: ChunkQuerySet, vector: np.ndarray, limit: int) -> dict[UUID, float]:
    """Walk the index, and return the most similar chunks first: cosine similarity by id.

    More rows are read than wanted and sorted here, because PostgreSQL takes the order of the index for the true one.
    """
    rows = (
        chunks.annotate(distance=CosineDistance("embedding", vector))
        .order_by("distance")
        .values_list("pk", "distance")[: count_walked(limit)]
    )
    found = sorted((distance, pk) for pk, distance in rows)
    return {pk: 1.0 - distance for distance, pk in found[:limit]}


def count_walked(limit: int) -> int:
    """Return how many rows to take from an index for so many that are wanted."""
    return round(limit * _INDEX_OVERSAMPLING)


def list_near_documents(vector: np.ndarray, *, model: str, at_least: float) -> Sequence[UUID]:
    """Return the documents with a chunk that is at least this similar to a vector, nearest first, of the whole library.

    vector: shape (dimension,), unit length, by the embedding model of that name. What is done with the ids is up to
    the rule of access: no title may be shown of a document that the viewer may not read.
    """
    with bypass_row_security():
        found = nearest_by_index(Chunk.objects.filter(embedding_model=model), vector, _NEAR_CHUNKS)
        near = [pk for pk, similarity in found.items() if similarity >= at_least]
        documents = dict(Chunk.objects.filter(pk__in=near).values_list("pk", "document_id"))
    return list(dict.fromkeys(documents[pk] for pk in near if pk in documents))
