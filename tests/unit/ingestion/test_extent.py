"""Count the contents of a file and what of it was left out."""

import io
import json

import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from core.library.ingestion.document import Block, ParsedDocument, measure_extent
from core.library.ingestion.extent import Extent, Found, Loss, Tally
from core.library.ingestion.parsers.pdf import parse_pdf
from core.library.ingestion.store import hash_of
from tests.unit.ingestion.files import paragraph, pdf
from tests.unit.ingestion.garbled_files import garbled_pdf
from tests.unit.ingestion.test_recognition import pdf_of, picture

WORDS = "These words can be read as they are, and they say all there is to be said here."


def test_counts_cross_as_json() -> None:
    """They come out as they went in, within their document."""
    tally = Tally()
    tally.find(Found.PAGES, 3)
    tally.find(Found.CHARTS, 0)
    tally.leave_out(Loss.COMMENTS)
    tally.leave_out(Loss.COMMENTS, 2)
    document = ParsedDocument(title="A", blocks=(Block(text="B"),), extent=tally.extent)
    raw = json.loads(json.dumps(document.as_json()))
    assert raw["extent"] == {"found": {"pages": 3}, "left_out": {"comments": 3}}
    assert ParsedDocument.from_json(raw) == document
    assert document.extent.losses == 3


@pytest.mark.parametrize(
    "raw",
    [
        {"found": {"a word of the document": 1}, "left_out": {}},
        {"found": {"pages": "one"}, "left_out": {}},
        {"found": {"pages": -1}, "left_out": {}},
        {"found": {}, "left_out": {"comments": 10**12}},
        {"found": {}, "left_out": {"comments": True}},
    ],
)
def test_a_parser_that_was_taken_over_passes_no_words_as_counts(raw: dict[str, dict[str, int]]) -> None:
    """Only known kinds and numbers are taken."""
    with pytest.raises(ValueError, match=r"is not a valid|a count is a number"):
        Extent.from_json(raw)


def test_what_is_counted_is_no_content() -> None:
    """A document of several in a file is the same when more is counted in it."""
    plain = ParsedDocument(title="A", blocks=(Block(text="B"),))
    counted = ParsedDocument(title="A", blocks=(Block(text="B"),), extent=Extent(found={Found.NOTES: 2}))
    assert hash_of(plain) == hash_of(counted)


def test_tables_and_pages_are_counted_in_the_blocks() -> None:
    """In any format; what the parser counted itself holds."""
    table = "Size | Price\n--- | ---\nsmall | 2\nlarge | 3"
    blocks = (Block(text=table, page_number=1), Block(text="No table."), Block(text=table, page_number=4))
    assert measure_extent(ParsedDocument(title="A", blocks=blocks)).found == {Found.PAGES: 4, Found.TABLES: 2}
    counted = ParsedDocument(title="A", blocks=blocks, extent=Extent(found={Found.PAGES: 6, Found.CHARTS: 1}))
    assert measure_extent(counted).found == {Found.PAGES: 6, Found.TABLES: 2, Found.CHARTS: 1}


def test_pages_of_a_pdf_that_were_not_read_are_counted_by_their_reason() -> None:
    """Pictures of text, and fonts that say wrong letters."""
    scanned = parse_pdf(pdf_of(WORDS, picture("A rule."), picture("Another.")), "rules.pdf").extent
    assert scanned == Extent(found={Found.PAGES: 3}, left_out={Loss.SCANNED_PAGES: 2})
    pages = [((WORDS,), lambda one: one), ((WORDS,), None)]
    garbled = parse_pdf(garbled_pdf(pages), "rules.pdf").extent
    assert garbled == Extent(found={Found.PAGES: 2}, left_out={Loss.GARBLED_PAGES: 1})
    whole = parse_pdf(pdf([paragraph([WORDS])]), "rules.pdf").extent
    assert whole == Extent(found={Found.PAGES: 1})


def test_pictures_of_some_size_among_text_are_counted() -> None:
    """Without signs of a few points and without what fills the page behind the text."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(640, 400))
    shown = ImageReader(picture("A map.", size=(64, 40)))
    for x, y, width, height in ((0, 0, 640, 400), (60, 60, 200, 120), (600, 380, 12, 12)):
        canvas.drawImage(shown, x, y, width, height)
    for number in range(12):
        canvas.drawString(40, 380 - 12 * number, f"{WORDS} {number}")
    canvas.save()
    extent = parse_pdf(out.getvalue(), "map.pdf").extent
    assert extent == Extent(found={Found.PAGES: 1, Found.PICTURES: 1}, left_out={Loss.PICTURES: 1})
