"""Write tables as text whose cells may span several columns and rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.written import may_name_columns, names_period, table

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_REPEATED = 100  # characters of a merged cell that is repeated; longer ones are no labels
_MOST_BESIDE = 1000  # characters that such a cell has in one row
_MOST_HEADERS = 3  # rows that name columns together
_NOTHING = "—"  # where a row begins with an empty cell, which would not be seen before the first bar
_LEAST_NAMES = 3  # columns of a table whose first row names them without being marked


@dataclass(frozen=True, kw_only=True, slots=True)
class GridCell:
    """A cell and its place."""

    element: "_Element"  # of the file
    column: int  # from 0
    span: int  # columns
    is_merged: bool  # with cells above or below it
    goes_on: bool  # says that it is a part of the cell above it


@dataclass(frozen=True, kw_only=True, slots=True)
class GridRow:
    """A row and its cells from left to right."""

    cells: tuple[GridCell, ...]
    is_header: bool  # is repeated on each page


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The words of a cell."""

    text: str  # on one line
    is_bold: bool  # all of them


def _fill_rows(rows: Sequence[GridRow], said: Sequence[Sequence[Said]]) -> list[list[str]]:
    """Return the words of each row by column.

    A cell over several rows is repeated in each, and one over several columns in each but for a label: one in the
    first column, or over the whole width.
    """
    width = max((cell.column + cell.span for row in rows for cell in row.cells), default=0)
    filled = []
    above: dict[int, str] = {}  # the words of the merged cells of the row before, by their columns
    for row, texts in zip(rows, said, strict=True):
        line = [""] * width
        merged = {}
        for cell, one in zip(row.cells, texts, strict=True):
            text = one.text
            if cell.goes_on and not text:
                text = above.get(cell.column, "")
            is_short = len(text) <= _MOST_REPEATED
            if cell.is_merged and is_short:
                merged[cell.column] = text
            line[cell.column] = text
            if cell.column and len(text) * cell.span <= _MOST_BESIDE:
                line[cell.column : cell.column + cell.span] = [text] * cell.span
        above = merged
        filled.append(line)
    return filled


@dataclass(slots=True)
class _Grid:
    """A table without its empty rows."""

    caption: str  # the words of a first row of one cell over the whole width
    headers: int  # how many of the first lines name the columns
    lines: list[list[str]]


def _read_grid(rows: Sequence[GridRow], said: Sequence[Sequence[Said]]) -> _Grid:
    lines = _fill_rows(rows, said)
    kept = [place for place, line in enumerate(lines) if any(line)]
    caption = ""
    if len(kept) > 1 and lines[kept[0]][0] and len(lines[kept[0]]) > 1 and not any(lines[kept[0]][1:]):
        caption = lines[kept.pop(0)][0]
    lines = [lines[place] for place in kept]
    headers = _count_headers([rows[place] for place in kept], [said[place] for place in kept], lines)
    if headers > 1:
        names = zip(*lines[:headers], strict=True)
        lines[:headers] = [[" ".join(dict.fromkeys(filter(None, cells))) for cells in names]]
    return _Grid(caption, min(headers, 1), lines)


def write_spanned(rows: Sequence[GridRow], said: Sequence[Sequence[Said]]) -> str:
    """Return a table as text, with a rule under the row that names its columns."""
    grid = _read_grid(rows, said)
    for line in grid.lines:
        line[0] = line[0] or (_NOTHING if len(line) > 1 else "")
    return table(grid.lines, has_header=grid.headers > 0, caption=grid.caption)


def write_inline(rows: Sequence[GridRow], said: Sequence[Sequence[Said]]) -> str:
    """Return a small table within a cell on one line: "Winter: 8 to 16; Summer: 7 to 18"."""
    grid = _read_grid(rows, said)
    has_names = grid.headers > 0 and len(grid.lines) > 1
    written = [grid.caption] if grid.caption else []
    for first, *rest in grid.lines[1:] if has_names else grid.lines:
        if has_names:
            rest = [f"{name} {cell}".strip() for name, cell in zip(grid.lines[0][1:], rest, strict=True) if cell]
        written.append(": ".join(filter(None, (first.removesuffix(":"), ", ".join(filter(None, rest))))))
    return "; ".join(written)


def _count_headers(rows: Sequence[GridRow], said: Sequence[Sequence[Said]], lines: Sequence[Sequence[str]]) -> int:
    """Return how many of the first rows name the columns: those repeated on each page, or set in bold type."""
    if not rows:
        return 0
    marked = next((place for place, row in enumerate(rows) if not row.is_header), len(rows))
    if 1 < marked <= min(_MOST_HEADERS, len(rows) - 1):
        return marked
    said_above = [one for one in said[0] if one.text]
    names = (
        marked > 0
        or (bool(said_above) and all(one.is_bold for one in said_above))
        or (len(lines[0]) >= _LEAST_NAMES and may_name_columns(lines[0], lines[1:]))
    )
    if len(rows) > 2 and _is_upper_header(rows[0], lines[0], rows[1], lines[1]):
        return 2
    return int(names)


def _is_upper_header(first: GridRow, names: Sequence[str], second: GridRow, below: Sequence[str]) -> bool:
    """Return True if two rows name the columns together: the years above, the quarters below."""
    wide = [cell for cell in first.cells if cell.span > 1 and cell.column]
    spanned = {column for cell in wide for column in range(cell.column, cell.column + cell.span)}
    going_on = {cell.column for cell in second.cells if cell.goes_on}
    return (
        bool(spanned)
        and all(below[column] and _may_be_name(below[column]) for column in spanned)
        and all(
            column in going_on or not names[column] or not below[column]
            for column in range(len(below))
            if column not in spanned
        )
    )


def _may_be_name(text: str) -> bool:
    return names_period(text) or not any(character.isdigit() for character in text)
