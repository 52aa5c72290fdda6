"""Lines of a PDF that are turned: stamps at the edge, across the page and upside down."""

import io

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from core.library.ingestion.parsers.pdf import parse_pdf

PROSE = ["The rowing club lends its boats to members alone.", "Each of them has passed the test in the harbour basin."]


def stamped(*stamps: tuple[str, float, float, float], pages: int = 1, title: bool = True, size: float = 40) -> bytes:
    """Pages with a title, prose and stamps: text, distance from the left and the bottom, degrees."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    for number in range(pages):
        for text, x, y, degrees in stamps:
            canvas.saveState()
            canvas.setFont("Helvetica-Bold", size)
            canvas.translate(x, y)
            canvas.rotate(degrees)
            canvas.drawString(0, 0, text)
            canvas.restoreState()
        if title and number == 0:
            canvas.setFont("Helvetica-Bold", 18)
            canvas.drawString(90, 770, "Rules of the rowing club")
        canvas.setFont("Helvetica", 10)
        for line, text in enumerate(PROSE):
            canvas.drawString(90, 740 - 13 * line, text)
        canvas.drawString(90, 727 - 13 * len(PROSE), f"On page {number} the text goes on with words enough to fill the")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


@pytest.mark.parametrize(
    "stamp",
    [
        ("FOR MEMBERS", 60, 200, 90),
        ("FOR MEMBERS", 560, 600, 270),
        ("FOR MEMBERS", 150, 250, 45),
        ("FOR MEMBERS", 120, 600, -35),
        ("FOR MEMBERS", 500, 60, 180),
    ],
    ids=["left", "right", "across", "downwards", "upside down"],
)
def test_a_turned_stamp_is_no_title(stamp: tuple[str, float, float, float]) -> None:
    """The largest upright line is; the stamp is text behind that of its page."""
    document = parse_pdf(stamped(stamp), "r.pdf")
    assert document.title == "Rules of the rowing club"
    assert [block.text for block in document.blocks][-1] == "FOR MEMBERS"
    assert " ".join(PROSE) in document.blocks[0].text


def test_without_an_upright_title_the_name_of_the_file_is_one() -> None:
    """Rather than a stamp."""
    assert parse_pdf(stamped(("FOR MEMBERS", 60, 200, 90), title=False), "rowing_rules.pdf").title == "Rowing rules"


def test_a_stamp_on_each_page_is_said_once() -> None:
    """And parts no sentence that goes on over a page's end."""
    blocks = parse_pdf(stamped(("FOR MEMBERS", 150, 250, 45), pages=3), "r.pdf").blocks
    assert [block.text for block in blocks].count("FOR MEMBERS") == 1
    assert [block.continues for block in blocks[1:3]] == [True, True]


def test_text_that_is_upright_on_a_turned_page_is_its_text() -> None:
    """A page that was scanned or drawn sideways and is shown turned has no turned lines."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setPageRotation(90)
    canvas.rotate(90)
    canvas.drawString(100, -100, "Rules of the club")
    canvas.save()
    assert [block.text for block in parse_pdf(out.getvalue(), "r.pdf").blocks] == ["Rules of the club"]


def test_a_page_that_is_all_sideways_is_read() -> None:
    """Its lines are its text, whatever their direction."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.rotate(90)
    for number, line in enumerate(PROSE):
        canvas.drawString(100, -100 - 14 * number, line)
    canvas.save()
    assert [block.text for block in parse_pdf(out.getvalue(), "r.pdf").blocks] == PROSE
