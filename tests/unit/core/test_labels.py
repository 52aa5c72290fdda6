"""Test the labels of the things that a text is about."""

import pytest

from core.language.nlp.labels import find_labels, find_marks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Class A and B, Bay 3 and Annex IV", {"class": {"a", "b"}, "bay": {"3"}, "annex": {"iv"}}),
        ("the five-year and the first-floor lease", {"-year": {"five"}, "-floor": {"first"}}),
        ("twenty-five items in line a", {}),
        ("Bay 3 and a fence", {"bay": {"3"}}),
        ("part-time in March", {"-time": {"part"}, "month": {"March"}}),
    ],
)
def test_labels(text: str, found: dict[str, set[str]]) -> None:
    """Labels are grouped by their kind; a number of two words and an article are none."""
    assert find_labels(text) == found


def test_a_mark_that_goes_on_is_another() -> None:
    """Section 3.2 is in Section 3 where things are distinguished, and is no name of all of that."""
    text = "Section 3.2 of level 5,000, Form I-9, Chapter XVIII and vitamins A or D."
    whole = [("chapter", "xviii"), ("vitamin", "a"), ("vitamin", "d")]
    assert find_marks(text, whole=True) == whole
    assert find_marks(text) == [("section", "3"), ("level", "5"), ("form", "i"), *whole]
