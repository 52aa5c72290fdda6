"""The SQL of a change of embedding models: a second column of vectors beside the first, then in its place.

Each row keeps its id, its text and whatever points at it. While both columns exist, searches read the one and ingestion
writes it; the other is filled unnoticed. Names in the SQL are constants of this module; whatever comes from outside is
a parameter, or quoted by psycopg where PostgreSQL takes none.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection, transaction
from pgvector import Vector
from psycopg import sql

from core.models.row_security import bypass_row_security

_INLINE_BYTES = 7400  # of vectors in one row; a page of 8 kB also holds the row's other columns
_LOCK = 0x666F6F74  # the advisory lock of whoever changes the model

_WORD = re.compile(r"\bembedding\b")

_TARGET = """
    SELECT col_description(attrelid, attnum) FROM pg_attribute
    WHERE attrelid = 'core_chunk'::regclass AND attname = 'embedding_next' AND NOT attisdropped
"""
_DIMENSION = """
    SELECT atttypmod FROM pg_attribute WHERE attrelid = 'core_chunk'::regclass AND attname = 'embedding'
"""
_INDEXES = """
    SELECT indexed.relname, pg_get_indexdef(indexed.oid)
    FROM pg_index JOIN pg_class indexed ON indexed.oid = indexrelid
    JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = indexrelid
        AND refobjid = indrelid AND refclassid = 'pg_class'::regclass
    JOIN pg_attribute ON attrelid = indrelid AND attnum = refobjsubid
    WHERE indrelid = 'core_chunk'::regclass AND attname = %s AND indisvalid
"""
_INVALID = """
    SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'core_chunk'::regclass AND NOT indisvalid AND relname LIKE '%\\_next'
"""
_TRIGGERS = """
    SELECT DISTINCT tgname, pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_attribute ON attrelid = tgrelid
    WHERE tgrelid = 'core_chunk'::regclass AND attnum = ANY (tgattr) AND attname IN ('embedding', 'embedding_model')
"""
_UNSTAGED = """
    SELECT chunk.id, coalesce(whole.title, document.title), chunk.chapter_name, chunk.section_title, chunk.content
    FROM core_chunk chunk JOIN core_document document ON document.id = chunk.document_id
        LEFT JOIN core_document whole ON whole.id = document.part_of_id
    WHERE chunk.embedding_next IS NULL AND (%(after)s::uuid IS NULL OR chunk.id > %(after)s)
    ORDER BY chunk.id LIMIT %(limit)s
"""
_SAVE = """
    UPDATE core_chunk SET embedding_next = staged.embedding::vector
    FROM unnest(%s::uuid[], %s::text[]) AS staged (id, embedding) WHERE core_chunk.id = staged.id
"""
_SWAP = (
    """
    ALTER TABLE core_chunk
        DROP COLUMN embedding,
        ALTER COLUMN embedding_next SET NOT NULL,
        DROP COLUMN embedding_model,
        ADD COLUMN embedding_model varchar(200) NOT NULL DEFAULT {name},
        ADD CONSTRAINT chunk_embedding_model_named CHECK (NOT (embedding_model = ''))
    """,
    "ALTER TABLE core_chunk ALTER COLUMN embedding_model DROP DEFAULT",
    "ALTER TABLE core_chunk RENAME COLUMN embedding_next TO embedding",
    "COMMENT ON COLUMN core_chunk.embedding IS NULL",
    "DROP INDEX core_chunk_unstaged",
)
# So far no statement has changed a row. This one changes none either, but lets the triggers of statements know.
_TELL = "UPDATE core_chunk SET embedding = embedding, embedding_model = embedding_model WHERE false"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unstaged:
    """A chunk that has no vector of the new model yet."""

    id: UUID
    title: str
    chapter: str
    section: str
    content: str


@contextmanager
def alone() -> Iterator[bool]:
    """Yields whether nobody else is changing the model; nobody will begin to within the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        is_alone = bool(cursor.fetchone()[0])
        try:
            yield is_alone
        finally:
            if is_alone:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def target() -> str | None:
    """Return the model for which there is a second column. None when there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_TARGET)
        found = cursor.fetchone()
    return None if found is None else str(found[0])


def begin(name: str, dimension: int) -> None:
    """Make the second column, empty, for vectors of a model."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '2s'")
        cursor.execute(_DIMENSION)
        if 4 * (cursor.fetchone()[0] + dimension) > _INLINE_BYTES:
            # Both do not fit into a row: the old ones move out of it, where searches take longer to read them.
            cursor.execute("ALTER TABLE core_chunk ALTER COLUMN embedding SET STORAGE EXTERNAL")
        _execute(cursor, "ALTER TABLE core_chunk ADD COLUMN embedding_next vector({size})", size=dimension)
        cursor.execute("ALTER TABLE core_chunk ALTER COLUMN embedding_next SET STORAGE PLAIN")
        _execute(cursor, "COMMENT ON COLUMN core_chunk.embedding_next IS {name}", name=name)
        cursor.execute("CREATE INDEX core_chunk_unstaged ON core_chunk (id) WHERE embedding_next IS NULL")


