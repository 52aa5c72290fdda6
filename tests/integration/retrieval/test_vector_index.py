"""The HNSW index over the vectors is there where searches use it, and nowhere else."""

import logging
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection
from pytest_django import Settings

from core.library.ingestion import indexing
from core.library.retrieval import vector_index
from core.models import Document
from core.testing import make_document
from tests.integration.retrieval.commands import run
from tests.integration.retrieval.library import add_chunks

COMMAND = "vector_index"
LARGE = 500_000  # chunks, at which a process without a copy walks it


pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def library(transactional_db: None, fast: None) -> Iterator[None]:
    """Two chunks of a document, and no index; none stays."""
    add_chunks(
        make_document("Handbook", "The canteen opens at eleven."), ["The canteen opens at eleven.", "Tea at three."]
    )
    yield
    indexing.drop()


def told() -> dict[str, object]:
    lines, _ = run(COMMAND)
    return lines[0]


def test_a_new_library_has_none_and_its_owner_can_build_and_drop_it() -> None:
    """With the parameters that are pgvector's own; twice is once."""
    assert told() == {"chunks": 2, "is_built": False, "is_useful": False, "size_mb": 0}
    for _ in range(2):
        run(COMMAND, "--build")
        with connection.cursor() as cursor:
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [vector_index.NAME])
            [[definition]] = cursor.fetchall()
        assert definition.endswith("USING hnsw (embedding vector_cosine_ops) WITH (m='16', ef_construction='64')")
        standing = told()
        assert standing["is_built"]
        assert standing["size_mb"] > 0
    for _ in range(2):
        run(COMMAND, "--drop")
        assert not told()["is_built"]


def test_it_is_built_by_itself_where_searches_would_use_it(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Once the library is large, unless an operator wants to do it; what is there is left alone."""
    indexing.build_where_useful()
    assert not vector_index.is_built()
    Document.objects.update(chunk_count=LARGE)
    settings.VECTOR_INDEX = "manual"
    indexing.build_where_useful()
    assert not vector_index.is_built()
    settings.VECTOR_INDEX = "auto"
    with caplog.at_level(logging.INFO, logger="core.library.ingestion.indexing"):
        for _ in range(2):
            indexing.build_where_useful()
    assert vector_index.is_built()
    assert [record.message for record in caplog.records] == ["vector_index_built"]
    assert told()["is_useful"]


def test_a_build_that_was_broken_off_is_done_again() -> None:
    """PostgreSQL leaves an index behind that it does not use."""
    with connection.cursor() as cursor, pytest.raises(IntegrityError):
        cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {vector_index.NAME} ON core_chunk (document_id)")
    assert not vector_index.is_built()
    indexing.build()
    assert vector_index.is_built()


@pytest.mark.parametrize(
    ("allowed", "chunks", "dimension", "given"),
    [
        ("16MB", 2, 384, "64MB"),
        ("16MB", 1_000_000, 384, "2418MB"),
        ("16MB", 200_000, 1536, "1362MB"),
        ("16MB", 50_000_000, 384, "4GB"),
        ("12GB", 50_000_000, 384, "12GB"),
        ("12GB", 2, 384, "12GB"),
    ],
)
def test_a_build_holds_its_graph_in_memory(allowed: str, chunks: int, dimension: int, given: str) -> None:
    """Within bounds, unless PostgreSQL's own setting allows more; and it is as before afterwards."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW maintenance_work_mem")
        [before] = cursor.fetchone()
        try:
            cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [allowed])
            with vector_index.build_memory(chunks, dimension):
                cursor.execute("SHOW maintenance_work_mem")
                assert cursor.fetchone() == (given,)
        finally:
            cursor.execute("RESET maintenance_work_mem")
        cursor.execute("SHOW maintenance_work_mem")
        assert cursor.fetchone() == (before,)


def test_it_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """For people who do not read JSON."""
    call_command(COMMAND)
    assert capsys.readouterr().out == (
        "2 chunks. There is no index. No search would use it: comparing is faster in a library of this size.\n"
    )
