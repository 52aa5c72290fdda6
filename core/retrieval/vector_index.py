"""The HNSW index over the chunks' vectors: its name and form, and whether it is there.

It takes about 2 kB and half a millisecond of ingestion for each chunk, and only searches over nearly all of a large
library are faster by it. So it is there where the planner would walk it, and nowhere else (docs/decisions/0066);
core/ingestion/indexing.py sees to that.
"""

from django.conf import settings
from django.db import connection

from core.retrieval.planner import Strategy, choose
from core.sizes import MEGABYTE

NAME = "chunk_embedding_hnsw"
# m and ef_construction: pgvector's own, which the benchmark confirmed.
METHOD = "hnsw (embedding vector_cosine_ops) WITH (m = 16, ef_construction = 64)"
DEFINITION = f'CREATE INDEX "{NAME}" ON core_chunk USING {METHOD}'

_BYTES_PER_CHUNK = 2_500  # of memory that building takes
_LEAST_BUILD_MB, _MOST_BUILD_MB = 64, 4_096
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


def is_built() -> bool:
    """Whether it is there and complete."""
    return is_valid() is True


def is_valid() -> bool | None:
    """Whether it is complete; None where it is not there."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_VALID, [NAME])
        row = cursor.fetchone()
    return row[0] if row else None


def is_useful(chunks: int, *, has_copy: bool) -> bool:
    """Whether the planner would walk it for somebody who may read everything."""
    possible = {Strategy.INDEX, Strategy.QUANTISED} if has_copy else {Strategy.INDEX}
    plan = choose(permitted=chunks, total=chunks, wanted=settings.RETRIEVAL_CANDIDATES, possible=possible)
    return plan.strategy is Strategy.INDEX


def build_memory_mb(chunks: int) -> int:
    """Memory in which building holds its whole graph, within bounds."""
    return min(max(chunks * _BYTES_PER_CHUNK // MEGABYTE, _LEAST_BUILD_MB), _MOST_BUILD_MB)


def size_mb(index: str) -> float:
    """How large an index is on disk."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s::regclass)", [index])
        return float(cursor.fetchone()[0]) / MEGABYTE
