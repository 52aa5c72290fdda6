"""Tables of a PDF's page that are ruled all round: what stands between the rulings is a cell."""

from collections.abc import Iterator, Sequence

from core.ingestion.parsers.grid import EMPTY, Cell, has_header, looks_like_value
from core.ingestion.parsers.pdf.lines import LinePart, Page, PdfLine
from core.ingestion.parsers.pdf.paragraphs import Joiner
from core.ingestion.parsers.pdf.rows import read_rows
from core.ingestion.parsers.pdf.rulings import Ruling
from core.ingestion.parsers.pdf.tables import PageTable

_SAME = 2.5  # points between rulings that are one
_LEAST_WIDTH = 0.3  # share of a table's width that a ruling between two of its rows has at least
_LEAST_FILLED = 0.5  # share of the cells
_MOST_IN_CELL = 250  # characters, on average; what is longer is prose in boxes
_MOST_RULINGS = 600  # of a page
_MOST_WITHIN_CELLS = 0.1  # share of the lines that have a gap within a cell: of more, not all columns are ruled
_LEAST_PAIRS = 0.5  # share of the rows that name what stands beside, from which this is a form


def find_ruled_tables(page: Page, joiner: Joiner) -> list[PageTable]:
    """The ruled tables of a page; none of one that so much is drawn on that it is a picture."""
    if len(page.rulings) > _MOST_RULINGS:
        return []
    found = []
    for tops, sides in _find_grids(page.rulings):
        within = [line for line in page.lines if _is_within(line, tops, sides)]
        table = _read(within, tops, sides, joiner) if within else None
        if table:
            found.append(table)
    return found


def _find_grids(rulings: Sequence[Ruling]) -> Iterator[tuple[list[float], list[float]]]:
    """Where rulings cross: the heights and the places of those that touch each other."""
    waiting = list(rulings)
    while waiting:
        group, reached = [], [waiting.pop()]
        while reached:
            one = reached.pop()
            group.append(one)
            touching = [other for other in waiting if _touch(one, other)]
            waiting = [other for other in waiting if other not in touching]
            reached += touching
        width = max(one.x1 for one in group) - min(one.x0 for one in group)
        across = [one for one in group if one.is_across]
        down = [one for one in group if not one.is_across]
        tops = _levels((one.y0, one.x1 - one.x0) for one in across)
        tops_kept = [level for level, length in tops if length >= width * _LEAST_WIDTH]
        sides = [level for level, _ in _levels((one.x0, one.y1 - one.y0) for one in down)]
        if len(tops_kept) > 2 and len(sides) > 2:
            yield tops_kept, sides


def _touch(one: Ruling, other: Ruling) -> bool:
    return (
        one.x0 <= other.x1 + _SAME
        and other.x0 <= one.x1 + _SAME
        and one.y0 <= other.y1 + _SAME
        and other.y0 <= one.y1 + _SAME
    )


def _levels(found: Iterator[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where rulings lie, those that are nearly at one place together, with the length of all of them."""
    levels: list[tuple[float, float]] = []
    for place, length in sorted(found):
        if levels and place - levels[-1][0] <= _SAME:
            levels[-1] = (levels[-1][0], levels[-1][1] + length)
        else:
            levels.append((place, length))
    return levels


def _is_within(line: PdfLine, tops: Sequence[float], sides: Sequence[float]) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return sides[0] <= x <= sides[-1] and tops[0] <= y <= tops[-1]


def _read(lines: Sequence[PdfLine], tops: Sequence[float], sides: Sequence[float], joiner: Joiner) -> PageTable | None:
    said: list[list[list[str]]] = [[[] for _ in sides[1:]] for _ in tops[1:]]  # the lines of each cell
    bold = [True for _ in tops[1:]]
    rows = read_rows(lines)
    for row in rows:
        y = (row.y0 + row.y1) / 2
        place = sum(top <= y for top in tops[1:-1])
        bold[place] = bold[place] and row.is_bold
        for part in row.parts:
            said[place][_column(part, sides)].append(part.text)
    within_cells = sum(len({_column(part, sides) for part in row.parts}) < len(row.parts) for row in rows)
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
        has_bold_names=named and all(cell.is_bold for cell in cells[0] if cell.text),
    )


def _column(part: LinePart, sides: Sequence[float]) -> int:
    return sum(side <= (part.x0 + part.x1) / 2 for side in sides[1:-1])


def _is_table(cells: Sequence[Sequence[Cell]]) -> bool:
    """Whether boxes hold a table, and neither prose nor a form, whose boxes name what stands beside."""
    said = [cell.text for row in cells for cell in row if cell.text]
    filled = len(said) >= _LEAST_FILLED * len(cells) * len(cells[0])
    short = sum(map(len, said)) <= _MOST_IN_CELL * len(said)
    pairs = sum(any(cell.text.endswith(":") for cell in row) for row in cells)
    return filled and short and pairs < _LEAST_PAIRS * len(cells)
