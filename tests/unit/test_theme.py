"""Test the admin's colours: small text contrasts with its background, in light and in dark."""

import pytest

from adminsite.theme import BASE, PRIMARY

WHITE = "#ffffff"
# What the theme writes on what; its names of classes say which.
PAIRS = [
    (WHITE, PRIMARY["600"]),  # buttons
    (PRIMARY["600"], WHITE),  # links in light
    (PRIMARY["600"], BASE["50"]),
    (PRIMARY["600"], BASE["100"]),  # the chosen entry of the sidebar
    (PRIMARY["700"], PRIMARY["100"]),  # labels
    (PRIMARY["500"], BASE["900"]),  # links in dark
    (PRIMARY["500"], BASE["950"]),
    (PRIMARY["400"], BASE["900"]),
    (BASE["500"], WHITE),  # subtle text
    (BASE["500"], BASE["50"]),
    (BASE["400"], BASE["900"]),
    (BASE["400"], BASE["800"]),
    (BASE["600"], BASE["50"]),  # text
    (BASE["300"], BASE["900"]),
    (BASE["900"], BASE["100"]),  # headings
    (BASE["100"], BASE["900"]),
]


def luminance(colour: str) -> float:
    """Of a colour in hexadecimal places, as WCAG 2 defines it."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Of two colours, 1..21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_small_text_can_be_read(text: str, ground: str) -> None:
    """4.5 is what WCAG 2 asks for on level AA."""
    assert contrast(text, ground) >= 4.5


def test_the_scales_are_whole() -> None:
    """The theme names eleven steps of each, from the lightest to the darkest."""
    for scale in (BASE, PRIMARY):
        assert list(scale) == ["50", *(str(step) for step in range(100, 1000, 100)), "950"]
        shades = [luminance(colour) for colour in scale.values()]
        assert shades == sorted(shades, reverse=True)
