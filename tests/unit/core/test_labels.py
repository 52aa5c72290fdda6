"""What identifies the things that a text speaks of."""

import pytest

from core.labels import labels


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Class A and B, Bay 3 and Annex IV", {"class": {"a", "b"}, "bay": {"3"}, "annex": {"iv"}}),
        ("the five-year and the first-floor lease", {"-year": {"five"}, "-floor": {"first"}}),
        ("twenty-five items in line a", {}),
        ("part-time in March", {"-time": {"part"}, "month": {"March"}}),
    ],
)
def test_labels(text: str, found: dict[str, set[str]]) -> None:
    """By the kind of what they tell apart; a number of two words and an article are none."""
    assert labels(text) == found
