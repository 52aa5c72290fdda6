"""Words of a question that a text has in a similar spelling only."""

import pytest

from core.language.nlp.look_alikes import find_look_alike
from core.language.nlp.text import content_stems


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("Where is the rivet gate key?", "The river gate is locked at sunset.", ("rivet", "river")),
        ("Who cleans the planter?", "The planer is cleaned every Friday.", ("planter", "planer")),
        ("Where is the breaker stored?", "The beaker is stored on shelf 3.", ("breaker", "beaker")),
        ("Where are the trowels?", "A clean towel hangs beside every basin.", ("trowel", "towel")),
    ],
)
def test_another_word_of_nearly_the_same_letters_is_found(question: str, text: str, found: tuple[str, str]) -> None:
    assert find_look_alike(question, set(content_stems(text))) == found


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where is the rivet gate key?", "The rivet gate is behind the river gate."),  # the text has both
        ("Which share did he lose?", "The shape was lost."),  # a common word
        ("Where is the winsh?", "The winch is on the north slip."),  # no word: a slip
        ("Who evoked it?", "The evocation was hers."),  # forms of one word
        ("What did the board decide?", "The decision is in the minutes."),
        ("When were the anchors wound up?", "Wind up the anchor."),
        ("How are sprockets kept?", "A pocket is kept closed."),  # another first letter
        ("Where is dock 12b?", "Dock 12c is at the quay."),
    ],
)
def test_forms_slips_and_common_words_are_none(question: str, text: str) -> None:
    assert find_look_alike(question, set(content_stems(text))) is None


def test_what_means_the_same_is_none() -> None:
    """A library may say a thing in a word that happens to look like the question's."""
    held = set(content_stems("The towel hangs there."))
    assert find_look_alike("Where are the trowels?", held, same=["towel"]) is None
