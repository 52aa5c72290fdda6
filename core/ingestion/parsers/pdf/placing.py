"""Where tables stand among the lines of a page."""

from collections.abc import Iterable, Iterator, Sequence

from core.ingestion.parsers.pdf.columns import in_reading_order
from core.ingestion.parsers.pdf.joining import Joiner
from core.ingestion.parsers.pdf.lines import Page, PdfLine
from core.ingestion.parsers.pdf.ruled_tables import find_ruled_tables
from core.ingestion.parsers.pdf.tables import PageTable, find_tables

Column = tuple[PdfLine, ...]


def read_page(page: Page, joiner: Joiner) -> Iterator[tuple[PageTable | Column, Column]]:
    """The tables of a page and the lines between them as they are read, each with the column that it stands in."""
    ruled: dict[PdfLine, PageTable] = {}
    lines = _put(find_ruled_tables(page, joiner), page.lines, ruled)
    for column in in_reading_order(lines, page.width):
        placed = dict(ruled)
        tables = find_tables([line for line in column if line not in ruled], page.rulings, joiner)
        yield from ((stretch, column) for stretch in _cut(_put(tables, column, placed), placed))


def _put(tables: Iterable[PageTable], lines: Sequence[PdfLine], placed: dict[PdfLine, PageTable]) -> Column:
    """The lines with one in the place of each table, which is noted as its."""
    for table in tables:
        first = next(line for line in lines if line in table.lines)
        stand_in = PdfLine(
            text="",
            x0=min(line.x0 for line in table.lines),
            x1=max(line.x1 for line in table.lines),
            y0=min(line.y0 for line in table.lines),
            y1=max(line.y1 for line in table.lines),
            size=first.size,
            bold=False,
            parts=(),
        )
        placed[stand_in] = table
        lines = [stand_in if line == first else line for line in lines if line == first or line not in table.lines]
    return tuple(lines)


def _cut(column: Column, placed: dict[PdfLine, PageTable]) -> Iterator[PageTable | Column]:
    """A column as the tables that stand in it, and the lines between them."""
    lines: list[PdfLine] = []
    for line in column:
        if line not in placed:
            lines.append(line)
            continue
        if lines:
            yield tuple(lines)
        lines = []
        yield placed[line]
    if lines:
        yield tuple(lines)
