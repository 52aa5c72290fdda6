"""Tables in PDF: found by their rulings or their figures, read under the names of their columns."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from core.library.ingestion.parsers.pdf import parse_pdf
from core.library.ingestion.parsers.pdf.page_objects import MOST_PATHS
from tests.unit.ingestion.files import paragraph, pdf

REPORTS = Path(__file__).resolve().parents[3] / "evaluation" / "reports"
FILLER = [f"Line {number} of ordinary text that fills the width of the column well." for number in range(1, 9)]
Cells = Sequence[Sequence[str]]
Line = tuple[str, float, float, str, float]


def rows(
    cells: Cells, *, y: float = 200, places: Sequence[float] = (60, 260, 340, 420), pitch: float = 14
) -> list[Line]:
    """The cells of a table as lines of a page."""
    return [
        (cell, places[column], y + pitch * number, "Helvetica", 10)
        for number, row in enumerate(cells)
        for column, cell in enumerate(row)
        if cell
    ]


def texts(content: bytes) -> list[str]:
    """The texts of a PDF's blocks."""
    return [block.text for block in parse_pdf(content, "r.pdf").blocks]


def tables_of(name: str) -> list[tuple[str, int | None, list[str]]]:
    """Section, page and lines of the tables of one of the reports that evaluation/tables.jsonl asks about."""
    blocks = parse_pdf((REPORTS / name).read_bytes(), name).blocks
    return [(b.section or b.chapter, b.page_number, b.text.splitlines()) for b in blocks if "\n---" in b.text]


def test_figures_below_each_other_are_a_table() -> None:
    """Its caption gives the unit; signs join their numbers; an indented row is named after the row above it."""
    [(section, page, lines)] = tables_of("alder-instruments-2023.pdf")
    assert (section, page) == ("Consolidated Statements of Income", 2)
    assert lines[:5] == [
        "(In millions of dollars, except per share data)",
        "Consolidated Statements of Income | 2023 | 2022 | 2021",
        "--- | --- | --- | ---",
        "Net sales | $1,412.6 | $1,306.2 | $1,198.4",
        "Cost of sales | (861.3) | (802.7) | (741.9)",
    ]
    assert "Operating expenses: Research and development (1) | 96.4 | 88.1 | 79.5" in lines
    assert lines[-1] == "Earnings per share, diluted | $3.12 | $2.64 | $2.21"


def test_a_name_over_several_columns_holds_for_each() -> None:
    """The periods over the years."""
    found = tables_of("corvid-systems-q3-2023.pdf")
    names = [name for _, _, lines in found for name in lines[1].split(" | ")[1:]]
    assert names == [
        f"{period} months ended September 30, {year}" for period in ("Three", "Nine") for year in (2023, 2022)
    ]
    assert "Net loss | (3,051) | (6,894)" in found[0][2]


def test_a_table_goes_on_on_the_next_page() -> None:
    """Under the same names and caption; each part says its own page."""
    first, second = tables_of("estuary-energy-2021.pdf")
    assert (first[1], second[1]) == (1, 2)
    assert first[2][:3] == second[2][:3]
    assert second[2][-1] == "Cash at the end of the year | 118 | 128"


def test_a_table_without_names_goes_on_where_its_columns_stood() -> None:
    """The part on the next page has the names of the one before."""
    head = [["In $ million", "2019", "2018"], *([f"Line {n}", f"1{n}.5", f"2{n}.5"] for n in range(4))]
    rest = [[f"Line {n}", f"1{n}.5", f"2{n}.5"] for n in range(4, 9)]
    found = texts(pdf([paragraph(FILLER) + rows(head, y=700), rows(rest, y=60)]))
    assert found[-1].splitlines()[0] == "In $ million"
    assert found[-1].splitlines()[1].endswith(" | 2019 | 2018")
    assert found[-1].splitlines()[-1] == "Line 8 | 18.5 | 28.5"


def test_labels_and_cells_of_several_lines_are_one() -> None:
    """With the figures on the last line, or all round by rulings."""
    income, products = tables_of("fernhill-pharma-2024.pdf")
    assert (
        "Research and development expenses, of which a third for rare diseases | 5 | (541) | (498) | (462)" in income[2]
    )
    assert "Sylvanat | sleep, also in people who work in shifts or travel far | 220 | 2021" in products[2]


