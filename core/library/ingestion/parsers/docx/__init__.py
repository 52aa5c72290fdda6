"""DOCX: headings, lists with the numbers that Word sets, tables, text boxes, notes and equations in their order."""

import io
import re
import zipfile
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_damaged_error
from core.library.ingestion.extent import Found, Tally
from core.library.ingestion.naming import date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.docx.cells import Cells, is_layout, read_rows
from core.library.ingestion.parsers.docx.comments import read_comments
from core.library.ingestion.parsers.docx.markup import PARAGRAPH, Paragraph, blocks, is_left_out, make_paragraph
from core.library.ingestion.parsers.docx.notes import Notes, find_part
from core.library.ingestion.parsers.docx.numbering import Listed, Numbers
from core.library.ingestion.parsers.docx.styles import Styles
from core.library.ingestion.parsers.docx.words import Line, Words
from core.library.ingestion.parsers.drawings import Drawings
from core.library.ingestion.parsers.header import describe
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.strict import as_common
from core.library.ingestion.parsers.written import item

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element


_MOST_DEPTH = 90  # of tables and text boxes in each other; XML has at most 256 levels, and a table takes three
_TITLE = "title"  # the name of the style
_CONTENTS = re.compile(r"toc \d")  # the names of the styles of a table of contents
# A label that `core.language.nlp.layout` reads as the mark of an item. Others get a dash before them, so that lines
# below an item, as (a) below 2.1, is read with it.
_MARK = re.compile(r"\(?\d{1,3}[.)]|\(?[a-z]\)|\([ivx]{1,4}\)|(?:step|stage)\s\d{1,2}[:.)]", re.IGNORECASE)


def parse_docx(content: bytes, name: str) -> ParsedDocument:
    """Parse a Word document. UnreadableFileError when it is damaged."""
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(io.BytesIO(as_common(content)))
    except (PackageNotFoundError, KeyError, ValueError, XMLSyntaxError, zipfile.BadZipFile) as error:
        raise make_damaged_error(name, error) from error
    writer = _Writer(document, name)
    writer.write(document.element.body)
    date = date_in_name(name) or date_in_words(writer.title)
    author = one_line(document.core_properties.author or "")
    comments = Comments(writer.tally)
    read_comments(document, writer.words, comments)
    return ParsedDocument(
        **describe(writer.title, author, date),
        blocks=writer.outline.blocks,
        extent=writer.tally.extent,
        comments=comments.blocks,
    )


class _Writer:
    """Writes the blocks of a document in their order."""

    def __init__(self, document: "Document", name: str) -> None:
        self._styles = Styles(find_part(document, "styles"))
        self.words = Words(self._styles)
        self._numbers = Numbers(find_part(document, "numbering"), self._styles)
        self._notes = Notes(document)
        self.tally = Tally()
        self.tally.find(Found.NOTES, len(self._notes))
        self._part = document.part
        self._drawings = Drawings(self.tally)
        self._cells = Cells(self.words, self._numbers, self._notes, self._read_drawing)
        self._shown_title = self._find_title(document.element.body)
        stated = one_line(document.core_properties.title or "", MAX_TITLE)
        known = stated if stated != "Word Document" else ""
        self._stated_title = one_line(self._shown_title, MAX_TITLE) or known
        self._name = name
        self.outline = Outline(self._stated_title or title_from_name(name))
        self._outermost: int | None = None  # the least depth of the items above without other text between them

    @property
    def title(self) -> str:
        """The title as it is set or stated, else the one heading of the first level above all, else the file's name."""
        heading = one_line(self.outline.only_chapter, MAX_TITLE)
        return self._stated_title or heading or title_from_name(self._name)

    def write(self, element: "_Element", depth: int = 0) -> None:
        """Write everything in an element: the body, a text box, a cell that only places its content, a note."""
        for block in blocks(element):
            if isinstance(block, Paragraph):
                self._write_paragraph(block, depth)
            else:
                self._write_table(block, depth)

    def _write_paragraph(self, paragraph: Paragraph, depth: int) -> None:
        line = self.words.read(paragraph)
        if not (paragraph.is_deleted and not line.text.strip()):
            listed = self._numbers.of(paragraph, line.text)
            if line.text.strip():
                self._write_text(paragraph, line, listed)
        for drawing in line.drawings:
            for text in self._read_drawing(drawing):
                self.outline.text(text)
        if depth < _MOST_DEPTH:
            for box in line.boxes:
                self.write(box, depth + 1)
            for kind, identifier in line.notes:
                note = self._notes.take(kind, identifier)
                if note is not None:
                    self.write(note, depth + 1)

    def _write_text(self, paragraph: Paragraph, line: Line, listed: Listed | None) -> None:
        """Write a paragraph with the number that Word sets before it."""
        level = self._styles.heading_level(paragraph, one_line(line.text))
        style = self._styles.name_of(paragraph)
        outermost, self._outermost = self._outermost, None
        if _CONTENTS.fullmatch(style):
            pass  # it lists the headings
        elif style == _TITLE:
            if one_line(line.text) != one_line(self._shown_title):
                self.outline.text(line.text)
        elif level:
            self.outline.heading(level, f"{listed.label if listed else ''} {line.text}")
        elif listed is None:
            self.outline.text(line.text)
        else:
            self._outermost = listed.depth if outermost is None else min(listed.depth, outermost)
            notes = self._cells.notes(line)
            text = f"{line.text} {notes}" if notes else line.text
            self.outline.text(_write_item(text, listed.label, listed.depth - self._outermost))

    def _write_table(self, table: "_Element", depth: int) -> None:
        rows = read_rows(table)
        self._outermost = None
        if is_layout(rows) and depth < _MOST_DEPTH:
            for row in rows:
                for cell in row.cells:
                    self.write(cell.element, depth + 1)
            return
        for text in self._cells.write(rows):
            self.outline.text(text)

    def _read_drawing(self, drawing: "_Element") -> list[str]:
        return self._drawings.read(drawing, self._find_part)

    def _find_part(self, name: str) -> bytes | None:
        """Return the part of the file that a drawing refers to; those in notes and elsewhere have other names."""
        relation = self._part.rels.get(name)
        return None if relation is None or relation.is_external else relation.target_part.blob

    def _find_title(self, body: "_Element") -> str:
        """Return the words of the first paragraph in the style for titles; "" where there is none."""
        for element in body.iter(PARAGRAPH):
            paragraph = make_paragraph(element)
            if self._styles.name_of(paragraph) == _TITLE and not is_left_out(element):
                text = self.words.read(paragraph).text
                if text.strip():
                    return text
        return ""


def _write_item(text: str, label: str, depth: int) -> str:
    """Return an item with its mark."""
    if _MARK.fullmatch(label):
        return item(text, depth=depth, label=label)
    return item(f"{label} {text}", depth=depth)
