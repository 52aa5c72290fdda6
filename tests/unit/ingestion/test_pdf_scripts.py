"""Raised and lowered characters in PDF."""

import io

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from core.library.ingestion.parsers.pdf import parse_pdf

STYLE = getSampleStyleSheet()["BodyText"]
AREA = "The deck of the ferry has 41<super>2</super> planks, and its tanks hold 10<super>4</super> litres of water."
GRIT = (
    "Its filter stops grains of 10<super>-6</super> metres and lowers the share of CO<sub>2</sub> on the "
    "7<super>th</super> deck."
)


def texts(*parts: object) -> list[str]:
    """The texts of a PDF of flowing parts."""
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A4).build(list(parts))
    return [block.text for block in parse_pdf(out.getvalue(), "s.pdf").blocks]


def test_raised_figures_are_no_digits_of_the_figure_before() -> None:
    """Exponents with and without a sign; a formula and an ordinal stay as people type them."""
    [text] = texts(Paragraph(f"{AREA} {GRIT}", STYLE))
    assert "has 41² planks, and its tanks hold 10⁴ litres of water." in text
    assert "grains of 10⁻⁶ metres and lowers the share of CO2 on the 7th deck." in text


def test_the_mark_of_a_note_is_no_part_of_a_price() -> None:
    """Behind a figure it stays raised, behind a word it is in brackets."""
    [text] = texts(
        Paragraph("A crossing costs 65<super>3</super> euros a car, and less in winter<super>4</super>.", STYLE)
    )
    assert text == "A crossing costs 65³ euros a car, and less in winter[4]."


def test_cells_of_tables_have_raised_figures() -> None:
    """Found by lines that are drawn."""
    cells = [["Deck", "Size"], ["Upper", "310 m<super>2</super>"], ["Lower", "9 x 10<super>2</super> m"]]
    table = Table(
        [[Paragraph(cell, STYLE) for cell in row] for row in cells], style=[("GRID", (0, 0), (-1, -1), 1, "black")]
    )
    assert texts(Paragraph("The decks of the ferry and their size.", STYLE), table)[-1].splitlines()[-2:] == [
        "Upper | 310 m²",
        "Lower | 9 x 10² m",
    ]


def test_smaller_type_on_the_line_is_not_raised() -> None:
    """Small capitals, and a note's number at the beginning of a line."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    x = 70.0
    for text, size, rise in (("D", 12, 0), ("ECK ", 9, 0), ("7 of 12", 12, 0)):
        canvas.setFont("Helvetica", size)
        canvas.drawString(x, 700 + rise, text)
        x += canvas.stringWidth(text, "Helvetica", size)
    canvas.save()
    assert [block.text for block in parse_pdf(out.getvalue(), "s.pdf").blocks] == ["DECK 7 of 12"]