def test_a_ruled_table_may_hold_words_alone() -> None:
    """Without figures the rulings show that it is one."""
    [board] = [text for text in texts(_ruled([["Name", "Role", "Place"], ["Una Ray", "chair", "Oslo"]])) if "|" in text]
    assert board == "Name | Role | Place\n--- | --- | ---\nUna Ray | chair | Oslo"


def test_a_form_in_boxes_is_no_table() -> None:
    """Its boxes name the text beside them, and no column."""
    form = [["Pilot:", "A. Ray", "Age:", "39"], ["Type:", "private", "Seat:", "left"]]
    assert not [text for text in texts(_ruled(form)) if "|" in text]


def test_boxes_that_rule_not_all_columns_are_no_table() -> None:
    """Else the words of two columns would run into each other."""
    wide = [["Guard", "covers the blade        stops the hand"], ["Gate", "opens slowly        holds the part"]]
    assert not [text for text in texts(_ruled(wide)) if "|" in text]


def test_a_page_of_drawings_is_read_in_time() -> None:
    """Of what is drawn on a page only so much is looked at, and a picture has no table."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    for number in range(MOST_PATHS + 100):
        canvas.line(number % 500, number // 7, number % 500 + 20, number // 7)
    canvas.drawString(60, 500, "A map of the harbour and of its quays.")
    canvas.save()
    assert texts(out.getvalue()) == ["A map of the harbour and of its quays."]


@pytest.mark.parametrize(
    "lines",
    [
        rows([["a = b + c", "(1)"], ["d = e - f", "(2)"], ["g = h + i", "(3)"], ["j = k - l", "(4)"]]),
        rows([["1 Our year ..........", "2"], ["2 Our people ..........", "4"], ["3 Our figures ..........", "9"]]),
        rows([["Our year", "2"], ["Our people", "4"], ["Our figures", "9"], ["Risks", "12"]]),
        rows([["for a in b:", ""], ["    total = 12", "# 30"], ["    print(a)", ""]]),
        rows([["", "Jan", "Feb", "Mar"], ["200", "", "", ""], ["100", "", "", ""], ["0", "", "", ""]]),
        [
            (text, x, 200 + 13 * n, "Helvetica", 10)
            for n in range(9)
            for text, x in (
                ("words that fill the left of it, as in 2019", 60),
                ("and 12 on the right of it, well", 320),
            )
        ],
    ],
    ids=["formulas", "leaders", "contents", "code", "axes", "columns"],
)
def test_what_is_no_table(lines: list[Line]) -> None:
    """Formulas with their numbers, contents, code, the labels of axes, and prose side by side stay lines."""
    assert not [text for text in texts(pdf([paragraph(FILLER, y=60) + lines])) if " | " in text]


def test_the_figures_of_a_last_row_are_no_page_numbers() -> None:
    """They may be where pages are numbered."""
    cells = [["", "2019", "2018"], *([f"Line {n}", str(110 + n), str(210 + n)] for n in range(9))]
    assert "Line 8 | 118 | 218" in texts(pdf([paragraph(FILLER) + rows(cells, y=690)]))[-1]


def test_no_word_is_lost_or_said_twice() -> None:
    """Words of a table occur nowhere else."""
    found = " ".join(texts((REPORTS / "granite-rail-2022.pdf").read_bytes()))
    assert [found.count(figure) for figure in ("121.9", "1,447.2", "Operating ratio (%)")] == [1, 1, 2]
    assert "handed over in the spring" in found


def _ruled(cells: Cells) -> bytes:
    """A page with text above a table that is ruled all round."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Helvetica", 10)
    for number, line in enumerate(FILLER):
        canvas.drawString(60, 780 - 13 * number, line)
    width, height = 460 / len(cells[0]), 20
    for number, row in enumerate(cells):
        for column, cell in enumerate(row):
            x, y = 60 + width * column, 600 - height * number
            canvas.rect(x, y, width, height)
            canvas.drawString(x + 4, y + 6, cell)
    canvas.save()
    return out.getvalue()
