"""The command `evaluate`, from a file of questions to figures."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.access.grants import revoke
from core.models import Document, EvaluationResult, EvaluationRun, EvaluationRunLine
from core.testing import Cast, make_document
from tests.integration.evaluation.conftest import INSPECTION, QUESTION, REPORT

SECRET = "The owners of the crane meet every second Monday in the harbour office."
MEETING = "When do the owners of the crane meet in the harbour office?"
LINES: list[dict[str, Any]] = [
    {"id": "brakes", "question": QUESTION, "expected": ["every six weeks"], "source": "crane manual"},
    {"id": "opera", "kind": "out", "question": "What does a ticket to the opera house cost?", "expected": None},
    {"id": "secret", "kind": "out", "question": MEETING, "expected": None, "forbidden": ["minutes"]},
    {"id": "owner", "question": MEETING, "expected": "second Monday", "as": "alice@example.com"},
]

Evaluate = Callable[..., dict[str, Any]]


@pytest.fixture
def library(cast: Cast, fast: None) -> None:
    """A manual for Alice and Bob, and minutes for Alice alone."""
    make_document("Crane manual", INSPECTION, REPORT, roles=[cast.staff])
    make_document("Minutes", SECRET, roles=[cast.owners])


@pytest.fixture
def dataset(library: None, tmp_path: Path) -> Callable[..., Path]:
    """Writes a dataset: a question for Bob, one that nothing answers, and one that Alice alone may have answered."""

    def write(*lines: dict[str, Any]) -> Path:
        path = tmp_path / "questions.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in lines or LINES), encoding="utf-8")
        return path

    return write


@pytest.fixture
def evaluate(dataset: Callable[..., Path]) -> Evaluate:
    """Asks lines as Bob and returns the JSON that is printed; exit code 0 unless another is expected."""

    def call(*lines: dict[str, Any], options: tuple[str, ...] = ("--no-scores",), code: int = 0) -> dict[str, Any]:
        out = StringIO()
        arguments = (str(dataset(*lines)), "--as", "bob@example.com", "--json", *options)
        if code:
            with pytest.raises(SystemExit, match=str(code)):
                call_command("evaluate", *arguments, stdout=out)
        else:
            call_command("evaluate", *arguments, stdout=out)
        printed: dict[str, Any] = json.loads(out.getvalue())
        return printed

    return call


def test_questions_are_asked_scored_and_judged(evaluate: Evaluate) -> None:
    """Each as the person of its line, with that person's rights; refusals have no scores."""
    figures = evaluate(options=())
    results = figures.pop("results")
    assert [(one["id"], one["answered"], one["verdict"]) for one in results] == [
        ("brakes", True, "answered_rightly"),
        ("opera", False, "abstained_rightly"),
        ("secret", False, "abstained_rightly"),
        ("owner", True, "answered_rightly"),
    ]
    assert [one["groundedness"] for one in results] == [None] * 4
    counts = ("questions", "answered", "refused", "right", "wrong", "unjudged", "failed", "unscored")
    assert [figures[name] for name in counts] == [4, 2, 2, 4, 0, 0, 0, 0]
    shares = ("right_source", "answer_contains", "abstained_rightly", "abstained_wrongly", "precision")
    assert [figures[name] for name in shares] == [1.0, 1.0, 1.0, 0.0, 1.0]
    assert (figures["statements_dropped"], figures["forbidden_shown"], figures["unsupported"]) == (0, 0, 0)
    assert figures["unsupported_summary"].startswith(f"0 unsupported of {figures['quotes']} (95 % upper bound ")
    assert 0 < figures["latency_p50_ms"] <= figures["latency_p95_ms"]
    assert {"embed", "retrieve", "agent", "verify"} <= set(figures["timings_p50_ms"])
    assert {kind: of_kind["questions"] for kind, of_kind in figures["kinds"].items()} == {"question": 2, "out": 2}
    assert figures["averages"] == {"relevance": None, "groundedness": None, "answer_relevance": None}
    assert figures["methods"] == ["local:4:none"]
    stored = {row.query_log.request_id: row for row in EvaluationResult.objects.select_related("query_log")}
    assert set(stored) == {one["request_id"] for one in results}
    assert [stored[one["request_id"]].trulens_record_id for one in results] == [
        one["trulens_record_id"] for one in results
    ]
    assert "harbour" not in json.dumps(figures)
    summary = figures["summary"]
    assert [summary[name] for name in ("answerable", "right", "unanswerable", "rightly_refused")] == [2, 2, 2, 2]
    assert [one["in_words"] for one in results] == ["right", "rightly_refused", "rightly_refused", "right"]


