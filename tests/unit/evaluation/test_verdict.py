"""Judging what came of a question."""

import json
from dataclasses import replace
from typing import Any

import pytest

from core.quality.evaluation.datasets.dataset import Item, read
from core.quality.evaluation.datasets.verdict import (
    ABSTAINED_RIGHTLY,
    ABSTAINED_WRONGLY,
    ANSWERED_NOTHING,
    ANSWERED_RIGHTLY,
    ANSWERED_WRONGLY,
    CLOSEST_HOLD_IT,
    FAILED,
    IS_PARTLY,
    IS_RIGHT,
    IS_WRONG,
    RIGHTLY_REFUSED,
    UNJUDGED,
    WRONGLY_REFUSED,
    Outcome,
    Shown,
    Verdict,
    contains,
    judge,
)

CRANE = Shown(document="Crane Manual https://library.example/crane files/crane.pdf 2025-03-01", page=3)
HOIST = Shown(document="Hoist Manual  files/hoist.pdf ", page=9)
SECRET = Shown(document="Minutes", permitted=False)
ANSWER = Outcome(text="Inspected every\nsix weeks. [1]", cited=(CRANE,), retrieved=(CRANE, HOIST))
REFUSAL = Outcome(text=None, retrieved=(CRANE,))
RIGHT_REFUSAL = Verdict(outcome=ABSTAINED_RIGHTLY, in_words=RIGHTLY_REFUSED)
CLOSEST = (
    Shown(document="Crane Manual", text="Cranes are inspected every six weeks."),
    Shown(document="Hoist Manual", text="By an engineer."),
)


def item(**line: Any) -> Item:
    """The item of one line."""
    return read([json.dumps({"question": "How often?", **line})]).items[0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"expected": "SIX  weeks"}, ANSWERED_RIGHTLY),
        ({"expected": ["monthly", "every six"]}, ANSWERED_RIGHTLY),
        ({"expected": "monthly"}, ANSWERED_WRONGLY),
        ({"expected": {"all": ["six", "inspected"]}}, ANSWERED_RIGHTLY),
        ({"expected": {"all": ["six", "monthly"]}}, ANSWERED_WRONGLY),
        ({"expected": {"all": ["six", ["monthly", "weeks"]]}}, ANSWERED_RIGHTLY),
        ({"expected": None}, ANSWERED_WRONGLY),
        ({"expected": "six", "refusal_too": True}, ANSWERED_RIGHTLY),
        ({}, UNJUDGED),
        ({"source": "crane manual"}, ANSWERED_RIGHTLY),
        ({"source": "library.example/crane"}, ANSWERED_RIGHTLY),
        ({"source": "files/crane"}, ANSWERED_RIGHTLY),
        ({"source": "Hoist Manual"}, ANSWERED_WRONGLY),
        ({"expected": "six weeks", "source": "Hoist Manual"}, ANSWERED_WRONGLY),
        ({"expected": "monthly", "source": "Crane Manual"}, ANSWERED_WRONGLY),
        ({"sources": ["hoist", "crane"]}, ANSWERED_RIGHTLY),
        ({"sources": ["hoist", "crane"], "all_sources": True}, ANSWERED_WRONGLY),
        ({"sources": [["hoist", "crane"]], "all_sources": True}, ANSWERED_RIGHTLY),
        ({"source": "crane", "page": 3}, ANSWERED_RIGHTLY),
        ({"source": "crane", "page": [2, 3]}, ANSWERED_RIGHTLY),
        ({"source": "crane", "page": 9}, ANSWERED_WRONGLY),
        ({"expected": "six", "forbidden": ["minutes"]}, ANSWERED_RIGHTLY),
        ({"expected": "six", "forbidden": ["hoist"]}, ANSWERED_WRONGLY),
    ],
)
def test_an_answer_is_judged_by_what_it_holds_cites_and_must_not_show(line: dict[str, Any], expected: str) -> None:
    """Case and white space do not count; all conditions must hold that are given."""
    assert judge(item(**line), ANSWER).outcome == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"expected": None}, RIGHT_REFUSAL),
        ({"expected": "six"}, Verdict(outcome=ABSTAINED_WRONGLY, in_words=WRONGLY_REFUSED, contains=False)),
        (
            {"expected": "six", "source": "crane", "page": 3},
            Verdict(
                outcome=ABSTAINED_WRONGLY,
                in_words=WRONGLY_REFUSED,
                contains=False,
                cites_source=False,
                page_right=False,
            ),
        ),
        ({"expected": "six", "refusal_too": True}, RIGHT_REFUSAL),
        ({}, Verdict(outcome=UNJUDGED)),
        ({"expected": None, "forbidden": ["crane"]}, replace(RIGHT_REFUSAL, forbidden_shown=True)),
    ],
)
def test_a_refusal_is_right_where_one_is_expected(line: dict[str, Any], expected: Verdict) -> None:
    """It has not cited or said what was expected; what it retrieved counts all the same."""
    assert judge(item(**line), REFUSAL) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"expected": "six weeks"}, IS_RIGHT),
        ({"expected": {"all": ["six", "an engineer"]}}, IS_PARTLY),
        ({"expected": {"all": ["monthly", "an engineer"]}}, IS_WRONG),
        ({"expected": {"all": ["six", "an engineer"]}, "forbidden": ["hoist"]}, IS_WRONG),
        ({"expected": "six weeks", "source": "Hoist Manual"}, IS_WRONG),
        ({"expected": None}, ANSWERED_NOTHING),
        ({"expected": "six", "refusal_too": True}, IS_RIGHT),
        ({}, ""),
    ],
)
def test_an_answer_is_right_partly_right_or_wrong_as_a_person_would_say(line: dict[str, Any], expected: str) -> None:
    """Partly: some of the facts, and nothing forbidden."""
    assert judge(item(**line), ANSWER).in_words == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"expected": "six weeks"}, CLOSEST_HOLD_IT),
        ({"expected": "six weeks", "source": "crane"}, CLOSEST_HOLD_IT),
        ({"expected": "six weeks", "source": "hoist"}, WRONGLY_REFUSED),
        ({"expected": {"all": ["six weeks", "engineer"]}, "sources": ["crane", "hoist"]}, CLOSEST_HOLD_IT),
        ({"expected": {"all": ["six weeks", "engineer"]}, "sources": ["crane"]}, WRONGLY_REFUSED),
        ({"expected": None}, RIGHTLY_REFUSED),
    ],
)
def test_closest_passages_hold_the_answer_or_not(line: dict[str, Any], expected: str) -> None:
    """They are no answer: the refusal stays what it is; and what they show may be forbidden."""
    verdict = judge(item(**line), Outcome(text=None, closest=CLOSEST))
    assert (verdict.in_words, verdict.closest_shown) == (expected, True)
    assert verdict.outcome == (ABSTAINED_RIGHTLY if expected == RIGHTLY_REFUSED else ABSTAINED_WRONGLY)
    assert not verdict.forbidden_shown
    assert judge(item(**line, forbidden=["hoist"]), Outcome(text=None, closest=CLOSEST)).forbidden_shown
    assert judge(item(**line), Outcome(text=None, closest=(SECRET,))).forbidden_shown


