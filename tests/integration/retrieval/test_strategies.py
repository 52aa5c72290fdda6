"""Every way to search by meaning, beside numpy's exact answer: filters, limits, and the copy in memory as it ages."""

import copy
import datetime as dt
import logging
from collections.abc import Callable, Iterator
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker, Settings

from core.access.grants import grant, revoke
from core.api import search
from core.library import embedding
from core.library.retrieval import access_filter, dense, vector_index
from core.library.retrieval.access_filter import count_permitted, narrows_chunks, select_permitted_chunks
from core.library.retrieval.planner import Plan, Strategy
from core.library.retrieval.vector_copy import current_copy, load_copy
from core.models import Chunk, Document, Role
from core.models.row_security import as_audience, bypass_row_security
from core.models.versions import current_versions
from core.testing import Cast, fast_embedding, make_cast
from core.types import Audience, Filters
from tests.integration.retrieval.library import Work, add_chunks, chunk_ids, fill
from tests.integration.shared_rows import shared_rows
from tests.precision import SAME_SCORE

pytestmark = pytest.mark.usefixtures("fast")
STRATEGIES = [Strategy.EXACT, Strategy.INDEX, Strategy.QUANTISED]
WORDS = [
    "harbour",
    "vault",
    "canteen",
    "minutes",
    "vector",
    "engine",
    "pump",
    "valve",
    "policy",
    "vote",
    "rate",
    "index",
]
DIMENSION = 384


def vectors(count: int, *, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Cast, list[Document]]]:
    """The cast and the library, written once for all tests."""
    with shared_rows(django_db_blocker):
        with django_db_blocker.unblock(), fast_embedding():
            cast = make_cast()
            documents = write_library(cast)
            with connection.cursor() as cursor:  # else PostgreSQL lets nobody build an index within the transaction
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        yield cast, documents


@pytest.fixture
def cast(kept: tuple[Cast, list[Document]], db: None) -> Cast:
    """Alice, Bob and Charlie of the library."""
    return copy.deepcopy(kept[0])


@pytest.fixture
def index(cast: Cast) -> None:
    """The HNSW index, as a larger library has it; built after the rows, which is faster than to add each to it."""
    with connection.cursor() as cursor:
        cursor.execute(vector_index.DEFINITION)


@pytest.fixture
def library(kept: tuple[Cast, list[Document]], fast: None, index: None) -> list[Document]:
    """Twenty documents of twenty chunks: five for staff, five for owners, ten for nobody."""
    return copy.deepcopy(kept[1])


