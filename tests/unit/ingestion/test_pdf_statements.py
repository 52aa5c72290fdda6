"""Financial statements in PDF, which have no rulings: each figure is read with what names it."""

from collections.abc import Sequence

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth

from benchmarks.statements import samples
from benchmarks.statements.__main__ import score
from benchmarks.statements.layouts import DESIGN, LATEX, SPACED, TYPEWRITER, WORD, Style, set_statement
from benchmarks.statements.statement import Statement
from core.library.ingestion.parsers.pdf import parse_pdf, placing
from tests.unit.ingestion.files import paragraph, pdf
from tests.unit.ingestion.test_pdf_tables import FILLER, Line, texts

STYLES = {"word": WORD, "latex": LATEX, "typewriter": TYPEWRITER, "spaced": SPACED, "design": DESIGN}
SIZE = 9


def table(
    rows: Sequence[Sequence[str]],
    *,
    y: float,
    x: float = 60,
    rights: Sequence[float] = (360, 440, 520),
    pitch: float = 13,
    font: str = "Helvetica",
) -> list[Line]:
    """Rows with labels at the left, indented by their spaces, and cells that end at these places."""
    lines: list[Line] = []
    for number, (label, *cells) in enumerate(rows):
        height = y + pitch * number
        bare = label.lstrip()
        if bare:
            lines.append((bare, x + 5 * (len(label) - len(bare)), height, font, SIZE))
        for cell, right in zip(cells, rights, strict=False):
            hangs = stringWidth(")", font, SIZE) if cell.endswith(")") else 0.0
            if cell:
                lines.append((cell, right + hangs - stringWidth(cell, font, SIZE), height, font, SIZE))
    return lines


def tables(*pages: Sequence[Line]) -> list[list[str]]:
    """The lines of the tables of these pages, each page below some text."""
    content = pdf([[*paragraph(FILLER, y=60), *page] for page in pages])
    return [text.splitlines() for text in texts(content) if " | " in text]


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("one", samples.STATEMENTS, ids=lambda one: one.name)
def test_each_figure_has_its_label_period_and_unit(one: Statement, style: Style) -> None:
    """Also where signs stand apart, groups are indented, names stand over several columns, and a page ends between."""
    found = score(one, "", parse_pdf(set_statement(one, style), "statement.pdf"))
    assert (found.missed, found.right, found.is_prose_kept) == ((), found.figures, True)


def test_a_title_that_is_no_heading_goes_with_the_figures() -> None:
    """In capitals above the unit, in the type of the text."""
    title: list[Line] = [("STATEMENT OF ACTIVITIES", 230, 190, "Helvetica", SIZE)]
    unit: list[Line] = [("(in thousands)", 262, 204, "Helvetica", SIZE)]
    rows = table([["", "2024", "2023"], ["Gifts", "412", "390"], ["Fees", "88", "91"], ["Total", "500", "481"]], y=220)
    assert tables([*title, *unit, *rows])[0][:2] == ["STATEMENT OF ACTIVITIES (in thousands)", "R | 2024 | 2023"]


def test_marks_and_brackets_in_cells_of_their_own_join_their_figures() -> None:
    """The mark of a note joins its label."""
    rows = table(
        [["", "2024", "2023"], ["Sales", "(1,204 )", "77 %"], ["Costs", "(804 )", "5 %"], ["Tax", "-", "-"]], y=200
    )
    marks: list[Line] = [("(a)", 90, 213, "Helvetica", SIZE), ("$", 310, 213, "Helvetica", SIZE)]
    assert tables([*rows, *marks])[0][2:4] == ["Sales (a) | $(1,204) | 77 %", "Costs | (804) | 5 %"]