def test_a_question_that_could_not_be_asked_is_neither_right_nor_wrong() -> None:
    """A model that is away has not rightly refused anything."""
    assert judge(item(expected=None), Outcome(text=None, failed=True)) == Verdict(outcome=FAILED)


@pytest.mark.parametrize("shown", [{"cited": (SECRET,)}, {"retrieved": (CRANE, SECRET)}])
def test_a_document_without_a_grant_is_forbidden_whatever_the_dataset_says(shown: dict[str, Any]) -> None:
    """Cited or only retrieved, the answer is not right."""
    verdict = judge(item(expected="six"), Outcome(text="Every six weeks.", **shown))
    assert (verdict.outcome, verdict.forbidden_shown) == (ANSWERED_WRONGLY, True)


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("a rate of 4.2 percent", "4.2 percent", True),
        ("a rate of 14.2 percent", "4.2 percent", False),
        ("version 4.25", "4.2", False),
        ("5,000 rows", "5", False),
        ("chapter 5, page 1", "5", True),
        ("page 1.", "1", True),
        ("1,000.5", "5", False),
        ("owners", "owner", True),
        ("to 5\u20111/4 to 5\u20111 / 2 percent", "5-1/4 to 5-1/2", True),
        ("raised by \u00be percentage point", "3/4 percentage point", True),
        ("don\u2019t", "don't", True),
        ("minus \u2212196", "-196", True),
    ],
)
def test_a_text_stands_in_an_answer_as_a_whole_number_and_in_any_typography(
    text: str, wanted: str, expected: bool
) -> None:
    """A longer number is another number."""
    assert contains(text, ((wanted,),)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Four guests. [1]\nTwo guests. [2]", IS_RIGHT),
        ("Two guests. [1]\nFour guests. [2]", IS_PARTLY),
        ("- Four guests [1][2]\n- Two [3]", IS_RIGHT),
        ("Two guests. [1]", IS_WRONG),
        ("Four guests", IS_RIGHT),
    ],
)
def test_what_comes_first_is_in_the_first_statement(text: str, expected: str) -> None:
    """Behind another statement it is right in part."""
    assert judge(item(expected="four guests", first=True), Outcome(text=text)).in_words == expected
