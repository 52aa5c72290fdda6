"""Dates in statements and quotes."""

import pytest

from core.asking.verification.dates import Date, split_dates


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Net income – 2018: 55.2; 2019: 61.8", [Date(year=2018), Date(year=2019)]),
        ("Net income | 2018 | 2019", [Date(year=2018), Date(year=2019)]),
        ("at 2019:30", []),
        ("for $2019", []),
    ],
)
def test_a_year_stands_before_a_colon(text: str, dates: list[Date]) -> None:
    """As the name of a column does before its figure; a time, an amount and a part of a number are no years."""
    assert split_dates(text)[0] == dates
