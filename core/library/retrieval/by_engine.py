"""Candidates from a vector engine beside PostgreSQL, compared again by PostgreSQL under the rule of access.

The engine may be behind. Documents with changes not yet sent to it are compared by PostgreSQL beside its candidates, so
that nothing is missing; when they are too many for that, their share of the library bounds what may be missing.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import numpy as np

from core.errors import EngineError
from core.infrastructure.measures.families import engine_not_used
from core.library.retrieval.candidates import Permitted
from core.library.retrieval.comparing import nearest_among, nearest_of
from core.library.vector_engine.collections import served
from core.library.vector_engine.qdrant import Engine, engine
from core.models import Document, EngineChange
from core.models.querysets import ChunkQuerySet

logger = logging.getLogger(__name__)

# Beyond those that are wanted, for the few that PostgreSQL throws out; then more by so many times, up to so many.
_MORE = 50
_GROWTH = 4
_MOST_ASKED = 10_000
# Rows of changes whose documents are compared one by one. Beyond, the engine is used while no more than this share of
# the documents waits: what is missing of the true neighbours is about that share (docs/decisions/0065).
_MOST_COMPARED = 2000
_MOST_BEHIND = 0.01
_MOST_DOCUMENTS = 2000  # that filters leave, and that are sent to the engine

PAUSE_S = 30.0  # in which an engine that failed is not asked again: each failure costs a person up to its time limit

_paused_until = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineSource:
    """The collection that is served. Implements core.library.retrieval.candidates.CandidateSource."""

    engine: Engine
    collection: str

    def nearest(self, vector: np.ndarray, permitted: Permitted, limit: int) -> list[str]:
        """About the nearest chunks in the permitted classes; under filters of documents, of these documents.

        EngineError when the engine fails.
        """
        if permitted.is_narrowed:
            return self._nearest(vector, limit, "document", _list_documents(permitted))
        return self._nearest(vector, limit, "class", permitted.as_classes())

    def _nearest(
        self, vector: np.ndarray, limit: int, field: Literal["class", "document"], numbers: Sequence[int]
    ) -> list[str]:
        return self.engine.nearest(self.collection, vector, limit, field=field, numbers=numbers) if numbers else []


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineSearch:
    """One search for the nearest chunks by an engine."""

    vector: np.ndarray  # (dimension,), unit length
    model: str  # the name of the embedding model that made it
    chunks: ChunkQuerySet  # the permitted ones, of that model
    permitted: Permitted
    count: int  # how many chunks those are
    limit: int

    def run(self) -> dict[UUID, float] | None:
        """Return the nearest chunks with their similarity, nearest first.

        None, counted and logged, where the engine fails.
        """
        try:
            return self._find_nearest()
        except EngineError as error:
            note_failure(error)
        except _WithoutEngineError as without:
            note_missed(str(without))
        return None

    def _find_nearest(self) -> dict[UUID, float]:
        source = _find_source(self.model)
        if self.permitted.is_narrowed and len(_list_documents(self.permitted)) > _MOST_DOCUMENTS:
            raise _WithoutEngineError("many documents")
        waiting = _list_waiting()
        found = self._ask_until_enough(source)
        found |= self._compare_waiting(waiting)
        if len(found) < min(self.limit, self.count):
            raise _WithoutEngineError("short")
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0]))[: self.limit])

    def _ask_until_enough(self, source: EngineSource) -> dict[UUID, float]:
        documents, asked = self.permitted.as_bits(), self.limit + _MORE
        while True:
            proposed = source.nearest(self.vector, self.permitted, asked)
            found = nearest_among(proposed, documents, self.vector, self.model, self.limit)
            is_enough = len(found) >= min(self.limit, self.count)
            if is_enough or len(proposed) < asked or asked >= _MOST_ASKED:
                return found
            asked = min(asked * _GROWTH, _MOST_ASKED)
            logger.info("engine_asked_for_more", extra={"asked": asked})

    def _compare_waiting(self, waiting: list[int]) -> dict[UUID, float]:
        if not waiting:
            return {}
        documents = list(Document.objects.filter(number__in=waiting).values_list("pk", flat=True))
        return nearest_of(self.chunks.filter(document__in=documents), self.vector, self.limit)


def is_configured() -> bool:
    """Return True if the settings name an engine."""
    return engine() is not None


class _WithoutEngineError(Exception):
    """The engine is there, and cannot be used for this search."""


def _find_source(model: str) -> EngineSource:
    found = engine()
    if found is None or not may_ask_engine():
        raise _WithoutEngineError("paused")
    collection = served()
    if collection is None or collection.model != model:
        raise _WithoutEngineError("not built")
    return EngineSource(engine=found, collection=collection.name)


def _list_documents(permitted: Permitted) -> list[int]:
    """Return the numbers of the documents that filters leave, and one more than can be sent where there are more."""
    rows = permitted.as_documents().order_by().values_list("number", flat=True)
    return list(rows[: _MOST_DOCUMENTS + 1])


def _list_waiting() -> list[int]:
    """Return the documents that PostgreSQL has to compare beside the engine; none where too few wait to be missed."""
    rows = EngineChange.objects.order_by().values_list("document_number", flat=True)
    numbers = list(rows[: _MOST_COMPARED + 1])
    if len(numbers) <= _MOST_COMPARED:
        return sorted(set(numbers))
    if rows.distinct().count() > _MOST_BEHIND * Document.objects.count():
        raise _WithoutEngineError("behind")
    return []


def may_ask_engine() -> bool:
    """Return True if the engine has not failed in the last half minute."""
    return time.monotonic() >= _paused_until


def note_failure(error: EngineError) -> None:
    """Leave the engine alone for a while."""
    global _paused_until
    _paused_until = time.monotonic() + PAUSE_S
    note_missed(error.reason)


def note_missed(reason: str) -> None:
    """Count, and log, that a search went on without the engine.

    reason: one of core.infrastructure.measures.families.ENGINE_MISSES.
    """
    engine_not_used.labels(reason).inc()
    logger.warning("engine_not_used", extra={"reason": reason})
