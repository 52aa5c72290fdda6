"""Test that what holds today is said before what has ended, or is to come."""

import datetime as dt

import pytest

from core.asking.generation.extractive.selection import select
from core.asking.generation.tools import mark_passage
from core.language.nlp.changed_rules import find_change, says_change
from core.language.nlp.dates import find_validity
from core.language.nlp.sentence_scoring import ignore_meaning
from tests.unit.verification.passages import passage

TODAY = dt.date(2026, 11, 28)


def said(question: str, *texts: str) -> list[str]:
    shown = [mark_passage(number, passage(text, name=f"Notice {number}")) for number, text in enumerate(texts, 1)]
    return [one.text for one in select(question, shown, ignore_meaning, today=TODAY)[1]]


@pytest.mark.parametrize(
    ("sentence", "state"),
    [
        ("The lamps were cleaned every week until 30 April 2026.", "ended"),
        ("The pass was valid up to the end of August 2026.", "ended"),
        ("From 1 January 2025 until 31 December 2025 the ferry was free.", "ended"),
        ("Since 1 May 2026 they have been cleaned once a month.", "holds"),
        ("Until 2 March 2026 the lift was open; as of 3 March 2026 it is closed.", "holds"),
        ("With effect from September 2026, one person keeps the desk.", "holds"),
        ("From 1 January 2027 the fee is 8 euros.", "to come"),
        ("The rules run until 31 October 2027.", ""),
        ("The board met on 3 May 2026.", ""),
        ("Nobody waits until May.", ""),
    ],
)
def test_a_sentence_says_when_it_holds(sentence: str, state: str) -> None:
    found = find_validity(sentence)
    states = {"ended": found.has_ended(TODAY), "holds": found.holds(TODAY), "to come": found.is_to_come(TODAY)}
    assert [name for name, is_so in states.items() if is_so] == ([state] if state else [])


CLEANED = "The lamps of the pier were cleaned every week until 30 April 2026."
NOW_CLEANED = "Since 1 May 2026 they have been cleaned once a month."
FEE, FEE_NOW = (
    "The mooring fee was 4 euros a day until 31 July 2026.",
    "As of 1 August 2026 the mooring fee is 6 euros.",
)


def test_the_rule_that_took_its_place_is_said_first() -> None:
    """Also where it has none of the question's words, right behind the one that has ended."""
    assert said("How often are the lamps of the pier cleaned?", f"{CLEANED} {NOW_CLEANED}")[:2] == [
        NOW_CLEANED,
        CLEANED,
    ]


def test_a_rule_of_another_document_takes_its_place() -> None:
    assert said("What is the mooring fee?", FEE, FEE_NOW) == [FEE_NOW, FEE]


def test_what_is_to_come_is_not_said_first() -> None:
    to_come, now = "From 1 January 2027 the mooring fee is 8 euros a day.", "The mooring fee is 6 euros a day."
    assert said("What is the mooring fee a day?", f"{to_come} {now}")[0] == now


@pytest.mark.parametrize(
    "question",
    ["What was the mooring fee?", "What is the mooring fee in June 2026?", "How has the mooring fee changed?"],
)
def test_a_question_about_another_time_keeps_the_order(question: str) -> None:
    assert said(question, FEE, FEE_NOW)[0] == FEE


def test_a_rule_about_something_else_takes_no_place() -> None:
    other = "As of 1 August 2026 the canteen opens at seven."
    assert said("What is the mooring fee?", FEE, other)[0] == FEE


RULE = "Fires are allowed from October to March on the beach."
CHANGED = "From today fires on the beach are allowed in November only, and no longer from October to March."


def test_a_rule_that_was_changed_is_said_behind_the_change() -> None:
    """Of a document that is not older, and not where it is asked about the past."""
    question = "Are fires allowed on the beach from October to March?"
    assert said(question, RULE, CHANGED)[:2] == [CHANGED, RULE]
    assert said("Were fires allowed on the beach from October to March?", RULE, CHANGED)[0] == RULE


@pytest.mark.parametrize(("rule", "change", "first"), [(2024, 2025, 2025), (2025, 2024, 2025), (2025, None, 2025)])
def test_an_older_change_is_no_news(rule: int, change: int | None, first: int) -> None:
    """By the dates of the documents; a change without one is not known to be newer than a dated rule."""
    dates = [dt.date(rule, 5, 2), dt.date(change, 5, 2) if change else None]
    shown = [
        mark_passage(number, passage(text, name=f"Notice {number}", date=date))
        for number, (text, date) in enumerate(zip((RULE, CHANGED), dates, strict=True), 1)
    ]
    chosen = select("Are fires allowed on the beach from October to March?", shown, ignore_meaning, today=TODAY)[1]
    assert chosen[0].passage.date == dt.date(first, 5, 2)


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("Dogs are no longer allowed.", True),
        ("The limit goes down from eight to six.", True),
        ("This replaces section 4 of the rules.", True),
        ("In place of two guests, a member may now bring four.", True),
        ("The train goes from Ost to West.", False),
        ("Use butter instead of oil.", False),
        ("The committee changed the lock.", False),
    ],
)
def test_what_says_a_change(sentence: str, says: bool) -> None:
    assert says_change(sentence) is says


def test_a_sentence_that_only_names_a_matter_gives_way_to_the_next() -> None:
    """In minutes what was decided comes behind it."""
    minutes = "Cameras at the gate were discussed. The proposal to buy some was lost by one vote to five."
    assert said("Did they agree to put cameras at the gate?", minutes) == [
        "The proposal to buy some was lost by one vote to five."
    ]


GUESTS = "A member may bring up to two guests on an ordinary night."
MORE_GUESTS = "In place of two guests, a member may now bring up to four guests on an ordinary night."


@pytest.mark.parametrize(
    ("rule", "text", "found"),
    [
        (GUESTS, f"The board met. {MORE_GUESTS} It is cold.", MORE_GUESTS),
        (GUESTS, "A member may now bring a dog.", ""),
        (GUESTS, "A member may bring up to two guests on any ordinary night.", ""),
        (MORE_GUESTS, MORE_GUESTS, ""),
        ("Two.", "You may now bring two.", ""),
    ],
)
def test_the_sentence_that_changes_a_rule_is_found_by_its_words(rule: str, text: str, found: str) -> None:
    """Most of them, of three at least; what says a change itself is no rule that is changed."""
    assert find_change(rule, text) == found


def test_a_rule_changed_in_its_own_words_is_said_second() -> None:
    """Though the question has none of the words that both have."""
    assert said("How many friends can I bring?", GUESTS, MORE_GUESTS)[0] == MORE_GUESTS
