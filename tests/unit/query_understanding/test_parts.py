"""Questions that ask two things at once, and times that are named in two places of one question."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.query_understanding.reading import MOST_PARTS, read, split_parts

TODAY = dt.date(2026, 3, 15)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who wrote the charter, and when was the pier built?", ("Who wrote the charter", "when was the pier built")),
        ("Who wrote the charter and in which year did it burn?",
         ("Who wrote the charter", "in which year did it burn")),
        ("What is a mole and who paid for it?", ("What is a mole", "who paid for it")),
        ("How deep is the basin; where do the ferries moor?", ("How deep is the basin", "where do the ferries moor")),
        ("How deep is the basin, but why do ferries moor outside?",
         ("How deep is the basin", "why do ferries moor outside")),
        ("How many boats may moor and how will that change in May?",
         ("How many boats may moor", "how will that change in May")),
        ("Which rope was chosen, and why was that changed?", ("Which rope was chosen", "why was that changed")),
        ("When is the office open and is it closed on Sundays?",
         ("When is the office open", "is it closed on Sundays")),
        ("Who wrote the charter, when was the pier built, and by whom was the mole paid for?",
         ("Who wrote the charter, when was the pier built", "by whom was the mole paid for")),
    ],
)  # fmt: skip
def test_joined_questions_are_taken_apart(question: str, parts: tuple[str, ...]) -> None:
    """At "and", "but" or a semicolon before a question word; not at a bare comma."""
    assert split_parts(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Who wrote the charter?",
        "Who wrote the charter and the bylaws of the port?",
        "Who wrote the charter, and who did so first?",
        "When does the canteen open? And who voted against the fee?",
        "How deep is the basin, and who dug both?",
        "What and who keeps the pier open?",
        "What is the mole and who paid?",
        "Who wrote the charter, and when?",
        "What is the base rate, and why was that rate kept?",
        "Which of the berths are deep and are the others dry?",
        "I am ill and am I to ring anybody?",
        "Who came by sea, and who came by road, and who came by rail, and who came by air?",
    ],
)
def test_what_hangs_together_stays_whole(question: str) -> None:
    """A part that refers to another, one too short by itself, more than three of them, and a scene set before."""
    assert split_parts(question) == ()


@given(st.lists(st.sampled_from(["who", "which pier", "was built", "and", ", and", ";", "?", "it", "a b c d"])))
def test_parts_are_words_of_the_question(words: list[str]) -> None:
    """None or two to three, in the order of the question, none of them made up."""
    question = " ".join(words)
    parts = split_parts(question)
    assert len(parts) != 1
    assert len(parts) <= MOST_PARTS
    place = 0
    for part in parts:
        place = question.index(part, place) + len(part)


def test_the_parts_of_a_question_are_its_sides() -> None:
    """Each is searched for in its own words and is called by them."""
    sub_questions = read("Who wrote the charter, and when was the pier built?", today=TODAY).sub_questions
    assert [(part.query, part.label, part.date_from, part.date_to) for part in sub_questions] == [
        ("Who wrote the charter", "Who wrote the charter", None, None),
        ("when was the pier built", "when was the pier built", None, None),
    ]


def test_a_part_that_refers_to_the_first_is_searched_for_behind_it() -> None:
    """It is called by its own words alone."""
    sub_questions = read("What is the mole, when was it built, and who was the mason?", today=TODAY).sub_questions
    assert [(part.query, part.label, part.is_question) for part in sub_questions] == [
        ("What is the mole, when was it built", "What is the mole, when was it built", True),
        ("who was the mason", "who was the mason", True),
    ]
    *_, last = read("What is the mole and who built its lighthouse?", today=TODAY).sub_questions
    assert (last.query, last.label) == ("What is the mole? Who built its lighthouse?", "who built its lighthouse")


@pytest.mark.parametrize(
    ("question", "first", "last", "month"),
    [
        ("In the statements of 2023, what was the rate in July?", dt.date(2023, 7, 1), dt.date(2023, 7, 31), None),
        ("What rate did the minutes in February give, in the minutes of 2024?",
         dt.date(2024, 2, 1), dt.date(2024, 2, 29), None),
        ("In the statements of 2023, what was the rate?", dt.date(2023, 1, 1), dt.date(2023, 12, 31), None),
        ("What was the rate in the July statement?", None, None, 7),
        ("In the statements of June 2023, what was the rate in July?", None, None, None),
    ],
)  # fmt: skip
def test_a_year_and_a_month_without_one_are_that_month(
    question: str, first: dt.date | None, last: dt.date | None, month: int | None
) -> None:
    """Either may come first; a month that has its own year lends it to no other."""
    reading = read(question, today=TODAY)
    assert (reading.date_from, reading.date_to, reading.month) == (first, last, month)
    assert reading.dates_certain == (first is not None)
    assert reading.sub_questions == ()
