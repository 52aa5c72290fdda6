"""A scratch copy of the library's vectors in a temporary table, on which indexes are built that the library lacks.

The library itself stays as it is, and nobody else sees the table; it goes with the connection at the latest.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from django.db import connection
from pgvector import Vector

from core.library.retrieval.access_filter import collect_permitted_bits
from core.library.retrieval.dense import count_walked, widen_index_walk
from core.library.retrieval.vector_index import METHOD, size_mb
from core.models.row_security import as_audience, bypass_row_security
from core.quality.benchmarks import loading
from core.quality.benchmarks.measuring import Found, Way
from core.quality.benchmarks.ways import INDEX, INDEX_TYPES, IVF, Asked, widen_ivf_walk
from core.types import Audience, Filters
from core.values.sizes import MEGABYTE

TABLE, HNSW = "benchmark_vectors", "benchmark_embedding_hnsw"
_BYTES_PER_CHUNK = 2 * 4_096  # of the table and its indexes, with room: else its pages would be read from files
_LEAST_BUFFERS_MB, _MOST_BUFFERS_MB = 8, 4_096

_MAKE = f"""
    CREATE TEMPORARY TABLE {TABLE} AS SELECT id, document_number, embedding FROM core_chunk WHERE embedding_model = %s
"""  # noqa: S608 - a constant
_HNSW = f'CREATE INDEX "{HNSW}" ON {TABLE} USING {METHOD}'
_NEAREST = f"""
    SELECT id, embedding <=> %s::vector AS distance FROM {TABLE} WHERE %s OR footnote_is_among(document_number, %s)
    ORDER BY distance LIMIT %s
"""  # noqa: S608 - a constant


@contextmanager
def hold_vectors(model: str, chunks: int) -> Iterator[None]:
    """Within the block there is the table, with the vectors of a model."""
    buffers_mb = min(max(chunks * _BYTES_PER_CHUNK // MEGABYTE, _LEAST_BUFFERS_MB), _MOST_BUFFERS_MB)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('temp_buffers', %s, false)", [f"{buffers_mb}MB"])
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute(_MAKE, [model])
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {TABLE}")
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {TABLE}")


@contextmanager
def indexed_by(strategy: str, asked: Asked, chunks: int) -> Iterator[tuple[Way, Way]]:
    """Within the block the table has the index of a strategy, INDEX or IVF.

    Yields the way to search by it for readers, and the one over everything, whoever may read it.
    """
    definition, probes = (_HNSW, 0) if strategy == INDEX else loading.ivf_on(TABLE, chunks)
    name = HNSW if strategy == INDEX else loading.IVF
    build_s = loading.build(definition, chunks)
    try:
        index_mb = size_mb(name)
        ways = [
            asked.way(
                strategy,
                _ByScratchIndex(asked, strategy, probes, is_everything=is_everything),
                memory_mb=index_mb,
                build_s=build_s,
            )
            for is_everything in (False, True)
        ]
        yield ways[0], ways[1]
    finally:
        loading.drop(name)


class _ByScratchIndex:
    """The index that the table has, walked on until enough permitted chunks are found."""

    def __init__(self, asked: Asked, strategy: str, probes: int, *, is_everything: bool) -> None:
        self._asked, self._strategy, self._probes, self._is_everything = asked, strategy, probes, is_everything

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Search through the index, as the product searches through its own."""
        wanted = self._asked.candidates
        with as_audience(audience) as versions, connection.cursor() as cursor:
            if self._strategy == IVF:
                widen_ivf_walk(self._probes)
            else:
                widen_index_walk()
            permitted = collect_permitted_bits(audience, Filters(), versions)
            cursor.execute(_NEAREST, [Vector(vector).to_text(), self._is_everything, permitted, count_walked(wanted)])
            found = sorted((distance, pk) for pk, distance in cursor.fetchall())
        return Found(ids=[pk for _, pk in found[: self._asked.k]], index_type=INDEX_TYPES[self._strategy])