def test_a_run_is_kept_with_its_verdicts_and_without_text(evaluate: Evaluate) -> None:
    """The figures that were printed, the model, and a row for each question that leads to its log."""
    printed = evaluate()
    run = EvaluationRun.objects.get()
    assert str(run.pk) == printed["run"]
    assert run.finished_at is not None
    assert {name: printed[name] for name in run.figures} == run.figures
    assert (run.dataset, run.model_provider, run.embedding_model, run.chunks) == (
        "questions.jsonl",
        "extractive",
        "hashing-test-double",
        3,
    )
    lines = list(run.lines.select_related("query_log"))
    assert [(line.number, line.identifier, line.kind, line.outcome) for line in lines] == [
        (1, "brakes", "question", "answered_rightly"),
        (2, "opera", "out", "abstained_rightly"),
        (3, "secret", "out", "abstained_rightly"),
        (4, "owner", "question", "answered_rightly"),
    ]
    assert [line.query_log and line.query_log.request_id for line in lines] == [
        one["request_id"] for one in printed["results"]
    ]
    kept = json.dumps([*EvaluationRun.objects.values(), *EvaluationRunLine.objects.values()], default=str)
    assert {
        word for word in ("crane", "Crane", "harbour", "opera house", "six weeks", "Monday") if word in kept
    } == set()


def test_without_scores_nothing_is_scored(evaluate: Evaluate) -> None:
    """The figures do not pretend to."""
    figures = evaluate()
    assert set(figures) & {"averages", "methods", "unscored"} == set()
    assert not EvaluationResult.objects.exists()


def test_wrong_answers_are_told_from_wrong_refusals(evaluate: Evaluate) -> None:
    """An answer that lacks the words or the source, and a refusal of what the asker may read."""
    figures = evaluate(
        {**LINES[0], "expected": "every year"},
        {**LINES[0], "id": "source", "source": "minutes"},
        {**LINES[1], "expected": "forty crowns"},
        {**LINES[0], "id": "answered", "source": "", "expected": None},
    )
    assert [(one["id"], one["verdict"], one["cites_source"], one["contains"]) for one in figures["results"]] == [
        ("brakes", "answered_wrongly", True, False),
        ("source", "answered_wrongly", False, True),
        ("opera", "abstained_wrongly", None, False),
        ("answered", "answered_wrongly", None, None),
    ]
    assert (figures["abstained_rightly"], figures["abstained_wrongly"]) == (0.0, round(1 / 3, 3))


def test_a_conversation_selected_text_and_filters_reach_the_answer(evaluate: Evaluate) -> None:
    """A label is one conversation for one person; selected text is all there is; a filter leaves documents out."""
    figures = evaluate(
        {**LINES[0], "conversation": "a"},
        {"id": "again", "question": "And what does each inspection end with?", "conversation": "a"},
        {**LINES[0], "id": "alice", "as": "alice@example.com", "conversation": "a"},
        {**LINES[1], "selected_text": "A ticket to the opera house costs forty crowns.", "expected": "forty crowns"},
        {**LINES[0], "id": "filtered", "expected": None, "source": "", "filters": {"source": "minutes"}},
    )
    lines = EvaluationRunLine.objects.select_related("query_log__query")
    asked = {line.identifier: line.query_log.query for line in lines if line.query_log and line.query_log.query}
    assert asked["brakes"].conversation_id == asked["again"].conversation_id
    assert len({query.conversation_id for query in asked.values()}) == 4
    verdicts = {one["id"]: one["verdict"] for one in figures["results"]}
    assert (verdicts["opera"], verdicts["filtered"]) == ("answered_rightly", "abstained_rightly")


def test_a_question_that_cannot_be_asked_does_not_end_the_run(evaluate: Evaluate) -> None:
    """It counts as failed, and the exit code says that something did."""
    figures = evaluate({"id": "short", "question": "?", "expected": None}, LINES[0], code=1)
    assert [(one["id"], one["verdict"]) for one in figures["results"]] == [
        ("short", "failed"),
        ("brakes", "answered_rightly"),
    ]
    assert (figures["failed"], figures["right"], figures["right_share"]) == (1, 1, 1.0)


def test_a_forbidden_document_is_noticed_and_gives_exit_code_1(evaluate: Evaluate) -> None:
    """By its name in the dataset; the line is not right however good its answer is."""
    figures = evaluate({**LINES[0], "forbidden": ["crane-manual"]}, code=1)
    assert (figures["forbidden_shown"], figures["results"][0]["verdict"]) == (1, "answered_wrongly")


def test_only_the_first_questions_are_asked_with_a_limit(evaluate: Evaluate) -> None:
    """It is a dataset of its own; a whole run is compared with a whole one."""
    whole, limited = evaluate(), evaluate(options=("--no-scores", "--limit", "2", "--compare", "last"))
    assert [one["id"] for one in limited["results"]] == ["brakes", "opera"]
    assert limited["comparison"]["before"] == whole["run"]
    assert limited["comparison"]["same_questions"] is False
    assert limited["comparison"]["only_before"] == ["secret", "owner"]
    again = evaluate(options=("--no-scores", "--compare", "last"))["comparison"]
    assert (again["before"], again["same_questions"]) == (whole["run"], True)