def discard() -> None:
    """Drop the second column and its indexes."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '2s'")
        cursor.execute("ALTER TABLE core_chunk DROP COLUMN embedding_next")
        cursor.execute("ALTER TABLE core_chunk ALTER COLUMN embedding SET STORAGE PLAIN")


def count_unstaged() -> int:
    """Count the chunks without a vector of the new model."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_chunk WHERE embedding_next IS NULL")
        return int(cursor.fetchone()[0])


def list_unstaged(after: UUID | None, limit: int) -> list[Unstaged]:
    """Chunks without a vector of the new model, by id, from the one after `after` on."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute(_UNSTAGED, {"after": after, "limit": limit})
        return [
            Unstaged(id=pk, title=title, chapter=chapter, section=section, content=content)
            for pk, title, chapter, section, content in cursor.fetchall()
        ]


def save(ids: Sequence[UUID], vectors: np.ndarray) -> int:
    """Store vectors of the new model and return how many: a chunk that is gone meanwhile is passed over."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute(_SAVE, [list(ids), [Vector(vector).to_text() for vector in vectors]])
        return int(cursor.rowcount)


def build_indexes() -> None:
    """Build the indexes that the first column has on the second as well, while searches and ingestion go on."""
    with connection.cursor() as cursor:
        cursor.execute(_INVALID)  # left by a build that was broken off
        for (name,) in cursor.fetchall():
            _execute(cursor, "DROP INDEX {index}", index=sql.Identifier(name))
        cursor.execute(_INDEXES, ["embedding_next"])
        built = {name for name, _ in cursor.fetchall()}
        # A build by several processes would want as much shared memory; and the questions need the other processors.
        cursor.execute("SET max_parallel_maintenance_workers = 0")
        cursor.execute(_INDEXES, ["embedding"])
        for name, definition in cursor.fetchall():
            if f"{name}_next" not in built:
                cursor.execute(_on_second_column(name, definition))
        cursor.execute("RESET max_parallel_maintenance_workers")


def lock_writers() -> None:
    """Wait for the transactions that have claimed the corpus's model, and let no other one do so until this one ends.

    Searches go on: they only read which model it is.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '30s'")
        cursor.execute("LOCK TABLE core_embeddingmodel IN EXCLUSIVE MODE")


def swap(name: str) -> None:
    """Put the second column in the place of the first, and the model's name into every chunk.

    No row is written: PostgreSQL keeps a column's value for all existing rows in its catalogue when it adds one.
    IntegrityError when a chunk has no vector, OperationalError when the table is in use for too long.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '1s'")  # while it waits, searches wait behind it
        cursor.execute("LOCK TABLE core_chunk IN ACCESS EXCLUSIVE MODE")
        cursor.execute(_INDEXES, ["embedding"])
        indexes = [index for index, _ in cursor.fetchall()]
        cursor.execute(_TRIGGERS)  # a column that a trigger watches cannot be dropped
        triggers = cursor.fetchall()
        for trigger, _ in triggers:
            _execute(cursor, "DROP TRIGGER {trigger} ON core_chunk", trigger=sql.Identifier(trigger))
        for statement in _SWAP:
            _execute(cursor, statement, name=name)
        for index in indexes:
            old, new = sql.Identifier(f"{index}_next"), sql.Identifier(index)
            _execute(cursor, "ALTER INDEX {old} RENAME TO {new}", old=old, new=new)
        for _, definition in triggers:
            cursor.execute(definition)
        cursor.execute(_TELL)


def analyze() -> None:
    """Let PostgreSQL look at the new columns, of which its planner knows nothing yet."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE core_chunk")


def _on_second_column(name: str, definition: str) -> str:
    """Return the statement that builds an index of the first column on the second, without a lock against writers."""
    _, _, rest = definition.partition(" USING ")
    quoted = sql.Identifier(f"{name}_next").as_string(None)
    return f"CREATE INDEX CONCURRENTLY {quoted} ON core_chunk USING {_WORD.sub('embedding_next', rest)}"


def _execute(cursor: Any, statement: str, **parts: Any) -> None:
    """Execute a statement that takes no parameters, with its parts quoted."""
    quoted = {name: part if isinstance(part, sql.Composable) else sql.Literal(part) for name, part in parts.items()}
    cursor.execute(sql.SQL(statement).format(**quoted).as_string(cursor.connection))
