"""Office files in the strict form of ISO 29500, as Word, PowerPoint and Excel save them on request."""

import datetime as dt
import io
import re
import zipfile

import pytest
from pptx import Presentation
from pptx.util import Inches

from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.strict import as_common
from tests.unit.ingestion.files import docx, pptx, xlsx, zip_of
from tests.unit.ingestion.word_files import par, reference_to_note, row, tbl, word_parts

_COMMON = re.compile(
    rb"http://schemas\.openxmlformats\.org/(wordprocessingml|spreadsheetml|presentationml|drawingml"
    rb"|officeDocument)/2006/"
)


def strict(content: bytes) -> bytes:
    """The same file in the strict form."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    made = {
        name: _COMMON.sub(rb"http://purl.oclc.org/ooxml/\1/", part) if name != "[Content_Types].xml" else part
        for name, part in parts.items()
    }
    assert made != parts
    return zip_of(made)


def slides() -> bytes:
    """A presentation with a table."""
    presentation = Presentation(io.BytesIO(pptx([("Boats", "One for each member")])))
    shapes = presentation.slides[0].shapes
    table = shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    for place, text in enumerate(("Boat", "Fee", "Canoe", "4")):
        table.cell(place // 2, place % 2).text = text
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.docx", docx()),
        ("a.pptx", slides()),
        ("a.xlsx", xlsx({"Fees": [["Boat", "Since", "Fee"], ["Dinghy", dt.date(2025, 3, 1), 4.5]]})),
        (
            "a.docx",
            zip_of(
                word_parts(
                    par("Daily.", reference_to_note()) + tbl(row("a", "b")),
                    footnotes=(f'<w:footnote w:id="3">{par("Not on Sundays.")}</w:footnote>'),
                )
            ),
        ),
    ],
)
def test_a_strict_file_reads_as_the_common_one(name: str, content: bytes) -> None:
    """With all its parts."""
    assert parse(strict(content), name) == parse(content, name)


def test_words_about_the_strict_form_stay() -> None:
    """Only attributes are names; a file in the common form is not written anew."""
    said = "See http://purl.oclc.org/ooxml/drawingml/main."
    content = zip_of(word_parts(par(said)))
    for one in (content, strict(content)):
        [document] = parse(one, "a.docx").documents
        assert document.blocks[0].text == said
    plain = docx()
    assert as_common(plain) is plain
