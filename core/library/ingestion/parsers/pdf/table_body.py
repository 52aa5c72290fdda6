"""The rows below the names of a PDF's table: labels of several lines, and what is indented below a heading."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from core.library.ingestion.parsers.grid import EMPTY, Cell
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.rows import PageRow, is_figure
from core.library.ingestion.parsers.pdf.table_columns import INDENT, Edge, cells_of

_CLOSE = 0.88  # of the usual distance of rows: lines that are closer are one cell
_FULL = 0.85  # of the room for labels, from which a label may go on on the next line
_TOTAL = ("total", "net cash", "summe", "gesamt")
_MOST_OF_LAST = 5  # rows below the last heading, itself among them, that nothing ends but the table


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """A row that is read: how far its label is indented, and its cells."""

    indent: float
    cells: list[str]

    @property
    def is_heading(self) -> bool:
        """Return True for a label without figures."""
        return bool(self.cells[0]) and not any(self.cells[1:])


@dataclass(frozen=True, kw_only=True, slots=True)
class Body:
    """The rows of a table, and what tells which of them stand below headings on the page before."""

    rows: list[list[Cell]]
    reaches: tuple[float, ...]  # of each row: how far left it or a heading over it begins
    open_headings: tuple[tuple[float, str], ...]  # over the last row: how far each is indented, and its text

    def below(self, headings: Sequence[tuple[float, str]], shift: float) -> "Body":
        """Return the rows behind the headings that are open on the page before. shift: of this page to the right."""
        named: list[list[Cell]] = []
        reach, above = math.inf, list(headings)
        for row, own in zip(self.rows, self.reaches, strict=True):
            reach = min(reach, own - shift)
            above = [(indent, text) for indent, text in above if reach >= indent + INDENT]
            label = " ".join([*(text for _, text in above), row[0].text])
            named.append([replace(row[0], text=label), *row[1:]] if above else row)
        moved = [(indent + shift, text) for indent, text in above]
        return replace(self, rows=named, open_headings=(*moved, *self.open_headings))


def read_body(rows: Sequence[PageRow], edges: Sequence[Edge], joiner: Joiner) -> Body:
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
    named = list(_below_headings(read))
    return Body(
        rows=[
            [Cell(text=text, is_value=is_figure(text)) if text else EMPTY for text in [label, *row.cells[1:]]]
            for row, label, _ in named
        ],
        reaches=tuple(min([row.indent, *(indent for indent, _ in above)]) for row, _, above in named),
        open_headings=tuple(named[-1][2]) if named else (),
    )


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
    hangs = row.parts[0].x0 >= said.indent + INDENT and row.parts[0].x0 < said.indent + INDENT * 5
    return not has_figures and is_full and hangs and len(row.parts) > 1 and not label[:1].isupper()


def _below_headings(rows: Sequence[_Read]) -> Iterator[tuple[_Read, str, list[tuple[float, str]]]]:
    """Yield the rows with their labels, those that are indented below one without figures named after it as well.

    Below a heading with a colon they may also begin where it does, up to their total. With each row comes what it
    stands below: how far each heading is indented, and its text.
    """
    open_headings: list[tuple[float, str]] = []
    flush_end = 0  # behind the last row below the heading that was opened last, where they are not indented
    for place, row in enumerate(rows):
        while open_headings and row.indent < open_headings[-1][0] + INDENT and place >= flush_end:
            open_headings.pop()
        following = rows[place + 1].indent if place + 1 < len(rows) else row.indent
        end = 0 if following >= row.indent + INDENT else _find_flush_end(rows, place)
        if row.is_heading and (end or following >= row.indent + INDENT):
            flush_end = end or flush_end
            text = row.cells[0]
            open_headings.append((row.indent, text if text.endswith(":") else f"{text}:"))
            continue
        yield row, " ".join([*(text for _, text in open_headings), row.cells[0]]).strip(), list(open_headings)


def _find_flush_end(rows: Sequence[_Read], place: int) -> int:
    """Find the end of the rows below a heading that begin where it does; 0 where nothing tells it."""
    if not rows[place].is_heading or not rows[place].cells[0].endswith(":"):
        return 0
    for end in range(place + 1, len(rows)):
        if rows[end].is_heading or rows[end].indent < rows[place].indent - INDENT:
            return end if end > place + 1 else 0
        if rows[end].cells[0].casefold().startswith(_TOTAL):
            return end + 1
    return len(rows) if len(rows) - place <= _MOST_OF_LAST else 0
