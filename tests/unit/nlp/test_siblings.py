"""Test sentences about another site than the one that a question names."""

import pytest

from core.language.nlp.sentence_scoring import ignore_meaning, match
from core.language.nlp.siblings import SiblingsAsked

REPORT = (
    ("Report 2025, Mill House", "Mill House is full. The new roof cost 6,200 pounds."),
    ("Report 2025, Barn End", "The roof of the barn leaks. We keep Barn End."),
    ("Report 2025, Outlook", "Lost property of both is kept at Mill House."),
)
RULES = (
    ("Rules, Dogs", "Up to four dogs may sleep in the porch of Mill House. At Barn End nothing changes."),
    ("Visits, Hours", "Site | Hours\n--- | ---\nMill House | 9 to 12\nBarn End | 10 to 4"),
)


def list_left(question: str, passages: tuple[tuple[str, str], ...]) -> list[str]:
    """Return the sentences that may answer."""
    return [found.text for found in match(question, passages, ignore_meaning).sentences]


def test_a_section_about_another_site_gives_no_answer() -> None:
    """Leave out the section of the other site; what no section is about stays."""
    mill, barn = (
        ["Mill House is full.", "The new roof cost 6,200 pounds."],
        ["The roof of the barn leaks.", "We keep Barn End."],
    )
    rest = [REPORT[2][1]]
    assert list_left("What did the roof at Barn End cost?", REPORT) == [*barn, *rest]
    assert list_left("what did the roof at mill house cost?", REPORT) == [*mill, *rest]


@pytest.mark.parametrize("question", ["What did the roof cost?", "Was the roof of Mill House or Barn End dearer?"])
def test_without_one_name_all_may_answer(question: str) -> None:
    """Keep all sections where a question names no site, or each of them."""
    assert len(list_left(question, REPORT)) == 5


def test_a_sentence_about_another_site_gives_way_to_the_one_beside_it() -> None:
    """Leave out the sentence with the other name, if its passage has one with the name that is asked for."""
    said = list_left("How many dogs may sleep at Barn End?", RULES)
    assert "At Barn End nothing changes." in said
    assert not any("porch of Mill House" in one for one in said)


def test_words_that_are_no_names_have_no_siblings() -> None:
    """Take no heading for a name that the texts write in small letters, or not at all."""
    passages = (
        ("Rules, Small Spills", "A small spill is wiped. Small spills are common."),
        ("Rules, Large Spills", "Leave the room at large spills."),
        ("Rules, Going Back", "Nobody goes back before noon."),
    )
    asked = SiblingsAsked("After small spills, when do I go back?", passages)
    assert not any(asked.is_of_another(number, text) for number, (_, text) in enumerate(passages))
