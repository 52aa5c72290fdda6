"""From a PDF to a document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.ingestion.cleaning import one_line
from core.ingestion.dates import date_in_name, date_in_words
from core.ingestion.document import MAX_TITLE, RECOGNISED_PAGES, UNREAD_PAGES, ParsedDocument
from core.ingestion.errors import make_no_text_error, make_unrecognised_error
from core.ingestion.naming import title_from_name
from core.ingestion.parsers.grid import write_table
from core.ingestion.parsers.outline import Outline
from core.ingestion.parsers.pdf.headings import Headings
from core.ingestion.parsers.pdf.lines import Extracted, Page, PdfLine, extract
from core.ingestion.parsers.pdf.page_boilerplate import without_furniture
from core.ingestion.parsers.pdf.paragraphs import Joiner, Paragraph, continues, paragraphs
from core.ingestion.parsers.pdf.placing import read_page
from core.ingestion.parsers.pdf.scans import find_scans, recognise
from core.ingestion.parsers.pdf.tables import PageTable
from core.ingestion.recognition import Recogniser

_LEAST_LETTERS = 3  # a property or a line with fewer is no title
# What programs write where nobody gave a title.
_NO_TITLE = re.compile(r"^(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|pdf|indd|tex|dvi|pptx?|xlsx?))$", re.IGNORECASE)
_MOST_HEADING_LINES = 3  # more lines than that in the heading's type are a paragraph set in it


def parse_pdf(content: bytes, name: str, recogniser: Recogniser | None = None) -> ParsedDocument:
    """Parse a PDF. NoTextError when no page has text; see also `extract`.

    recogniser: reads the pages that are pictures. Without one they are left out, and named in the metadata.
    """
    extracted = extract(content, name)
    scans = find_scans(content, extracted.pages)
    if recogniser is not None and scans:
        extracted = replace(extracted, pages=recognise(content, extracted.pages, scans, recogniser))
    if not any(page.lines for page in extracted.pages):
        raise make_no_text_error(name) if recogniser is None else make_unrecognised_error(name)
    return write_pages(extracted, name, recognised=scans if recogniser else (), unread=() if recogniser else scans)


def write_pages(
    extracted: Extracted, name: str, *, recognised: Sequence[int] = (), unread: Sequence[int] = ()
) -> ParsedDocument:
    """The document that these pages are. recognised, unread: the numbers of those that are pictures."""
    pages = without_furniture(extracted.pages)
    headings = Headings(pages, extracted.bookmarks)
    title, shown = _title(extracted, headings, name)
    date = date_in_name(name) or date_in_words(title)
    writer = _Writer(Outline(title), headings, Joiner(line for page in pages for line in page.lines))
    for page in pages:
        writer.write(replace(page, lines=tuple(line for line in page.lines if line not in shown)))
    metadata: dict[str, Any] = {"pages": len(pages)} | ({"author": extracted.author} if extracted.author else {})
    for key, numbers in ((RECOGNISED_PAGES, recognised), (UNREAD_PAGES, unread)):
        if numbers:
            metadata[key] = list(numbers)
    return ParsedDocument(title=title, document_date=date, metadata=metadata, blocks=writer.outline.blocks)


def _title(extracted: Extracted, headings: Headings, name: str) -> tuple[str, tuple[PdfLine, ...]]:
    """The title from the file's properties, else as it is set on the first page, else from the file's name.

    With it the lines on the first page that say the same.
    """
    stated = extracted.title
    shown = one_line(" ".join(line.text for line in headings.title), MAX_TITLE)
    if sum(map(str.isalpha, stated)) >= _LEAST_LETTERS and not _NO_TITLE.search(stated):
        title = one_line(stated, MAX_TITLE)
        return title, headings.title if shown.casefold() == title.casefold() else ()
    if sum(map(str.isalpha, shown)) >= _LEAST_LETTERS:
        return shown, headings.title
    return title_from_name(name), ()


@dataclass(slots=True)
class _Writer:
    """Writes pages into an outline."""

    outline: Outline
    headings: Headings
    joiner: Joiner
    open_paragraph: bool = False  # the last paragraph seems to go on
    last_table: PageTable | None = None  # of the page before, until the first of this one is written

    def write(self, page: Page) -> None:
        last: PageTable | None = None
        for stretch, column in read_page(page, self.joiner):
            if isinstance(stretch, PageTable):
                last = self._table(stretch, page)
            else:
                self._paragraphs(stretch, page, column)
        self.last_table = last

    def _table(self, table: PageTable, page: Page) -> PageTable:
        """Write a table. One that goes on from the page before has the names and the caption of that part."""
        if self.last_table and table.goes_on_from(self.last_table):
            names, caption = table.names or self.last_table.names, table.caption or self.last_table.caption
            table = replace(table, names=names, caption=caption)
        self.last_table = None
        write_table(
            table.names,
            table.rows,
            self.outline,
            called=self.outline.nearest,
            caption=table.caption,
            page=page.number,
        )
        return table

    def _paragraphs(self, lines: tuple[PdfLine, ...], page: Page, column: tuple[PdfLine, ...]) -> None:
        pending: list[tuple[int, Paragraph]] = []
        for paragraph in paragraphs(lines):
            level = self._level(paragraph, page)
            same_level = level is not None and pending and pending[-1][0] == level
            if same_level and self._adjoin(pending[-1][1], paragraph):
                pending[-1][1].lines.extend(paragraph.lines)
                continue
            self._flush(pending)
            pending = []
            if level is None:
                self._text(paragraph, page, column)
            else:
                pending = [(level, paragraph)]
        self._flush(pending)

    def _level(self, paragraph: Paragraph, page: Page) -> int | None:
        first, *rest = paragraph.lines
        same_type = all(line.bold == first.bold and abs(line.size - first.size) < 1 for line in rest)
        if len(paragraph.lines) > _MOST_HEADING_LINES or not same_type or (rest and rest[-1].text.endswith(".")):
            return None
        return self.headings.level(first, page.number)

    @staticmethod
    def _adjoin(above: Paragraph, below: Paragraph) -> bool:
        """True when a heading's lines follow each other closely enough to be one heading."""
        last, first = above.lines[-1], below.lines[0]
        near = 0 < first.y0 - last.y0 < last.size * 1.6
        return near and continues(first) and len(above.lines) < _MOST_HEADING_LINES

    def _flush(self, pending: list[tuple[int, Paragraph]]) -> None:
        for level, paragraph in pending:
            self.outline.heading(level, self.joiner.join(line.text for line in paragraph.lines))
            self.open_paragraph = False

    def _text(self, paragraph: Paragraph, page: Page, column: tuple[PdfLine, ...]) -> None:
        lines = paragraph.lines
        goes_on = self.open_paragraph and continues(lines[0])
        self.outline.text(self.joiner.join(line.text for line in lines), page=page.number, continues=goes_on)
        self.open_paragraph = paragraph.is_open(column)
