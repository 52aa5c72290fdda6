"""The rows below the names of a PDF's table: labels of several lines, and what is indented below a heading."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from core.ingestion.parsers.grid import EMPTY, Cell
from core.ingestion.parsers.pdf.joining import Joiner
from core.ingestion.parsers.pdf.rows import PageRow, is_figure
from core.ingestion.parsers.pdf.table_columns import Edge, cells_of

_INDENT = 3.0  # points
_CLOSE = 0.88  # of the usual distance of rows: lines that are closer are one cell
_FULL = 0.85  # of the room for labels, from which a label may go on on the next line
_TOTAL = ("total", "net ", "summe", "gesamt")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """A row that is read: how far its label is indented, and its cells."""

    indent: float
    cells: list[str]


def read_body(rows: Sequence[PageRow], edges: Sequence[Edge], joiner: Joiner) -> list[list[Cell]]:
    """The rows below the names: labels of several lines joined, and what is indented behind what it stands under."""
    pitch = median([below.y0 - above.y0 for above, below in pairwise(rows)]) if len(rows) > 1 else 0.0
    room = edges[0][1] - edges[0][0]
    read: list[_Read] = []
    above: PageRow | None = None
    for row in rows:
        cells = cells_of(row, edges)
        if above is not None and _goes_on(row, above, read[-1], pitch, room):
            lines = zip(read[-1].cells, cells, strict=True)
            joined = [joiner.join(filter(None, pair)) for pair in lines]
            read[-1] = _Read(indent=read[-1].indent, cells=joined)
        else:
            read.append(_Read(indent=row.parts[0].x0, cells=cells))
        above = row
    return [
        [Cell(text=text, is_value=is_figure(text)) if text else EMPTY for text in cells]
        for cells in _below_headings(read)
    ]


def _goes_on(row: PageRow, above: PageRow, said: _Read, pitch: float, room: float) -> bool:
    """Return True if a row is a further line of the one above: a label with its figures on the first or last line."""
    label = row.parts[0].text
    has_figures = any(said.cells[1:])
    if has_figures and len(row.parts) > 1:
        return False
    if label[:1].islower():
        return True
    if said.cells[0].endswith(":"):
        return False
    if row.y0 - above.y0 < pitch * _CLOSE:
        return True
    is_full = above.parts[0].x1 - above.parts[0].x0 >= room * _FULL
    hangs = row.parts[0].x0 >= said.indent + _INDENT and row.parts[0].x0 < said.indent + _INDENT * 5
    return not has_figures and is_full and hangs and len(row.parts) > 1 and not label[:1].isupper()


def _below_headings(rows: Sequence[_Read]) -> Iterator[list[str]]:
    """The rows, those that are indented below one without figures named after it as well."""
    open_headings: list[tuple[float, str]] = []
    for place, row in enumerate(rows):
        while open_headings and row.indent < open_headings[-1][0] + _INDENT:
            open_headings.pop()
        following = rows[place + 1].indent if place + 1 < len(rows) else row.indent
        if row.cells[0] and not any(row.cells[1:]) and following >= row.indent + _INDENT:
            open_headings.append((row.indent, row.cells[0]))
            continue
        above = [text if text.endswith(":") else f"{text}:" for _, text in open_headings]
        yield [" ".join([*above, row.cells[0]]).strip(), *row.cells[1:]]
