"""Test requests for summaries of threads, and the messages chosen for them."""

import pytest

from bot.blocks.thread_summary import Said
from bot.thread_summaries import MOST_IN_PART, Wish, find_wish, states_decision, summarise


@pytest.mark.parametrize(
    "text",
    [
        "what was decided here?",
        "What did we agree on in this thread?",
        "please, what are the decisions here?",
        "Was haben wir hier beschlossen?",
        "qu'est-ce qu'on a décidé ici ?",
        "¿Qué se ha decidido aquí?",
    ],
)
def test_decisions_of_a_thread_are_wished_for(text: str) -> None:
    """Recognise it in four languages."""
    assert find_wish(text) is Wish.DECISIONS


@pytest.mark.parametrize(
    "text",
    [
        "summarize this thread",
        "Can you please summarise the discussion?",
        "tl;dr",
        "TLDR please",
        "What was discussed here?",
        "Fasse diesen Thread bitte zusammen",
        "Zusammenfassung dieser Diskussion",
        "résume ce fil",
        "resume este hilo, por favor",
    ],
)
def test_a_summary_of_a_thread_is_wished_for(text: str) -> None:
    """Recognise it in four languages."""
    assert find_wish(text) is Wish.WHOLE


@pytest.mark.parametrize(
    "text",
    [
        "what was decided?",
        "What was decided in May about the canteen?",
        "What was decided in this thread about the canteen and who pays for it?",
        "summarize the travel policy",
        "What is the summary of the annual report?",
        "recap",
        "Was wurde im Mai beschlossen?",
        "Who decided here that the canteen closes?",
        "",
    ],
)
def test_questions_about_documents_wish_no_summary(text: str) -> None:
    """Leave to the documents what names no thread."""
    assert find_wish(text) is None


@pytest.mark.parametrize(
    ("text", "decides"),
    [
        ("OK, we decided to move the launch to Monday.", True),
        ("Thanks all. Decision: Acme gets the contract", True),
        ("We agreed not to renew the lease.", True),
        ("Let's go with the blue one", True),
        ("Wir haben beschlossen, dass die Kantine zu bleibt", True),
        ("On a décidé de reporter la réunion.", True),
        ("Hemos acordado cambiar de proveedor", True),
        ("Have we decided anything?", False),
        ("We have not decided anything yet.", False),
        ("If it is decided, tell me.", False),
        ("Wir haben noch nicht entschieden.", False),
        ("I would like to know the price.", False),
        ("So it's decided?", False),
    ],
)
def test_a_decision_is_stated_and_not_asked_or_denied(text: str, decides: bool) -> None:
    """Tell the one from the others."""
    assert states_decision(text) is decides


def _thread(*texts: str, ticked: str = "") -> list[Said]:
    return [Said(ts=f"{n}.0", user=f"U{n % 2}", text=text, is_ticked=text == ticked) for n, text in enumerate(texts, 1)]


def test_the_last_decisions_count() -> None:
    """Leave the rest of the thread out where a decision was wished for and made."""
    thread = _thread("Hello", "We decided on red.", "Wait.", *(f"We decided on number {n}." for n in range(5)))
    summary = summarise(thread, Wish.DECISIONS)
    assert [said.text for said in summary.decisions] == [f"We decided on number {n}." for n in (2, 3, 4)]
    assert not summary.open_questions
    assert not summary.main_points


def test_a_check_mark_makes_a_decision() -> None:
    """Believe the people who ticked it."""
    thread = _thread("The blue one costs less.", "Blue then", ticked="Blue then")
    assert [said.text for said in summarise(thread, Wish.DECISIONS).decisions] == ["Blue then"]


def test_without_a_decision_the_main_points_are_given() -> None:
    """Say the most central messages, in the order in which they were written."""
    thread = _thread(
        "The new printer needs toner from Acme.",
        "Acme sells toner for the new printer at 40 euros.",
        "Lunch anyone",
        "My cat is ill today and I stay at home.",
        "Then the printer waits for toner until Acme delivers.",
    )
    summary = summarise(thread, Wish.DECISIONS)
    assert summary.decisions == ()
    assert [said.ts for said in summary.main_points] == ["1.0", "2.0", "5.0"]


def test_questions_that_somebody_answered_are_not_open() -> None:
    """Take a message of somebody else as the answer, and none of the asker's own."""
    thread = [
        Said(ts="1.0", user="A", text="Who orders the toner?"),
        Said(ts="2.0", user="B", text="I do."),
        Said(ts="3.0", user="A", text="And when does it come?"),
        Said(ts="4.0", user="A", text="It is urgent."),
    ]
    assert [said.ts for said in summarise(thread, Wish.WHOLE).open_questions] == ["3.0"]


def test_no_message_stands_in_two_parts_and_no_part_is_long() -> None:
    """Hold on a thread of all kinds."""
    thread = _thread(*(f"We agreed on part {n}. Is that all of part {n}?" for n in range(40)), "What else?")
    summary = summarise(thread, Wish.WHOLE)
    parts = (summary.decisions, summary.open_questions, summary.main_points)
    chosen = [said.ts for part in parts for said in part]
    assert len(chosen) == len(set(chosen))
    assert max(map(len, parts)) <= MOST_IN_PART


def test_an_empty_thread_has_an_empty_summary() -> None:
    """Choose nothing."""
    assert summarise([], Wish.WHOLE).is_empty
