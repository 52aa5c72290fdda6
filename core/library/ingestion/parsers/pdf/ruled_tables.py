"""Tables of a PDF's page that are ruled all round: what stands between the rulings is a cell.

A grid is where lines that are drawn cross, and coloured bands that lie below each other. A coloured band may be one row
of a table or several, and rows on white may lie between bands: the edges of colour part no rows, the distances between
the lines of text do.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from core.library.ingestion.parsers.grid import EMPTY, Cell, has_header, looks_like_value
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import LinePart, Page, PdfLine
from core.library.ingestion.parsers.pdf.rows import PageRow, read_rows
from core.library.ingestion.parsers.pdf.rulings import Ruling
from core.library.ingestion.parsers.pdf.table_columns import find_columns
from core.library.ingestion.parsers.pdf.tables import PageTable

_SAME = 2.5  # points between rulings that are one
_LEAST_WIDTH = 0.3  # share of a table's width that a ruling between two of its rows has at least
_NEXT_ROW = 0.88  # of the distance of rows in different bands, from which lines in one band are different rows
_FAR_OF_TYPE = 2.2  # times the height of the type, where all rows are further lines of one band
_FAR = 1.6  # times the usual distance of rows: what is further away is no row of the table
_LEAST_IN_COLUMNS = 0.5  # of the rows on bands as wide as the table, from which their gaps are columns
_TOPS_OF_TWO_BANDS = 4  # of more bands, or of bands with rows on white around them, there are as many or more
_LEAST_BELOW_ONE = 3  # rows of a table with one band
_SHORT = 30  # characters of a cell, in a table with one band
_SPACE = 1.0  # points that a part may reach over the side of its column

_LEAST_FILLED = 0.5  # share of the cells
_MOST_IN_CELL = 250  # characters, on average; what is longer is prose in boxes
_MOST_RULINGS = 600  # of a page
_MOST_WITHIN_CELLS = 0.1  # share of the lines that have a gap within a cell: of more, not all columns are ruled
_LEAST_PAIRS = 0.5  # share of the rows that name what stands beside, from which this is a form


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """The places where a table's rows and columns are parted. Distances as in PdfLine."""

    tops: tuple[float, ...]
    sides: tuple[float, ...]
    coloured: frozenset[float] = field(default=frozenset())  # the tops that only the edges of colour make

    def holds(self, line: PdfLine) -> bool:
        """Return True if a line stands within the grid."""
        x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
        return self.sides[0] <= x <= self.sides[-1] and self.tops[0] <= y <= self.tops[-1]

    def place(self, rows: Sequence[PageRow]) -> list[int]:
        """Number the rows of the table that lines of text are in, from 0; for each of `rows`, from the top down."""
        bands = [sum(top <= _find_middle(row) for top in self.tops[1:-1]) for row in rows]
        apart = [_find_middle(below) - _find_middle(above) for above, below in pairwise(rows)]
        usual = min((far for far, (a, b) in zip(apart, pairwise(bands), strict=True) if a != b), default=math.inf)
        places = [0] if rows else []
        for number, (a, b) in enumerate(pairwise(bands)):
            begins = a != b
            if not begins and self._is_coloured(a) and apart[number] >= _NEXT_ROW * usual:
                cells = {find_cell(part, self.sides) for part in rows[number + 1].parts}
                next_is_nearer = number + 1 < len(apart) and apart[number + 1] < apart[number] * _NEXT_ROW
                begins = len(cells) > 1 or 0 in cells or next_is_nearer
            places.append(places[-1] + begins)
        return places

    def _is_coloured(self, band: int) -> bool:
        return self.tops[band] in self.coloured or self.tops[band + 1] in self.coloured


def find_cell(part: LinePart, sides: Sequence[float]) -> int:
    """Return the column that a part stands in."""
    return sum(side <= (part.x0 + part.x1) / 2 for side in sides[1:-1])


