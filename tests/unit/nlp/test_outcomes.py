"""Test what minutes say of a matter, and questions for what was decided."""

import pytest

from core.language.nlp.outcomes import is_outcome_asked, says_outcome
from core.language.nlp.sentence_scoring import ignore_meaning, match

PANELS = "Minutes, 3 May 2025, 2. Solar panels on the barn, page 4"


@pytest.mark.parametrize(
    ("question", "heading", "is_asked"),
    [
        ("What was decided about solar panels?", PANELS, True),
        ("what did the committee agree on the barn", PANELS, True),
        ("What came of the idea of solar panels?", PANELS, True),
        ("What was decided about solar panels in 2025?", PANELS, False),
        ("What was decided about solar lamps?", PANELS, False),
        ("What do solar panels cost?", PANELS, False),
        ("What was decided by the committee?", PANELS, False),
        ("What was decided about minutes?", "Minutes", False),
    ],
)
def test_a_decision_is_asked_by_the_name_of_its_section(question: str, heading: str, is_asked: bool) -> None:
    """Ask for each word of the matter, and for no time: minutes of several meetings may have the section."""
    assert is_outcome_asked(question, heading) is is_asked


def test_the_decision_is_named_and_what_was_said_before_it_is_not() -> None:
    text = "Mr Orr presented an offer. The offer was accepted by five votes to two."
    found = match("What was decided about solar panels?", [(PANELS, text)], ignore_meaning).sentences
    assert [one.is_named for one in found] == [False, True]


@pytest.mark.parametrize("sentence", ["The motion was lost.", "Agreed by five to two.", "It was decided to wait."])
def test_outcomes(sentence: str) -> None:
    assert says_outcome(sentence)
