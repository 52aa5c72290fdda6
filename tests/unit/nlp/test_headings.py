"""The numbers of headings."""

import pytest

from core.language.nlp.headings import drop_number


@pytest.mark.parametrize(
    "heading",
    [
        "4. Leave",
        "4.2 Leave",
        "2a. Leave",
        "4.2.1) Leave",
        "IV. Leave",
        "A. Leave",
        "A.1 Leave",
        "Chapter 4: Leave",
        "Chapter 4.2 Leave",
        "Part II – Leave",
        "Appendix B Leave",
        "§ 3 Leave",
    ],
)
def test_what_counts_a_heading_is_left_out(heading: str) -> None:
    """Digits, letters and Roman numbers, with the word before them and the marks behind."""
    assert drop_number(heading) == "Leave"


@pytest.mark.parametrize("heading", ["2024 annual report", "Pay and leave", "A week of leave", "Chapter 4", "Parts"])
def test_what_counts_nothing_stays(heading: str) -> None:
    """A year, a word as short as a number, and a number that is all that the heading says."""
    assert drop_number(heading) == heading
