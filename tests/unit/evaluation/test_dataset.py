"""Reading datasets and judging results."""

import json
from typing import Any

import pytest

from core.evaluation.dataset import FAILED, RIGHT, UNJUDGED, WRONG, DatasetError, Item, read, summary, verdict
from core.types import Answer, Citation, ConfidenceLevel, QueryState, Refusal, RefusalReason

COMMON: dict[str, Any] = {
    "request_id": "req_20260101_00000000",
    "query_id": None,
    "conversation_id": None,
    "confidence": 0.9,
    "confidence_level": ConfidenceLevel.HIGH,
    "retrieved": (),
    "state": QueryState.COMPLETE,
    "agent_steps": 1,
    "model_provider": "extractive",
    "processing_time_ms": 5,
    "trace_id": "0" * 32,
}
CITATION = Citation(
    number=1,
    chunk_id=None,
    document_id=None,
    document_name="Crane Manual",
    document_date=None,
    page_number=None,
    section="",
    source_url="https://library.example/crane",
    excerpt="every six weeks",
    quoted_excerpt="every six weeks",
    start=0,
    end=15,
    relevance_score=1.0,
)
ANSWER = Answer(**COMMON, text="Inspected every\nsix weeks. [1]", citations=(CITATION,))


def refusal(reason: RefusalReason = RefusalReason.NOTHING_FOUND) -> Refusal:
    """A refusal for that reason."""
    return Refusal(**COMMON, reason=reason, message="I could not find this.")


def item(**line: Any) -> Item:
    """The item of one line."""
    return read([json.dumps({"question": "How often?", **line})])[0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"expected": "SIX  weeks"}, RIGHT),
        ({"expected": ["monthly", "every six"]}, RIGHT),
        ({"expected": "monthly"}, WRONG),
        ({"expected": None}, WRONG),
        ({}, UNJUDGED),
        ({"source": "crane manual"}, RIGHT),
        ({"source": "library.example/crane"}, RIGHT),
        ({"source": "Hoist Manual"}, WRONG),
        ({"expected": "six weeks", "source": "Hoist Manual"}, WRONG),
        ({"expected": "monthly", "source": "Crane Manual"}, WRONG),
    ],
)
def test_an_answer_is_judged_by_what_it_holds_and_cites(line: dict[str, Any], expected: str) -> None:
    """Case and white space do not count; both conditions must hold where both are given."""
    assert verdict(item(**line), ANSWER) == expected


@pytest.mark.parametrize(
    ("line", "reason", "expected"),
    [
        ({"expected": None}, RefusalReason.NOTHING_FOUND, RIGHT),
        ({"expected": "six"}, RefusalReason.INSUFFICIENT, WRONG),
        ({"source": "Crane"}, RefusalReason.NOTHING_FOUND, WRONG),
        ({}, RefusalReason.NOTHING_FOUND, UNJUDGED),
        ({"expected": None}, RefusalReason.MODEL_UNAVAILABLE, FAILED),
        ({"expected": None}, RefusalReason.INVALID_QUESTION, FAILED),
    ],
)
def test_a_refusal_is_right_where_one_is_expected(line: dict[str, Any], reason: RefusalReason, expected: str) -> None:
    """A model that is away has not rightly refused anything."""
    assert verdict(item(**line), refusal(reason)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The dataset has no questions."),
        ('{"question": "How?"}\n{"question": ', "Line 2 is not JSON: Expecting value at column 14."),
        ("[]", "Line 1: not a JSON object."),
        ('\n{"as": "a@example.com"}', "Line 2: it needs a question, as text."),
        (
            '{"question": "How?", "expectd": "x"}',
            "Line 1: unknown: expectd; known: question, as, expected",
        ),
        ('{"question": "How?", "expected": 3}', "Line 1: expected is a text, a list of texts of which one is enough"),
        ('{"question": "How?", "expected": [" "]}', "Line 1: expected is a text, a list of texts of which one is enou"),
        ('{"question": "How?", "as": 3}', "Line 1: as is a text."),
    ],
)
def test_a_line_that_cannot_be_used_is_named(text: str, message: str) -> None:
    """Before anything is asked."""
    with pytest.raises(DatasetError) as caught:
        read(text.splitlines())
    assert caught.value.message.startswith(message)


def test_a_run_without_answers_has_no_averages() -> None:
    """No score is not the same as zero."""
    figures = summary([], seconds=0.5)
    assert figures["averages"] == {"relevance": None, "groundedness": None, "answer_relevance": None}
    assert (figures["questions"], figures["processing_time_ms"], figures["seconds"]) == (0, None, 0.5)
