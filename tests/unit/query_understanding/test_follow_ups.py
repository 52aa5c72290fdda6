"""Follow-ups by rules."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.query_understanding.follow_ups import (
    Turn,
    list_items,
    refers_back,
    says_again,
    stand_alone,
    without_change_of_subject,
)

TODAY = dt.date(2026, 3, 15)
ANSWER = "Fixed guards enclose the machine. [1]\nAdjustable guards fit many sizes. [2]\nSelf-adjusting guards move. [3]"


def rewritten(question: str, *turns: Turn) -> str:
    return stand_alone(question, turns, today=TODAY).text


@pytest.mark.parametrize(
    ("previous", "question", "alone"),
    [
        (
            "What did the manager report about reserve balances and money markets in January 2024?",
            "And what about Treasury yields?",
            "What did the manager report about Treasury yields in January 2024?",
        ),
        (
            "How many days of leave do employees get?",
            "and would interns get more?",
            "How many days of leave do employees get? Would interns get more?",
        ),
        (
            "What did the Committee decide in September 2024?",
            "And in December?",
            "What did the Committee decide in December 2024?",
        ),
        ("What did the Committee decide in September 2024?", "And who dissented?", "Who dissented in September 2024?"),
        (
            "What did the Committee decide in September 2024?",
            "Who voted against it?",
            "What did the Committee decide in September 2024? Who voted against it?",
        ),
        (
            "How many days of leave do people in Germany get?",
            "what about France?",
            "How many days of leave do people in France get?",
        ),
        (
            "What are the advantages of a fixed guard?",
            "And adjustable guards?",
            "What are the advantages of adjustable guards?",
        ),
        ("What does the pipeline function do?", "What about the Trainer?", "What does the Trainer do?"),
        ("What is lockout?", "And tagout?", "What is tagout?"),
        ("What did the March 2024 minutes say?", "and in June?", "What did the June 2024 minutes say?"),
        ("When does the canteen open?", "And on Fridays?", "When does the canteen open on Fridays?"),
        ("When does the canteen open?", "Who has the key to it?", "When does the canteen open? Who has the key to it?"),
        ("When does the canteen open?", "Why?", "When does the canteen open? Why?"),
        ("Is a doctor's note needed?", "since when?", "Is a doctor's note needed? Since when?"),
        ("Is a doctor's note needed?", "and since when?", "Is a doctor's note needed? Since when?"),
        ("Who may cut a lock?", "how come", "Who may cut a lock? How come"),
        ("How much may a hotel cost per night?", "what about meals", "How much may meals cost per night?"),
        ("Why are locks red?", "what about Spare keys", "Why are Spare keys red?"),
        ("When is the pier open over winter?", "and in summer?", "When is the pier open in summer?"),
        ("When is the pier open over winter?", "and in july?", "When is the pier open in july?"),
        ("When is the pier open in July?", "and at christmas?", "When is the pier open at christmas?"),
        ("What is the price for borrowing the saw?", "and the drill?", "What is the price for borrowing the drill?"),
        ("How is the station tested?", "How often?", "How is the station tested? How often?"),
        ("Must each lock be signed?", "by whom?", "Must each lock be signed? By whom?"),
        (
            "How many days of leave do full-time staff get?",
            "and for part-timers?",
            "How many days of leave do full-time staff get for part-timers?",
        ),
    ],
)
def test_follow_ups(previous: str, question: str, alone: str) -> None:
    """A named thing replaces its like; a pronoun keeps the question before it."""
    assert refers_back(question)
    assert rewritten(question, Turn(question=previous)) == alone


@pytest.mark.parametrize(
    "question",
    [
        "Who is the chair of the board?",
        "When are mid-year reviews due?",
        "What is BERT and how is it trained?",
        "Is it allowed to smoke in the yard?",
        "What are the rules for visitors?",
        "How long is the notice period?",
        "Where is the first aid box?",
        "Which guard is best when it rains?",
        "What did the Committee decide in December 2024?",
    ],
)
def test_a_question_that_stands_alone_is_not_changed(question: str) -> None:
    """Neither by a conversation about something else nor by one about the same."""
    for previous in ("When does the canteen open?", "What did the Committee decide in September 2024?"):
        assert rewritten(question, Turn(question=previous, answer=ANSWER)) == question


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("ok. something else: where is the spare key?", "where is the spare key?"),
        ("By the way, who pays?", "who pays?"),
        ("btw who pays", "who pays"),
        ("thanks! Different question. How long is the break?", "How long is the break?"),
        ("One other thing, can I bring a dog?", "can I bring a dog?"),
        ("Something else happened in March?", "Something else happened in March?"),
        ("Is there another question?", "Is there another question?"),
        ("by the way", "by the way"),
    ],
)
def test_another_subject_is_announced(question: str, rest: str) -> None:
    assert without_change_of_subject(question) == rest


def test_the_second_one_is_that_of_the_answer() -> None:
    """A statement of several, or an item of a list in one; without an answer it is not guessed."""
    types = "What types of guards are there?"
    found = stand_alone("What about the second one?", [Turn(question=types, answer=ANSWER)], today=TODAY)
    assert (found.text, found.used_answer) == ("What about Adjustable guards fit many sizes?", True)
    listed = Turn(question=types, answer="The types are fixed guards, adjustable guards and nets. [1]")
    assert rewritten("What is the last one?", listed) == "What about nets?"
    six = Turn(question=types, answer="The types are fixed guards, gates, mats, curtains, bars and nets. [1]")
    assert rewritten("What about the sixth one?", six) == "What about nets?"
    unknown = stand_alone("What about the second one?", [Turn(question=types)], today=TODAY)
    assert (unknown.text, unknown.used_answer) == (f"{types} What about the second one?", False)


@pytest.mark.parametrize(
    ("question", "answer", "again"),
    [
        ("Why?", "Fixed guards enclose the machine. [1]", True),
        ("Why?", "Self-adjusting guards move. [1]\nFixed guards enclose the machine. [2]", True),
        ("Why?", "Fixed guards enclose the machine. [1]\nThe law demands them. [2]", False),
        ("What types are there?", "Fixed guards enclose the machine. [1]", False),
    ],
)
def test_an_answer_that_says_nothing_new(question: str, answer: str, again: bool) -> None:
    """Every statement of it was in the answer before; the same question once more gets the same."""
    before = Turn(question="what types are there", answer=ANSWER)
    assert says_again(question, answer, before) is again
    assert not says_again(question, answer, Turn(question="What types are there?"))


def test_items_of_an_answer() -> None:
    """Statements, one a line, without marks."""
    assert list_items(ANSWER) == [
        "Fixed guards enclose the machine.",
        "Adjustable guards fit many sizes.",
        "Self-adjusting guards move.",
    ]


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("the March one", "20 March 2024"),
        ("June", "12 June 2024"),
        ("the second one", "12 June 2024"),
        ("2", "12 June 2024"),
        ("20 March 2024", "20 March 2024"),
    ],
)
def test_a_choice_among_what_was_offered(reply: str, chosen: str) -> None:
    """The question before, narrowed to it; another reply chooses nothing."""
    turn = Turn(question="What was decided at the meeting?", options=("20 March 2024", "12 June 2024"))
    assert rewritten(reply, turn) == f"What was decided at the meeting, in the documents of {chosen}?"
    assert rewritten("How long is the notice period?", turn) == "How long is the notice period?"


def test_a_title_is_chosen_by_its_words() -> None:
    """A word that only one of the options has."""
    turn = Turn(question="What caused the accident?", options=("“Report A17.pdf”", "“Report B20.pdf”"))
    assert rewritten("the second", turn) == "What caused the accident, in the document “Report B20.pdf”?"


def test_a_first_question_that_refers_to_nothing_lacks_something() -> None:
    """One that names something, if only a little, can be looked up."""
    for question in ("What about it?", "And in December?", "Why?", "The second one?"):
        assert stand_alone(question, [], today=TODAY).lacks, question
    for question in ("And what about Germany?", "Who voted against it?", "When does the canteen open?"):
        assert not stand_alone(question, [], today=TODAY).lacks, question


def test_a_chain_stays_short() -> None:
    """Each turn's question is built on the standalone question before."""
    turns = [Turn(question="What did the Committee decide in September 2024?")]
    for question in ("And in December?", "Who voted against it?", "And why?"):
        turns.insert(0, Turn(question=rewritten(question, *turns)))
    assert [turn.question for turn in turns] == [
        "What did the Committee decide in December 2024? Why?",
        "What did the Committee decide in December 2024? Who voted against it?",
        "What did the Committee decide in December 2024?",
        "What did the Committee decide in September 2024?",
    ]


WORDS = ("and", "what about", "the second one", "it", "in", "March", "2024", "of", "guards", "?", "who", "second", ".")
TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(WORDS)).map(" ".join),
)


@given(TEXT, TEXT, TEXT)
def test_any_conversation_can_be_followed(question: str, previous: str, answer: str) -> None:
    """No text is an error, and without a turn nothing is changed."""
    assert stand_alone(question, [], today=TODAY).text == question
    stand_alone(question, [Turn(question=previous, answer=answer)], today=TODAY)
    stand_alone(question, [Turn(question=previous, options=(answer, "b"))], today=TODAY)
