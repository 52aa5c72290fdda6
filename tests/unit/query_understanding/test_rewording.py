"""Questions said in the words of a passage."""

import pytest

from core.language.query_understanding.synonyms import reword

LEAVE = (
    "Annual leave. Staff have 28 days of annual leave a year. Five days may be carried over. A child of a worker may "
    "eat lunch."
)


@pytest.mark.parametrize(
    ("question", "reworded"),
    [
        ("How many holidays do I get?", "How many days of annual leave do I get?"),
        ("How many vacation days do I get?", "How many annual leave days do I get?"),
        ("How much vacation do I get?", "How much annual leave do I get?"),
        ("can I roll over my vacation?", "can I carry over my annual leave?"),
        ("May kids eat here?", "May child eat here?"),
        ("How much time off, in all, is there?", "How much annual leave, in all, is there?"),
    ],
)
def test_a_question_takes_the_words_of_the_passage(question: str, reworded: str) -> None:
    """Words and phrases are replaced; what is between them stays."""
    assert reword(question, LEAVE) == reworded


@pytest.mark.parametrize(
    "question",
    [
        "How many days of annual leave do I have?",  # the passage has it
        "When is dinner?",  # lunch is another meal
        "Where is the lift?",  # the passage has nothing like it
        "",
        "?!",
        "休日は何日ですか",
    ],
)
def test_what_the_passage_has_or_lacks_stays(question: str) -> None:
    """One kind of a thing is not another kind."""
    assert reword(question, LEAVE) == question


def test_a_kind_is_said_by_what_it_is_a_kind_of() -> None:
    """Also the other way round, where the question is the wider one."""
    assert reword("Is it open on Saturday?", "Closed at the weekend.") == "Is it open on weekend?"
    assert reword("Is it open at the weekend?", "Closed on Saturdays.") == "Is it open at the saturday?"
    assert reword("Is it open on Saturday?", "Closed on Sundays.") == "Is it open on Saturday?"


def test_no_word_is_left_out() -> None:
    """An alarm is not always a fire alarm."""
    assert reword("Who hears the fire alarm?", "The alarm sounds.") == "Who hears the fire alarm?"
    assert reword("Who hears the fire alarm?", "The siren sounds.") == "Who hears the siren?"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What was decided in the second half of 2025 about panels?", "What was decided about panels?"),
        ("What did they agree on in Q4 2025?", "What did they agree on?"),
        ("What was decided in the first half of 2025?", None),
        ("What was decided in November 2025?", None),
        ("What was decided in 2025?", None),
        ("What was decided between Q3 2025 and Q1 2026?", None),
        ("How many members were there in Q4 2025?", None),
    ],
)
def test_a_part_of_a_year_is_left_out_for_what_is_dated_in_it(question: str, said: str | None) -> None:
    """A reader is asked for the rest; a figure, a month and a whole year stay for it to find."""
    heading = "Minutes, 11 November 2025, 1. Plans"
    assert reword(question, "The plan was adopted.", heading=heading) == (said or question)
    assert reword(question, "The plan was adopted.", heading="Minutes, 3 May 2024") == question
