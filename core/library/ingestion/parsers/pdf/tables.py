"""Tables of a PDF's page: those that are ruled, and those whose figures stand below each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from core.library.ingestion.parsers.grid import EMPTY, Cell
from core.library.ingestion.parsers.pdf.column_names import name_columns
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import LinePart, PdfLine
from core.library.ingestion.parsers.pdf.rows import PageRow, drop_leaders, is_value, read_rows
from core.library.ingestion.parsers.pdf.rulings import Ruling
from core.library.ingestion.parsers.pdf.table_body import Body, read_body
from core.library.ingestion.parsers.pdf.table_columns import SAME_RIGHT, Edge, cells_of, find_columns
from core.library.ingestion.parsers.pdf.table_header import names_columns, read_header, tells_period
from core.library.ingestion.parsers.written import names_period

_FAR = 1.6  # times the height of a row: a wider gap between two rows ends a table
_FARTHER = 4.0  # unless figures go on in the same columns, that near
_MOST_LABEL = 0.75  # of the width of a table: a longer line without figures is a paragraph
_LEAST_ROWS = 2  # with figures; of a table of two columns, or without names of its columns, one more
_LEAST_FILLED = 0.5  # share of the cells of the rows with figures
_LONGEST_VALUE_CELL = 60  # characters; where most are longer, prose stands side by side
_LONGEST_IN_COLUMN = 30  # characters of the cells of a column of words, on a page that may have several columns
_LEAST_RUN_ON = 0.25  # of the lines of prose, that begin within a sentence and so in lower case
_SAME_PLACE = 6.0  # points
_ROWS_COMPARED = 12
_LEADERS = re.compile(r"(?:\.\s?){4,}|…\s?…")
_COUNTED = re.compile(r"\(?(\d{1,4})[.)]?")
_ITEM = re.compile(r"\(?\d{1,3}[.)]|[^\d\s]{0,2}")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, kw_only=True, slots=True)
class PageTable:
    """A table as it stands on a page."""

    lines: frozenset[PdfLine]  # that it is made of, its caption's among them
    names: list[str] | None  # of the columns
    rows: list[list[Cell]]
    title: str = ""
    caption: str = ""
    edges: tuple[Edge, ...] = ()  # of its columns, left and right
    sides: tuple[float, ...] = ()  # of a ruled table: where columns are parted, those without text among them
    has_bold_names: bool = False
    body: Body | None = None  # of a table that is found by its figures
    is_banded: bool = False  # found by coloured bands, which tell less than what stands on them

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

    def below_headings_of(self, other: "PageTable") -> "PageTable":
        """Return this part with the title of the part before it, and with the headings that are open at its end."""
        titled = replace(self, title=self.title or other.title)
        if self.body is None or other.body is None:
            return titled
        shift = self.edges[-1][1] - other.edges[-1][1]
        body = self.body.below(other.body.open_headings, shift)
        return replace(titled, rows=[*titled.rows[: len(titled.rows) - len(body.rows)], *body.rows], body=body)

    def continued(self, other: "PageTable") -> "PageTable":
        """Return this part under the names of the part before it."""
        rows = [[Cell(text=name) if name else EMPTY for name in self.names], *self.rows] if self.names else self.rows
        if other.names is None:
            return replace(self, names=None, rows=rows)
        places = [_find_nearest(edge, other.edges) for edge in self.edges]
        return replace(self, names=["" if place is None else other.names[place] for place in places], rows=rows)


def _are_near(places: Sequence[float], others: Sequence[float]) -> bool:
    """Return True if as many columns stand in the same places. The first begins where its longest label does."""
    near = all(abs(a - b) <= _SAME_PLACE for a, b in zip(places[1:], others[1:], strict=False))
    return len(places) == len(others) and near


def _find_nearest(edge: Edge, edges: Sequence[Edge]) -> int | None:
    """Find the column that overlaps most with one, if any does."""
    shared = [min(edge[1], right) - max(edge[0], left) for left, right in edges]
    return shared.index(max(shared)) if shared and max(shared) > 0 else None


def find_tables(
    lines: Sequence[PdfLine], rulings: Sequence[Ruling], joiner: Joiner, *, is_strict: bool = False
) -> list[PageTable]:
    """Return the tables among the lines of a page, or of one of its columns, from the top down.

    Found by their figures: rows below each other, with figures in the same places. What stands in columns without
    figures is left as it is, for nothing tells it from prose set side by side. is_strict: nor is taken what may be
    that with figures beside it.
    """
    rows = read_rows(lines)
    found: list[PageTable] = []
    place = floor = 0
    while place < len(rows):
        end = _end_of_run(rows, place)
        table = _read_table(rows, (floor, place, end), rulings, joiner, is_strict=is_strict) if end > place else None
        if table:
            found.append(table)
            floor = end
        place = max(end, place + 1)
    return found


def _end_of_run(rows: Sequence[PageRow], start: int) -> int:
    """Behind the last row with figures that follows a row with figures; the start where that has none."""
    if not rows[start].has_values:
        return start
    end = start + 1
    left, right = rows[start].parts[0].x0, rows[start].parts[-1].x1
    begun = not _tells_periods(rows[start])
    for place in range(start + 1, len(rows)):
        row, above = rows[place], rows[place - 1]
        if row.y0 - above.y1 > _FAR * min(row.height, above.height) and not _goes_on_below(rows, place, start, end):
            break
        if row.has_values or (len(row.parts) > 1 and all(is_value(part.text) for part in row.parts[1:])):
            if begun and _tells_periods(row) and row.parts[0].x0 > left + (right - left) / 4:
                break
            begun = begun or not _tells_periods(row)
            end = place + 1
            left, right = min(left, row.parts[0].x0), max(right, row.parts[-1].x1)
        elif len(row.parts) > 1 or _is_paragraph(row.parts[0], left, right):
            break
    return end


def _is_paragraph(part: LinePart, left: float, right: float) -> bool:
    """Return True if a line is too long for a heading within a table."""
    most = 1.0 if part.text.endswith(":") else _MOST_LABEL
    return part.x1 - part.x0 > (right - left) * most


def _tells_periods(row: PageRow) -> bool:
    """Return True if a row holds nothing but years and dates, as one that names columns does."""
    return all(tells_period(part.text) for part in row.parts)


def _goes_on_below(rows: Sequence[PageRow], place: int, start: int, end: int) -> bool:
    """Return True if figures go on in the same columns below a gap, perhaps under a heading."""
    if rows[place].y0 - rows[place - 1].y1 > _FARTHER * rows[place].height:
        return False
    rights = [part.x1 for row in rows[max(start, end - _ROWS_COMPARED) : end] for part in row.parts[1:]]
    for row in rows[place : place + 3]:
        if row.has_values:
            aligned = [any(abs(part.x1 - right) <= SAME_RIGHT for right in rights) for part in row.parts[1:]]
            are_figures = all(is_value(part.text) for part in row.parts[1:])
            is_named = bool(_LETTER.search(row.parts[0].text))
            return all(aligned) and are_figures and is_named and not _tells_periods(row)
        if len(row.parts) > 1 or abs(row.lines[0].size - rows[start].lines[0].size) > 1:
            return False
    return False


def _read_table(
    rows: Sequence[PageRow],
    places: tuple[int, int, int],
    rulings: Sequence[Ruling],
    joiner: Joiner,
    *,
    is_strict: bool,
) -> PageTable | None:
    """Read rows as a table; None where they are none. places: the first that it may begin with, the first, the end."""
    floor, start, end = places
    leads = any(_LEADERS.search(part.text) for row in rows[start:end] for part in row.parts)
    body = [drop_leaders(row) for row in rows[start:end]]
    edges = find_columns([row for row in body if row.has_values])
    first = start
    while first < end - 1 and len(edges) > 1 and (names_columns(rows[first], edges) or not rows[first].has_values):
        first += 1
    body = body[first - start :]
    with_values = [row for row in body if row.has_values]
    edges = find_columns(with_values)
    if len(edges) < 2 or not _are_figures(with_values, edges, leads=leads):
        return None
    if is_strict and _may_be_prose(with_values, edges):
        return None
    header = read_header(rows, first, floor, edges)
    least = _LEAST_ROWS + (len(edges) == 2) + (not header.names)
    if len(with_values) < least:
        return None
    read = read_body([*header.headings, *body], edges, joiner)
    used = [*header.captions, *header.names, *header.headings, *rows[first:end]]
    return PageTable(
        lines=frozenset(line for row in used for line in row.lines),
        names=name_columns(header.names, edges, rulings, joiner) if header.names else None,
        rows=read.rows,
        body=read,
        caption=joiner.join(row.parts[0].text for row in header.captions),
        edges=tuple(edges),
    )


def _may_be_prose(rows: Sequence[PageRow], edges: Sequence[Edge]) -> bool:
    """Return True if a column holds more words than cells do, as text that is set beside a table or a list."""
    labels, *columns = zip(*(cells_of(row, edges) for row in rows), strict=True)
    for column in columns:
        words = [cell for cell in column if cell and not is_value(cell)]
        said = sum(map(bool, column))
        if words and len(words) * 2 > said and median(map(len, words)) > _LONGEST_IN_COLUMN:
            return True
    run_on = sum(cell[:1].islower() for cell in labels)
    return run_on >= _LEAST_RUN_ON * len(labels) and median(map(len, labels)) > _LONGEST_IN_COLUMN


def _are_figures(rows: Sequence[PageRow], edges: Sequence[Edge], *, leads: bool) -> bool:
    """Return True if rows are those of a table: figures in most places, and words that say what of.

    No table are contents, whose figures are pages, formulas with their numbers, and text set side by side.
    """
    cells = [cells_of(row, edges) for row in rows]
    behind = [cell for row in cells for cell in row[1:] if cell]
    filled = len(behind) >= _LEAST_FILLED * len(rows) * (len(edges) - 1)
    labelled = sum(bool(_LETTER.search(row[0])) or names_period(row[0]) for row in cells) * 2 >= len(rows)
    are_values = sum(map(is_value, behind)) * 2 >= len(behind)
    short = median(len(cell) for cell in behind) <= _LONGEST_VALUE_CELL if behind else False
    contents = leads and _lead_to_pages(cells)
    return (
        filled
        and labelled
        and are_values
        and short
        and not contents
        and not _are_counted(cells)
        and not _only_count_items(cells)
    )


def _lead_to_pages(cells: Sequence[Sequence[str]]) -> bool:
    """Return True if dots lead to one column of short numbers, which may be pages."""
    last = [row[-1] for row in cells if row[-1]]
    return len(cells[0]) < 3 and sum(bool(_COUNTED.fullmatch(cell)) for cell in last) * 2 > len(last)


def _are_counted(cells: Sequence[Sequence[str]]) -> bool:
    """Return True if the second of two columns only counts up, as page numbers and the numbers of formulas do."""
    if len(cells[0]) != 2:
        return False
    numbers = [int(match[1]) for row in cells if (match := _COUNTED.fullmatch(row[1]))]
    return len(numbers) == len(cells) and numbers == sorted(numbers) and numbers[0] != numbers[-1]


def _only_count_items(cells: Sequence[Sequence[str]]) -> bool:
    """Return True if the only figures behind the labels are the numbers of a list's items."""
    held = [column for column in list(zip(*cells, strict=True))[1:] if sum(map(is_value, column)) * 2 > len(cells)]
    return all(all(_ITEM.fullmatch(cell) for cell in column if cell) for column in held)
