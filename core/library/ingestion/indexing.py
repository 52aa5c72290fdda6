"""Seeing to the index over the vectors: what it would take, building it where searches use it, dropping it."""

import logging
import time
from dataclasses import dataclass

from django.conf import settings
from django.db import connection
from django.db.models import Sum

from core.errors import FootnoteError
from core.library.retrieval.vector_index import METHOD, NAME, build_memory, is_built, is_useful, is_valid, size_mb
from core.models import Document, EmbeddingModel
from core.models.library import EMBEDDING_DIMENSION

logger = logging.getLogger(__name__)

_OWNS = "SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'core_chunk'::regclass"


class NotOwnerError(FootnoteError):
    """The index needs the owner of the tables. Run vector_index as the database user that runs migrate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The size and state of the vector index."""

    chunks: int
    is_built: bool
    is_useful: bool  # a process that keeps no copy of the vectors would walk it
    size_mb: float


def standing() -> Standing:
    """Look at the library and its index."""
    chunks = _count_chunks()
    built = is_built()
    return Standing(
        chunks=chunks,
        is_built=built,
        is_useful=is_useful(chunks),
        size_mb=size_mb(NAME) if built else 0.0,
    )


def may_change() -> bool:
    """Return True if this process's database user owns the table of chunks."""
    with connection.cursor() as cursor:
        cursor.execute(_OWNS)
        return bool(cursor.fetchone()[0])


def build() -> None:
    """Build the index while searches and ingestion go on. What a build that was broken off left is dropped first.

    Outside a transaction. NotOwnerError where the database user may not.
    """
    _need_owner()
    if is_valid() is False:
        drop()
    model = EmbeddingModel.objects.first()
    dimension = model.dimension if model else EMBEDDING_DIMENSION
    with build_memory(_count_chunks(), dimension), connection.cursor() as cursor:
        cursor.execute(f'CREATE INDEX CONCURRENTLY IF NOT EXISTS "{NAME}" ON core_chunk USING {METHOD}')


def build_where_useful() -> None:
    """Build the index if VECTOR_INDEX leaves that to Footnote, searches would use it, and it is not there.

    Where the database user may not, the log says what to run.
    """
    now = standing()
    if settings.VECTOR_INDEX != "auto" or now.is_built or not now.is_useful:
        return
    if not may_change():
        logger.warning("vector_index_missing", extra={"chunks": now.chunks, "run": "manage.py vector_index --build"})
        return
    started = time.perf_counter()
    build()
    logger.info("vector_index_built", extra={"chunks": now.chunks, "took_s": round(time.perf_counter() - started, 1)})


def drop() -> None:
    """Drop the index while searches and ingestion go on. Outside a transaction; NotOwnerError as for build."""
    _need_owner()
    with connection.cursor() as cursor:
        cursor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{NAME}"')


def _count_chunks() -> int:
    """As the documents say, without looking at the chunks."""
    return Document.objects.aggregate(chunks=Sum("chunk_count", default=0))["chunks"] or 0


def _need_owner() -> None:
    if not may_change():
        raise NotOwnerError
