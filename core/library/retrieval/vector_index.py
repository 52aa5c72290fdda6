"""The HNSW index over the chunks' vectors: its name and form, and whether it is there.

It takes about 2 kB and half a millisecond of ingestion for each chunk, and only searches over nearly all of a large
library are faster by it. So it is there where the planner would walk it, and nowhere else (docs/decisions/0066);
core/library/ingestion/indexing.py sees to that.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

from core.library.retrieval.planner import Strategy, choose
from core.values.sizes import MEGABYTE

NAME = "chunk_embedding_hnsw"
# m and ef_construction: pgvector's own, which the benchmark confirmed.
METHOD = "hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)"
DEFINITION = f'CREATE INDEX "{NAME}" ON core_chunk USING {METHOD}'

_BYTES_BESIDE_VECTOR = 1_000  # of a chunk, of the memory that building takes: its neighbours, and what joins them
_LEAST_BUILD_MB, _MOST_BUILD_MB = 64, 4_096
_GIVE_BUILD_MEMORY = """
    SELECT set_config(
        'maintenance_work_mem',
        greatest(%s, pg_size_bytes(current_setting('maintenance_work_mem')) / 1024) || 'kB',
        false
    )
"""
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


def is_built() -> bool:
    """Return True if the index exists and is complete."""
    return is_valid() is True


def is_valid() -> bool | None:
    """Return True if the index is complete; None where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_VALID, [NAME])
        row = cursor.fetchone()
    return row[0] if row else None


def is_useful(chunks: int) -> bool:
    """Return True if the planner would use the index for a reader of everything, in a process without a copy."""
    wanted = settings.RETRIEVAL_CANDIDATES
    plan = choose(permitted=chunks, total=chunks, wanted=wanted, possible={Strategy.INDEX})
    return plan.strategy is Strategy.INDEX


@contextmanager
def build_memory(chunks: int, dimension: int) -> Iterator[None]:
    """Within the block this connection's builds may hold their whole graph in memory, within bounds.

    If PostgreSQL's own setting allows more, it is left.
    """
    graph_mb = chunks * (4 * dimension + _BYTES_BESIDE_VECTOR) // MEGABYTE
    bounded_mb = min(max(graph_mb, _LEAST_BUILD_MB), _MOST_BUILD_MB)
    with connection.cursor() as cursor:
        cursor.execute(_GIVE_BUILD_MEMORY, [bounded_mb * 1024])
        try:
            yield
        finally:
            cursor.execute("RESET maintenance_work_mem")


def size_mb(index: str) -> float:
    """Return an index's size on disk, in MB."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s::regclass)", [index])
        return float(cursor.fetchone()[0]) / MEGABYTE
