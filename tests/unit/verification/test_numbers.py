"""A figure is the same however it is written, and part of one is another."""

from fractions import Fraction

import pytest

from core.asking.verification.numbers import find_numbers
from tests.unit.verification.passages import verified

SPELT_OUT = [
    ("seventy-five", [75]),
    ("Two Hundred and Fifty", [250]),
    ("two hundred\nand fifty", [250]),
    ("six hundred thirty-two", [632]),
    ("fifteen hundred", [1500]),
    ("two hundred thousand", [200_000]),
    ("one hundred and ten thousand", [110_000]),
    ("two thousand and one", [2001]),
    ("one thousand, two hundred and five", [1205]),
    ("one million two hundred thousand", [1_200_000]),
    ("a hundred and fifty", [150]),
    ("one hundred, fifty", [100, 50]),
    ("one hundred and two hundred", [100, 200]),
    ("two thousand and three million", [2000, 3_000_000]),
    ("sixteen and seventeen", [16, 17]),
    ("twenty twenty-four", [20, 24]),
    ("two hundred and half", [200, Fraction(1, 2)]),
    ("5 million and six", [5_000_000, 6]),
    ("half a dozen", [Fraction(1, 2), 12]),
    ("a hundred", []),  # a manner of speaking
    ("hundreds and thousands", []),
    ("no one", []),
]


@pytest.mark.parametrize(("text", "values"), SPELT_OUT)
def test_numbers_in_words(text: str, values: list[object]) -> None:
    """As many as there are, each with all of its words."""
    assert [figure.value for figure in find_numbers(text)] == values


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("the twenty-first day", "ordinal 21", "day"),
        ("On the twenty-first, he left.", "ordinal 21", ""),
        ("a break of thirty seconds", 30, "second"),
        ("two hundred and fifty euros", 250, "euro"),
    ],
)
def test_what_a_number_in_words_counts(text: str, value: object, unit: str) -> None:
    """Places in an order, times and amounts."""
    assert [(figure.value, figure.unit) for figure in find_numbers(text)] == [(value, unit)]


def test_a_thirty_second_break_lasts_thirty_seconds() -> None:
    """It is not the break behind the thirty-first."""
    first = find_numbers("a thirty-second break")[0]
    assert (first.value, first.unit) == (30, "second")


def test_a_range_has_the_scale_of_its_end() -> None:
    """The end of the range is a scale and nothing more."""
    millions, hundreds = find_numbers("5 to six million euros"), find_numbers("5 to two hundred and fifty euros")
    assert [figure.value for figure in millions] == [5_000_000, 6_000_000]
    assert [figure.value for figure in hundreds] == [5, 250]


FEE, PARTS = "The fee is two hundred and fifty euros.", ("50", "200", "2", "fifty", "two hundred")


@pytest.mark.parametrize("figure", PARTS)
def test_a_part_of_a_number_is_not_the_number(figure: str) -> None:
    """A statement with one of its words says something else."""
    assert verified(f"The fee is {figure} euros.", FEE).reasons == {"number": 1}


@pytest.mark.parametrize("figure", ["250", "two hundred and fifty", "two hundred fifty"])
def test_a_number_in_words_supports_its_digits(figure: str) -> None:
    """And the other way round."""
    said = f"The fee is {figure} euros."
    assert verified(said, FEE).text
    assert verified(FEE, said).text


@pytest.mark.parametrize(
    ("text", "value", "power"),
    [
        ("a grid of 12² lamps", 12, "2"),
        ("a grid of 12^2 lamps", 12, "2"),
        ("a drift of 10⁻³ bar", Fraction(1, 1000), ""),
        ("a drift of 10^-3 bar", Fraction(1, 1000), ""),
        ("a drift of 10^(-3) bar", Fraction(1, 1000), ""),
        ("10⁵ cells", 100_000, ""),
        ("40² euros", 40, ""),
        ("10¹ euros", 10, ""),
        ("10³ metres", 1000, ""),
        ("12¹ lamps", 12, ""),
        ("10^9999 lamps", 10, ""),
    ],
)
def test_a_raised_figure_is_a_power_or_the_mark_of_a_note(text: str, value: object, power: str) -> None:
    """It is never a digit, and an amount of money has no powers."""
    assert [(figure.value, figure.power) for figure in find_numbers(text)][:1] == [(value, power)]


GRID = "The grid in the hall has 12² lamps."


def test_a_number_without_its_power_is_another() -> None:
    """So is one that takes the power for a digit."""
    assert verified("The grid in the hall has 12^2 lamps.", GRID).text
    assert verified("The grid in the hall has 122 lamps.", GRID).reasons == {"number": 1}
    assert verified("The grid in the hall has 12 lamps.", GRID).reasons == {"number": 1}


def test_a_price_and_a_year_are_read_without_the_mark_of_a_note() -> None:
    """The mark may stay away in the statement."""
    source = "Since 2024³ the berth at the quay costs 40¹ euros."
    assert verified("Since 2024 the berth at the quay costs 40 euros.", source).text
    assert verified("Since 2024 the berth at the quay costs 401 euros.", source).reasons == {"number": 1}
    assert verified("Since 2023 the berth at the quay costs 40 euros.", source).reasons == {"date": 1}
