"""Tables of a PDF's page that are ruled all round: what stands between the rulings is a cell."""

from collections.abc import Sequence

from core.library.ingestion.parsers.grid import EMPTY, Cell, has_header, looks_like_value
from core.library.ingestion.parsers.pdf.grids import Grid, find_cell, find_grids
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import Page, PdfLine
from core.library.ingestion.parsers.pdf.rows import read_rows
from core.library.ingestion.parsers.pdf.tables import PageTable

_LEAST_FILLED = 0.5  # share of the cells
_MOST_IN_CELL = 250  # characters, on average; what is longer is prose in boxes
_MOST_RULINGS = 600  # of a page
_MOST_WITHIN_CELLS = 0.1  # share of the lines that have a gap within a cell: of more, not all columns are ruled
_LEAST_PAIRS = 0.5  # share of the rows that name what stands beside, from which this is a form


def find_ruled_tables(page: Page, joiner: Joiner) -> list[PageTable]:
    """The ruled tables of a page; none of one that so much is drawn on that it is a picture."""
    if len(page.rulings) > _MOST_RULINGS:
        return []
    found: list[PageTable] = []
    used: set[PdfLine] = set()
    rows = read_rows(page.lines) if page.rulings else []
    for grid in find_grids(page.rulings, rows):
        within = [line for line in page.lines if grid.holds(line) and line not in used]
        table = _read(within, grid, joiner) if within else None
        if table:
            found.append(table)
            used |= table.lines
    return found


def _read(lines: Sequence[PdfLine], grid: Grid, joiner: Joiner) -> PageTable | None:
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
    """Whether boxes hold a table, and neither prose nor a form, whose boxes name what stands beside."""
    said = [cell.text for row in cells for cell in row if cell.text]
    filled = len(said) >= _LEAST_FILLED * len(cells) * len(cells[0])
    short = sum(map(len, said)) <= _MOST_IN_CELL * len(said)
    pairs = sum(any(cell.text.endswith(":") for cell in row) for row in cells)
    return filled and short and pairs < _LEAST_PAIRS * len(cells)
