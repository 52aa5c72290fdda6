"""Test which questions ask for the same: no pair that differs in a detail may pass."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.asking.verification.same_question import asks_the_same, depends_on_today, find_difference

FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "same_questions.jsonl"
PAIRS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair["same"]], ids=lambda pair: pair["one"])
def test_a_detail_makes_another_question(pair: dict[str, Any]) -> None:
    """Whichever of the two is asked."""
    assert not asks_the_same(pair["one"], pair["other"])
    assert not asks_the_same(pair["other"], pair["one"])


def test_many_of_those_that_mean_the_same_pass() -> None:
    """Or the property above would hold of rules that refuse everything. Decision 0050 has the figures."""
    same = [pair for pair in PAIRS if pair["same"]]
    assert sum(asks_the_same(pair["one"], pair["other"]) for pair in same) >= 45


@pytest.mark.parametrize("question", [pair["one"] for pair in PAIRS if pair["same"] and "next" not in pair["one"]])
def test_a_question_asks_for_the_same_as_itself(question: str) -> None:
    """In whatever case, and without its mark."""
    assert asks_the_same(question, question.casefold().rstrip("?"))


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("What was decided in 2023?", "What was decided in 2024?", "time"),
        ("What was decided?", "What was decided in 2024?", "time"),
        ("What was decided last month?", "What was decided last month?", "time"),
        ("Who signs above 50 euros?", "Who signs above 500 euros?", "numbers"),
        ("What is in Room C?", "What is in Room D?", "marks"),
        ("What did Powell say?", "What did Yellen say?", "names"),
        ("Who may enter?", "Who may not enter?", "negation"),
        ("Do I have to fly?", "Can I fly?", "modality"),
        ("What do I earn at least?", "What do I earn at most?", "bounds"),
        ("Where is it sold?", "When is it sold?", "kind"),
        ("How do I turn it on?", "How do I turn it off?", "particles"),
        ("What came in the war?", "What came before the war?", "relations"),
        ("Can a nurse replace a trainee?", "Can a trainee replace a nurse?", "order"),
        ("Where is the boiler?", "Where is the dishwasher?", "words"),
    ],
)
def test_it_says_in_what_they_differ(one: str, other: str, differs: str) -> None:
    """The first check that finds something."""
    assert find_difference(one, other) == differs


@pytest.mark.parametrize(
    ("question", "moves"),
    [
        ("What was decided at the last meeting?", True),
        ("How many holidays are left this year?", True),
        ("Is it open today?", True),
        ("What is the current rate?", True),
        ("What was decided in March 2024?", False),
        ("How long does the first phase last?", False),
    ],
)
def test_what_depends_on_today(question: str, *, moves: bool) -> None:
    """A question whose answer changes with the day is recognised."""
    assert depends_on_today(question) is moves
