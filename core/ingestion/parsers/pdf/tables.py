"""Tables of a PDF's page: those that are ruled, and those whose figures stand below each other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from core.ingestion.parsers.grid import EMPTY, Cell, looks_like_value, tells_unit
from core.ingestion.parsers.pdf.column_names import name_columns
from core.ingestion.parsers.pdf.joining import Joiner
from core.ingestion.parsers.pdf.lines import LinePart, PdfLine
from core.ingestion.parsers.pdf.rows import PageRow, is_value, read_rows
from core.ingestion.parsers.pdf.rulings import Ruling
from core.ingestion.parsers.pdf.table_columns import Edge, cells_of, find_columns
from core.ingestion.parsers.written import names_period

_FAR = 1.6  # times the height of a row: a wider gap between two rows ends a table
_FAR_CAPTION = 1.5
_MOST_HEADER_ROWS = 4
_MOST_CAPTION = 120  # characters
_MOST_LABEL = 0.75  # of the width of a table: a longer line without figures is a paragraph
_LEAST_ROWS = 2  # with figures; of a table of two columns, or without names of its columns, one more
_LEAST_FILLED = 0.5  # share of the cells of the rows with figures
_LONGEST_VALUE_CELL = 60  # characters; where most are longer, prose stands side by side
_INDENT = 3.0  # points
_SAME_PLACE = 6.0  # points
_CLOSE = 0.88  # of the usual distance of rows: lines that are closer are one cell
_CAPTION = re.compile(r"(?:table|tab\.|tabelle|tableau|tabla)\s+[\dA-Z]", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\.\s?){4,}|…\s?…")
_COUNTED = re.compile(r"\(?(\d{1,4})[.)]?")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, kw_only=True, slots=True)
class PageTable:
    """A table as it stands on a page."""

    lines: frozenset[PdfLine]  # that it is made of, its caption's among them
    names: list[str] | None  # of the columns
    rows: list[list[Cell]]
    caption: str = ""
    edges: tuple[Edge, ...] = ()  # of its columns, left and right
    sides: tuple[float, ...] = ()  # of a ruled table: where columns are parted, those without text among them
    has_bold_names: bool = False

    def goes_on_from(self, other: "PageTable") -> bool:
        """Return True if this is the next part of a table: the names again, or none and columns in the same places.

        Of a ruled table the first row is taken for names where it holds words alone. It is a row of the table before
        if it stands in the same columns and is not set in bold type.
        """
        if self.names and self.names == other.names:
            return True
        if self.sides or other.sides:
            return _are_near(self.sides, other.sides) and not self.has_bold_names
        return not self.names and _are_near([right for _, right in self.edges], [right for _, right in other.edges])

    def continued(self, other: "PageTable") -> "PageTable":
        """Return this part under the names of the part before it."""
        rows = [[Cell(text=name) if name else EMPTY for name in self.names], *self.rows] if self.names else self.rows
        if other.names is None:
            return replace(self, names=None, rows=rows)
        places = [_nearest(edge, other.edges) for edge in self.edges]
        return replace(self, names=["" if place is None else other.names[place] for place in places], rows=rows)


def _are_near(places: Sequence[float], others: Sequence[float]) -> bool:
    """Return True if as many columns stand in the same places. The first begins where its longest label does."""
    near = all(abs(a - b) <= _SAME_PLACE for a, b in zip(places[1:], others[1:], strict=False))
    return len(places) == len(others) and near


def _nearest(edge: Edge, edges: Sequence[Edge]) -> int | None:
    """Find the column that overlaps most with one, if any does."""
    shared = [min(edge[1], right) - max(edge[0], left) for left, right in edges]
    return shared.index(max(shared)) if shared and max(shared) > 0 else None


def find_tables(lines: Sequence[PdfLine], rulings: Sequence[Ruling], joiner: Joiner) -> list[PageTable]:
    """The tables among the lines of a page, or of one of its columns, from the top down.

    Found by their figures: rows below each other, with figures in the same places. What stands in columns without
    figures is left as it is, for nothing tells it from prose set side by side.
    """
    rows = read_rows(lines)
    found: list[PageTable] = []
    place = 0
    while place < len(rows):
        end = _end_of_run(rows, place)
        table = _read_table(rows, place, end, rulings, joiner) if end > place else None
        if table:
            found.append(table)
        place = max(end, place + 1)
    return found


def _end_of_run(rows: Sequence[PageRow], start: int) -> int:
    """Behind the last row with figures that follows a row with figures; the start where that has none."""
    if not rows[start].has_values:
        return start
    end = start + 1
    left, right = rows[start].parts[0].x0, rows[start].parts[-1].x1
    for place in range(start + 1, len(rows)):
        row, above = rows[place], rows[place - 1]
        if row.y0 - above.y1 > _FAR * min(row.height, above.height):
            break
        if row.has_values:
            end = place + 1
            left, right = min(left, row.parts[0].x0), max(right, row.parts[-1].x1)
        elif len(row.parts) > 1 or row.parts[0].x1 - row.parts[0].x0 > (right - left) * _MOST_LABEL:
            break
    return end


def _read_table(
    rows: Sequence[PageRow], start: int, end: int, rulings: Sequence[Ruling], joiner: Joiner
) -> PageTable | None:
    body = list(rows[start:end])
    with_values = [row for row in body if row.has_values]
    edges = find_columns(with_values)
    if len(edges) < 2 or not _are_figures(with_values, edges):
        return None
    names: list[PageRow] = []
    while body and _names_columns(body[0], edges):
        names.append(body.pop(0))
    first = start
    while first and len(names) < _MOST_HEADER_ROWS and _stands_above(rows[first - 1], rows[first], edges):
        first -= 1
        names.insert(0, rows[first])
    if sum(row.has_values for row in body) < _LEAST_ROWS + (len(edges) == 2) + (not names):
        return None
    above = rows[first - 1] if first else None
    caption = above if above and _is_caption(above, rows[first]) else None
    used = [*([caption] if caption else []), *names, *body]
    return PageTable(
        lines=frozenset(line for row in used for line in row.lines),
        names=name_columns(names, edges, rulings) if names else None,
        rows=_read_body(body, edges, joiner),
        caption=caption.parts[0].text if caption else "",
        edges=tuple(edges),
    )


def _are_figures(rows: Sequence[PageRow], edges: Sequence[Edge]) -> bool:
    """Whether rows are those of a table: figures in most places, and words that say what of.

    No table are contents, whose figures are pages, formulas with their numbers, and text set side by side.
    """
    cells = [cells_of(row, edges) for row in rows]
    behind = [cell for row in cells for cell in row[1:] if cell]
    filled = len(behind) >= _LEAST_FILLED * len(rows) * (len(edges) - 1)
    labelled = sum(bool(_LETTER.search(row[0])) or names_period(row[0]) for row in cells) * 2 >= len(rows)
    are_values = sum(map(is_value, behind)) * 2 >= len(behind)
    short = median(len(cell) for cell in behind) <= _LONGEST_VALUE_CELL if behind else False
    leaders = any(_LEADERS.search(cell) for row in cells for cell in row)
    return filled and labelled and are_values and short and not leaders and not _are_counted(cells)


def _are_counted(cells: Sequence[Sequence[str]]) -> bool:
    """Whether the second of two columns only counts up, as page numbers and the numbers of formulas do."""
    if len(cells[0]) != 2:
        return False
    numbers = [int(match[1]) for row in cells if (match := _COUNTED.fullmatch(row[1]))]
    return len(numbers) == len(cells) and numbers == sorted(numbers) and numbers[0] != numbers[-1]


def _names_columns(row: PageRow, edges: Sequence[Edge]) -> bool:
    """Whether a row with figures above the others names the columns: its figures are years."""
    behind = [cell for cell in cells_of(row, edges)[1:] if cell]
    return bool(behind) and all(names_period(cell) or not is_value(cell) for cell in behind)


def _stands_above(row: PageRow, below: PageRow, edges: Sequence[Edge]) -> bool:
    """Whether a row without figures, above the others, names columns: it stands over them and not over the labels."""
    if row.has_values or below.y0 - row.y1 > _FAR * row.height:
        return False
    left = edges[1][0]
    over = [part for part in row.parts if part.x1 > left]
    return bool(over) and all(_is_over(part, edges) for part in over) and len(row.parts) <= len(edges)


def _is_over(part: LinePart, edges: Sequence[Edge]) -> bool:
    """Whether a part stands over columns of figures, and does not come from over the labels."""
    return part.x0 >= edges[0][1] - _INDENT and part.x0 <= edges[-1][1]


def _is_caption(row: PageRow, below: PageRow) -> bool:
    near = 0 <= below.y0 - row.y1 <= _FAR_CAPTION * row.height
    text = row.parts[0].text
    return near and len(row.parts) == 1 and len(text) <= _MOST_CAPTION and (tells_unit(text) or _begins_caption(text))


def _begins_caption(text: str) -> bool:
    return bool(_CAPTION.match(text))


def _read_body(rows: Sequence[PageRow], edges: Sequence[Edge], joiner: Joiner) -> list[list[Cell]]:
    """The rows below the names: labels of several lines joined, and what is indented behind what it stands under."""
    pitch = median([below.y0 - above.y0 for above, below in pairwise(rows)]) if len(rows) > 1 else 0.0
    read: list[tuple[float, list[str]]] = []  # how far a row is indented, and its cells
    above: PageRow | None = None
    for row in rows:
        cells = cells_of(row, edges)
        if above is not None and _goes_on(row, above, read[-1][1], pitch):
            lines = zip(read[-1][1], cells, strict=True)
            read[-1] = (read[-1][0], [joiner.join(filter(None, pair)) for pair in lines])
        else:
            read.append((row.parts[0].x0, cells))
        above = row
    return [
        [Cell(text=text, is_value=looks_like_value(text)) if text else EMPTY for text in cells]
        for cells in _below_headings(read)
    ]


def _goes_on(row: PageRow, above: PageRow, said: Sequence[str], pitch: float) -> bool:
    """Whether a row is a further line of the one above: a label that runs on, its figures on the first or last line."""
    if any(said[1:]) and len(row.parts) > 1:
        return False
    label = row.parts[0].text
    return label[:1].islower() or (row.y0 - above.y0 < pitch * _CLOSE and not said[0].endswith(":"))


def _below_headings(rows: Sequence[tuple[float, list[str]]]) -> Iterator[list[str]]:
    """The rows, those that are indented below one without figures named after it as well."""
    open_headings: list[tuple[float, str]] = []
    for place, (indent, cells) in enumerate(rows):
        while open_headings and indent < open_headings[-1][0] + _INDENT:
            open_headings.pop()
        following = rows[place + 1][0] if place + 1 < len(rows) else indent
        if cells[0] and not any(cells[1:]) and following >= indent + _INDENT:
            open_headings.append((indent, cells[0]))
            continue
        above = [text if text.endswith(":") else f"{text}:" for _, text in open_headings]
        yield [" ".join([*above, cells[0]]), *cells[1:]]
