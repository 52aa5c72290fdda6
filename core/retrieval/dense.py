"""The chunks nearest in meaning among those that an audience may read, by the strategy that the planner chooses."""

import logging
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import FloatField, Value
from pgvector.django import CosineDistance

from core.models.querysets import ChunkQuerySet
from core.models.versions import Versions, current_versions
from core.retrieval.access_filter import (
    candidate_chunks,
    count_all,
    count_permitted,
    narrows_chunks,
)
from core.retrieval.by_engine import EngineSearch, is_configured
from core.retrieval.candidates import Permitted
from core.retrieval.planner import Plan, Strategy, choose
from core.retrieval.vector_copy import VectorCopy, current_copy
from core.types import Audience, Filters

logger = logging.getLogger(__name__)

_OVERSAMPLING = 3  # candidates of eight bits a number, for each that is wanted
_MORE_CANDIDATES = 50
# The index gives about the nearest first; of half as many again the nearest are taken.
_INDEX_OVERSAMPLING = 1.5
_MOST_EF_SEARCH = 1000  # pgvector's limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Nearest:
    """Chunks with their cosine similarity, most similar first, and how they were found."""

    similarities: dict[UUID, float]
    plan: Plan
    permitted: int  # chunks that the audience may read, after the filters of documents
    chunks: ChunkQuerySet  # those, for the search by words


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """One search by meaning. To be run in a transaction that reads for its audience."""

    vector: np.ndarray  # (dimension,), unit length
    model: str
    audience: Audience
    filters: Filters
    limit: int

    def run(self) -> Nearest:
        """Find the nearest chunks by the cheapest way that finds the true ones."""
        versions = current_versions()
        copy = None if narrows_chunks(self.filters) else current_copy(versions, self.model)
        permitted = count_permitted(self.audience, self.filters, versions)
        total = count_all(versions)
        has_engine = not narrows_chunks(self.filters) and is_configured()
        plan = choose(
            permitted=permitted,
            total=total,
            wanted=self.limit,
            has_copy=copy is not None,
            has_engine=has_engine,
        )
        if plan.strategy is Strategy.ENGINE:
            if found := self._by_engine(plan, permitted, versions):
                return found
            plan = choose(permitted=permitted, total=total, wanted=self.limit, has_copy=False)
        return self.follow(plan, permitted=permitted, copy=copy, versions=versions)

    def follow(self, plan: Plan, *, permitted: int, copy: VectorCopy | None, versions: Versions) -> Nearest:
        """Find the nearest chunks as a plan says; exactly where the index gave too few."""
        permitted_chunks = candidate_chunks(self.audience, self.filters, versions)
        chunks = permitted_chunks.filter(embedding_model=self.model)
        match plan.strategy:
            case Strategy.NONE:
                similarities = {}
            case Strategy.INDEX:
                similarities = nearest_by_index(chunks, self.vector, self.limit)
                if len(similarities) < min(self.limit, permitted):
                    logger.info("index_fell_short", extra={"found": len(similarities), "permitted": permitted})
                    plan = Plan(Strategy.EXACT, f"the index found {len(similarities)} only")
                    similarities = nearest_of(chunks, self.vector, self.limit)
            case Strategy.QUANTISED if copy is not None:
                similarities = self._by_copy(copy, chunks, versions)
            case _:
                similarities = nearest_of(chunks, self.vector, self.limit)
        return Nearest(
            similarities=similarities,
            plan=plan,
            permitted=permitted,
            chunks=permitted_chunks,
        )

    def _by_copy(self, copy: VectorCopy, chunks: ChunkQuerySet, versions: Versions) -> dict[UUID, float]:
        asked = self.limit * _OVERSAMPLING + _MORE_CANDIDATES
        candidates = copy.nearest(self.vector, self._permitted(versions), asked)
        return nearest_of(chunks.filter(pk__in=candidates), self.vector, self.limit)

    def _by_engine(self, plan: Plan, permitted: int, versions: Versions) -> Nearest | None:
        chunks = candidate_chunks(self.audience, self.filters, versions)
        similarities = EngineSearch(
            chunks=chunks.filter(embedding_model=self.model),
            permitted=self._permitted(versions),
            count=permitted,
            limit=self.limit,
            compare=nearest_of,
        ).run(self.vector, self.model)
        if similarities is None:
            return None
        return Nearest(similarities=similarities, plan=plan, permitted=permitted, chunks=chunks)

    def _permitted(self, versions: Versions) -> Permitted:
        return Permitted(audience=self.audience, filters=self.filters, versions=versions)


def nearest_by_index(chunks: ChunkQuerySet, vector: np.ndarray, limit: int) -> dict[UUID, float]:
    """About the nearest of these chunks, by the HNSW index: cosine similarity by id, most similar first.

    relaxed_order gives neighbours slightly out of order and goes on past what the filters leave out.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %s, true)",
            [str(min(max(_count_walked(limit), 100), _MOST_EF_SEARCH))],
        )
    return walk_index(chunks, vector, limit)


def walk_index(chunks: ChunkQuerySet, vector: np.ndarray, limit: int) -> dict[UUID, float]:
    """What an index gives first, as it is set to walk, the most similar of it first: cosine similarity by id.

    More are taken than are wanted and put in order here: PostgreSQL takes the order of the index for the true one.
    """
    rows = (
        chunks.annotate(distance=CosineDistance("embedding", vector))
        .order_by("distance")
        .values_list("pk", "distance")[: _count_walked(limit)]
    )
    found = sorted((distance, pk) for pk, distance in rows)
    return {pk: 1.0 - distance for distance, pk in found[:limit]}


def _count_walked(limit: int) -> int:
    return round(limit * _INDEX_OVERSAMPLING)


def nearest_of(chunks: ChunkQuerySet, vector: np.ndarray, limit: int) -> dict[UUID, float]:
    """The nearest of these chunks, each compared: cosine similarity by id, most similar first.

    Adding zero to the distance keeps PostgreSQL off the vector index, which under a filter gives only a part of the
    true neighbours.
    """
    rows = (
        chunks.annotate(distance=CosineDistance("embedding", vector) + Value(0.0, output_field=FloatField()))
        .order_by("distance", "pk")
        .values_list("pk", "distance")[:limit]
    )
    return {pk: 1.0 - distance for pk, distance in rows}
