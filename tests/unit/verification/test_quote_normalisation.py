"""A quote is found however its figures are raised, and never where they would be another number."""

import pytest

from core.asking.verification.quote_normalisation import find_quote


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a drift of 10^-3 bar", "It has a drift of 10⁻³ bar a day."),
        ("a drift of 10⁻³ bar", "It has a drift of 10^-3 bar a day."),
        ("has 12^2 lamps", "The grid has 12² lamps."),
        ("60 m2 of floor", "It has 60 m² of floor."),
        ("60 m^2 of floor", "It has 60 m² of floor."),
        ("binds CO2 well", "The filter binds CO₂ well."),
    ],
)
def test_raised_and_lowered_figures_are_found_in_plain_ones(quote: str, text: str) -> None:
    """In all the ways in which people write them."""
    span = find_quote(quote, text)
    assert span is not None
    assert len(text[slice(*span)].split()) == len(quote.split())


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("has 122 lamps", "The grid has 12² lamps."),
        ("has 12² lamps", "The grid has 122 lamps."),
        ("costs 401 euros", "A berth costs 40¹ euros."),
        ("a drift of 10-3 bar", "It has a drift of 10⁻³ bar a day."),
        ("the figure 10102 is", "In base two the figure 1010₂ is ten."),
    ],
)
def test_raised_figures_are_no_digits(quote: str, text: str) -> None:
    """A power taken for a digit is another number."""
    assert find_quote(quote, text) is None
