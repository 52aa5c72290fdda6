"""Where tables stand among the lines of a page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.library.ingestion.parsers.pdf.columns import in_reading_order
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import Page, PdfLine
from core.library.ingestion.parsers.pdf.rows import is_figure, is_value
from core.library.ingestion.parsers.pdf.ruled_tables import find_ruled_tables
from core.library.ingestion.parsers.pdf.side_by_side import find_side_by_side
from core.library.ingestion.parsers.pdf.table_header import tells_unit_of_all
from core.library.ingestion.parsers.pdf.tables import PageTable, find_tables

_LEAST_COVERED = 0.6  # of the lines with figures of a part of the page, that are in its tables

Column = tuple[PdfLine, ...]


def read_page(page: Page, joiner: Joiner) -> Iterator[tuple[PageTable | Column, Column]]:
    """Yield the tables of a page and the lines between them as they are read, each with the column that it stands in.

    Tables are looked for over the width of the page first: the gap between labels and figures may be as wide as that
    between two columns of text.
    """
    ruled = find_ruled_tables(page, joiner)
    boxed = {line for table in ruled if not table.is_banded for line in table.lines}
    lines, wide = _find_wide_tables(page, boxed, joiner)
    placed: dict[PdfLine, PageTable] = {}
    stretches = _put_tables(_choose_tables(ruled, wide), lines, placed)
    for column in in_reading_order(stretches, page.width):
        held = dict(placed)
        tables = find_tables([line for line in column if line not in placed], page.rulings, joiner)
        yield from ((stretch, column) for stretch in _cut_column(_put_tables(tables, column, held), held))


def _find_wide_tables(page: Page, boxed: set[PdfLine], joiner: Joiner) -> tuple[Column, list[PageTable]]:
    """Find the tables of a page, and part the lines of those side by side. boxed: lines that are left as they are.

    A table beside text is left to the columns of the page.
    """
    lines = page.lines
    rest = [line for line in lines if line not in boxed]
    found: list[PageTable] = []
    for whole, sides in find_side_by_side(rest):
        tables = [find_tables(side, page.rulings, joiner, is_strict=True) for side in sides]
        if all(_cover_lines(some, side) for some, side in zip(tables, sides, strict=True)):
            found += _share_caption([table for some in tables for table in some], lines)
            place, taken = lines.index(whole[0]), set(whole)
            before, behind = lines[:place], lines[place:]
            apart = (*sides[0], *sides[1])
            lines = (
                *(line for line in before if line not in taken),
                *apart,
                *(line for line in behind if line not in taken),
            )
            rest = [line for line in rest if line not in taken]
    return lines, [*found, *find_tables(rest, page.rulings, joiner, is_strict=True)]


def _share_caption(tables: Sequence[PageTable], lines: Column) -> list[PageTable]:
    """Return tables side by side with the unit that stands above both, or above the first."""
    caption = next((table.caption for table in tables if table.caption), "")
    if caption:
        return [replace(table, caption=table.caption or caption) for table in tables]
    top = min(line.y0 for table in tables for line in table.lines)
    above = max((line for line in lines if line.y1 <= top), key=lambda line: line.y1, default=None)
    if above is None or len(above.parts) > 1 or not tells_unit_of_all(above.text, top - above.y1, above.y1 - above.y0):
        return list(tables)
    shared = [replace(table, caption=above.text) for table in tables]
    return [replace(shared[0], lines=shared[0].lines | {above}), *shared[1:]]


def _cover_lines(tables: Sequence[PageTable], lines: Column) -> bool:
    """Return True if most of the lines with figures are in tables."""
    held = {line for table in tables for line in table.lines}
    return bool(tables) and len(held) >= _LEAST_COVERED * len(lines)


def _choose_tables(ruled: Sequence[PageTable], wide: Sequence[PageTable]) -> list[PageTable]:
    """Choose between tables that share lines: bands of colour tell less than figures do that go on beside them."""
    chosen = list(wide)
    for table in ruled:
        same = [other for other in chosen if other.lines & table.lines]
        if any(_tells_more(other, table) for other in same):
            continue
        chosen = [other for other in chosen if other not in same] + [table]
    return chosen


def _tells_more(figures: PageTable, bands: PageTable) -> bool:
    """Return True if a table that is found by its figures has all of one that bands show, and more."""
    if not bands.is_banded or sum(line in figures.lines for line in bands.lines) * 2 <= len(bands.lines):
        return False
    if len(figures.edges) != len(bands.edges):
        return len(figures.edges) < len(bands.edges)
    cells = [cell.text for row in figures.rows for cell in row[1:] if cell.text]
    only_figures = all(map(is_value, cells))
    if only_figures and _count_with_figures(figures) == _count_with_figures(bands):
        return True  # and what is indented in them is named after its heading
    top, bottom = min(line.y0 for line in bands.lines), max(line.y1 for line in bands.lines)
    around = [line for line in figures.lines if line.y1 <= top or line.y0 >= bottom]
    goes_on = any(is_figure(part.text) for line in around for part in line.parts[1:])
    return bool(around) and (len(figures.rows) == len(bands.rows) or goes_on)


def _count_with_figures(table: PageTable) -> int:
    return sum(any(is_figure(cell.text) for cell in row[1:]) for row in table.rows)


def _put_tables(tables: Iterable[PageTable], lines: Sequence[PdfLine], placed: dict[PdfLine, PageTable]) -> Column:
    """Return the lines with one in the place of each table, which is noted as its."""
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


def _cut_column(column: Column, placed: dict[PdfLine, PageTable]) -> Iterator[PageTable | Column]:
    """Yield a column as the tables that stand in it, and the lines between them."""
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
