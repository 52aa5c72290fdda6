"""Writing the pages of a PDF into an outline: headings, paragraphs and tables, each as it follows what came before."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from core.library.ingestion.parsers.grid import write_table
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.pdf.columns import in_reading_order
from core.library.ingestion.parsers.pdf.headings import Headings
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import Page, PdfLine
from core.library.ingestion.parsers.pdf.paragraphs import Paragraph, continues, paragraphs
from core.library.ingestion.parsers.pdf.placing import Column, read_page
from core.library.ingestion.parsers.pdf.tables import PageTable

_MOST_HEADING_LINES = 3  # more lines than that in the heading's type are a paragraph set in it
_END_OF_PAGE = 0.6  # of a page's height, below which a table ends that goes on on the next page
_SAME_HEIGHT = 3.0  # points between the places of one running line on two pages
_CONTINUED = re.compile(
    r"\b(?:cont(?:inued|'d|’d|inuation|inuación)?\b|fortsetzung|fortgesetzt|suite|suivante?)", re.IGNORECASE
)
_FIGURES = re.compile(r"\d+")
# What a page that is not laid out as expected makes the reader of tables raise.
_MISREAD = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)

logger = logging.getLogger(__name__)

PageReader = Callable[[Page, Joiner], Iterator[tuple[PageTable | Column, Column]]]

_FAR = 2.6  # times the height of a line, that it is above the table at most, or above the next line of the title
_MOST_LINES = 3
_MOST_CHARACTERS = 100
_OFF_CENTRE = 6.0  # points between the middle of a title and that of its table
_NARROWER = 0.8  # of the width of the table, that a title in its middle has at most
_LEAST_CAPITALS = 0.8  # of the letters of a title in capitals


@dataclass(slots=True)
class _PageEnd:
    """The last table of a page and what may tell that it goes on."""

    table: PageTable
    called: str  # the heading that it stands below
    lines: tuple[PdfLine, ...]  # of the page
    below: tuple[PdfLine, ...]  # the table
    is_low: bool  # the table ends where pages end


@dataclass(slots=True)
class PageWriter:
    """Writes pages into an outline, one after the other."""

    outline: Outline
    headings: Headings
    joiner: Joiner
    reader: PageReader = read_page
    open_paragraph: bool = field(default=False, init=False)  # the last paragraph seems to go on
    unwritten: list[Page] = field(default_factory=list, init=False)  # whose turned lines are not written
    last: _PageEnd | None = field(default=None, init=False)  # of the page before, if a table stands on it

    def write(self, page: Page) -> None:
        """Write a page."""
        before, self.last = self.last, None
        above: list[PdfLine] = []  # the lines since the page began, or since its last table
        table: PageTable | None = None
        called = ""
        title: tuple[PdfLine, ...] = ()
        stretches = self._read_page(page)
        for (stretch, column), (following, _) in zip_longest(stretches, stretches[1:], fillvalue=((), ())):
            if isinstance(stretch, PageTable):
                stretch = replace(stretch, title=self.joiner.join(line.text for line in title))
                title = ()
                if table is None and before is not None:
                    stretch = _continue_table(stretch, before, above, page)
                table, above, called = stretch, [], self.outline.nearest
                self._write_table(stretch, page, column)
            else:
                above += stretch
                if isinstance(following, PageTable):
                    title = find_title(following, stretch, lambda line: self.headings.level(line, page.number) is None)
                self._write_paragraphs(stretch[: len(stretch) - len(title)], page, column)
        self.unwritten.append(page)
        if not self.open_paragraph:
            self.write_turned()
        if table is not None:
            end = max(line.y1 for line in table.lines)
            self.last = _PageEnd(table, called, page.lines, tuple(above), end >= page.height * _END_OF_PAGE)

    def write_turned(self) -> None:
        """Write the lines that are turned, which would part sentences among the others."""
        for page in self.unwritten:
            for paragraph in paragraphs(page.turned):
                self.outline.text(self.joiner.join(line.text for line in paragraph.lines), page=page.number)
        self.unwritten = []

    def _read_page(self, page: Page) -> Sequence[tuple[PageTable | Column, Column]]:
        """Return the page's tables and the lines between them; its lines alone where its tables cannot be read."""
        try:
            return list(self.reader(page, self.joiner))
        except _MISREAD as error:
            _warn_of_page(page, error)
            return [(column, column) for column in in_reading_order(page.lines, page.width)]

    def _write_table(self, table: PageTable, page: Page, column: Column) -> None:
        """Write a table; its lines as text where it cannot be written."""
        apart = Outline("")
        try:
            write_table(
                table.names,
                table.rows,
                apart,
                called=self.outline.nearest,
                caption=_caption_of(table),
                page=page.number,
            )
        except _MISREAD as error:
            _warn_of_page(page, error)
            lines = tuple(sorted(table.lines, key=lambda line: (line.y0, line.x0)))
            self._write_paragraphs(lines, page, column)
            return
        for block in apart.blocks:
            self.outline.text(block.text, page=page.number)

    def _write_paragraphs(self, lines: tuple[PdfLine, ...], page: Page, column: tuple[PdfLine, ...]) -> None:
        pending: list[tuple[int, Paragraph]] = []
        for paragraph in paragraphs(lines):
            level = self._find_level(paragraph, page)
            same_level = level is not None and pending and pending[-1][0] == level
            if same_level and self._adjoin(pending[-1][1], paragraph):
                pending[-1][1].lines.extend(paragraph.lines)
                continue
            self._flush_headings(pending)
            pending = []
            if level is None:
                own = paragraph.lines
                goes_on = self.open_paragraph and continues(own[0])
                self.outline.text(self.joiner.join(line.text for line in own), page=page.number, continues=goes_on)
                self.open_paragraph = paragraph.is_open(column)
            else:
                pending = [(level, paragraph)]
        self._flush_headings(pending)

    def _find_level(self, paragraph: Paragraph, page: Page) -> int | None:
        first, *rest = paragraph.lines
        same_type = all(line.bold == first.bold and abs(line.size - first.size) < 1 for line in rest)
        if len(paragraph.lines) > _MOST_HEADING_LINES or not same_type or (rest and rest[-1].text.endswith(".")):
            return None
        return self.headings.level(first, page.number)

    @staticmethod
    def _adjoin(above: Paragraph, below: Paragraph) -> bool:
        """Return True if a heading's lines follow each other closely enough to be one heading."""
        last, first = above.lines[-1], below.lines[0]
        near = 0 < first.y0 - last.y0 < last.size * 1.6
        return near and continues(first) and len(above.lines) < _MOST_HEADING_LINES

    def _flush_headings(self, pending: list[tuple[int, Paragraph]]) -> None:
        for level, paragraph in pending:
            self.outline.heading(level, self.joiner.join(line.text for line in paragraph.lines))
            self.open_paragraph = False


