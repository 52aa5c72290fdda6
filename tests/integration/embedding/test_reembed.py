"""Changing the corpus's embedding model."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from core.errors import CorpusModelError, EmbeddingError
from core.library import embedding
from core.library.ingestion import indexing, staging
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.store import draft, embed, store, write
from core.library.ingestion.target import IngestTarget
from core.models import Chunk, Collection, Document, EmbeddingModel
from core.operations.reembedding import reembed
from tests.integration.embedding.server import Embeddings, Hashing

pytestmark = pytest.mark.django_db(transaction=True)

FIRST, SECOND = "litellm:openai/hash-384", "litellm:openai/hash-24"
TOPICS = ("lift", "crane", "boiler", "press", "lathe", "saw", "kiln")


@pytest.fixture
def shelf(server: Embeddings) -> Iterator[Collection]:
    """A collection, in a library with the HNSW index. Afterwards the table of chunks is as the migrations make it."""
    indexing.build()
    yield Collection.objects.create(name="Manuals")
    server.status, server.change = 200, lambda rows: rows
    with whole_library():
        Document.objects.all().delete()
    EmbeddingModel.objects.all().delete()
    if staging.target():
        staging.discard()
    change_to(FIRST)
    indexing.drop()


@contextmanager
def whole_library() -> Iterator[None]:
    """A transaction that sees every chunk, also where the database shows a reader only what is theirs."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('footnote.maintenance', 'on', true)")
        yield
        cursor.execute("SELECT set_config('footnote.maintenance', '', true)")


def models() -> list[str]:
    """The model of each chunk."""
    with whole_library():
        return list(Chunk.objects.values_list("embedding_model", flat=True))


def change_to(setting: str, *, batch: int = 2, after_each: Any = lambda done: None) -> Any:
    """Reembed, and call something after each batch of the first pass."""
    return reembed(setting, batch=batch, started=lambda chunks: after_each)


def add(shelf: Collection, *topics: str) -> None:
    """A document of two chunks per topic."""
    for topic in topics:
        blocks = tuple(
            Block(text=f"The {topic} has {n} doors.", chapter="Use", section=f"Part {n}", page_number=n) for n in (1, 2)
        )
        parsed = ParsedDocument(title=f"About the {topic}", blocks=blocks)
        store(parsed, collection=shelf, source=topic, content_hash=topic.ljust(64, "0"))


def rows() -> dict[Any, tuple[Any, ...]]:
    """All that a chunk has but its vector and model."""
    fields = [f.attname for f in Chunk._meta.concrete_fields if f.name not in {"embedding", "embedding_model"}]
    with whole_library():
        return {row[0]: row for row in Chunk.objects.values_list(*fields)}


def shape() -> dict[str, set[Any]]:
    """Return the shape of the table in the database: its columns, constraints, and indexes."""
    found = {}
    for name, query in {
        "columns": """SELECT attname, replace(format_type(atttypid, atttypmod), '(24)', '(384)'),
                      attnotnull, attstorage, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)
                      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
                      WHERE attrelid = 'core_chunk'::regclass AND attnum > 0 AND NOT attisdropped""",
        "constraints": """SELECT conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint
                          WHERE 'core_chunk'::regclass IN (conrelid, confrelid) AND contype <> 'n'""",
        "triggers": """SELECT pg_get_triggerdef(oid), tgenabled FROM pg_trigger
                       WHERE tgrelid = 'core_chunk'::regclass AND NOT tgisinternal""",
        "policies": "SELECT policyname, permissive, cmd, qual, with_check FROM pg_policies",
        "indexes": """SELECT indexdef FROM pg_indexes WHERE tablename = 'core_chunk'""",
    }.items():
        with connection.cursor() as cursor:
            cursor.execute(query)
            found[name] = set(cursor.fetchall())
    return found


def is_embedded_by(dimension: int) -> None:
    """Every chunk has the vector that this model makes of its headings and text, and so says the row."""
    name = f"openai/hash-{dimension}"
    with whole_library():
        chunks = list(Chunk.objects.select_related("document"))
    texts = [f"{c.document.title} > {c.chapter_name} > {c.section_title}\n{c.content}" for c in chunks]
    assert {chunk.embedding_model for chunk in chunks} == {name}
    np.testing.assert_allclose(
        np.array([chunk.embedding for chunk in chunks]), Hashing(dimension).embed(texts), atol=1e-6
    )
    row = EmbeddingModel.objects.get()
    assert (row.name, row.setting, row.dimension) == (name, f"litellm:{name}", dimension)


def test_every_chunk_gets_the_new_model_and_nothing_else_changes(shelf: Collection, server: Embeddings) -> None:
    """The texts embedded are those of ingestion; the table is as before but for the dimension."""
    add(shelf, *TOPICS)
    before, looked, at_first = rows(), shape(), server.texts
    is_embedded_by(384)
    server.requests.clear()
    change = change_to(SECOND)
    assert (change.model, change.dimension, change.chunks, change.embedded) == ("openai/hash-24", 24, 14, 14)
    assert not change.unchanged
    is_embedded_by(24)
    assert rows() == before
    assert shape() == looked
    assert {text for text in server.texts if text != "dimension"} == {text for text in at_first if text != "dimension"}
    assert embedding.provider().name == "openai/hash-24"


