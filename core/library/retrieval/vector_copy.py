"""A quantised copy of the library's vectors in this process's memory: numbers and ids, no words.

Each use compares its version with the database's, and reads again the documents that have changed. What comes out of
it are candidates: PostgreSQL compares them once more, exactly and under the rule of access.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import Count, Max

from core.library.retrieval.candidates import Permitted
from core.library.retrieval.quantised import QuantisedVectors, SelectedRows
from core.models import Chunk, EmbeddingModel
from core.models.row_security import bypass_row_security
from core.models.versions import Versions, current_versions
from core.values.sizes import MEGABYTE

logger = logging.getLogger(__name__)

_READ_ROWS = 5000  # at a time
_KEPT_SELECTIONS = 16  # of audiences and filters, at up to a byte for each chunk

_Mark = tuple[int, Any]  # how many chunks a document has, and when the newest of them was made


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class VectorCopy:
    """The copy at one version of the chunks. Implements core.library.retrieval.candidates.CandidateSource."""

    version: str
    model: str
    vectors: QuantisedVectors
    marks: dict[int, _Mark]  # by the number of the document
    select: Callable[[bytes], SelectedRows]  # the rows of documents given as bits of their numbers; the last are kept

    def nearest(self, vector: np.ndarray, permitted: Permitted, limit: int) -> list[str]:
        """About the nearest of the permitted chunks, in no order: their ids in hexadecimal."""
        return self.vectors.nearest(vector, self.select(permitted.as_bits()), limit)


class _Keeper:
    """Keeps the copy of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._copy: VectorCopy | None = None
        self._wanted = False
        self._too_large_at: str | None = None  # the version at which a copy would not have fitted

    def load(self, model: str) -> None:
        """Make the copy, and keep it from now on."""
        self._wanted = True
        self.get(current_versions(), model)

    def get(self, versions: Versions, model: str) -> VectorCopy | None:
        """The copy at this version; None when there is none, because nobody loaded it or it would be too large."""
        if not self._wanted or self._too_large_at == versions.chunks:
            return None
        with self._lock:
            if self._copy is None or (self._copy.version, self._copy.model) != (versions.chunks, model):
                self._copy = _refresh_copy(self._copy, versions.chunks, model)
                self._too_large_at = versions.chunks if self._copy is None else None
            return self._copy

    def drop(self) -> None:
        """Free the memory, and make no other copy until the next load."""
        with self._lock:
            self._copy, self._wanted, self._too_large_at = None, False, None


_keeper = _Keeper()
load_copy, current_copy, drop_copy = _keeper.load, _keeper.get, _keeper.drop


def _refresh_copy(copy: VectorCopy | None, version: str, model: str) -> VectorCopy | None:
    """Return the copy as of now, or None when it would not fit. Only documents that changed are read."""
    started = time.perf_counter()
    with bypass_row_security():
        rows = Chunk.objects.filter(embedding_model=model).order_by().values_list("document_number")
        marks = {number: (count, newest) for number, count, newest in rows.annotate(Count("pk"), Max("created_at"))}
        if not _fits_in_memory(sum(chunks for chunks, _ in marks.values())):
            return None
        if copy is not None and copy.model != model:
            copy = None
        known = copy.marks if copy else {}
        changed = [number for number, mark in marks.items() if known.get(number) != mark]
        parts = list(_read_vectors(model, changed, everything=len(changed) == len(marks)))
    if copy is not None:
        gone = [number for number in known if number not in marks]
        parts.insert(0, copy.vectors.only(~np.isin(copy.vectors.documents, changed + gone)))
    if not parts:
        return None
    vectors = QuantisedVectors.join_parts(parts)
    took_ms = round((time.perf_counter() - started) * 1000)
    logger.info("vectors_read", extra={"chunks": len(vectors), "documents": len(changed), "took_ms": took_ms})
    select = lru_cache(maxsize=_KEPT_SELECTIONS)(vectors.select)
    return VectorCopy(version=version, model=model, vectors=vectors, marks=marks, select=select)


def _fits_in_memory(chunks: int) -> bool:
    model = EmbeddingModel.objects.first()
    return model is not None and chunks * model.dimension <= settings.VECTOR_MEMORY_MB * MEGABYTE


def _read_vectors(model: str, changed: list[int], *, everything: bool) -> Iterator[QuantisedVectors]:
    """Yield the vectors of changed documents, some thousand at a time."""
    if not changed:
        return
    chunks = Chunk.objects.filter(embedding_model=model).order_by()
    if not everything:
        chunks = chunks.filter(document_number__in=changed)
    sql, parameters = chunks.values_list("pk", "document_number", "embedding").query.sql_with_params()
    # In binary form, for parsing the text of a vector takes PostgreSQL and Python most of the time.
    with connection.connection.cursor(name="vectors", binary=True) as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(_READ_ROWS):
            yield QuantisedVectors.of(
                np.stack([_parse_vector(row[2]) for row in rows]),
                [row[0] for row in rows],
                [row[1] for row in rows],
            )


def _parse_vector(sent: bytes) -> np.ndarray:
    """pgvector's binary form: two 16-bit numbers (dimension, unused), then the numbers, all big-endian."""
    return np.frombuffer(sent, dtype=">f4", offset=4).astype(np.float32)
