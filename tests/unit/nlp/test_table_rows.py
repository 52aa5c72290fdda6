"""Test rows of tables about something else than a question asks."""

import pytest

from core.language.nlp.sentence_scoring import ignore_meaning, match
from core.language.nlp.table_rows import RowsAsked, TableRow

RESULTS = "In million EUR\nResults | 2018 | 2019\n--- | --- | ---\nRevenue | 512.4 | 540.0\nNet income | 55.2 | 61.8"
YEARS = "Year | Claims | Offices\n--- | --- | ---\n2019 | 871 | 151\n2018 | 842 | 150"
PUMPS = "Product | Price | Stock\n--- | --- | ---\nAlpha pump | 1200 | 3\nBeta pump | 950 | 0"
HOMES = "Region | Homes sold\n--- | ---\nWales | 377\nMidlands | 1,044"


def left(question: str, *passages: tuple[str, str]) -> list[str]:
    """The first cells of the rows, and the sentences, that may answer."""
    return [found.text.partition(" | ")[0] for found in match(question, passages, ignore_meaning).sentences]


@pytest.mark.parametrize(
    ("question", "heading", "table", "kept"),
    [
        ("What was net income in 2019?", "Report", RESULTS, ["Revenue", "Net income"]),
        ("What was net income in 2016?", "Report", RESULTS, []),
        ("What was net income in 2016?", "Report 2016", RESULTS, []),
        ("How did net income develop since 2016?", "Report", RESULTS, ["Revenue", "Net income"]),
        ("How many offices were there in 2018?", "Report", YEARS, ["2018"]),
        ("How many offices are there?", "Report", YEARS, ["2019", "2018"]),
        ("What is the price of the Beta pump?", "Prices", PUMPS, ["Alpha pump", "Beta pump"]),
        ("What is the price of the Gamma pump?", "Prices", PUMPS, []),
        ("How many homes were sold in Wales?", "Homes", HOMES, ["Wales", "Midlands"]),
        ("How many homes were sold in Kent?", "Homes", HOMES, []),
    ],
)
def test_a_row_answers_for_what_it_is_about(question: str, heading: str, table: str, kept: list[str]) -> None:
    """Neither for a year that its table lacks nor for another thing of its kind; its caption alone answers nobody."""
    assert left(question, (heading, table)) == kept


def test_a_row_answers_for_the_company_whose_report_it_stands_in() -> None:
    """The name is in a heading; without a name in any heading, nearness decides."""
    passages = (("Orrin Report", RESULTS), ("Quill Report", RESULTS.replace("61.8", "31.8")))
    found = match("What was the net income of Quill in 2019?", passages, ignore_meaning).sentences
    assert {sentence.passage for sentence in found} == {1}
    assert {s.passage for s in match("What was net income in 2019?", passages, ignore_meaning).sentences} == {0, 1}


@pytest.mark.parametrize(("number", "is_other"), [("42", False), ("43", True)])
def test_a_code_is_asked_for_by_its_number_as_well(number: str, is_other: bool) -> None:
    """Error 42 is E42 and no other."""
    row = TableRow(
        text="E42 | Tank nearly empty | Change the drum",
        leads=("Code | Meaning | First step",),
        heading=frozenset({"dose"}),
        passage=frozenset({"dose", "e42", "code", "mean", "first", "step"}),
    )
    assert RowsAsked(f"what does error {number} mean", [row.heading]).is_about_another(row) is is_other


@pytest.mark.parametrize(
    ("question", "key", "is_named"),
    [
        ("What was net income in 2019 at Quill?", "Net income", True),
        ("What was the net income in 2018?", "Net income", True),
        ("What was net income after tax in 2019?", "Net income", False),  # a word that the row has nowhere
        ("What was income in 2019?", "Net income", False),  # a row of more than is asked for
        ("What is in the Quill report?", "Quill", False),  # the heading's words alone
        ("What was net income at the end of the year 2019?", "Net income", True),
        ("What was net income at the end of the meeting?", "Net income", False),
        ("What was goodwill in 2019?", "Assets: Goodwill", True),
        ("Summarise net income at Quill.", "Net income", False),  # no column
    ],
)
def test_a_question_names_a_row_and_nothing_else(question: str, key: str, is_named: bool) -> None:
    row = TableRow(
        text=f"{key} | 7 | 5",
        leads=("In millions of euros", "Item | 2019 | 2018"),
        heading=frozenset({"quill", "report"}),
        passage=frozenset(),
    )
    assert row.is_named_by(question) is is_named


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How heavy is the Beta pump?", ("Price", "Stock")),
        ("What is the price of the Beta pump?", ()),
        ("How many Beta pumps are in stock?", ()),
        ("How heavy is the Gamma pump?", ()),  # another row's matter
        ("What is the Beta pump?", ()),
    ],
)
def test_a_row_lacks_what_none_of_its_columns_is_called(question: str, names: tuple[str, ...]) -> None:
    row = TableRow(
        text="Beta pump | 950 | 0",
        leads=("Product | Price | Stock",),
        heading=frozenset({"price", "list"}),
        passage=frozenset(),
    )
    assert row.lacks_column_for(question) == names


def test_a_row_is_named_by_any_of_its_cells() -> None:
    """A timetable begins with the day, and is asked about the course."""
    row = TableRow(
        text="Friday | Pit firing | Yard",
        leads=("Day | Course | Room",),
        heading=frozenset({"cours"}),
        passage=frozenset(),
    )
    asked = ("In which room is pit firing?", "On which day is the course of pit firing?")
    assert all(row.is_named_by(question) for question in asked)
    others = (
        "What is in the yard on Friday?",
        "In which room is raku?",
        "Which courses are there?",
        "Who teaches pit firing?",
    )
    assert not any(row.is_named_by(question) for question in others)


def test_a_column_is_named_by_what_its_cells_count() -> None:
    """A column "Place" holds shelves, and people ask for the shelf."""
    caption, header = "Stock of the bicycle shed", "Crate | Content | Place"
    around = frozenset({"stock", "bicycl", "shed"})
    row = TableRow(
        text="Crate 7 | Inner tubes | Rack 12", leads=(caption, header), heading=around, passage=around | {"pedal"}
    )

    asked = ("On which rack are the inner tubes?", "Which rack does the crate with inner tubes stand on?")
    assert all(row.is_named_by(question) for question in asked)
    others = (
        "On which rack are the pedals?",
        "Which rack are the spare inner tubes on?",
        "On which floor are the tubes?",
    )
    assert not any(row.is_named_by(question) for question in others)


ROTA = "Date | Cook | Dish\n--- | --- | ---\n2025-09-03 | Imre | soup\n2025-09-04 | Sadie | stew\nevery day | Ola | tea"


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Who is the cook on 3 September 2025?", ["2025-09-03", "every day"]),
        ("Which dish on September 4?", ["2025-09-04", "every day"]),
        ("Who is the cook on 3 September 2024?", []),
        ("Which dish from 3 September 2025 on?", ["2025-09-03", "2025-09-04", "every day"]),
        ("Which dishes are there?", ["2025-09-03", "2025-09-04", "every day"]),
    ],
)
def test_a_row_of_another_day_is_no_answer(question: str, kept: list[str]) -> None:
    """Leave out rows whose first cell is another day than the one asked for, however each is written."""
    assert left(question, ("Rota", ROTA)) == kept
