"""Test dates, types, names and the details in the Federal Reserve's names."""

import datetime as dt

import pytest

from core.language.nlp.document_types import TYPES, type_from_path, type_from_word
from core.library.ingestion.naming import as_date, date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.header import arxiv_id
from core.library.ingestion.sources.fomc import hints
from core.library.ingestion.stated_dates import date_in_beginning
from core.models import Document


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2024-01-31-statement.md", dt.date(2024, 1, 31)),
        ("minutes_20240131.txt", dt.date(2024, 1, 31)),
        ("monetary20240918a1.pdf", dt.date(2024, 9, 18)),
        ("report.2024.01.31.pdf", dt.date(2024, 1, 31)),
        ("event_20080104X00020.pdf", None),
        ("20241331.txt", None),
        ("part-1234567890.txt", None),
        ("guide.md", None),
    ],
)
def test_dates_in_names(name: str, date: dt.date | None) -> None:
    """Year, month and day in figures; not a part of an identifier, not an impossible day."""
    assert date_in_name(name) == date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Meeting of January 30-31, 2024", dt.date(2024, 1, 31)),
        ("31 Jan 2024", dt.date(2024, 1, 31)),
        ("March 5th, 2024", dt.date(2024, 3, 5)),
        ("MARCH 5, 2024", dt.date(2024, 3, 5)),
        ("Sept. 5, 2023", dt.date(2023, 9, 5)),
        ("2024/03/05", dt.date(2024, 3, 5)),
        ("2024-03-05T10:00:00Z", dt.date(2024, 3, 5)),
        ("2024-02-21: minutes of January 30-31, 2024", dt.date(2024, 1, 31)),
        ("Of 30 February 2024, put right on 1 March 2024", dt.date(2024, 3, 1)),
        ("The treaty of March 5, 1848", None),
        ("March 2024", None),
        ("03/05/2024", None),
        ("minutes_20240131", dt.date(2024, 1, 31)),
        ("Sep 5, 2023", dt.date(2023, 9, 5)),
        ("2024-02-30", None),
        (dt.datetime(2024, 5, 6, 7, 8, tzinfo=dt.UTC), dt.date(2024, 5, 6)),
        (7, None),
    ],
)
def test_dates_in_words(text: object, date: dt.date | None) -> None:
    """Of a range of days the last; what is no date is none."""
    assert as_date(text) == date
    if isinstance(text, str):
        assert date_in_words(text) == date


def test_types_are_those_of_the_model() -> None:
    """The parsers' words for types are exactly the model's."""
    assert set(TYPES) == set(Document.Type.values)


@pytest.mark.parametrize(
    ("word", "kind"),
    [("Statements", "statement"), ("handbook", "manual"), ("Press_Release", "statement"), ("meeting", ""), (3, "")],
)
def test_words_for_types(word: object, kind: str) -> None:
    """Singular or plural, any case; an unknown word says nothing."""
    assert type_from_word(word) == kind


def test_the_nearest_folder_tells_the_type() -> None:
    """Of several telling folders the inner one counts; the file's own name does not."""
    assert type_from_path("library/manuals/minutes/20240101/a.txt") == "minutes"
    assert type_from_path("library/minutes.txt") == ""


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("2212.11770", "2212.11770"),
        ("arXiv:2212.11770v3", "2212.11770"),
        ("https://arxiv.org/pdf/2212.11770v1.pdf", "2212.11770"),
        ("math.GT/0309136", "math/0309136"),
        ("arXiv:Math.gt/0309136v2", "math/0309136"),
        ("https://www.arxiv.org/abs/2212.11770v2#S1", "2212.11770"),
        ("arxiv.org/html/2212.11770?context=cs", "2212.11770"),
        ("2212.11770 or so", None),
        ("https://example.org/abs/2212.11770", None),
        ("https://example.org/?https://arxiv.org/abs/2212.11770", None),
    ],
)
def test_arxiv_ids(text: str, paper: str | None) -> None:
    """Ids and addresses at arxiv.org, without their version."""
    assert arxiv_id(text) == paper


def test_names_become_titles() -> None:
    """Underscores and hyphens are spaces; a date stays a date."""
    assert title_from_name("a/b/safety_manual-v2.pdf") == "Safety manual v2"
    assert title_from_name("2024-01-31.txt") == "2024-01-31"
    assert title_from_name("fees-2025-26.xlsx") == "Fees 2025-26"
    assert title_from_name("2024-01-31-minutes_of_the_board.md") == "2024-01-31 minutes of the board"


def test_pages_of_the_federal_reserve() -> None:
    """The address of a statement or of minutes gives type and date."""
    minutes = hints("/monetarypolicy/fomcminutes20240131.htm")
    statement = hints("/newsevents/pressreleases/monetary20240320a.htm")
    assert (minutes.document_type, minutes.document_date) == ("minutes", dt.date(2024, 1, 31))
    assert (statement.document_type, statement.document_date) == ("statement", dt.date(2024, 3, 20))
    assert hints("/newsevents/speech20240320a.htm").document_type == ""


@pytest.mark.parametrize(
    ("paragraphs", "date"),
    [
        (("Sailing club. Edition of May 2024, adopted by the meeting of 3 May 2024.",), dt.date(2024, 5, 3)),
        (("Valid from 1 February 2026.",), dt.date(2026, 2, 1)),
        (("For members only.", "Last reviewed on March 5, 2024 by the board"), dt.date(2024, 3, 5)),
        (("Held on 22 November 2025 in the hall, 14:00 to 16:35.",), dt.date(2025, 11, 22)),
        (("Report to the board by the secretary, 28 August 2025. All piers were walked.",), dt.date(2025, 8, 28)),
        (("Port Ellery, 28 August 2025\n\nDear Ms Lund,",), dt.date(2025, 8, 28)),
        (("Date: 2025-08-28",), dt.date(2025, 8, 28)),
        (("Edition of May 2024.",), None),
        (("Valid until 30 June 2025.",), None),
        (("To be reviewed by 1 March 2027.", "Next issue: 1 March 2027"), None),
        (("Version 2, copyright 1 January 2020",), None),
        (("The bridge was closed on 3 March 2025.",), None),
        (("We met on 3 March 2025.",), None),
        (("One.", "Two.", "Three.", "Valid from 1 February 2026."), None),
        (("Valid from 1 February 2026. " + "It is long. " * 50,), None),
        ((), None),
    ],
)
def test_dates_in_beginnings(paragraphs: tuple[str, ...], date: dt.date | None) -> None:
    """A day that the first lines call the document's own, and no other; a month is none."""
    assert date_in_beginning(paragraphs) == date
