"""Test `manage.py benchmark_index`: its measurements, its remains, and that it recognises wrong results."""

import json
import os
import signal
from collections.abc import Iterator
from io import StringIO
from itertools import product
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from pytest_django import Settings

from core.errors import DatabaseUnavailableError
from core.library.ingestion import indexing
from core.library.retrieval.vector_copy import current_copy
from core.management.scratch import scratch_database
from core.models import BenchmarkResult, Chunk, Document, Role, User
from core.models.row_security import bypass_row_security
from core.models.versions import current_versions
from core.quality.benchmarks import ways
from core.quality.benchmarks.drawing import CHUNKS_PER_DOCUMENT, DrawnReaders, draw, find_permitted, make_world
from core.quality.benchmarks.loading import load
from core.quality.benchmarks.measuring import Found
from core.quality.benchmarks.ways import Asked, EverythingExactly, Plain
from core.testing import Cast, fast_embedding, make_cast, make_document
from core.types import Audience
from tests.integration.retrieval.commands import databases, run

COMMAND = "benchmark_index"

KEYS = {
    "strategy",
    "index_type",
    "grants",
    "share",
    "audience",
    "recall_at_k",
    "recall_min",
    "latency_p50_ms",
    "latency_p95_ms",
    "short_results",
    "duplicates",
    "forbidden",
    "given_up",
    "memory_usage_mb",
    "build_s",
    "corpus_size",
    "permitted",
    "k",
    "candidates",
    "questions",
    "seed",
}
TRUE_ONES = {"planner", "exact", "quantised", "memory"}  # ways that find the true neighbours
SYNTHETIC = ("--synthetic", 2000, "--questions", 3, "--shares", "50,1")


@pytest.mark.usefixtures("outside_transaction")
def test_every_way_is_measured_for_all_readers() -> None:
    """Each with every figure; none gives a forbidden chunk, and what is exact finds all and gives enough.

    The library and the server are afterwards as they were before, but for the results.
    """
    kept = make_document("Kept", "The canteen opens at eleven.")
    before = databases()
    lines, said = run(COMMAND, *SYNTHETIC)
    strategies = {"planner", "exact", "quantised", "index", "plain", "ivf"}
    if ways.is_available():
        strategies.add("memory")
    else:
        assert "Left out: memory, because faiss" in said
    found = [(line["strategy"], line["grants"], line["share"], line["audience"]) for line in lines]
    assert sorted(found) == sorted(product(strategies, ("random", "topic"), (50.0, 1.0), ("one", "channel")))
    for line in lines:
        assert set(line) == KEYS
        assert line["forbidden"] == 0
        assert (line["corpus_size"], line["k"], line["questions"], line["seed"]) == (2000, 20, 3, 7)
        assert line["candidates"] == (20 if line["strategy"] in {"plain", "memory"} else 400)
        assert line["permitted"] == line["share"] / 100 * 2000
        assert 0 < line["latency_p50_ms"] <= line["latency_p95_ms"]
        assert 0 <= line["recall_min"] <= line["recall_at_k"] <= 1
        if line["strategy"] in TRUE_ONES:
            assert (line["recall_min"], line["short_results"], line["duplicates"]) == (1.0, 0, 0), line
        assert (line["memory_usage_mb"] > 0) == (line["strategy"] != "exact")
        assert (line["build_s"] > 0) == (line["strategy"] not in {"exact", "memory"})
    types = {line["strategy"]: line["index_type"] for line in lines if line["strategy"] != "planner"}
    named_otherwise = {"index": "hnsw", "plain": "hnsw"}
    assert types == {name: named_otherwise.get(name, name) for name in strategies - {"planner"}}
    # The plain way joins grants: a document that two roles of a reader grant comes twice.
    plain = [line for line in lines if (line["strategy"], line["audience"]) == ("plain", "channel")]
    assert sum(line["duplicates"] for line in plain) > 0
    assert min(line["recall_at_k"] for line in plain) < 0.99
    assert databases() == before
    assert (list(Document.objects.all()), Role.objects.count(), User.objects.count()) == ([kept], 0, 0)
    assert current_copy(current_versions(), "synthetic") is None
    _assert_stored(lines)


def _assert_stored(lines: list[dict[str, Any]]) -> None:
    rows = list(BenchmarkResult.objects.all())
    stored = [
        {
            **{name: getattr(row, name) for name in KEYS & {field.name for field in row._meta.fields}},
            **{name: value for name, value in row.details.items() if name in KEYS},
        }
        for row in rows
    ]
    assert {json.dumps(line, sort_keys=True) for line in stored} == {json.dumps(line, sort_keys=True) for line in lines}
    assert {(row.details["library"], row.query_latency_ms) for row in rows} == {
        ("synthetic", line["latency_p50_ms"]) for line in lines
    }
    assert {row.selectivity for row in rows} == {0.5, 0.01}
    assert len({row.details["run"] for row in rows}) == 1


