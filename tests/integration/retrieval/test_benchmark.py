"""`manage.py benchmark_retrieval`: a corpus goes in, figures come out, and nothing stays."""

import json
import math
from pathlib import Path

import psycopg
import pytest
from django.core.management.base import CommandError
from django.db import connection
from pytest_django import Settings

from core.errors import FootnoteError
from core.management.scratch import ScratchDatabaseError, scratch_database
from core.models import Document, Role, User
from core.quality.benchmarks.beir import Question, documents, read
from core.quality.benchmarks.retrieval import (
    DENSE,
    FULL_TEXT,
    HYBRID,
    RERANKED,
    BenchmarkLibrary,
    fill,
    measure,
    sample,
    usable,
    variants,
)
from core.testing import make_document
from tests.integration.retrieval.commands import databases, run
from tests.integration.retrieval.crossencoder import make_cross_encoder

COMMAND = "benchmark_retrieval"

CORPUS = {
    "canteen": ("Canteen", "The canteen opens at noon and serves soup."),
    "yard": ("", "Bicycles stand in the yard behind the gate."),
    "leave": ("Leave", "Supervisors approve leave within five days."),
    "form": ("Form 27B stroke 6", ""),
    "long": ("Minutes", " ".join(f"The committee discussed item {number} at length." for number in range(80))),
}
QUESTIONS = {
    "q1": "When does the canteen open?",
    "q2": "Where do bicycles stand?",
    "q3": "Who approves leave?",
    "q4": "What did the committee discuss?",
    "short": "?",
}
RELEVANT = {"q1": "canteen", "q2": "yard", "q3": "leave", "q4": "long", "short": "form"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark whose questions share words with the right document alone."""
    corpus = [{"_id": key, "title": title, "text": text} for key, (title, text) in CORPUS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    queries = [{"_id": key, "text": text} for key, text in QUESTIONS.items()]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    judgements = "".join(f"{question}\t{document}\t1\n" for question, document in RELEVANT.items())
    (tmp_path / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judgements}q1\tgone\t1\n")
    return tmp_path


@pytest.fixture
def library(fast: None, folder: Path) -> BenchmarkLibrary:
    """The benchmark's corpus in the test's own database."""
    return fill(documents(folder), lambda done: None)


@pytest.fixture
def questions(folder: Path) -> list[Question]:
    """The four that can be asked."""
    return usable(read(folder).questions)


@pytest.mark.usefixtures("outside_transaction")
def test_each_way_to_search_has_its_figures(folder: Path, settings: Settings) -> None:
    """Left-out lines are counted and reported; library and server are afterwards as before."""
    settings.RERANKER_MODEL = ""
    kept = make_document("Kept", "The canteen opens at eleven.")
    before = databases()
    lines, said = run(COMMAND, folder)
    assert [line["variant"] for line in lines] == ["dense", "full text", "hybrid"]
    for line in lines:
        assert line["ndcg_at_10"] == line["recall_at_20"] == line["recall_at_50"] == 1.0
        assert (line["questions"], line["documents"], line["unknown_ids"]) == (4, 5, 1)
        assert line["chunks"] > line["documents"]  # the long one has several, and counts once
        assert 0 < line["latency_p50_ms"] <= line["latency_p95_ms"]
        assert (line["embedding_model"], line["reranker_model"]) == ("hashing-test-double", None)
    assert "judgements of documents that are not in corpus.jsonl (1)" in said
    assert "questions that are too short or too long to be asked (1)" in said
    assert databases() == before
    assert list(Document.objects.all()) == [kept]
    assert not Role.objects.exists()
    assert not User.objects.exists()


def test_a_reranker_is_measured_too(
    library: BenchmarkLibrary, questions: list[Question], tmp_path: Path, settings: Settings
) -> None:
    """Its order is its own, and the hybrid order is measured without it, though the product's search uses it."""
    settings.RERANKER_MODEL = str(make_cross_encoder(tmp_path / "model"))
    settings.RERANKER_BUDGET_MS = 60_000
    assert list(variants()) == [DENSE, FULL_TEXT, HYBRID, RERANKED]
    steps: list[int] = []
    hybrid = measure(HYBRID, questions, library, k=1, step=steps.append)
    reranked = measure(RERANKED, questions, library, k=1, step=steps.append)
    assert sum(steps) == 2 * len(questions)
    assert hybrid.ndcg == 1.0
    assert reranked.ndcg < 1.0  # the weights are random
    assert reranked.recall == hybrid.recall == {20: 1.0, 50: 1.0}
    assert (hybrid.fallbacks, reranked.fallbacks) == (0, 0)


def test_only_the_best_passages_are_reranked(
    library: BenchmarkLibrary, questions: list[Question], tmp_path: Path, settings: Settings
) -> None:
    """With one candidate the order cannot change."""
    settings.RERANKER_MODEL = str(make_cross_encoder(tmp_path / "model"))
    settings.RERANKER_BUDGET_MS = 60_000
    settings.RERANKER_CANDIDATES = 1
    figures = measure(RERANKED, questions, library, k=1, step=lambda done: None)
    assert (figures.ndcg, figures.fallbacks) == (1.0, 0)


def test_a_reranker_without_time_leaves_the_order(
    library: BenchmarkLibrary, questions: list[Question], tmp_path: Path, settings: Settings
) -> None:
    """And how often is counted."""
    settings.RERANKER_MODEL = str(make_cross_encoder(tmp_path / "model"))
    settings.RERANKER_BUDGET_MS = 0
    figures = measure(RERANKED, questions, library, k=10, step=lambda done: None)
    assert (figures.ndcg, figures.fallbacks) == (1.0, len(questions))


def test_what_cannot_be_found_is_not_counted_as_found(library: BenchmarkLibrary) -> None:
    """A question whose relevant document shares nothing with it, and one with a right and a wrong one."""
    wrong = Question(identifier="x", text="canteen soup", judged={"canteen": 1, "nowhere": 1})
    figures = measure(FULL_TEXT, [wrong], library, k=10, step=lambda done: None)
    assert figures.recall == {20: 0.5, 50: 0.5}
    assert figures.ndcg == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_a_sample_can_be_repeated(questions: list[Question]) -> None:
    """The same seed chooses the same questions, another one others, and there are never more than there are."""
    pool = [Question(identifier=str(number), text="Which?", judged={"a": 1}) for number in range(100)]
    assert sample(pool, 10, seed=7) == sample(pool, 10, seed=7)
    assert sample(pool, 10, seed=7) != sample(pool, 10, seed=8)
    assert len({question.identifier for question in sample(pool, 10, seed=7)}) == 10
    assert {question.identifier for question in sample(questions, 9, seed=7)} == {"q1", "q2", "q3", "q4"}


def test_what_cannot_be_measured_is_said_before_anything_is_made(folder: Path) -> None:
    """With exit code 2, and without a database."""
    for arguments, expected in (
        ([folder / "nowhere"], "does not exist"),
        ([folder, "--split", "dev"], "There are no judgements"),
        ([folder, "--k", "0"], "--k must be"),
        ([folder, "--k", "51"], "--k must be"),
        ([folder, "--questions", "0"], "--questions must be"),
    ):
        with pytest.raises(CommandError, match=expected) as raised:
            run(COMMAND, *arguments)
        assert raised.value.returncode == 2
    (folder / "qrels.tsv").write_text("short\tform\t1\n")
    with pytest.raises(CommandError, match="no question that can be asked"):
        run(COMMAND, folder)


@pytest.mark.usefixtures("outside_transaction")
def test_a_measurement_that_breaks_off_leaves_nothing() -> None:
    """Neither a database nor a connection to it."""

    def break_off() -> None:
        with scratch_database():
            make_document("Scratch", "Gone in a moment.")
            raise FootnoteError

    before = databases()
    with pytest.raises(FootnoteError):
        break_off()
    assert databases() == before
    assert not Document.objects.exists()


@pytest.mark.usefixtures("outside_transaction")
def test_two_measurements_do_not_share_a_database() -> None:
    """The second is refused while the first is at it; what a killed one left behind is replaced."""
    live = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{live}_benchmark"')
    of_the_first = connection.get_connection_params() | {"dbname": f"{live}_benchmark"}
    of_the_first.pop("pool", None)
    with psycopg.connect(**of_the_first), pytest.raises(ScratchDatabaseError), scratch_database():
        pass
    assert connection.settings_dict["NAME"] == live
    with scratch_database(), connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        assert cursor.fetchall() == [(f"{live}_benchmark",)]
        assert not Document.objects.exists()
    assert f"{live}_benchmark" not in databases()
