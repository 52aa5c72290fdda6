"""A library in an engine on loopback: searched through it, fed, built anew, compared, behind, lying and away."""

import io
import json
from collections.abc import Callable
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from qdrant_client import QdrantClient, models

from core.access.grants import grant, revoke
from core.api import search
from core.errors import EngineError
from core.infrastructure.measures.families import ENGINE_MISSES
from core.library import embedding
from core.library.retrieval import by_engine, dense, planner
from core.library.retrieval.planner import Strategy
from core.library.vector_engine import collections, feeding
from core.library.vector_engine.building import keep_up, rebuild, resume
from core.library.vector_engine.collections import begin, building, served
from core.library.vector_engine.qdrant import Engine, engine
from core.library.vector_engine.verifying import Drift, verify
from core.models import Chunk, Document, EmbeddingModel, EngineChange, EngineCollection
from core.models.row_security import as_audience, bypass_row_security
from core.testing import Cast
from core.types import Audience, Filters
from tests.integration.counted import count_from_now
from tests.integration.retrieval.commands import run
from tests.integration.retrieval.library import Work, add_chunks, chunk_ids, fill
from tests.integration.vector_engine.qdrant_server import NO_SERVER, QdrantServer

DIMENSION = 384
LIMIT = 30
Missed = Callable[[], dict[str, int]]
MEASURED = ("benchmark_index", "--questions", "3", "--k", "5", "--strategies", "engine,exact", "--no-store")


