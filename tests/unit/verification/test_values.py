"""Values in sentences: which there are, which of them can be compared, and which are the same."""

import pytest

from core.asking.verification.values import Value, find_values


def only(text: str) -> Value:
    (value,) = find_values(text)
    return value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The gate opens at 8:30 and closes at 5 pm.", ["time 8:30", "time 5 pm"]),
        ("Lunch is at noon, the last train at 23:15.", ["time noon", "time 23:15"]),
        ("Ring 0431 555 7120 or extension 4711.", ["telephone 0431 555 7120", "extension 4711"]),
        ("The fee is CHF 20, or €18, from 1 March 2026 on.", ["amount 20", "amount €18", "date 1 March 2026"]),
        (
            "Founded in 1987, it has 12 paid places and 8.5 percent growth.",
            ["year 1987", "count 12", "amount 8.5 percent"],
        ),
        (
            "Six people, twenty-five days and a 45-minute talk.",
            ["count Six", "amount twenty-five days", "amount 45-minute"],
        ),
        ("See section 4.2.1 and form B12.", []),
        ("It costs nothing.", []),
    ],
)
def test_the_values_of_a_sentence(text: str, found: list[str]) -> None:
    """Each by its kind and as it is written."""
    assert [f"{value.kind} {text[value.start : value.end]}" for value in find_values(text)] == found


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("at 7:30 am", "at 7.30 a.m.", True),
        ("at 5:30", "at 17:30", True),  # the half of the day is not written
        ("at 5:30 pm", "at 5:30 am", False),
        ("at 08:00", "at 8 pm", False),
        ("on 5 March", "on 5 March 2026", True),
        ("on 5 March 2025", "on 5 March 2026", False),
        ("in May 2025", "on 7 May 2025", True),
        ("call +49 431 5557120", "call 0431 555 7120", True),
        ("call 0431 555 7120", "call 0431 555 7121", False),
        ("£1,200", "1200 pounds", True),
        ("EUR 20", "twenty euros", True),
        ("25 percent", "30 %", False),
        ("6 people", "six people", True),
        ("12 paid places", "10 places", False),
    ],
)
def test_values_of_one_kind_are_compared(one: str, other: str, agree: bool) -> None:
    """As far as both are written."""
    first, second = only(one), only(other)
    assert first.is_of_kind(second)
    assert second.is_of_kind(first)
    assert (first.agrees(second), second.agrees(first)) == (agree, agree)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("25 days", "25 euros"),
        ("14 days", "2 weeks"),
        ("6 people", "6 boats"),
        ("Two engineers sign it", "Three managers sign it"),
        ("at 8:30", "on 8 May"),
        ("CHF 20", "EUR 20"),
    ],
)
def test_values_of_different_kinds_are_not_compared(one: str, other: str) -> None:
    """Another unit, another noun, another sort of thing."""
    assert not only(one).is_of_kind(only(other))
    assert not only(other).is_of_kind(only(one))