@pytest.mark.usefixtures("outside_transaction")
def test_without_json_there_is_a_table() -> None:
    """And with --no-store nothing is kept."""
    out = StringIO()
    arguments = ("--synthetic", 1000, "--questions", 3, "--shares", "50", "--strategies", "exact", "--no-store")
    call_command("benchmark_index", *map(str, arguments), stdout=out)
    assert "p95 ms" in out.getvalue()
    assert [out.getvalue().count(word) for word in ("channel", "random", "topic")] == [2, 2, 2]
    assert not BenchmarkResult.objects.exists()


@pytest.mark.usefixtures("outside_transaction")
def test_a_question_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It found nothing in its time, no other is asked, and the other ways go on."""

    def slow(self: Plain, vector: np.ndarray, audience: Audience) -> Found:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")
        return Found(ids=[], index_type="hnsw")

    monkeypatch.setattr("core.quality.benchmarks.measuring.MOST_SECONDS_OF_ONE", 0.2)
    monkeypatch.setattr(Plain, "__call__", slow)
    lines, _ = run(COMMAND, "--synthetic", 1000, "--questions", 3, "--shares", "1", "--strategies", "plain,memory")
    for line in lines:
        if line["strategy"] == "plain":
            assert (line["given_up"], line["questions"], line["recall_at_k"], line["short_results"]) == (1, 1, 0.0, 1)
            assert 200 <= line["latency_p50_ms"] < 10_000
        else:
            assert (line["given_up"], line["questions"], line["recall_at_k"]) == (0, 3, 1.0)
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


@pytest.mark.usefixtures("outside_transaction")
@pytest.mark.parametrize("is_told", [True, False])
def test_what_breaks_off_leaves_nothing(is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a database nor results nor a copy in memory, whether the process is stopped or something fails."""

    def break_off(*arguments: object, **options: object) -> None:
        assert Document.objects.count() == 1000 / CHUNKS_PER_DOCUMENT
        if is_told:
            os.kill(os.getpid(), signal.SIGTERM)
        raise DatabaseUnavailableError

    monkeypatch.setattr("core.quality.benchmarks.synthetic.measure", break_off)
    before = databases()
    with pytest.raises(CommandError) as raised:
        run(COMMAND, "--synthetic", 1000, "--strategies", "planner")
    assert raised.value.returncode == (130 if is_told else 1)
    assert databases() == before
    assert not BenchmarkResult.objects.exists()
    assert not Document.objects.exists()
    assert current_copy(current_versions(), "synthetic") is None


@pytest.mark.usefixtures("outside_transaction")
def test_a_drawn_library_is_one_that_the_product_could_have_made() -> None:
    """Counts, audiences and vectors are right."""
    chance = np.random.default_rng(7)
    vectors = draw(50, 3, chance)
    world = make_world(vectors.topics, [50.0], chance)
    steps: list[int] = []
    with scratch_database():
        loaded = load(vectors, world, chance, steps.append)
        assert sum(steps) == 1000
        assert set(Document.objects.values_list("chunk_count", flat=True)) == {CHUNKS_PER_DOCUMENT}
        with bypass_row_security():
            stored = Chunk.objects.in_bulk(loaded.chunk_ids)
        assert len(stored) == 1000
        assert {chunk.embedding_model for chunk in stored.values()} == {"synthetic"}
        rows = np.stack([np.asarray(stored[pk].embedding) for pk in loaded.chunk_ids])
        assert np.array_equal(rows.astype(np.float32), vectors.chunks)
        for group, audience in zip(world.groups, loaded.audiences, strict=True):
            assert len(audience.role_sets) == (1 if group.readers is DrawnReaders.ONE else 12)
            mask = np.repeat(find_permitted(world, group.people), CHUNKS_PER_DOCUMENT)
            by_list = {stored[pk].document_id for pk, may_read in zip(loaded.chunk_ids, mask, strict=True) if may_read}
            assert set(Document.objects.visible_to(audience).values_list("pk", flat=True)) == by_list
        exactly = EverythingExactly(Asked(model="synthetic", candidates=5, k=5))(vectors.chunks[17], Audience.nobody())
        assert exactly.ids[0] == loaded.chunk_ids[17]


@pytest.fixture
def live(transactional_db: None) -> Iterator[Cast]:
    """Forty documents: all are the owners', half the staff's."""
    with fast_embedding():
        cast = make_cast()
        for number in range(40):
            roles = [cast.owners, cast.staff] if number % 2 else [cast.owners]
            make_document(f"Report {number}", f"Report {number} is about matter {number * 7}.", roles=roles)
        yield cast


@pytest.fixture
def index(transactional_db: None) -> Iterator[None]:
    """The HNSW index, as a larger library has it."""
    indexing.build()
    yield
    indexing.drop()


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes")
        return {row[0] for row in cursor.fetchall()}