def vectors(count: int, *, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture
def library(cast: Cast, fast: None) -> list[Document]:
    """Twelve documents of ten chunks: four for staff, four for owners, four for nobody."""
    works = [
        Work(
            title=f"Title {number:02d}",
            texts=[f"lamp {number} {i}" for i in range(10)],
            vectors=vectors(10, seed=number),
            roles=([cast.staff], [cast.owners], [])[number % 3],
            collection=f"Collection {number % 2}",
        )
        for number in range(12)
    ]
    return fill(works)


@pytest.fixture
def built(library: list[Document], server: QdrantServer, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The library in the engine, which is always the cheapest way to search."""
    monkeypatch.setattr(planner, "_ENGINE_MS", -1000.0)
    asked = engine()
    assert asked is not None
    rebuild(asked)
    return asked


def find(audience: Audience, *, seed: int = 99, filters: Filters | None = None, limit: int = LIMIT) -> dense.Nearest:
    with as_audience(audience) as versions:
        return dense.Search(
            vector=vectors(1, seed=seed)[0],
            model=embedding.provider().name,
            audience=audience,
            filters=filters or Filters(),
            versions=versions,
            limit=limit,
        ).run()


def truth(*documents: Document, seed: int = 99, limit: int = LIMIT) -> list[UUID]:
    """The nearest chunks of documents, by numpy."""
    with bypass_row_security():
        rows = list(Chunk.objects.filter(document__in=documents).values_list("pk", "embedding"))
    near = {pk: float(np.asarray(vector) @ vectors(1, seed=seed)[0]) for pk, vector in rows}
    return sorted(near, key=lambda pk: -near[pk])[:limit]


@pytest.fixture
def missed() -> Missed:
    """Count the searches of the test that went on without the engine, by reason."""
    risen = count_from_now()

    def count() -> dict[str, int]:
        counts = {reason: int(risen("footnote_engine_not_used_total", reason=reason)) for reason in ENGINE_MISSES}
        return {reason: number for reason, number in counts.items() if number}

    return count


@pytest.fixture
def _no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody searches while a collection takes the place of another: it is not waited for."""
    monkeypatch.setattr(collections, "_wait_for_searches", lambda: None)


def names(server: QdrantServer) -> set[str]:
    return {each.name for each in server.client.get_collections().collections}


def served_name() -> str:
    collection = served()
    assert collection is not None
    return collection.name


def held(server: QdrantServer) -> dict[UUID, int]:
    """The ids that the served collection holds, with their documents' numbers."""
    points, _ = server.client.scroll(served_name(), limit=10_000)
    return {UUID(str(point.id)): (point.payload or {})["document"] for point in points}


@pytest.mark.usefixtures("built")
class TestSearching:
    """Through an engine that is in step."""

    def test_it_finds_what_can_be_read(self, cast: Cast, library: list[Document]) -> None:
        """The true neighbours, for readers of one and of several role sets."""
        for audience, readable in (
            (cast.audience(cast.bob), library[0::3]),
            (cast.audience(cast.alice), library[0::3] + library[1::3]),
            (cast.audience(cast.alice, cast.bob), library[0::3]),
        ):
            nearest = find(audience)
            assert nearest.plan.strategy is Strategy.ENGINE
            assert list(nearest.similarities) == truth(*readable)

    def test_it_holds_no_words(self, server: QdrantServer, library: list[Document]) -> None:
        """Ids, vectors, and two numbers."""
        points, _ = server.client.scroll(served_name(), limit=1000)
        assert {UUID(str(point.id)) for point in points} == chunk_ids(*library)
        assert {frozenset(point.payload or {}) for point in points} == {frozenset({"class", "document"})}
        assert "lamp" not in json.dumps(server.bodies)
        assert "Title" not in json.dumps(server.bodies)

    def test_filters_of_documents_go_along(self, cast: Cast, library: list[Document]) -> None:
        """As the numbers of the documents that they leave."""
        nearest = find(cast.audience(cast.bob), filters=Filters(collection="Collection 1"))
        assert nearest.plan.strategy is Strategy.ENGINE
        assert list(nearest.similarities) == truth(library[3], library[9])

    def test_filters_of_chunks_are_for_postgresql(self, cast: Cast) -> None:
        """The engine knows nothing of chapters."""
        assert find(cast.audience(cast.bob), filters=Filters(chapter="any")).plan.strategy is not Strategy.ENGINE

    def test_another_model_is_not_looked_for(self, missed: Missed, cast: Cast, library: list[Document]) -> None:
        """The engine's vectors mean something else then."""
        EngineCollection.objects.update(model="another")
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is not Strategy.ENGINE
        assert list(nearest.similarities) == truth(*library[0::3])
        assert missed() == {"not built": 1}


@pytest.mark.usefixtures("built")
class TestBehind:
    """Tests of an engine that has not got the changes yet."""

    def test_what_waits_is_compared_beside_it(self, cast: Cast, library: list[Document]) -> None:
        """Granted, revoked, replaced, deleted and new documents are found as if the engine knew."""
        grant(cast.staff, [library[2]], by=None)
        revoke(cast.staff, [library[0]], by=None)
        add_chunks(library[3], ["again"] * 7, vectors=vectors(7, seed=54))
        library[6].delete()
        new = fill([Work(title="New", texts=["lamp"] * 4, vectors=vectors(4, seed=77), roles=[cast.staff])])
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is Strategy.ENGINE
        assert list(nearest.similarities) == truth(library[2], library[3], library[9], *new)

    def test_more_is_asked_for_when_too_much_is_thrown_out(
        self, cast: Cast, library: list[Document], server: QdrantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Until enough is left."""
        monkeypatch.setattr("core.library.retrieval.by_engine._MORE", 0)
        revoke(cast.staff, library[0:7:3], by=None)
        grant(cast.staff, library[1:5:3], by=None)
        server.asked.clear()
        nearest = find(cast.audience(cast.bob), limit=8)
        assert nearest.plan.strategy is Strategy.ENGINE
        assert list(nearest.similarities) == truth(library[9], library[1], library[4], limit=8)
        assert server.asked.count("POST /points/query") > 1

    def test_too_far_behind_is_not_used(
        self, missed: Missed, cast: Cast, library: list[Document], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """More changes wait than can be compared, and than may be missed."""
        monkeypatch.setattr("core.library.retrieval.by_engine._MOST_COMPARED", 1)
        grant(cast.staff, library[1:5:3], by=None)
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is not Strategy.ENGINE
        assert set(nearest.similarities) == set(truth(*library[0::3], library[1], library[4]))
        assert missed() == {"behind": 1}
        monkeypatch.setattr("core.library.retrieval.by_engine._MOST_BEHIND", 1.0)
        assert find(cast.audience(cast.bob)).plan.strategy is Strategy.ENGINE


@pytest.mark.usefixtures("built")
class TestLying:
    """Tests that the engine's claims decide nothing."""

    def test_a_class_that_lies_shows_nothing(self, cast: Cast, library: list[Document], server: QdrantServer) -> None:
        """Every chunk in the class that Bob may read: he gets his own documents, Charlie nothing."""
        collection = served()
        assert collection is not None
        point = server.client.retrieve(collection.name, [str(next(iter(chunk_ids(library[0]))))])[0]
        server.client.set_payload(collection.name, {"class": (point.payload or {})["class"]}, points=models.Filter())
        nearest = find(cast.audience(cast.bob), limit=200)
        assert nearest.plan.strategy is Strategy.ENGINE
        assert nearest.similarities.keys() == chunk_ids(*library[0::3])
        assert nearest.permitted == 40
        shown = search("lamp", audience=cast.audience(cast.bob), k=50).passages
        assert {passage.document_id for passage in shown} <= {document.pk for document in library[0::3]}
        assert find(cast.audience(cast.charlie)).similarities == {}

    def test_the_rule_holds_without_the_database_under_it(
        self, cast: Cast, library: list[Document], server: QdrantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Classes that the product itself gets wrong, too."""
        numbers = tuple(range(100))
        monkeypatch.setattr("core.library.retrieval.candidates.list_permitted_classes", lambda *_: numbers)
        assert find(cast.audience(cast.bob), limit=200).similarities.keys() == chunk_ids(*library[0::3])

    def test_ids_of_nothing_are_nothing(self, cast: Cast, library: list[Document], server: QdrantServer) -> None:
        """Ids that only the engine has are discarded."""
        collection = served()
        assert collection is not None
        strange = [
            models.PointStruct(id=str(uuid4()), vector=vectors(1, seed=99)[0].tolist(), payload={"class": number})
            for number in range(20)
        ]
        server.client.upsert(collection.name, strange)
        assert list(find(cast.audience(cast.bob)).similarities) == truth(*library[0::3])


@pytest.mark.usefixtures("built")
class TestAway:
    """Nobody who asks notices."""

    def test_stopped(self, missed: Missed, cast: Cast, library: list[Document], server: QdrantServer) -> None:
        """Today's strategies find the same; then the engine is left alone for a while, and asked again after it."""
        server.stop()
        for _ in range(2):
            nearest = find(cast.audience(cast.bob))
            assert nearest.plan.strategy is Strategy.EXACT
            assert list(nearest.similarities) == truth(*library[0::3])
        assert missed() == {"away": 1, "paused": 1}
        server.start()
        by_engine._paused_until = 0.0
        assert find(cast.audience(cast.bob)).plan.strategy is Strategy.ENGINE

    def test_slow(
        self, missed: Missed, cast: Cast, library: list[Document], server: QdrantServer, settings: Settings
    ) -> None:
        """After the time limit."""
        settings.VECTOR_ENGINE_TIMEOUT_S = 0.1
        server.delay_s = 0.5
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is Strategy.EXACT
        assert list(nearest.similarities) == truth(*library[0::3])
        assert missed() == {"slow": 1}

    @pytest.mark.parametrize("said", [{}, [], {"points": [{}]}, {"points": [{"id": "lamp"}]}, {"points": None}])
    def test_an_answer_that_is_none(
        self, said: object, missed: Missed, cast: Cast, library: list[Document], server: QdrantServer
    ) -> None:
        """Any server may be at the address: nothing is believed, and the search goes on."""
        server.say_instead = said
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is Strategy.EXACT
        assert list(nearest.similarities) == truth(*library[0::3])
        assert missed() == {"error": 1}

    def test_without_its_collection(
        self, missed: Missed, cast: Cast, library: list[Document], server: QdrantServer
    ) -> None:
        """As after its disk was lost: an error like any other, until it is built anew."""
        collection = served()
        assert collection is not None
        server.client.delete_collection(collection.name)
        assert list(find(cast.audience(cast.bob)).similarities) == truth(*library[0::3])
        assert missed() == {"lost": 1}
        revoke(cast.staff, [library[0]], by=None)
        keep_up()
        assert served() is None
        asked = engine()
        assert asked is not None
        rebuild(asked)
        by_engine._paused_until = 0.0
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is Strategy.ENGINE
        assert list(nearest.similarities) == truth(*library[3::3])

    def test_a_building_that_cannot_begin_leaves_nothing(self, server: QdrantServer, built: Engine) -> None:
        """The served collection is still fed."""
        server.stop()
        with pytest.raises(EngineError):
            rebuild(built)
        assert building() is None
        assert served() is not None

    def test_short(self, missed: Missed, cast: Cast, library: list[Document], server: QdrantServer) -> None:
        """PostgreSQL compares everything if the engine has lost some of its chunks."""
        collection = served()
        assert collection is not None
        lost = [str(pk) for pk in list(chunk_ids(*library[0::3]))[:15]]
        server.client.delete(collection.name, models.PointIdsList(points=lost))
        nearest = find(cast.audience(cast.bob))
        assert nearest.plan.strategy is Strategy.EXACT
        assert list(nearest.similarities) == truth(*library[0::3])
        assert missed() == {"short": 1}


@pytest.mark.usefixtures("built")
class TestMeasured:
    """manage.py benchmark_index on the library as it is."""

    def test_the_collection_is_asked_and_stays(self, server: QdrantServer) -> None:
        """Each role finds the true neighbours among what it may read, and the engine holds what it held."""
        before = held(server)
        lines, said = run(*MEASURED)
        assert NO_SERVER in said
        of_roles = [line for line in lines if line["grants"] == "roles"]
        assert {(line["strategy"], line["share"]) for line in of_roles} == {
            (way, round(100 / 3, 3)) for way in ("engine", "exact")
        }
        for line in of_roles:
            assert line["index_type"] == line["strategy"]
            assert (line["recall_min"], line["short_results"], line["forbidden"]) == (1.0, 0, 0), line
        assert held(server) == before

    def test_an_engine_that_cannot_tell_finds_nothing(self, server: QdrantServer, settings: Settings) -> None:
        """There is no other way behind it that would be measured in its place."""
        settings.VECTOR_ENGINE_TIMEOUT_S = 0.3
        client, server.client = server.client, QdrantClient(":memory:")
        lines, _ = run(*MEASURED)
        server.client = client
        found = {(line["strategy"], line["recall_at_k"], line["short_results"]) for line in lines}
        assert found == {("engine", 0.0, 3), ("exact", 1.0, 0)}

    def test_what_is_not_there_is_left_out(self, server: QdrantServer, settings: Settings) -> None:
        """Without a collection, and without an engine; one that is away is an error before anything is measured."""
        server.stop()
        with pytest.raises(CommandError, match="cannot be reached"):
            run(*MEASURED)
        server.start()
        EngineCollection.objects.all().delete()
        for url in (settings.VECTOR_ENGINE_URL, ""):
            settings.VECTOR_ENGINE_URL = url
            lines, said = run(*MEASURED)
            assert {line["strategy"] for line in lines} == {"exact"}
            assert "Left out: engine, because VECTOR_ENGINE_URL names no engine" in said


@pytest.mark.usefixtures("transactional_db")
def test_a_synthetic_library_has_a_collection_of_its_own(server: QdrantServer, settings: Settings) -> None:
    """It is gone afterwards, and the library's own stays. None is built over another's of the same number."""
    settings.VECTOR_ENGINE_TIMEOUT_S = 20.0
    size = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
    for number in range(1, 4):
        server.client.create_collection(f"footnote_{number}", vectors_config=size)
    lines, _ = run(
        *("benchmark_index", "--synthetic", "1000", "--questions", "2", "--shares", "50", "--candidates", "100"),
        *("--strategies", "engine,exact", "--no-store"),
    )
    assert {(line["strategy"], line["audience"]) for line in lines} == set(
        product(("engine", "exact"), ("one", "channel"))
    )
    for line in lines:
        assert (line["recall_min"], line["short_results"], line["forbidden"]) == (1.0, 0, 0), line
        assert (line["build_s"] > 0) == (line["strategy"] == "engine")
    assert "PUT /points" in server.asked
    assert names(server) == {f"footnote_{number}" for number in range(1, 4)}
    assert not EngineCollection.called


class TestFeeding:
    """The outbox, drained by batches."""

    def test_it_is_told_all(self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine) -> None:
        """Chunks may be new, replaced, embedded anew, moved or gone; afterwards nothing waits and nothing differs."""
        grant(cast.staff, [library[2]], by=None)
        revoke(cast.staff, [library[0]], by=None)
        add_chunks(library[3], ["again"] * 7, vectors=vectors(7, seed=54))
        library[6].delete()
        fill([Work(title="New", texts=["lamp"] * 4, vectors=vectors(4, seed=77), roles=[cast.staff])])
        with bypass_row_security():
            Chunk.objects.filter(document=library[9]).update(embedding=vectors(1, seed=78)[0])
        keep_up()
        assert not EngineChange.objects.exists()
        assert held(server).keys() == chunk_ids(*Document.objects.all())
        assert verify(built) == Drift(compared=10 * 10 + 7 + 4)

    def test_a_move_sends_no_vectors(
        self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine
    ) -> None:
        """The numbers of the documents, once."""
        grant(cast.staff, library[2:9:3], by=None)
        server.asked.clear()
        feeding.drain(built)
        assert server.asked == ["POST /points/payload"]

    def test_what_was_broken_off_is_told_again(
        self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine
    ) -> None:
        """A row goes with what it speaks of, not before."""
        add_chunks(library[3], ["again"] * 7, vectors=vectors(7, seed=54))
        waiting = feeding.count_waiting()
        server.stop()
        keep_up()
        assert feeding.count_waiting() == waiting > 0
        server.start()
        keep_up()
        assert held(server).keys() == chunk_ids(*Document.objects.all())

    def test_an_engine_that_was_away_too_long_is_given_up(
        self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And nothing is written down for it any more."""
        monkeypatch.setattr(feeding, "_MOST_CHANGES", 2)
        server.stop()
        grant(cast.staff, library[2:12:3], by=None)
        keep_up()
        assert not (EngineCollection.objects.exists())
        assert not (EngineChange.objects.exists())
        grant(cast.owners, library[2:12:3], by=None)
        assert not EngineChange.objects.exists()

    def test_an_engine_that_is_taken_out_of_the_settings(
        self, library: list[Document], built: Engine, settings: Settings
    ) -> None:
        """The database stops writing changes down within a minute."""
        settings.VECTOR_ENGINE_URL = ""
        keep_up()
        assert not EngineCollection.objects.exists()


class TestBuilding:
    """Beside the collection that is served."""

    def test_changes_go_to_both(self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine) -> None:
        """The old one is searched until the new one is complete, and dropped then."""
        old = served()
        begin(built)
        add_chunks(library[3], ["again"] * 7, vectors=vectors(7, seed=54))
        feeding.drain(built)
        assert list(find(cast.audience(cast.bob)).similarities) == truth(*library[0::3])
        assert served() == old
        resume(built)
        new = served()
        assert new is not None
        assert new != old
        assert building() is None
        assert built.list_names() == [new.name]
        assert held(server).keys() == chunk_ids(*Document.objects.all())

    @pytest.mark.usefixtures("_no_search")
    def test_a_building_goes_on_where_it_was_broken_off(
        self, library: list[Document], server: QdrantServer, built: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the document after the last that the engine has."""
        monkeypatch.setattr("core.library.vector_engine.building._DOCUMENTS", 5)
        collection = begin(built)
        collection.built_to = sorted(Document.objects.values_list("number", flat=True))[4]
        collection.save()
        assert resume(built) == 70

    @pytest.mark.usefixtures("_no_search")
    def test_collections_of_other_installations_stay(
        self, server: QdrantServer, built: Engine, settings: Settings
    ) -> None:
        """One that this one left goes; those of others, and of what is no installation, stay, however alike."""
        size = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
        others = {"footnote_staging_1", "footnote_2_1", "footnotes_1", "footnote_", "benchmark_of_footnote_1"}
        for name in (*others, "footnote_999999"):
            server.client.create_collection(name, vectors_config=size)
        own = served_name()
        keep_up()
        assert names(server) == {*others, own}
        settings.VECTOR_ENGINE_NAME = "footnote_staging"
        rebuild(built)
        assert names(server) == {*others - {"footnote_staging_1"}, own, served_name()}

    @pytest.mark.usefixtures("_no_search")
    def test_a_library_with_another_model_is_built_anew(
        self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine
    ) -> None:
        """The worker does it by itself."""
        with bypass_row_security():
            Chunk.objects.update(embedding_model="another")
        EmbeddingModel.objects.update(name="another")
        keep_up()
        collection = served()
        assert collection is not None
        assert collection.model == "another"
        assert held(server).keys() == chunk_ids(*library)


class TestCommand:
    """manage.py index_sync."""

    def run(self, *options: str) -> dict[str, Any]:
        out = io.StringIO()
        call_command("index_sync", *options, "--json", stdout=out)
        found: dict[str, Any] = json.loads(out.getvalue())
        return found

    def test_drift_is_found_and_mended(
        self, cast: Cast, library: list[Document], server: QdrantServer, built: Engine
    ) -> None:
        """Missing, left over, in the wrong class, with another vector: each is counted, and right afterwards."""
        collection = served()
        assert collection is not None
        ids = [str(pk) for pk in sorted(chunk_ids(library[0], library[1]))]
        name = collection.name
        server.client.delete(name, models.PointIdsList(points=ids[:2]))
        server.client.set_payload(name, {"class": 12345}, points=ids[2:5])
        server.client.update_vectors(name, [models.PointVectors(id=ids[5], vector=vectors(1, seed=5)[0].tolist())])
        for number in (-7, library[4].number, 1_000_000):
            payload = {"class": 1, "document": number}
            point = models.PointStruct(id=str(uuid4()), vector=vectors(1, seed=6)[0].tolist(), payload=payload)
            server.client.upsert(name, [point])
        out = io.StringIO()
        with pytest.raises(SystemExit):
            call_command("index_sync", "--verify", "--json", stdout=out)
        drift = {
            key: json.loads(out.getvalue())[key] for key in ("missing", "left_over", "wrong_class", "other_vector")
        }
        assert drift == {"missing": 2, "left_over": 3, "wrong_class": 3, "other_vector": 1}
        assert self.run("--verify")["missing"] == 0
        assert held(server).keys() == chunk_ids(*library)

    def test_rebuilding_and_telling(self, cast: Cast, library: list[Document], server: QdrantServer) -> None:
        """From nothing to a collection that is served and in step."""
        assert self.run("--rebuild") | {"served": ""} == {
            "built": 120,
            "served": "",
            "chunks": 120,
            "waiting": 0,
            "is_used": True,
        }
        grant(cast.staff, [library[2]], by=None)
        assert self.run()["told"] == 1

    def test_what_cannot_be_done_is_said(
        self, library: list[Document], settings: Settings, server: QdrantServer
    ) -> None:
        """Without a collection, without a server, without a setting."""
        with pytest.raises(CommandError, match="--rebuild"):
            self.run("--verify")
        server.stop()
        with pytest.raises(CommandError, match="cannot be reached"):
            self.run("--rebuild")
        settings.VECTOR_ENGINE_URL = ""
        with pytest.raises(CommandError, match="VECTOR_ENGINE_URL"):
            self.run()
