"""Filling a database of its own with a benchmark's world, and building vector indexes on it."""

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import connection
from django.utils import timezone

from core.access.audiences import audience_of
from core.library.retrieval.vector_index import build_memory
from core.models import Collection, Document, EmbeddingModel, Role, RoleDocumentAccess, User, UserRole
from core.models.library import EMBEDDING_DIMENSION
from core.models.row_security import bypass_row_security
from core.quality.benchmarks.drawing import CHUNKS_PER_DOCUMENT, SyntheticVectors, World
from core.types import Audience

MODEL = "synthetic"
IVF = "benchmark_embedding_ivf"

_FULL_TEXT = "chunk_search_gin"
_AT_ONCE = 20_000  # chunks
_ROWS_AT_ONCE = 5_000
_WORDS, _VOCABULARY = 120, 5_000  # of a chunk, so that a row is as wide as one of a real library

Step = Callable[[int], None]

# By way of a table without row-level security, which takes no COPY.
_STAGE = """
    CREATE TEMPORARY TABLE benchmark_stage
        (id uuid, document_id uuid, chunk_index integer, content text, embedding vector) ON COMMIT DROP
"""
_COPY = "COPY benchmark_stage (id, document_id, chunk_index, content, embedding) FROM STDIN (FORMAT BINARY)"
_STORE = """
    INSERT INTO core_chunk (id, document_id, chunk_index, content, token_count, embedding, embedding_model,
                            chapter_name, section_title, context, start_offset, end_offset, metadata)
    SELECT id, document_id, chunk_index, content, %s, embedding, %s, '', '', '', 0, length(content), '{}'
    FROM benchmark_stage
"""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LoadedVectors:
    """The vectors that were loaded into the database."""

    chunk_ids: list[UUID]  # in the order of the vectors
    audiences: list[Audience]  # of the world's groups


def load(vectors: SyntheticVectors, world: World, chance: np.random.Generator, step: Step) -> LoadedVectors:
    """Write documents, chunks, roles, grants and people into empty tables; step counts chunks.

    Neither the vector index nor that of words is there afterwards: see building.
    """
    document_ids = _draw_ids(world.documents, chance)
    chunk_ids = _draw_ids(len(vectors.chunks), chance)
    drop(_FULL_TEXT)  # searching by meaning alone does not use it
    with bypass_row_security():
        EmbeddingModel.objects.create(name=MODEL, setting=MODEL, dimension=vectors.chunks.shape[1])
        _store_documents(document_ids)
        _store_chunks(vectors.chunks, chunk_ids, document_ids, chance, step)
    audiences = _store_people(world, document_ids)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")  # as autovacuum would have done by the time that people ask
    return LoadedVectors(chunk_ids=chunk_ids, audiences=audiences)


def drop(index: str) -> None:
    """Drop an index."""
    with connection.cursor() as cursor:
        cursor.execute(f'DROP INDEX "{index}"')


def build(definition: str, chunks: int) -> float:
    """Build an index, with memory enough for so many chunks. Returns the seconds that it took."""
    with build_memory(chunks, EMBEDDING_DIMENSION), bypass_row_security(), connection.cursor() as cursor:
        started = time.perf_counter()
        cursor.execute(definition)
        return time.perf_counter() - started


def ivf_on(table: str, chunks: int) -> tuple[str, int]:
    """Return the statement that makes an IVFFlat index named IVF over a table's vectors, and how many lists to probe.

    A list for each thousand chunks and the square root of them probed is what pgvector's documentation advises.
    """
    lists = max(10, chunks // 1000)
    definition = f'CREATE INDEX "{IVF}" ON {table} USING ivfflat (embedding vector_cosine_ops) WITH (lists = {lists})'
    return definition, round(lists**0.5)


def _store_documents(document_ids: list[UUID]) -> None:
    shelf = Collection.objects.create(name="Benchmark")
    now = timezone.now()
    Document.objects.bulk_create(
        (
            Document(
                pk=pk,
                collection=shelf,
                source=f"benchmark/{number}",
                title=f"Document {number}",
                content_hash="",
                chunk_count=CHUNKS_PER_DOCUMENT,
                ingested_at=now,
            )
            for number, pk in enumerate(document_ids)
        ),
        batch_size=_ROWS_AT_ONCE,
    )


def _store_chunks(
    vectors: np.ndarray, chunk_ids: list[UUID], document_ids: list[UUID], chance: np.random.Generator, step: Step
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_STAGE)
        for start in range(0, len(vectors), _AT_ONCE):
            part = range(start, min(start + _AT_ONCE, len(vectors)))
            contents = _draw_contents(len(part), chance)
            with cursor.copy(_COPY) as copy:
                # A vector goes in its own binary form, which is that of bytes to psycopg.
                copy.set_types(["uuid", "uuid", "int4", "text", "bytea"])
                for number, content in zip(part, contents, strict=True):
                    document, index = divmod(number, CHUNKS_PER_DOCUMENT)
                    vector = _write_binary(vectors[number])
                    copy.write_row((chunk_ids[number], document_ids[document], index, content, vector))
            cursor.execute(_STORE, [_WORDS, MODEL])
            cursor.execute("TRUNCATE benchmark_stage")
            step(len(part))


def _write_binary(vector: np.ndarray) -> bytes:
    """pgvector's binary form: two 16-bit numbers (dimension, unused), then the numbers, all big-endian."""
    return struct.pack(">HH", len(vector), 0) + vector.astype(">f4").tobytes()


def _draw_contents(count: int, chance: np.random.Generator) -> list[str]:
    """Made-up words, of which few are frequent and most are rare, by Zipf's law."""
    frequency = 1 / np.arange(1, _VOCABULARY + 1)
    ranks = np.searchsorted(np.cumsum(frequency) / frequency.sum(), chance.random((count, _WORDS)))
    words = np.array([_make_word(number) for number in range(_VOCABULARY)], dtype=object)
    return [" ".join(row) for row in words[np.minimum(ranks, _VOCABULARY - 1)]]


def _make_word(number: int) -> str:
    """Return a number as a word of five letters with a vowel at every other place."""
    consonants, vowels = "bdfghklmnprstvwz", "aeiou"
    letters = []
    for alphabet in (consonants, vowels, consonants, vowels, consonants):
        number, place = divmod(number, len(alphabet))
        letters.append(alphabet[place])
    return "".join(letters)


def _store_people(world: World, document_ids: list[UUID]) -> list[Audience]:
    roles = {name: Role(name=name) for name in world.roles}
    Role.objects.bulk_create(roles.values())
    RoleDocumentAccess.objects.bulk_create(
        (
            RoleDocumentAccess(role=roles[name], document_id=document_ids[number])
            for name, numbers in world.roles.items()
            for number in numbers
        ),
        batch_size=_ROWS_AT_ONCE,
    )
    audiences = []
    for place, group in enumerate(world.groups):
        people = [User(email=f"{place}-{number}@example.com") for number in range(len(group.people))]
        User.objects.bulk_create(people, batch_size=_ROWS_AT_ONCE)
        held = zip(people, group.people, strict=True)
        UserRole.objects.bulk_create(
            (UserRole(user=person, role=roles[name]) for person, names in held for name in names),
            batch_size=_ROWS_AT_ONCE,
        )
        audiences.append(audience_of(person.pk for person in people))
    return audiences


def _draw_ids(count: int, chance: np.random.Generator) -> list[UUID]:
    drawn = chance.bytes(16 * count)
    return [UUID(bytes=drawn[place : place + 16], version=4) for place in range(0, len(drawn), 16)]