def find_grids(rulings: Sequence[Ruling], rows: Sequence[PageRow]) -> Iterator[Grid]:
    """Yield the grids of a page. rows: of its text, which may stand on white between bands of colour."""
    bands: list[Grid] = []
    for group in _group_touching(rulings):
        grid = _make_grid(group)
        if _is_closed(group, grid):
            yield grid
        elif len(grid.tops) > 1 and len(grid.sides) > 1 and not all(one.is_drawn for one in group):
            bands.append(grid)
    for grid in _stack_bands(sorted(bands, key=lambda band: (round(band.sides[0]), band.tops[0])), rows):
        whole = _with_columns(_with_rows_around(grid, rows), rows)
        if whole is not None and len(whole.tops) > 2:
            yield whole


def _is_closed(group: Sequence[Ruling], grid: Grid) -> bool:
    """Return True if lines that are drawn show where a table ends, or part its columns and rows."""
    if len(grid.tops) < 3 or len(grid.sides) < 3:
        return False
    down = [one for one in group if one.is_drawn and not one.is_across]
    ends = [any(abs(one.x0 - side) <= _SAME for one in down) for side in (grid.sides[0], grid.sides[-1])]
    return all(ends) or (not grid.coloured and len(down) > 0) or len({round(one.x0) for one in down}) > 2


def _group_touching(rulings: Sequence[Ruling]) -> Iterator[list[Ruling]]:
    """Yield the rulings that touch each other, in groups."""
    waiting = list(rulings)
    while waiting:
        group, reached = [], [waiting.pop()]
        while reached:
            one = reached.pop()
            group.append(one)
            touching = [other for other in waiting if _do_touch(one, other)]
            waiting = [other for other in waiting if other not in touching]
            reached += touching
        yield group


def _make_grid(group: Sequence[Ruling]) -> Grid:
    width = max(one.x1 for one in group) - min(one.x0 for one in group)
    across = [one for one in group if one.is_across]
    drawn = [
        level for level, length in _merge_near(one for one in across if one.is_drawn) if length >= width * _LEAST_WIDTH
    ]
    tops = [level for level, length in _merge_near(across) if length >= width * _LEAST_WIDTH]
    coloured = {top for top in tops if not any(abs(top - level) <= _SAME for level in drawn)}
    down = [one for one in group if one.is_drawn and not one.is_across]
    if tops and coloured and down:  # lines between the columns that run on over rows on white
        ends = min(one.y0 for one in down), max(one.y1 for one in down)
        more = [*([ends[0]] if ends[0] < tops[0] - _SAME else []), *([ends[1]] if ends[1] > tops[-1] + _SAME else [])]
        tops, coloured = sorted([*tops, *more]), coloured | set(more)
    sides = [level for level, _ in _merge_near(_turn_ruling(one) for one in group if not one.is_across)]
    return Grid(tops=tuple(tops), sides=tuple(sides), coloured=frozenset(coloured))


def _turn_ruling(one: Ruling) -> Ruling:
    return replace(one, x0=one.y0, x1=one.y1, y0=one.x0, y1=one.x1)


def _do_touch(one: Ruling, other: Ruling) -> bool:
    return (
        one.x0 <= other.x1 + _SAME
        and other.x0 <= one.x1 + _SAME
        and one.y0 <= other.y1 + _SAME
        and other.y0 <= one.y1 + _SAME
    )


def _merge_near(rulings: Iterable[Ruling]) -> list[tuple[float, float]]:
    """Return the places of rulings, those nearly at one place together, with the length of all of them."""
    levels: list[tuple[float, float]] = []
    for place, length in sorted((one.y0, one.x1 - one.x0) for one in rulings):
        if levels and place - levels[-1][0] <= _SAME:
            levels[-1] = (levels[-1][0], levels[-1][1] + length)
        else:
            levels.append((place, length))
    return levels


def _find_middle(row: PageRow) -> float:
    return (row.y0 + row.y1) / 2


