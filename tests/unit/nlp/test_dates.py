"""Dates as they are written, which questions, citations and files share."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.nlp.dates import MONTHS, WrittenDate, blank_out, find_dates, find_dates_in_name, reword_dates
from core.language.nlp.text import content_stems


def spelt(date: WrittenDate) -> str:
    """Year, month and days; what is not written is a hyphen."""
    return " ".join(str(part or "-") for part in (date.year, date.month, date.day, date.last_day)).removesuffix(" -")


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        # days in figures, year first
        ("2024-03-05", ["2024 3 5"]),
        ("since 2024-03-05T10:00:00Z", ["2024 3 5"]),
        ("2024-03-05-statement", ["2024 3 5"]),
        ("2024/03/05", ["2024 3 5"]),
        ("on 2024/3/5, at noon", ["2024 3 5"]),
        ("2024-03-05 to 2024-03-09", ["2024 3 5", "2024 3 9"]),
        # the month named, before the day
        ("March 5, 2024", ["2024 3 5"]),
        ("March 5 2024", ["2024 3 5"]),
        ("March 05, 2024", ["2024 3 5"]),
        ("March 5th, 2024", ["2024 3 5"]),
        ("Mar. 5, 2024", ["2024 3 5"]),
        ("Sept. 5, 2024", ["2024 9 5"]),
        ("MARCH 5, 2024", ["2024 3 5"]),
        ("MARCH 5TH, 2024", ["2024 3 5"]),
        ("DEC. 31, 2024", ["2024 12 31"]),
        ("march 5, 2024", ["2024 3 5"]),
        ("March\n5,\u00a02024", ["2024 3 5"]),
        # and behind it
        ("5 March 2024", ["2024 3 5"]),
        ("5 March, 2024", ["2024 3 5"]),
        ("5th of March 2024", ["2024 3 5"]),
        ("the 1st of MAY, 2024", ["2024 5 1"]),
        ("5 sept. 2024", ["2024 9 5"]),
        # several days
        ("March 19-20, 2024", ["2024 3 19 20"]),
        ("March 19–20, 2024", ["2024 3 19 20"]),
        ("March 5 and 7, 2024", ["2024 3 5 7"]),
        ("19 to 20 March 2024", ["2024 3 19 20"]),
        ("5 March to 7 May 2024", ["- 3 5", "2024 5 7"]),
        ("March 5 to 7:30", ["- 3 5"]),
        # months
        ("March 2024", ["2024 3 -"]),
        ("MARCH 2024", ["2024 3 -"]),
        ("Mar. 2024", ["2024 3 -"]),
        ("March, 2024", ["2024 3 -"]),
        ("in june of 2024", ["2024 6 -"]),
        ("2024-03", ["2024 3 -"]),
        ("March to May 2024", ["2024 5 -"]),
        # without a year
        ("March 5", ["- 3 5"]),
        ("MARCH 5", ["- 3 5"]),
        ("5 May", ["- 5 5"]),
        ("Dec. 31", ["- 12 31"]),
        # days that do not exist are written all the same
        ("February 30, 2024", ["2024 2 30"]),
        ("2024-02-30", ["2024 2 30"]),
        # which day and which month, nobody knows
        ("03/05/2024", []),
        ("05.03.2024", []),
        ("05-03-2024", []),
        # years and months by themselves are for the readers
        ("2024", []),
        ("in March", []),
        ("Q3 2024", []),
        # words
        ("may 5 people enter?", []),
        ("NO MORE THAN 5 MAY ENTER", []),
        ("march 5 miles", []),
        ("It began in March. 5 people came.", []),
        ("Mayor 5, 2024", []),
        # other numbers
        ("version 2024.3.5", []),
        ("release 2.5 March", []),
        ("Section 3.5 May not be waived", []),
        ("2/3 May be enough", []),
        ("chapter 3-5", []),
        ("March 5,000", []),
        ("March 5%", []),
        ("March 5.5 metres", []),
        ("March 32", []),
        ("5 March 20,240", ["- 3 5"]),
        ("2024-13-05", []),
        ("2024/13/05", []),
        ("2024/25", []),
        ("2020-2024", []),
        ("2024-03-051", []),
        ("+1 555-2024-03-05", []),
        ("call 555 2024", []),
        ("1-800-2024-03", []),
        ("2012.11770", []),
        ("arXiv:2024.03-05", []),
        ("https://example.org/2024/03/05/news", []),
        ("20240305", []),
    ],
)
def test_dates_in_texts(text: str, dates: list[str]) -> None:
    """Each form of a date, and what only looks like one."""
    assert [spelt(date) for date in find_dates(text)] == dates


@pytest.mark.parametrize(
    ("name", "dates"),
    [
        ("2024-01-31-statement.md", ["2024 1 31"]),
        ("minutes_20240131.txt", ["2024 1 31"]),
        ("report.2024.01.31.pdf", ["2024 1 31"]),
        ("2024_01_31", ["2024 1 31"]),
        ("2024-01_31", []),
        ("event_20080104X00020.pdf", []),
        ("20241331.txt", []),
        ("20240100.txt", []),
        ("part-1234567890.txt", []),
        ("March 5, 2024", []),
    ],
)
def test_dates_in_names(name: str, dates: list[str]) -> None:
    """Names have dates in figures, with one mark between them all or none."""
    assert [spelt(date) for date in find_dates_in_name(name)] == dates


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("5 March 2024", dt.date(2024, 3, 5), dt.date(2024, 3, 5)),
        ("March 19-20, 2024", dt.date(2024, 3, 19), dt.date(2024, 3, 20)),
        ("March 20 and 5, 2024", dt.date(2024, 3, 5), dt.date(2024, 3, 20)),
        ("February 2024", dt.date(2024, 2, 1), dt.date(2024, 2, 29)),
        ("30 February 2024", None, None),
        ("5 March", None, None),
    ],
)
def test_the_days_of_a_date(text: str, first: dt.date | None, last: dt.date | None) -> None:
    """Known with a year, where the month has them."""
    (date,) = find_dates(text)
    assert (date.first, date.last) == (first, last)


def test_verbs_before_a_number_are_no_sure_months() -> None:
    """Small letters with a year and no day: a question may mean the month, prose the verb."""
    texts = ("may 2000", "march 1500", "May 2000", "MARCH 2000", "june 2000", "may 5, 2000")
    assert [date.is_sure for text in texts for date in find_dates(text)] == [False, False, True, True, True, True]


def test_dates_are_blanked_out_in_place() -> None:
    """The text around them keeps its place."""
    text = "From 5 March 2024 on, 7 people."
    assert blank_out(text, find_dates(text)) == "From              on, 7 people."
    assert blank_out("No date.", ()) == "No date."


PIECES = st.sampled_from((*MONTHS, "may", "MARCH", "Sept.", "2024", "-", "/", ",", "5", "31", "th", " ", "of", "to"))


@given(st.lists(PIECES, max_size=16).map("".join))
def test_dates_stand_in_order_and_apart(text: str) -> None:
    """Whatever is read: no error, and no character belongs to two dates."""
    dates = find_dates(text)
    edges = [edge for date in dates for edge in (date.start, date.end)]
    assert edges == sorted(edges)
    assert all((date.first is None) == (date.last is None) or date.last_day for date in dates)
    assert len(blank_out(text, dates)) == len(text)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who bakes on 3 September 2025?", "Who bakes on 2025-09-03?"),
        ("Who bakes on September 4th, please?", "Who bakes on 2025-09-04, please?"),
        ("Who bakes on 5 September 2025?", "Who bakes on 5 September 2025?"),
        ("Who bakes on 3 September 2024?", "Who bakes on 3 September 2024?"),
        ("Who bakes in September 2025?", "Who bakes in September 2025?"),
        ("Who bakes on 2025-09-03?", "Who bakes on 2025-09-03?"),
    ],
)
def test_a_day_is_said_as_a_text_has_it_in_figures(question: str, said: str) -> None:
    """Replace days that the text has in figures, and no others."""
    assert reword_dates(question, "2025-09-03 | Imre\n2025-09-04 | Sadie\n6 September 2025 | Ola") == said


def test_a_day_in_figures_has_the_words_of_one_in_words() -> None:
    """Compare 2025-09-03 and 3 September 2025 alike, and leave what is no day as it is."""
    assert sorted(content_stems("2025-09-03")) == sorted(content_stems("3 September 2025"))
    assert content_stems("2025-13-03") == ["2025-13-03"]
