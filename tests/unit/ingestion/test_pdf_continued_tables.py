"""Ruled tables that go on over pages of a PDF, and those that only look as if they did."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

from core.library.ingestion.parsers.grid import Cell
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.pdf import parse_pdf
from core.library.ingestion.parsers.pdf.headings import Headings
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import extract
from core.library.ingestion.parsers.pdf.placing import read_page
from core.library.ingestion.parsers.pdf.tables import PageTable
from core.library.ingestion.parsers.pdf.writing import PageWriter

STYLES = getSampleStyleSheet()
GRID = ("GRID", (0, 0), (-1, -1), 0.5, "black")
BOLD = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")
BERTHS = [["Berth", "Depth", "Fee"], ["North 1", "2.4 m", "31 EUR"], ["North 2", "2.9 m", "38 EUR"]]
PUMPS = [["Bilge", "40 l", "12 V"], ["Deck", "65 l", "24 V"]]
RAGGED = [[Cell(text="Bilge"), Cell(text="40 l")], [Cell(text="Deck")]]


def story(*parts: Any) -> bytes:
    """A PDF of flowing parts."""
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A4).build(list(parts))
    return out.getvalue()


def ruled(cells: Sequence[Sequence[str]], *more: Any, widths: Sequence[float] = (110, 90, 90)) -> Table:
    """A table that is ruled all round."""
    return Table([list(row) for row in cells], colWidths=widths[: len(cells[0])], style=[GRID, *more])


def text(line: str, style: str = "BodyText") -> Paragraph:
    """A paragraph."""
    return Paragraph(line, STYLES[style])


PROSE = [text("Pumps were tested in June and again later.")]


def tables_of(content: bytes) -> list[list[str]]:
    """The lines of each table."""
    return [b.text.splitlines() for b in parse_pdf(content, "t.pdf").blocks if " | " in b.text]


def filler(points: float) -> list[Any]:
    """Build a first page with a table at its end."""
    return [text("The berths of the harbour, with what they cost a night."), Spacer(1, points)]


@pytest.mark.parametrize("between", [[], [text("Pumps", "Heading2")], PROSE])
@pytest.mark.parametrize("widths", [(110, 90, 90), (110, 90), (80, 80, 80, 80)], ids=["same", "narrower", "wider"])
def test_a_table_without_names_has_none_of_another_page(between: list[Any], widths: Sequence[float]) -> None:
    """Be it as wide as the one before or not, below a heading, below a paragraph or alone on its page."""
    pumps = [[*row, "spare"][: len(widths)] for row in PUMPS]
    content = story(*filler(0), ruled(BERTHS, BOLD), PageBreak(), *between, ruled(pumps, widths=widths))
    assert tables_of(content) == [
        ["Berth | Depth | Fee", "--- | --- | ---", "North 1 | 2.4 m | 31 EUR", "North 2 | 2.9 m | 38 EUR"],
        [" | ".join(row) for row in pumps],
    ]


@pytest.mark.parametrize("between", [[text("Pumps", "Heading2")], PROSE])
def test_a_table_at_the_end_of_a_page_does_not_go_on_below_a_heading(between: list[Any]) -> None:
    """Nor below a paragraph."""
    content = story(*filler(570), ruled(BERTHS, BOLD), PageBreak(), *between, ruled(PUMPS))
    assert tables_of(content)[1] == ["Bilge | 40 l | 12 V", "Deck | 65 l | 24 V"]


@pytest.mark.parametrize("bold", [[BOLD], []], ids=["bold", "plain"])
@pytest.mark.parametrize("value", ["{} m", "wide{}"], ids=["figures", "words"])
def test_a_table_that_goes_on_keeps_its_names(bold: list[Any], value: str) -> None:
    """Also where its cells are words, of which the first on a page could be names."""
    cells = [["Gate", "Width", "Keeper"], *([f"Gate {n}", value.format(n), "Ada"] for n in range(60))]
    found = tables_of(story(text("The gates of the harbour."), ruled(cells, *bold)))
    assert len(found) == 2
    assert [lines[:2] for lines in found] == [["Gate | Width | Keeper", "--- | --- | ---"]] * 2
    assert sum(len(lines) - 2 for lines in found) == 60


def test_a_running_line_and_a_note_that_it_goes_on_do_not_end_a_table() -> None:
    """A line on both pages at one height, or one that says "continued", does not divide a table."""
    head = [text("Harbour handbook")]
    rows = [[f"Gate {n}", f"{n} m", "Ada"] for n in range(9)]
    content = story(
        *head, *filler(440), ruled([["Gate", "Width", "Keeper"], *rows], BOLD), PageBreak(),
        *head, text("Gates (continued)"), ruled([["Gate 9", "9 m", "Bob"], ["Gate 10", "10 m", "Bob"]]),
    )  # fmt: skip
    assert tables_of(content)[1] == [
        "Gate | Width | Keeper", "--- | --- | ---", "Gate 9 | 9 m | Bob", "Gate 10 | 10 m | Bob",
    ]  # fmt: skip


def _write(reader: Any) -> list[str]:
    """The texts of a page whose tables a reader finds."""
    [page] = extract(story(text("Pumps of the harbour."), ruled(PUMPS), text("Tested in June.")), "t.pdf").pages
    writer = PageWriter(Outline("Pumps"), Headings((page,), ()), Joiner(line.text for line in page.lines), reader)
    writer.write(page)
    return [block.text for block in writer.outline.blocks]


def test_a_page_whose_tables_cannot_be_found_is_read_as_text() -> None:
    """An error of the reader of tables costs no word."""

    def fail(*_: Any) -> Iterator[Any]:
        raise IndexError

    assert " ".join(_write(fail)) == "Pumps of the harbour. Bilge 40 l 12 V Deck 65 l 24 V Tested in June."


def test_a_table_that_cannot_be_written_is_read_as_text() -> None:
    """Rows of different lengths are no table, and cost no word."""

    def misread(*page: Any) -> Iterator[Any]:
        for stretch, column in read_page(*page):
            if isinstance(stretch, PageTable):
                yield PageTable(lines=stretch.lines, names=None, rows=RAGGED), column
            else:
                yield stretch, column

    assert _write(misread)[1:] == ["Bilge 40 l 12 V Deck 65 l 24 V", "Tested in June."]
