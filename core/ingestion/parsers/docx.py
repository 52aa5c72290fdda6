"""DOCX: heading styles, lists and tables."""

import io
import re
import zipfile
from typing import TYPE_CHECKING

from core.ingestion.cleaning import one_line
from core.ingestion.dates import date_in_name, date_in_words
from core.ingestion.document import MAX_TITLE, ParsedDocument
from core.ingestion.errors import make_unreadable_error
from core.ingestion.naming import title_from_name
from core.ingestion.parsers.archive import check_archive
from core.ingestion.parsers.header import describe
from core.ingestion.parsers.numbering import Numbers
from core.ingestion.parsers.outline import Outline
from core.ingestion.parsers.written import item, table

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table, _Row
    from docx.text.paragraph import Paragraph

_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)


def parse_docx(content: bytes, name: str) -> ParsedDocument:
    """Parse a Word document. UnreadableFileError when it is damaged or unpacks to an absurd size."""
    check_archive(content, name)
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(io.BytesIO(content))
    except (PackageNotFoundError, KeyError, ValueError, XMLSyntaxError, zipfile.BadZipFile) as error:
        raise make_unreadable_error(name, "it is damaged or cut off") from error
    title = _title(document, name)
    outline = Outline(title)
    numbers = Numbers(document)
    for block in document.iter_inner_content():
        _write(block, outline, numbers)
    date = date_in_name(name) or date_in_words(title)
    author = one_line(document.core_properties.author or "")
    known_author = author if author != "python-docx" else ""
    return ParsedDocument(**describe(title, known_author, date), blocks=outline.blocks)


def _title(document: "Document", name: str) -> str:
    for paragraph in document.paragraphs:
        if _style(paragraph) == "title" and paragraph.text.strip():
            return one_line(paragraph.text, MAX_TITLE)
    stated = one_line(document.core_properties.title or "", MAX_TITLE)
    return stated if stated and stated != "Word Document" else title_from_name(name)


def _write(block: "Paragraph | Table", outline: Outline, numbers: Numbers) -> None:
    from docx.table import Table

    if isinstance(block, Table):
        outline.text(_table(block))
        return
    style = _style(block)
    heading = _HEADING.match(style)
    listed = None if heading or style == "title" or not block.text.strip() else numbers.of(block, style)
    if heading:
        outline.heading(int(heading[1]), block.text)
    elif listed:
        outline.text(item(block.text, depth=listed.depth, number=listed.number))
    elif style != "title":
        outline.text(block.text)


def _style(paragraph: "Paragraph") -> str:
    """The style's name in lower case; "" where there is none."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    # Without a part of styles the library would open a file of its own.
    if all(relation.reltype != RELATIONSHIP_TYPE.STYLES for relation in paragraph.part.rels.values()):
        return ""
    style = paragraph.style
    return (style.name or "").casefold() if style is not None else ""


def _table(found: "Table") -> str:
    """The table as text; merged cells once."""
    rows = []
    for row in found.rows:
        cells = []
        seen: set[int] = set()
        for cell in row.cells:
            if id(cell._tc) not in seen:  # a merged cell is repeated for each cell that it covers
                seen.add(id(cell._tc))
                cells.append(one_line(cell.text))
        rows.append(cells)
    return table(rows, has_header=True if found.rows and _is_header(found.rows[0]) else None)


def _is_header(row: "_Row") -> bool:
    """Whether a row is repeated on each page, or is the one that is set in bold type."""
    from docx.oxml.ns import qn

    properties = row._tr.trPr
    if properties is not None and properties.find(qn("w:tblHeader")) is not None:
        return True
    runs = [run for cell in row.cells for paragraph in cell.paragraphs for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(run.bold for run in runs)
