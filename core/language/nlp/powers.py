"""Raised and lowered figures behind a number: 10⁻³ is 10^-3, 18² is not 182. Pure."""

import re

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_PLAIN_RAISED = str.maketrans(_RAISED, "0123456789+-")
_PLAIN_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_BEHIND_NUMBER = re.compile(rf"(?<=\d)(?:([{_RAISED}]++)|([₀-₉]++))")
# What may be the mark of a note behind a figure, with the white space before it.
_MARK = re.compile(rf"(?<=\d)(?:[{_RAISED}]++|\^-?\d{{1,3}}(?!\d)| ?\[\d{{1,3}}\])")


def write_powers(text: str) -> str:
    """Write figures that are raised behind a digit as ^2, and lowered ones as _2; the rest as it is."""
    return _BEHIND_NUMBER.sub(_write, text)


def drop_marks(text: str) -> str:
    """The text without the powers and marks of notes behind its figures: "250¹ euros" and "250[1] euros" name a price.

    For finding out what kind of thing a text names. Its value is another one without the power.
    """
    return _MARK.sub("", text)


def _write(found: re.Match[str]) -> str:
    if found[1]:
        return f"^{found[1].translate(_PLAIN_RAISED)}"
    return f"_{found[2].translate(_PLAIN_LOWERED)}"