def test_a_table_beside_text_in_two_columns_holds_none_of_it() -> None:
    """Be it left or right of the text."""
    rows = [["", "2024", "2023"], ["Ships", "12", "14"], ["Trucks", "220", "204"], ["Staff", "1,310", "1,204"]]
    prose = [f"and the {n} of them that sail from here in May" for n in range(24)]
    for x, other in ((60, 320), (320, 60)):
        rights = (x + 150, x + 210)
        column = [*paragraph(prose[:8], x=x), *paragraph(prose[8:16], x=x, y=300)]
        page = [*column, *table(rows, x=x, rights=rights, y=230), *paragraph(prose, x=other)]
        [found] = [text.splitlines() for text in texts(pdf([page])) if " | " in text]
        assert found[2:] == ["Ships | 12 | 14", "Trucks | 220 | 204", "Staff | 1,310 | 1,204"]


def test_tables_side_by_side_stay_apart() -> None:
    """With as many rows or not, with names or without, and both with the unit above them."""
    left = [
        ["", "2024", "2023"],
        ["Land", "412", "390"],
        ["Stock", "88", "91"],
        ["Cash", "20", "11"],
        ["Sum", "520", "492"],
    ]
    right = [["", "2024", "2023"], ["Shares", "300", "300"], ["Loans", "220", "192"], ["Sum", "520", "492"]]
    unit: list[Line] = [("in TEUR", 280, 186, "Helvetica", SIZE)]
    for first, caption in ((0, unit), (1, [])):
        sides = [
            *table(left[first:], y=200, rights=(200, 260)),
            *table(right[first:], y=200, x=320, rights=(460, 520)),
        ]
        found = tables([*caption, *sides])
        assert [rows[-1] for rows in found] == ["Sum | 520 | 492", "Sum | 520 | 492"]
        assert all(rows[0] == "in TEUR" for rows in found) is bool(caption)
        assert [len(rows) for rows in found] == [7, 6] if caption else [4, 3]


def test_columns_of_words_between_figures_are_one_table() -> None:
    """With a name of their own they are no labels of another table."""
    rows = [["Product", "Sales", "Region", "Units"], ["Ropes", "1,204", "North", "12"], ["Paint", "904", "South", "9"]]
    rows += [["Sails", "410", "West", "4"], ["Masts", "77", "East", "1"]]
    [found] = tables(table(rows, y=200))
    assert found[0] == "Product | Sales | Region | Units"
    assert found[2] == "Ropes | 1,204 | North | 12"


def test_a_list_beside_text_is_no_table() -> None:
    """Its numbers count, and the text goes on from line to line."""
    prose = [f"within the sentence that runs on over line {n} of it" for n in range(12)]
    marks: list[Line] = [(f"{n}.", 330, 200 + 13 * n, "Helvetica", SIZE) for n in range(12)]
    items: list[Line] = [(f"Tool number {n}", 348, 200 + 13 * n, "Helvetica", SIZE) for n in range(12)]
    assert tables([*paragraph(prose, y=200), *marks, *items]) == []


def test_dots_lead_to_figures_or_to_pages() -> None:
    """To amounts in a table, to plain numbers in contents."""
    amounts = [
        ["Rent . . . . . . . .", "$ 1,200.50"],
        ["Light . . . . . . .", "$ 88.10"],
        ["Water . . . . . .", "$ 9.90"],
        ["Post . . . . . . .", "$ 3.20"],
    ]
    pages = [
        ["Our year . . . . . .", "7"],
        ["Our people . . . . .", "3"],
        ["Our plans . . . . .", "12"],
        ["Our risks . . . . .", "9"],
    ]
    assert tables(table(amounts, y=200))[0] == [
        "Rent | $ 1,200.50",
        "Light | $ 88.10",
        "Water | $ 9.90",
        "Post | $ 3.20",
    ]
    assert tables(table(pages, y=200)) == []


def test_a_page_whose_tables_are_misread_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words are kept, and so are the other pages."""

    def fail(*_: object, **__: object) -> None:
        raise ValueError("no such column")

    monkeypatch.setattr(placing, "find_side_by_side", fail)
    content = set_statement(samples.BALANCE, WORD)
    found = " ".join(texts(content))
    assert "Goodwill 250,000 250,000" in found
    assert " | " not in found