def _stack_bands(bands: Sequence[Grid], rows: Sequence[PageRow]) -> Iterator[Grid]:
    """Join the bands that lie below each other, with the rows on white between them."""
    last: Grid | None = None
    for band in bands:
        if last is not None and _is_stacked(last, band, rows):
            sides = max(last.sides, band.sides, key=len)
            last = replace(last, tops=last.tops + band.tops, sides=sides, coloured=last.coloured | band.coloured)
            continue
        if last is not None:
            yield last
        last = band
    if last is not None:
        yield last


def _is_stacked(above: Grid, below: Grid, rows: Sequence[PageRow]) -> bool:
    """Return True if two bands are as wide and in the same columns, and only rows of a table stand between them."""
    same_ends = abs(above.sides[0] - below.sides[0]) <= _SAME and abs(above.sides[-1] - below.sides[-1]) <= _SAME
    few, many = sorted((above.sides, below.sides), key=len)
    if not same_ends or not all(any(abs(side - other) <= _SAME for other in many) for side in few):
        return False
    start, end = above.tops[-1], below.tops[0]
    between = [row for row in rows if start < _find_middle(row) < end and _overlaps_grid(row, many)]
    if start > end + _SAME:
        return False
    if not between:
        return end - start <= _SAME * 2
    whole = sum(_is_row(row, many) for row in between)
    return whole * 2 >= len(between) and all(_is_row(row, many) or _is_in_column(row, many) for row in between)


def _overlaps_grid(row: PageRow, sides: Sequence[float]) -> bool:
    return row.parts[0].x0 < sides[-1] and row.parts[-1].x1 > sides[0]


def _is_row(row: PageRow, sides: Sequence[float]) -> bool:
    """Return True if a row is that of a table: parts within columns, of which more than one holds something.

    Where bands show no columns, the gaps between the parts do.
    """
    cells = {find_cell(part, sides) for part in row.parts}
    return _is_in_column(row, sides) and len(row.parts) > 1 and (len(sides) == 2 or len(cells) > 1)


def _is_in_column(row: PageRow, sides: Sequence[float]) -> bool:
    """Return True if no part of a row reaches over the side of its column, as prose does."""
    columns = [(sides[cell], sides[cell + 1], part) for part in row.parts for cell in [find_cell(part, sides)]]
    return all(left - _SPACE <= part.x0 and part.x1 <= right + _SPACE for left, right, part in columns)


def _with_columns(grid: Grid, rows: Sequence[PageRow]) -> Grid | None:
    """Return bands with the columns that they show, or else that the gaps in the text of their rows show.

    Below one band alone, as that of the names often is, each row must fill all columns, and with few words.
    """
    if len(grid.sides) > 2:
        return grid
    held = [row for row in rows if grid.tops[0] < _find_middle(row) < grid.tops[-1] and _overlaps_grid(row, grid.sides)]
    parted = [row for row in held if _is_row(row, grid.sides)]
    if len(parted) < max(2, _LEAST_IN_COLUMNS * len(held)):
        return None
    edges = find_columns(parted)
    inner = [(left[1] + right[0]) / 2 for left, right in pairwise(edges)]
    sides = (grid.sides[0], *inner, grid.sides[-1])
    if not inner or not all(_is_in_column(row, sides) for row in held):
        return None
    if len(grid.tops) < _TOPS_OF_TWO_BANDS:
        filled = all(len(row.parts) == len(edges) for row in held)
        if not filled or len(held) < _LEAST_BELOW_ONE or median(len(p.text) for r in held for p in r.parts) > _SHORT:
            return None
    return replace(grid, sides=sides)


