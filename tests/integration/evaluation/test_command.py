"""The command `evaluate`, from a file of questions to figures."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.models import EvaluationResult
from core.testing import Cast, make_document
from tests.integration.evaluation.conftest import INSPECTION, QUESTION, REPORT

SECRET = "The owners of the crane meet every second Monday in the harbour office."


@pytest.fixture
def dataset(cast: Cast, fast: None, tmp_path: Path) -> Path:
    """A question for Bob, one that nothing answers, and one that Alice alone may have answered."""
    make_document("Crane manual", INSPECTION, REPORT, roles=[cast.staff])
    make_document("Minutes", SECRET, roles=[cast.owners])
    meeting = {"question": "When do the owners of the crane meet in the harbour office?"}
    lines: list[dict[str, Any]] = [
        {"question": QUESTION, "expected": ["every six weeks"], "source": "crane manual"},
        {"question": "What does a ticket to the opera house cost?", "expected": None},
        {**meeting, "expected": None},
        {**meeting, "expected": "second Monday", "as": "alice@example.com"},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_questions_are_asked_scored_and_judged(dataset: Path) -> None:
    """Each as the person of its line, with that person's rights; refusals have no scores."""
    out = StringIO()
    call_command("evaluate", str(dataset), "--as", "bob@example.com", "--json", stdout=out)
    figures = json.loads(out.getvalue())
    results = figures.pop("results")
    assert [(one["answered"], one["verdict"]) for one in results] == [
        (True, "right"),
        (False, "right"),
        (False, "right"),
        (True, "right"),
    ]
    assert [one["groundedness"] for one in results] == [1.0, None, None, 1.0]
    counts = ("questions", "answered", "refused", "right", "wrong", "unjudged", "failed", "unscored")
    assert [figures[name] for name in counts] == [4, 2, 2, 4, 0, 0, 0, 0]
    assert figures["averages"]["groundedness"] == 1.0
    assert 0.5 < figures["averages"]["relevance"] <= 1.0
    assert figures["methods"] == ["local:1:hashing-test-double"]
    stored = {row.query_log.request_id: row for row in EvaluationResult.objects.select_related("query_log")}
    assert set(stored) == {one["request_id"] for one in results}
    assert [stored[one["request_id"]].trulens_record_id for one in results] == [
        one["trulens_record_id"] for one in results
    ]
    assert "harbour" not in out.getvalue()


def test_the_table_shows_every_question_with_its_outcome(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For reading; the figures follow as JSON."""
    monkeypatch.setenv("COLUMNS", "200")
    out = StringIO()
    call_command("evaluate", str(dataset), "--as", "bob@example.com", stdout=out)
    rows = [line for line in out.getvalue().splitlines() if "answered, " in line or "refused, " in line]
    assert len(rows) == 4
    assert '"right": 4' in out.getvalue()


def test_a_missing_score_gives_exit_code_1(dataset: Path, settings: Any) -> None:
    """The rest is reported all the same."""
    settings.EVALUATION_MODEL = "no-such-provider/model"
    out = StringIO()
    with pytest.raises(SystemExit, match="1"):
        call_command("evaluate", str(dataset), "--as", "bob@example.com", "--json", stdout=out)
    figures = json.loads(out.getvalue())
    assert (figures["right"], figures["unscored"]) == (4, 2)
    assert "EVALUATION_MODEL" in figures["results"][0]["error"]


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ('{"question": "How often?"}', (), "Say who asks: --as EMAIL."),
        ('{"question": "How often?"}', ("--as", "dora@example.com"), "There is no active person with the address dora"),
        ("{}", ("--as", "bob@example.com"), "Line 1: it needs a question, as text."),
        (None, ("--as", "bob@example.com"), "cannot be read"),
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
