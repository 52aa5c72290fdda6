"""Topics as people type them, and outlines as models write them."""

import datetime as dt

import pytest

from core.asking.research.planning import read_outline
from core.asking.research.topics import read_topic

TODAY = dt.date(2026, 3, 2)


@pytest.mark.parametrize(
    ("typed", "subject"),
    [
        ("travel expenses", "travel expenses"),
        ("Write me a page on travel expenses", "travel expenses"),
        ("please can you prepare a short report about the footbridge", "footbridge"),
        ("research dogs in the huts", "dogs in the huts"),
        ("Put together a dossier of our suppliers", "suppliers"),
        ("how our travel rules changed since 2023", "travel rules"),
        ("How has the price of beds developed over time?", "price of beds"),
        ("where our power comes from and how that changed since 2024", "power comes from"),
        ("how the board changed its mind in 2025", "board changed its mind"),
        ("what do we know about vector search", "vector search"),
        ("what members must do before winter", "members must do before winter"),
        ("make tea", "make tea"),  # what would be left is no topic
    ],
)
def test_the_subject_is_what_it_is_about(typed: str, subject: str) -> None:
    """Without the wish in front, the period and the words for change."""
    assert read_topic(typed, today=TODAY).subject == subject


def test_a_period_and_a_change_are_read() -> None:
    """Counted from today."""
    topic = read_topic("Write a page on how our travel rules changed since 2023", today=TODAY)
    assert topic.typed == "how our travel rules changed since 2023"
    assert (topic.date_from, topic.date_to, topic.is_change) == (dt.date(2023, 1, 1), None, True)
    last = read_topic("the decisions of last year", today=TODAY)
    assert (last.date_from, last.date_to, last.is_change) == (dt.date(2025, 1, 1), dt.date(2025, 12, 31), False)


def test_an_outline_is_read_as_models_write_it() -> None:
    """With bullets and emphasis of their own; what is no question of a section is left out."""
    text = (
        "Here is the plan:\n- A question before any heading?\n\n## **Meals**\n* What is paid for meals?\n"
        "• And abroad?\n\n# Trains:\n- When is first class paid?\n- ?\nGood luck!"
    )
    assert read_outline(text) == [
        ("Meals", "What is paid for meals?"),
        ("Meals", "And abroad?"),
        ("Trains", "When is first class paid?"),
    ]
