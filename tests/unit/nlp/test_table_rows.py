"""Test rows of tables about something else than a question asks."""

import pytest

from core.nlp.sentence_scoring import ignore_meaning, match
from core.nlp.table_rows import RowsAsked, TableRow

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