def _warn_of_page(page: Page, error: Exception) -> None:
    """Log that tables of a page are read as text. An error's message may hold words of the document."""
    logger.warning("pdf_tables_misread", extra={"page": page.number, "error": type(error).__name__})


def _caption_of(table: PageTable) -> str:
    parted = " " if table.caption.startswith(("(", "[")) else ", "
    return parted.join(filter(None, (table.title, table.caption)))


def _continue_table(table: PageTable, before: _PageEnd, above: Sequence[PdfLine], page: Page) -> PageTable:
    """The first table of a page with the names and the caption of the one before it, where it goes on with that."""
    if not table.goes_on_from(before.table):
        return table
    same_names = bool(table.names) and table.names == before.table.names
    again = {before.called, *(line.text for line in before.lines)} if same_names else set()  # its title, set again
    between = [line for line in above if line.text not in again]
    follows = before.is_low and not _part_tables(before.below, page.lines) and not _part_tables(between, before.lines)
    if not same_names and not follows:
        return table
    if not same_names:
        table = table.continued(before.table)
    if follows:
        table = table.below_headings_of(before.table)
    return replace(table, caption=table.caption or before.table.caption)


def _part_tables(lines: Sequence[PdfLine], other_page: Sequence[PdfLine]) -> bool:
    """Return True if lines between two tables part them: no running line, and none that says that a table goes on."""
    running = {(_FIGURES.sub("#", line.text), round(line.y0 / _SAME_HEIGHT)) for line in other_page}
    places = ((line, _FIGURES.sub("#", line.text), round(line.y0 / _SAME_HEIGHT)) for line in lines)
    return any(
        not any((text, height + off) in running for off in (-1, 0, 1)) and not _CONTINUED.search(line.text)
        for line, text, height in places
    )


def find_title(table: PageTable, lines: Sequence[PdfLine], is_text: Callable[[PdfLine], bool]) -> tuple[PdfLine, ...]:
    """Find the last of the lines above a table that are its title. is_text: whether a line is no heading."""
    left, right = min(line.x0 for line in table.lines), max(line.x1 for line in table.lines)
    top = min(line.y0 for line in table.lines)
    title: list[PdfLine] = []
    for line in reversed(lines):
        near = 0 <= top - line.y1 <= _FAR * (line.y1 - line.y0)
        if len(title) == _MOST_LINES or not near or not is_text(line) or not _is_set_apart(line, left, right):
            break
        title.insert(0, line)
        top = line.y0
    return tuple(title)


def _is_set_apart(line: PdfLine, left: float, right: float) -> bool:
    """Return True for bold type, capitals, or a short line in the middle of the table. left, right: of the table."""
    text = line.text
    if len(line.parts) > 1 or len(text) > _MOST_CHARACTERS or line.is_field or text.endswith((".", ",", ";", ":")):
        return False
    letters = [character for character in text if character.isalpha()]
    if not letters or text[0].islower() or line.x1 < left or line.x0 > right:
        return False
    in_capitals = sum(map(str.isupper, letters)) >= _LEAST_CAPITALS * len(letters)
    middle = abs((line.x0 + line.x1 - left - right) / 2) <= _OFF_CENTRE
    return line.bold or in_capitals or (middle and line.width <= _NARROWER * (right - left))