@pytest.mark.parametrize("is_indexed", [True, False])
def test_the_live_library_is_measured_and_not_changed(
    live: Cast, is_indexed: bool, request: pytest.FixtureRequest
) -> None:
    """Each role with its share, and everything; neither rows nor indexes differ afterwards.

    Indexes that the library lacks are built on a scratch copy, where they give what may be read and no more.
    """
    if is_indexed:
        request.getfixturevalue("index")
    before = (indexes(), current_versions(), databases())
    lines, said = run(COMMAND, "--questions", 5, "--k", 5)
    assert ("Left out: plain, because the library has no HNSW index" in said) is not is_indexed
    ways = {"planner", "exact", "quantised", "index", "ivf"} | ({"plain"} if is_indexed else set())
    expected = {(way, "roles", share) for way in ways for share in (100.0, 50.0)}
    expected |= {(way, "everything", 100.0) for way in ("exact", "index", "ivf")}
    assert {(line["strategy"], line["grants"], line["share"]) for line in lines} == expected
    assert len(lines) == len(expected)
    for line in lines:
        assert set(line) == KEYS
        assert (line["forbidden"], line["corpus_size"], line["questions"]) == (0, 40, 5)
        if line["strategy"] in TRUE_ONES | {"ivf", "index"}:
            assert (line["short_results"], line["duplicates"]) == (0, 0), line
            # HNSW draws its graph by chance, in which one of so many nearly equal chunks may be reached from nowhere.
            assert line["recall_min"] >= (0.6 if line["strategy"] == "index" else 1.0), line
    assert (indexes(), current_versions(), databases()) == before
    assert {row.details["library"] for row in BenchmarkResult.objects.all()} == {"live"}
    assert current_copy(current_versions(), "hashing-test-double") is None


@pytest.mark.usefixtures("index")
def test_a_way_that_forgets_the_rule_is_found_out(live: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the grants left out of the plain way, its results are counted as forbidden."""

    def without_grants(self: Plain, vector: np.ndarray, audience: object) -> object:
        return EverythingExactly(Asked(model="hashing-test-double", candidates=5, k=5))(vector, Audience.nobody())

    monkeypatch.setattr(Plain, "__call__", without_grants)
    lines, _ = run(COMMAND, "--questions", 5, "--k", 5, "--strategies", "plain")
    forbidden = {line["share"]: line["forbidden"] for line in lines}
    assert forbidden[100.0] == 0 < forbidden[50.0]


def test_what_the_live_library_lacks_is_said(live: Cast, settings: Settings) -> None:
    """No index, no room for a copy, no role that reads anything."""
    settings.VECTOR_MEMORY_MB = 0
    lines, said = run(COMMAND, "--questions", 2, "--no-store")
    assert {line["strategy"] for line in lines} == {"planner", "exact", "index", "ivf"}
    for strategy, reason in (("plain", "no HNSW index"), ("quantised", "VECTOR_MEMORY_MB")):
        assert f"Left out: {strategy}, because" in said
        assert reason in said
    for role in Role.objects.all():
        role.document_access.all().delete()
    lines, said = run(COMMAND, "--questions", 2, "--no-store")
    assert {(line["strategy"], line["grants"]) for line in lines} == {
        ("exact", "everything"),
        ("index", "everything"),
        ("ivf", "everything"),
    }
    assert "Left out: planner, because no role is granted a document." in said


@pytest.mark.django_db
def test_an_empty_library_is_said() -> None:
    """With what to do about it."""
    with pytest.raises(CommandError, match="no chunks to measure") as raised:
        run(COMMAND)
    assert raised.value.returncode == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--synthetic", "980"], "at least 1000"),
        (["--synthetic", "2001"], "a multiple of 20"),
        (["--synthetic", "-20"], "at least 1000"),
        (["--synthetic", "2000", "--strategies", "planner,magic"], "'magic'"),
        (["--strategies", "memory"], "'memory'"),
        (["--candidates", "19"], "at least --k"),
        (["--synthetic", "2000", "--shares", "half"], "percentages"),
        (["--synthetic", "2000", "--shares", "0"], "above 0"),
        (["--synthetic", "2000", "--shares", "101"], "up to 100"),
        (["--synthetic", "2000", "--shares", "nan"], "above 0"),
        (["--shares", "50"], "for --synthetic"),
        (["--k", "0"], "--k must be"),
        (["--k", "51"], "--k must be"),
        (["--questions", "0"], "--questions must be"),
        (["--seed", "-1"], "--seed must"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is_made(arguments: list[str], expected: str) -> None:
    """With exit code 2."""
    with pytest.raises(CommandError, match=expected) as raised:
        run(COMMAND, *arguments)
    assert raised.value.returncode == 2