def test_what_comes_in_meanwhile_is_embedded_by_both(shelf: Collection) -> None:
    """Ingestion goes on with the old model; its chunks are in the new one's hands when it takes over."""
    add(shelf, *TOPICS[:3])
    late = iter(TOPICS[3:5])
    seen = []

    def come_in(done: int) -> None:
        add(shelf, *(topic for topic in [next(late, None)] if topic))
        seen.extend(models())

    change = change_to(SECOND, after_each=come_in)
    assert set(seen) == {"openai/hash-384"}
    assert change.embedded == len(models()) == 10
    is_embedded_by(24)
    add(shelf, TOPICS[5])
    is_embedded_by(24)


def test_a_run_that_breaks_off_is_taken_up(shelf: Collection, server: Embeddings) -> None:
    """Until it is done the corpus is the old model's; the next run embeds only what is left."""
    add(shelf, *TOPICS)

    def break_off(done: int) -> None:
        server.status = 500

    with pytest.raises(EmbeddingError):
        change_to(SECOND, batch=6, after_each=break_off)
    server.status = 200
    is_embedded_by(384)
    assert embedding.provider().name == "openai/hash-384"
    assert staging.target() == "openai/hash-24"
    assert change_to(SECOND, batch=6).embedded == 8
    is_embedded_by(24)


def test_a_run_for_another_model_begins_anew(shelf: Collection, server: Embeddings) -> None:
    """And one for the model that the corpus has gives the other up and embeds nothing."""
    add(shelf, *TOPICS)

    def break_off(done: int) -> None:
        server.status = 500

    for settled, expected in (("litellm:openai/hash-384", 0), ("litellm:openai/hash-30", 14)):
        server.status = 200
        with pytest.raises(EmbeddingError):
            change_to(SECOND, after_each=break_off)
        server.status = 200
        change = change_to(settled)
        assert (change.embedded, change.unchanged) == (expected, expected == 0)
        assert staging.target() is None
    is_embedded_by(30)


def test_an_index_build_that_broke_off_is_done_again(shelf: Collection) -> None:
    """PostgreSQL leaves an index behind that it does not use."""
    add(shelf, *TOPICS)
    looked = shape()
    staging.begin("openai/hash-24", 24)
    with connection.cursor() as cursor, pytest.raises(IntegrityError):
        cursor.execute("CREATE UNIQUE INDEX CONCURRENTLY chunk_embedding_hnsw_next ON core_chunk (document_id)")
    change_to(SECOND)
    is_embedded_by(24)
    assert shape() == looked


def test_triggers_are_told(shelf: Collection) -> None:
    """One that watches the vectors exists afterwards as before, and is called for the change once."""
    add(shelf, *TOPICS)
    with connection.cursor() as cursor:
        cursor.execute("CREATE SEQUENCE heard")
        cursor.execute(
            "CREATE FUNCTION hear() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM nextval('heard'); RETURN NULL; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER hears AFTER UPDATE OF embedding, embedding_model ON core_chunk "
            "FOR EACH STATEMENT EXECUTE FUNCTION hear()"
        )
        try:
            looked = shape()
            change_to(SECOND)
            assert shape() == looked
            cursor.execute("SELECT last_value, is_called FROM heard")
            assert cursor.fetchone() == (1, True)
        finally:
            cursor.execute("DROP FUNCTION hear CASCADE")
            cursor.execute("DROP SEQUENCE heard")


def test_writers_and_readers_go_on(shelf: Collection) -> None:
    """Neither gets an error while the model changes twice, and at the end no vector is of another model."""
    add(shelf, *TOPICS)
    stop = Event()
    errors: list[BaseException] = []

    def repeat(work: Any) -> None:
        number = 0
        try:
            while not stop.is_set():
                work(number := number + 1)
        except BaseException as error:  # noqa: BLE001 - told by the test below
            errors.append(error)
        finally:
            connection.close()

    threads = [
        Thread(target=repeat, args=[lambda number: add(shelf, f"tool {number}")]),
        Thread(target=repeat, args=[lambda number: rows()]),
    ]
    for thread in threads:
        thread.start()
    try:
        for setting in (SECOND, "litellm:openai/hash-36"):
            change_to(setting, batch=8)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    is_embedded_by(36)
    assert Document.objects.filter(source__startswith="tool").count() > 2


def test_a_window_embedded_before_the_change_is_embedded_again(shelf: Collection) -> None:
    """It would otherwise mix two models."""
    model = embedding.provider()
    parsed = ParsedDocument(title="Lift", blocks=(Block(text="Press.", chapter="Use", section="Part 1"),))
    drafted = draft(parsed, model, target=IngestTarget(collection=shelf), source="lift", content_hash="0" * 64)
    embed([drafted], model)
    add(shelf, "crane")
    change_to(SECOND)
    assert write([drafted], IngestTarget(collection=shelf)) == {}
    assert len(models()) == 3
    is_embedded_by(24)