def test_the_questions_of_a_library_and_a_half_are_asked_alone(evaluate: Evaluate) -> None:
    """A dataset may ask about several libraries, of which an installation has one."""
    lines = [{**line, "library": "docks", "half": "build"} for line in LINES[:2]]
    lines += [{**LINES[3], "library": "docks", "half": "check"}, {**LINES[2], "library": "opera", "as": "nobody@x.org"}]
    chosen = evaluate(*lines, options=("--no-scores", "--library", "docks"))
    assert [one["id"] for one in chosen["results"]] == ["brakes", "opera", "owner"]
    chosen = evaluate(*lines, options=("--no-scores", "--library", "docks", "--half", "check"))
    assert [one["id"] for one in chosen["results"]] == ["owner"]
    with pytest.raises(CommandError, match="no questions of this library and half"):
        evaluate(*lines, options=("--no-scores", "--half", "spare"))


def test_a_comparison_names_what_was_broken_and_mended(evaluate: Evaluate, cast: Cast) -> None:
    """Bob loses the manual: its answer is broken, and a refusal that was wrong before is right now."""
    lines = [LINES[0], LINES[1], {**LINES[0], "id": "refuse", "source": "", "expected": None}]
    first = evaluate(*lines)
    assert "comparison" not in evaluate(*lines)
    revoke(cast.staff, list(Document.objects.filter(title="Crane manual")), by=cast.alice)
    later = evaluate(*lines, options=("--no-scores", "--compare", first["run"][:13]))["comparison"]
    assert later["before"] == first["run"]
    assert later["same_questions"] is True
    assert later["broken"] == [
        {"id": "brakes", "kind": "question", "before": "answered_rightly", "after": "abstained_wrongly"}
    ]
    assert later["mended"] == [
        {"id": "refuse", "kind": "question", "before": "answered_wrongly", "after": "abstained_rightly"}
    ]
    assert (later["other"], later["only_before"], later["only_after"]) == ([], [], [])
    assert later["figures"]["answer_contains"] == [1.0, 0.0]


def test_the_report_shows_kinds_what_is_wrong_and_what_changed(
    dataset: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For reading: a row for each kind, the request of what is not right, the bound on quotes; no text of questions."""
    monkeypatch.setenv("COLUMNS", "200")
    path = dataset(*LINES, {**LINES[0], "id": "yearly", "expected": "every year"})
    for _ in range(2):
        out = StringIO()
        call_command("evaluate", str(path), "--as", "bob@example.com", "--no-scores", "--compare", "last", stdout=out)
    printed = out.getvalue()
    assert printed.startswith("Of 3 questions that have an answer: right 2 (67%), partly right 0 (0%), wrong 1 (33%)")
    rows = [row.split() for row in printed.splitlines() if row.strip()]
    assert {row[0]: row[1] for row in rows if row[0] in {"question", "out", "all"}} == {
        "question": "3",
        "out": "2",
        "all": "5",
    }
    run = EvaluationRun.objects.latest("started_at")
    wrong = run.lines.select_related("query_log").get(identifier="yearly")
    assert wrong.query_log is not None
    assert [row[1:] for row in rows if row[0] == "5"] == [
        ["yearly", "answered_wrongly", "text", wrong.query_log.request_id]
    ]
    assert "0 unsupported of" in printed
    assert "the same questions" in printed
    assert "harbour" not in printed


def test_a_missing_score_gives_exit_code_1(evaluate: Evaluate, settings: Any) -> None:
    """The rest is reported all the same."""
    settings.EVALUATION_MODEL = "no-such-provider/model"
    figures = evaluate(options=(), code=1)
    assert (figures["right"], figures["unscored"]) == (4, 2)
    assert "EVALUATION_MODEL" in figures["results"][0]["error"]


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ('{"question": "How often?"}', (), "Say who asks: --as EMAIL."),
        ('{"question": "How often?"}', ("--as", "dora@example.com"), "There is no active person with the address dora"),
        ("{}", ("--as", "bob@example.com"), "Line 1: it needs a question as text."),
        (None, ("--as", "bob@example.com"), "cannot be read"),
        ('{"question": "How often?"}', ("--as", "bob@example.com", "--limit", "0"), "--limit must be a number from 1."),
        (
            '{"question": "How often?"}',
            ("--as", "bob@example.com", "--compare", "ffff"),
            "There is no finished run ffff",
        ),
    ],
)
def test_wrong_usage_is_found_before_anything_is_asked(
    cast: Cast, tmp_path: Path, content: str | None, arguments: tuple[str, ...], message: str
) -> None:
    """With exit code 2 and a message that names what is wrong."""
    path = tmp_path / "questions.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        call_command("evaluate", str(path), *arguments, stdout=StringIO())
    assert caught.value.returncode == 2
    assert message in str(caught.value)
    assert not EvaluationRun.objects.exists()
