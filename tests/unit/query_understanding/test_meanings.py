"""Test the meanings of a follow-up: its place in an earlier question, more about the same, or alone."""

import datetime as dt
import time

import pytest

from core.language.query_understanding.follow_ups import Turn, find_whole
from core.language.query_understanding.meanings import asks_about_answer, list_meanings


def meanings(question: str, *earlier: str) -> tuple[str, ...]:
    """earlier: the newest first."""
    return list_meanings(question, [Turn(question=text) for text in earlier], today=dt.date(2026, 3, 1))


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        ("How much is a boat wash?", "What about a survey?", "How much is a survey?"),
        ("What does a boat wash cost?", "and a survey", "What does a survey cost?"),
        ("how long can a visitor stay?", "and a member?", "how long can a member stay?"),
        ("For how many nights is a cabin let?", "What about a tent pitch?", "For how many nights is a tent pitch let?"),
        ("How much are pilots paid an hour?", "And stewards?", "How much are stewards paid an hour?"),
        ("When does the gate in Oldhaven close?", "And in Newhaven?", "When does the gate in Newhaven close?"),
        ("What do I wear for welding?", "for grinding?", "What do I wear for grinding?"),
        ("How much sugar do cooks need for jam?", "and bakers?", "How much sugar do bakers need for jam?"),
    ],
)
def test_another_thing_takes_the_place_of_the_first(earlier: str, question: str, meant: str) -> None:
    """Whatever the form of the question: the verb stays."""
    assert meanings(question, earlier)[0] == meant


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        ("which ropes do i need for the jetty", "how thick?", "How thick? (ropes need for the jetty)"),
        ("When is the crane tested?", "and by whom?", "By whom? (the crane tested)"),
        ("What's the pressure of the boiler?", "and why?", "Why? (the pressure of the boiler)"),
        ("whos the keeper of the keys", "how long?", "How long? (the keeper of the keys)"),
        ("How thick? (ropes for the jetty)", "how long do they last?", "How long do they last? (ropes for the jetty)"),
    ],
)
def test_more_about_the_same_is_asked_with_what_it_is_about(earlier: str, question: str, meant: str) -> None:
    """The words that asked the earlier question are left out, so that nothing answers it once more."""
    assert meanings(question, earlier) == (meant, question)


def test_a_thing_takes_its_place_in_the_newest_question_that_says_what_it_is_about() -> None:
    earlier = ("How thick? (ropes for the jetty)", "Which ropes are kept for the jetty?", "Where is the harbour?")
    assert meanings("and for the quay?", *earlier)[0] == "Which ropes are kept for the quay?"
    assert earlier[find_whole([Turn(question=text) for text in earlier])] == earlier[1]


@pytest.mark.parametrize(
    ("earlier", "question", "meant"),
    [
        (
            "What did the board decide in September 2024?",
            "And in December?",
            "What did the board decide in December 2024?",
        ),
        ("How many berths were let in 2029?", "what about 2030?", "How many berths were let in 2030?"),
    ],
)
def test_another_date_only_takes_the_place_of_the_first(earlier: str, question: str, meant: str) -> None:
    """Behind the earlier question, whose own date stays, it would name two."""
    assert meanings(question, earlier) == (meant,)


def test_a_long_question_and_a_first_one_mean_what_they_say() -> None:
    assert (
        meanings(
            "Which form do visiting skippers fill in before mooring overnight at the northern pontoon?",
            "What is a berth?",
        )
        == ()
    )
    assert meanings("and a survey?") == ()


@pytest.mark.parametrize(
    "question",
    [
        "are you sure?",
        "Really?",
        "where does it say that?",
        "says who",
        "Explain that in simpler words.",
        "again please",
    ],
)
def test_a_question_about_the_answer_is_known(question: str) -> None:
    assert asks_about_answer(question)


@pytest.mark.parametrize("question", ["why?", "where is it kept?", "are you open?", "how sure is the forecast?"])
def test_another_question_is_not_about_the_answer(question: str) -> None:
    assert not asks_about_answer(question)


@pytest.mark.parametrize("unit", ["and ", "ok thanks ", "a (b) ", "explain that ", "for the ", "? ", "how much is "])
def test_hostile_questions_take_no_time(unit: str) -> None:
    text = (unit * 1000)[:1000]
    started = time.perf_counter()
    meanings(text, text)
    meanings("and a bell?", text)
    assert asks_about_answer(text) is False
    assert time.perf_counter() - started < 2