def write_library(cast: Cast) -> list[Document]:
    """Write the documents."""
    works = [
        Work(
            title=f"Title {number:02d}",
            texts=[f"{WORDS[(number + i) % len(WORDS)]} {number} {i}" for i in range(20)],
            vectors=vectors(20, seed=number),
            roles=([cast.staff], [cast.owners], [], [])[number % 4],
            collection=f"Collection {number % 5}",
            document_type=(Document.Type.PAPER, Document.Type.MINUTES)[number // 4 % 2],
            document_date=dt.date(2024, 1, 1) + dt.timedelta(days=number),
            arxiv_id=f"2400.{number:05d}",
            chapter=f"Chapter {number % 3}",
            section=f"Part {number}",
        )
        for number in range(20)
    ]
    return fill(works)


def found(
    strategy: Strategy, audience: Audience, vector: np.ndarray, *, filters: Filters | None = None, limit: int = 20
) -> dense.Nearest:
    """Search by a strategy chosen by hand. The copy is the one that a search would get now."""
    filters = filters or Filters()
    model = embedding.provider().name
    with as_audience(audience) as versions:
        copy = None if narrows_chunks(filters) else current_copy(versions, model)
        assert copy is not None or strategy is not Strategy.QUANTISED or narrows_chunks(filters)
        asked = dense.Search(
            vector=vector, model=model, audience=audience, filters=filters, versions=versions, limit=limit
        )
        permitted = count_permitted(audience, filters, versions)
        return asked.follow(Plan(strategy, ""), permitted=permitted, copy=copy)


def nearest(documents: list[Document], vector: np.ndarray, limit: int = 20) -> dict[UUID, float]:
    """The exact answer among the chunks of these documents, by numpy."""
    with bypass_row_security():
        rows = list(Chunk.objects.filter(document__in=documents).values_list("pk", "embedding"))
    scored = {pk: float(np.asarray(stored) @ vector) for pk, stored in rows}
    return dict(sorted(scored.items(), key=lambda item: -item[1])[:limit])


def assert_nearest(given: dense.Nearest, documents: list[Document], vector: np.ndarray, limit: int = 20) -> None:
    """Exactly the nearest, in their order. The index need not find the nearest, which the planner knows.

    What it finds must be permitted, as many as are wanted, and in the order of their true similarities.
    """
    every = nearest(documents, vector, 1000)
    expected = dict(list(every.items())[:limit])
    if given.plan.strategy is Strategy.INDEX:
        assert given.similarities.keys() <= every.keys()
        assert len(given.similarities) == len(expected)
        assert given.similarities == pytest.approx({pk: every[pk] for pk in given.similarities}, abs=SAME_SCORE)
        assert list(given.similarities.values()) == sorted(given.similarities.values(), reverse=True)
        return
    assert list(given.similarities) == list(expected)
    assert given.similarities == pytest.approx(expected, abs=SAME_SCORE)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("people", [("alice",), ("bob",), ("alice", "bob")], ids="-".join)
def test_the_nearest_of_what_may_be_read_are_found(
    cast: Cast, library: list[Document], strategy: Strategy, people: tuple[str, ...]
) -> None:
    """All twenty, in their order, for several questions, though three quarters of the library are forbidden to Bob."""
    load_copy(embedding.provider().name)
    readable = [d for n, d in enumerate(library) if n % 4 == 0 or (n % 4 == 1 and people == ("alice",))]
    audience = cast.audience(*(getattr(cast, name) for name in people))
    for vector in vectors(5, seed=99):
        for limit in (1, 20, 90):
            given = found(strategy, audience, vector, limit=limit)
            assert_nearest(given, readable, vector, limit)


@pytest.mark.parametrize(
    ("listed", "listed_of_large", "small_share", "given_as"),
    [
        (5, 0, 0.2, "document_id = ANY("),
        (4, 5, 0.25, "document_id = ANY("),
        (4, 4, 0.25, "footnote_is_among(document_number"),
        (4, 5, 0.2, "footnote_is_among(document_number"),
    ],
)
def test_the_documents_of_a_channel_are_given_as_a_list_or_as_bits(
    cast: Cast,
    library: list[Document],
    monkeypatch: pytest.MonkeyPatch,
    listed: int,
    listed_of_large: int,
    small_share: float,
    given_as: str,
) -> None:
    """Five of twenty are shared: listed where so many are, or so many of a large library and a small share of it."""
    monkeypatch.setattr(access_filter, "_MOST_LISTED", listed)
    monkeypatch.setattr(access_filter, "_MOST_LISTED_OF_LARGE", listed_of_large)
    monkeypatch.setattr(access_filter, "_SMALL_SHARE", small_share)
    role = Role.objects.create(name="newcomers")
    grant(role, library[:17:2], by=None)
    vector = vectors(1, seed=97)[0]
    with CaptureQueriesContext(connection) as queries:
        given = found(Strategy.EXACT, Audience.of([[cast.staff.pk], [role.pk]]), vector)
    assert_nearest(given, library[::4], vector)
    [statement] = [query["sql"] for query in queries.captured_queries if "<=>" in query["sql"]]
    assert given_as in statement.replace('"', "").replace("core_chunk.", "")


NARROWED = {
    "source by title": (Filters(source="title 04"), {4}),
    "source by address": (Filters(source="library.example/title-08"), {8}),
    "source by arXiv number": (Filters(source="2400.00012"), {12}),
    "source that is forbidden": (Filters(source="Title 02"), set()),
    "type": (Filters(document_type=Document.Type.MINUTES), {4, 12}),
    "collection": (Filters(collection="collection 3"), {8}),
    "from a date": (Filters(date_from=dt.date(2024, 1, 13)), {12, 16}),
    "to a date": (Filters(date_to=dt.date(2024, 1, 5)), {0, 4}),
    "dates": (Filters(date_from=dt.date(2024, 1, 5), date_to=dt.date(2024, 1, 9)), {4, 8}),
    "chapter": (Filters(chapter="chapter 1"), {4, 16}),
    "section": (Filters(section="Part 16"), {16}),
    "type and chapter": (Filters(document_type=Document.Type.MINUTES, chapter="Chapter 0"), {12}),
    "none that there is": (Filters(collection="Collection 9"), set()),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("narrowed", NARROWED)
def test_a_filter_narrows_within_the_search(
    cast: Cast, library: list[Document], strategy: Strategy, narrowed: str
) -> None:
    """The nearest of what is left, as many as are wanted: not those among the nearest of all that match."""
    load_copy(embedding.provider().name)
    filters, numbers = NARROWED[narrowed]
    audience = cast.audience(cast.bob)
    left = [library[number] for number in numbers]
    vector = vectors(1, seed=98)[0]
    assert_nearest(found(strategy, audience, vector, filters=filters), left, vector)
    with as_audience(audience):
        assert set(select_permitted_chunks(audience, filters).values_list("pk", flat=True)) == chunk_ids(*left)


@pytest.mark.parametrize("narrowed", NARROWED)
def test_a_filter_narrows_both_kinds_of_candidates(cast: Cast, library: list[Document], narrowed: str) -> None:
    """By words, the whole search gives no chunk that the filter leaves out, and all that it leaves."""
    filters, numbers = NARROWED[narrowed]
    given = search(" ".join(WORDS), audience=cast.audience(cast.bob), filters=filters, k=50)
    ids = {passage.chunk_id for passage in given.passages}
    left = chunk_ids(*(library[number] for number in numbers)) if numbers else set()
    assert len(ids) == len(given.passages) == min(50, len(left))
    assert ids <= left
    assert not given.is_short


class TestTheCopy:
    """A copy that was loaded once follows every change, and gives exactly what comparing everything gives."""

    @pytest.fixture(autouse=True)
    def loaded(self, library: list[Document], cast: Cast) -> None:
        """The copy of the library, used once by everybody."""
        load_copy(embedding.provider().name)
        for people in ((cast.alice,), (cast.bob,), (cast.alice, cast.bob)):
            found(Strategy.QUANTISED, cast.audience(*people), vectors(1, seed=1)[0])

    def assert_as_exact(self, audience: Audience, documents: list[Document]) -> None:
        for vector in vectors(3, seed=97):
            for limit in (20, 200):
                quantised = found(Strategy.QUANTISED, audience, vector, limit=limit)
                exact = found(Strategy.EXACT, audience, vector, limit=limit)
                assert quantised.similarities == exact.similarities
                assert list(quantised.similarities) == list(exact.similarities)
                assert_nearest(quantised, documents, vector, limit)

    @pytest.fixture
    def staffs(self, library: list[Document]) -> list[Document]:
        """Bob's documents."""
        return library[::4]

    def test_nothing_changed(self, cast: Cast, staffs: list[Document]) -> None:
        """And nothing is read again."""
        self.assert_as_exact(cast.audience(cast.bob), staffs)

    def test_a_new_document(self, cast: Cast, staffs: list[Document]) -> None:
        """It is found as soon as it is stored."""
        [new] = fill([Work(title="New", texts=[], roles=[cast.staff])])
        add_chunks(new, ["new"] * 20, vectors=vectors(20, seed=50))
        self.assert_as_exact(cast.audience(cast.bob), [*staffs, new])

    def test_a_replaced_document(self, cast: Cast, staffs: list[Document]) -> None:
        """With as many chunks as before, with more, with fewer."""
        for count, seed in ((20, 51), (30, 52), (5, 53)):
            add_chunks(staffs[1], ["again"] * count, vectors=vectors(count, seed=seed))
            self.assert_as_exact(cast.audience(cast.bob), staffs)

    def test_a_deleted_document(self, cast: Cast, staffs: list[Document]) -> None:
        """Its chunks are no candidates any more, also when it was the last that was added."""
        [new] = fill([Work(title="New", texts=[], roles=[cast.staff])])
        add_chunks(new, ["new"] * 20, vectors=vectors(20, seed=50))
        self.assert_as_exact(cast.audience(cast.bob), [*staffs, new])
        new.delete()
        staffs[0].delete()
        self.assert_as_exact(cast.audience(cast.bob), staffs[1:])

    def test_all_documents_deleted(self, cast: Cast) -> None:
        """Nothing is found, and what comes afterwards is."""
        Document.objects.all().delete()
        assert found(Strategy.QUANTISED, cast.audience(cast.bob), vectors(1, seed=1)[0]).similarities == {}
        [new] = fill([Work(title="New", texts=[], roles=[cast.staff])])
        add_chunks(new, ["new"] * 20, vectors=vectors(20, seed=50))
        self.assert_as_exact(cast.audience(cast.bob), [new])

    def test_a_grant_and_its_revocation(self, cast: Cast, library: list[Document], staffs: list[Document]) -> None:
        """They count with the next search, for a person and for a channel."""
        for audience in (cast.audience(cast.bob), cast.audience(cast.alice, cast.bob)):
            grant(cast.staff, [library[2]], by=None)
            self.assert_as_exact(audience, [*staffs, library[2]])
            revoke(cast.staff, [library[2], staffs[3]], by=None)
            self.assert_as_exact(audience, [*staffs[:3], staffs[4]])
            grant(cast.staff, [staffs[3]], by=None)
            self.assert_as_exact(audience, staffs)

    def test_all_grants_revoked_and_given_again(self, cast: Cast, staffs: list[Document]) -> None:
        """The count that the planner keeps follows as well: what was nothing is something again."""
        audience = cast.audience(cast.bob)
        revoke(cast.staff, staffs, by=None)
        assert search("harbour", audience=audience).passages == ()
        grant(cast.staff, staffs, by=None)
        assert {p.chunk_id for p in search("harbour", audience=audience, k=50).passages} <= chunk_ids(*staffs)
        assert len(search("harbour", audience=audience, k=50).passages) == 50
        self.assert_as_exact(audience, staffs)

    def test_a_first_grant(self, library: list[Document]) -> None:
        """A former reader of nothing is not still counted as such."""
        role = Role.objects.create(name="newcomers")
        audience = Audience.of([[role.pk]])
        assert search("harbour", audience=audience).passages == ()
        grant(role, [library[2]], by=None)
        assert len(search("harbour", audience=audience, k=50).passages) == 20
        self.assert_as_exact(audience, [library[2]])

    def test_the_numbers_of_rows_follow(self, cast: Cast, library: list[Document]) -> None:
        """The copy holds each chunk of the library once, and no other."""
        add_chunks(library[3], ["again"] * 7, vectors=vectors(7, seed=54))
        library[5].delete()
        copy = current_copy(current_versions(), embedding.provider().name)
        assert copy is not None
        ids = [UUID(bytes=pk.tobytes()) for pk in copy.vectors.ids]
        assert sorted(ids) == sorted(chunk_ids(*Document.objects.all()))


def test_a_copy_that_would_be_too_large_is_not_kept(cast: Cast, library: list[Document], settings: Settings) -> None:
    """The search goes on without."""
    settings.VECTOR_MEMORY_MB = 0
    load_copy(embedding.provider().name)
    assert current_copy(current_versions(), embedding.provider().name) is None
    assert len(search("harbour", audience=cast.audience(cast.bob), k=50).passages) == 50


@pytest.mark.usefixtures("library")
def test_a_copy_that_would_be_too_large_is_not_read_for_every_search(
    settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """That it does not fit is known until the library changes."""
    settings.VECTOR_MEMORY_MB = 0
    model = embedding.provider().name
    load_copy(model)
    versions = current_versions()
    with django_assert_num_queries(0):
        assert current_copy(versions, model) is None


def test_another_models_chunks_are_not_compared(cast: Cast, library: list[Document]) -> None:
    """Their vectors mean something else; no strategy takes them."""
    with bypass_row_security():
        Chunk.objects.filter(document=library[0]).update(embedding_model="another")
    load_copy(embedding.provider().name)
    vector = vectors(1, seed=96)[0]
    for strategy in STRATEGIES:
        given = found(strategy, cast.audience(cast.bob), vector, limit=80)
        assert given.similarities.keys() == chunk_ids(*library[4::4])


@pytest.mark.parametrize("wanted", [pytest.param(60, marks=pytest.mark.slow), 90])
def test_an_index_that_gives_too_few_is_not_relied_on(
    cast: Cast, library: list[Document], wanted: int, caplog: pytest.LogCaptureFixture
) -> None:
    """If its walk ends early, every permitted chunk is compared, and the plan says so."""
    [towards] = vectors(1, seed=95)
    crowd = towards + 0.02 * vectors(1500, seed=93)
    add_chunks(library[2], ["crowd"] * 1500, vectors=crowd)  # forbidden, and nearer than all that is permitted
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL hnsw.max_scan_tuples = 1")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")  # else so small a library is compared whole
    with caplog.at_level(logging.INFO, logger="core.library.retrieval.dense"):
        given = found(Strategy.INDEX, cast.audience(cast.bob), towards, limit=wanted)
    assert_nearest(given, library[::4], towards, wanted)
    assert [record.message for record in caplog.records] == ["index_fell_short"]
    assert given.plan.strategy is Strategy.EXACT


def test_without_an_index_the_same_is_found(cast: Cast, library: list[Document]) -> None:
    """An index that was dropped, or is not yet built, costs time and no result."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {vector_index.NAME}")
    vector = vectors(1, seed=94)[0]
    for strategy in (Strategy.INDEX, Strategy.EXACT):
        assert_nearest(found(strategy, cast.audience(cast.bob), vector), library[::4], vector)
    assert len(search("harbour", audience=cast.audience(cast.bob), k=50).passages) == 50


def test_a_grant_that_is_taken_away_before_the_passages_are_read_counts(cast: Cast, library: list[Document]) -> None:
    """Found as candidates, and forbidden by the time that their text is read: no passage, and no other instead."""
    revoked: list[str] = []

    def revoke_before_reading(execute: object, sql: str, *rest: object) -> object:
        if not revoked and '"core_chunk"."content"' in sql.partition(" FROM ")[0]:
            revoked.append(sql)
            revoke(cast.staff, library[4:], by=None)
        return execute(sql, *rest)  # type: ignore[operator]

    with connection.execute_wrapper(revoke_before_reading):
        given = search("harbour vault", audience=cast.audience(cast.bob), k=50)
    assert revoked
    assert {passage.document_id for passage in given.passages} <= {library[0].pk}


def test_a_grant_may_be_taken_away_at_any_moment(cast: Cast, library: list[Document]) -> None:
    """Before each of a search's statements in turn: no error, and no passage whose text was not yet read by then."""
    with bypass_row_security():  # found by words alone, so that its similarity is looked up last
        Chunk.objects.filter(document=library[4]).update(embedding_model="another")
    audience = cast.audience(cast.bob)
    asked = Moment(at=-1, then=lambda: None)
    with connection.execute_wrapper(asked):
        given = search("Title 04, part 4", audience=audience, k=50)
    assert library[4].pk in {passage.document_id for passage in given.passages}
    assert asked.read_at > 0
    for moment in range(asked.seen):
        at_moment = Moment(at=moment, then=lambda: revoke(cast.staff, [library[4]], by=None))
        with connection.execute_wrapper(at_moment):
            given = search("Title 04, part 4", audience=audience, k=50)
        found_after = library[4].pk in {passage.document_id for passage in given.passages}
        assert not (found_after and moment <= at_moment.read_at), moment
        grant(cast.staff, [library[4]], by=None)


class Moment:
    """Does something before one of the statements that are executed."""

    def __init__(self, *, at: int, then: Callable[[], object]) -> None:
        self.seen = 0
        self.read_at = -1  # the statement that reads text
        self._at, self._then = at, then
        self._is_done = False

    def __call__(self, execute: Callable[..., object], sql: str, *rest: object) -> object:
        """Count a statement; see connection.execute_wrapper."""
        if self._is_done and self.read_at >= 0:
            return execute(sql, *rest)
        if '"core_chunk"."content"' in sql.partition(" FROM ")[0]:
            self.read_at = self.seen
        if self.seen == self._at and not self._is_done:
            self._is_done = True
            self._then()
        self.seen += 1
        return execute(sql, *rest)
