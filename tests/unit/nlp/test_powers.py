"""Raised figures are no digits of the number before them."""

import pytest

from core.language.nlp.answer_types import find_kind_asked, holds_new
from core.language.nlp.powers import drop_marks, write_powers
from core.language.nlp.text import sentences


@pytest.mark.parametrize(
    ("text", "plain"),
    [("10⁻³ bar", "10^-3 bar"), ("12² lamps", "12^2 lamps"), ("1010₂", "1010_2"), ("m² and H₂O", "m² and H₂O")],
)
def test_powers_are_written_behind_a_sign(text: str, plain: str) -> None:
    """Behind a digit alone: elsewhere they are no part of a number."""
    assert write_powers(text) == plain


@pytest.mark.parametrize("price", ["40¹ euros", "40[1] euros", "40 [12] euros", "40^1 euros", "40 euros"])
def test_a_price_with_the_mark_of_a_note_is_a_price(price: str) -> None:
    """The mark is between the figure and its currency."""
    question = "What is the price of a berth?"
    kind = find_kind_asked(question)
    assert drop_marks(price) == "40 euros"
    assert holds_new(kind, f"A berth costs {price} a night.", question)
    assert not holds_new(kind, "A berth costs less in winter.", question)


def test_a_sentence_ends_before_the_mark_of_a_note() -> None:
    """The mark stays with its sentence; a number in brackets within one ends none."""
    text = "The lock is shut.[3] Boats wait at the quay.[4][5] The harbour [6] is near. See 4.[7] below."
    assert [text[slice(*span)] for span in sentences(text)] == [
        "The lock is shut.[3]",
        "Boats wait at the quay.[4][5]",
        "The harbour [6] is near.",
        "See 4.[7] below.",
    ]