def _with_rows_around(grid: Grid, rows: Sequence[PageRow]) -> Grid:
    """Return bands with the rows on white right above and below them, as the last rows and the names often are."""
    held = [row for row in rows if grid.tops[0] < _find_middle(row) < grid.tops[-1] and _overlaps_grid(row, grid.sides)]
    if not held:
        return grid
    apart = [_find_middle(below) - _find_middle(above) for above, below in pairwise(held)]
    far = max(_FAR * max(apart, default=0.0), _FAR_OF_TYPE * held[0].height)
    below = [row for row in rows if _find_middle(row) >= grid.tops[-1] and _overlaps_grid(row, grid.sides)]
    above = [row for row in rows if _find_middle(row) <= grid.tops[0] and _overlaps_grid(row, grid.sides)]
    bottom = _reach_row(held[-1], below, grid.sides, far)
    top = _reach_row(held[0], list(reversed(above)), grid.sides, far)
    tops = [*([top.y0] if top else []), *grid.tops, *([bottom.y1] if bottom else [])]
    return replace(grid, tops=tuple(tops), coloured=grid.coloured | {tops[0], tops[-1]})


def _reach_row(start: PageRow, rows: Sequence[PageRow], sides: Sequence[float], far: float) -> PageRow | None:
    """Find the last of the rows that follow each other closely and stand in the columns.

    A line in one column is a further line of a cell, and belongs to the table if a row with more of them is as near.
    """
    last: PageRow | None = None
    above = start
    for row in rows:
        if abs(_find_middle(row) - _find_middle(above)) > far or not _is_in_column(row, sides):
            break
        above = row
        if _is_row(row, sides):
            last = row
    return last


def find_ruled_tables(page: Page, joiner: Joiner) -> list[PageTable]:
    """Return the ruled tables of a page; none of one that so much is drawn on that it is a picture."""
    if len(page.rulings) > _MOST_RULINGS:
        return []
    found: list[PageTable] = []
    used: set[PdfLine] = set()
    rows = read_rows(page.lines) if page.rulings else []
    for grid in find_grids(page.rulings, rows):
        within = [line for line in page.lines if grid.holds(line) and line not in used]
        table = _read_table(within, grid, joiner) if within else None
        if table:
            found.append(table)
            used |= table.lines
    return found


def _read_table(lines: Sequence[PdfLine], grid: Grid, joiner: Joiner) -> PageTable | None:
    sides = grid.sides
    rows = read_rows(lines)
    places = grid.place(rows)
    said: list[list[list[str]]] = [[[] for _ in sides[1:]] for _ in set(places)]  # the lines of each cell
    bold = [True for _ in said]
    for row, place in zip(rows, places, strict=True):
        bold[place] = bold[place] and row.is_bold
        for part in row.parts:
            said[place][find_cell(part, sides)].append(part.text)
    within_cells = sum(len({find_cell(part, sides) for part in row.parts}) < len(row.parts) for row in rows)
    texts = [[joiner.join(cell) for cell in row] for row in said]
    kept = [column for column in range(len(sides) - 1) if any(row[column] for row in texts)]
    cells = [
        [Cell(text=row[c], is_value=looks_like_value(row[c]), is_bold=bold[n]) if row[c] else EMPTY for c in kept]
        for n, row in enumerate(texts)
        if any(row)
    ]
    is_ruled_all_round = within_cells <= _MOST_WITHIN_CELLS * len(rows)
    if len(cells) < 2 or len(kept) < 2 or not is_ruled_all_round or not _is_table(cells):
        return None
    named = has_header(cells, names_columns=False)
    return PageTable(
        lines=frozenset(lines),
        names=[cell.text for cell in cells[0]] if named else None,
        rows=cells[1:] if named else cells,
        edges=tuple((sides[column], sides[column + 1]) for column in kept),
        sides=tuple(sides),
        is_banded=bool(grid.coloured),
        has_bold_names=named and all(cell.is_bold for cell in cells[0] if cell.text),
    )


def _is_table(cells: Sequence[Sequence[Cell]]) -> bool:
    """Return True if boxes hold a table, and neither prose nor a form, whose boxes name what stands beside."""
    said = [cell.text for row in cells for cell in row if cell.text]
    filled = len(said) >= _LEAST_FILLED * len(cells) * len(cells[0])
    short = sum(map(len, said)) <= _MOST_IN_CELL * len(said)
    pairs = sum(any(cell.text.endswith(":") for cell in row) for row in cells)
    return filled and short and pairs < _LEAST_PAIRS * len(cells)