def test_vectors_of_another_model_are_not_stored(shelf: Collection) -> None:
    """Neither by ingestion, nor when the first document comes in with a model for which there is no room."""
    with embedding.use(Hashing(24)), pytest.raises(CorpusModelError, match="room for 384"):
        add(shelf, "lift")
    assert (len(models()), EmbeddingModel.objects.count()) == (0, 0)
    add(shelf, "lift")
    with embedding.use(Hashing(384)), pytest.raises(CorpusModelError, match="embedded by 'openai/hash-384'"):
        add(shelf, "crane")
    is_embedded_by(384)
    assert len(models()) == 2


def test_a_model_that_is_not_the_one_it_was(shelf: Collection, server: Embeddings) -> None:
    """Its name means vectors of another length now: nothing is compared with them."""
    add(shelf, "lift")
    EmbeddingModel.objects.update(dimension=96)
    with pytest.raises(CorpusModelError, match="EMBEDDING_MODEL"):
        embedding.provider()


def test_the_model_changes_when_its_writers_have_ended(shelf: Collection) -> None:
    """A transaction that has claimed the old model is waited for."""
    add(shelf, "lift")
    claimed, order = Event(), []

    def hold() -> None:
        try:
            with transaction.atomic():
                embedding.claim(embedding.provider())
                claimed.set()
                Event().wait(0.5)
                order.append("written")
        finally:
            connection.close()

    writer = Thread(target=hold)
    writer.start()
    claimed.wait(5)
    change_to(SECOND)
    order.append("changed")
    writer.join()
    assert order == ["written", "changed"]


def test_two_changes_at_once(shelf: Collection) -> None:
    """The second is refused."""
    add(shelf, "lift")
    refused = []

    def again() -> None:
        try:
            change_to("litellm:openai/hash-30")
        except EmbeddingError as error:
            refused.append(error.message)
        finally:
            connection.close()

    def meanwhile(done: int) -> None:
        second = Thread(target=again)
        second.start()
        second.join()

    change_to(SECOND, after_each=meanwhile)
    assert refused == ["Another reembed is running. Wait until it has finished."]
    is_embedded_by(24)


@pytest.mark.parametrize("dimension", [1600, 1900])
def test_long_vectors(shelf: Collection, dimension: int) -> None:
    """They are in the row at the end, and so are the short ones that follow them."""
    add(shelf, *TOPICS)
    looked = shape()
    change_to(f"litellm:openai/hash-{dimension}")
    is_embedded_by(dimension)
    with whole_library(), connection.cursor() as cursor:
        cursor.execute("SELECT min(pg_column_size(embedding)), max(pg_column_size(embedding)) FROM core_chunk")
        assert cursor.fetchone() == (4 * dimension + 8, 4 * dimension + 8)
    change_to(SECOND)
    is_embedded_by(24)
    assert shape() == looked


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("litellm:openai/hash-1901", "1901 dimensions; the library takes up to 1,900"),
        ("/no/such/folder", "'/no/such/folder' could not be loaded. Check the setting EMBEDDING_MODEL"),
        ("litellm:nobody/model", "EMBEDDING_MODEL"),
    ],
)
def test_a_model_that_cannot_be_used_changes_nothing(shelf: Collection, setting: str, message: str) -> None:
    """The command ends with one line; the table is untouched."""
    add(shelf, "lift")
    looked = shape()
    with pytest.raises(CommandError, match=message):
        call_command("reembed", to=setting)
    assert shape() == looked
    is_embedded_by(384)


def test_the_command_tells_what_it_did(shelf: Collection, server: Embeddings) -> None:
    """Without --to it changes to the model of the setting; an empty corpus only gets the row."""
    out, err = StringIO(), StringIO()
    call_command("reembed", to=SECOND, json=True, stdout=out, stderr=err)
    told = json.loads(out.getvalue())
    assert {name: told[name] for name in ("model", "chunks", "embedded", "unchanged", "cuts")} == {
        "model": "openai/hash-24",
        "chunks": 0,
        "embedded": 0,
        "unchanged": False,
        "cuts": False,
    }
    assert err.getvalue() == f"Set EMBEDDING_MODEL={SECOND} now, for every process.\n"
    assert EmbeddingModel.objects.get().dimension == 24
    add(shelf, "lift")
    is_embedded_by(24)
    out, err = StringIO(), StringIO()
    call_command("reembed", stdout=out, stderr=err)
    assert out.getvalue().startswith(
        "The library's embedding model is now openai/hash-384, with 384 dimensions: 2 of 2 chunks embedded"
    )
    assert err.getvalue() == ""
    out = StringIO()
    call_command("reembed", stdout=out)
    assert out.getvalue() == "The library's embedding model is already openai/hash-384: 2 chunks.\n"
