"""Tables that stand side by side, as assets and liabilities do: where they are parted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from core.library.ingestion.parsers.pdf.column_names import name_columns
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import PdfLine
from core.library.ingestion.parsers.pdf.rows import PageRow, is_value, read_rows
from core.library.ingestion.parsers.pdf.table_columns import Edge, cells_of, find_columns
from core.library.ingestion.parsers.pdf.table_header import read_header

_FAR = 2.6  # times the height of a row, that the rows of tables are apart at most
_LEAST_ROWS = 3  # with figures
_LEAST_OF_WORDS = 0.6  # of the cells of a column of labels
_WIDE_GAP = 1.5  # times the gaps between figures, that parts tables without names, unless both have as many columns
_LONGEST_LABEL = 60  # characters, of half of the labels
_LETTER = re.compile(r"[^\W\d_]")

Region = tuple[tuple[PdfLine, ...], tuple[PdfLine, ...]]  # what stands left and right


def find_side_by_side(lines: Sequence[PdfLine]) -> Iterator[tuple[tuple[PdfLine, ...], Region]]:
    """Yield the lines of tables side by side, with those left and right that they are parted into."""
    rows = read_rows(lines)
    place = 0
    while place < len(rows):
        end = _end_of_stretch(rows, place)
        boundary = _find_boundary(rows[place:end])
        if boundary is not None:
            first, last = _free_rows(rows, place, end, boundary)
            whole = tuple(line for row in rows[first:last] for line in row.lines)
            left: list[PdfLine] = []
            right: list[PdfLine] = []
            for line in whole:
                for one, side in (
                    (_cut_line(line, 0.0, boundary), left),
                    (_cut_line(line, boundary, float("inf")), right),
                ):
                    if one is not None:
                        side.append(one)
            yield whole, (tuple(left), tuple(right))
        place = end


def _end_of_stretch(rows: Sequence[PageRow], start: int) -> int:
    """Find the end of the rows that follow each other closely."""
    end = start + 1
    while end < len(rows) and rows[end].y0 - rows[end - 1].y1 <= _FAR * rows[end].height:
        end += 1
    return end


def _find_boundary(rows: Sequence[PageRow]) -> float | None:
    """Find the place between figures and the labels right of them, from the page's left edge."""
    held = [row for row in rows if row.has_values and len(row.parts) > 3]
    if len(held) < _LEAST_ROWS:
        return None
    edges = find_columns(held)
    columns = list(zip(*(cells_of(row, edges) for row in held), strict=True))
    for place in range(2, len(edges) - 1):
        if not (_holds_words(columns[place]) and _holds_words(columns[0])):
            continue
        if _holds_figures(columns[place - 1]) and _holds_figures(columns[place + 1]):
            first = rows.index(held[0])
            if _are_parted(rows, first, edges, place):
                return (edges[place - 1][1] + edges[place][0]) / 2
    return None


def _holds_words(cells: Sequence[str]) -> bool:
    said = [cell for cell in cells if cell]
    words = [cell for cell in said if _LETTER.search(cell) and not is_value(cell)]
    is_filled = len(said) * 2 >= len(cells)
    return is_filled and len(words) >= _LEAST_OF_WORDS * len(said) and median(map(len, words)) <= _LONGEST_LABEL


def _holds_figures(cells: Sequence[str]) -> bool:
    said = [cell for cell in cells if cell]
    return bool(said) and sum(map(is_value, said)) >= _LEAST_OF_WORDS * len(said)


def _are_parted(rows: Sequence[PageRow], first: int, edges: Sequence[Edge], place: int) -> bool:
    """Return True if a column of words in the middle begins a table: it has no name, or the names come again."""
    while first < len(rows) - 1 and not any(is_value(part.text) and len(part.text) != 4 for part in rows[first].parts):
        first += 1
    header = read_header(rows, first, 0, edges)
    if header.names:
        names = name_columns(header.names, edges, (), Joiner(()))
        before, behind = names[1:place], names[place + 1 :]
        return not names[place] or bool(set(filter(None, before)) & set(behind))
    gaps = [right[0] - left[1] for left, right in pairwise(edges)]
    between_figures = gaps[1 : place - 1] + gaps[place + 1 :]
    least = 1.0 if place * 2 == len(edges) else _WIDE_GAP
    return bool(between_figures) and gaps[place - 1] >= least * max(between_figures)


def _free_rows(rows: Sequence[PageRow], start: int, end: int, boundary: float) -> tuple[int, int]:
    """Find the rows around those with figures that nothing crosses the boundary in."""
    held = [n for n in range(start, end) if rows[n].has_values and not _crosses_boundary(rows[n], boundary)]
    first, last = held[0], held[-1] + 1
    while first > start and not _crosses_boundary(rows[first - 1], boundary):
        first -= 1
    while last < end and not _crosses_boundary(rows[last], boundary):
        last += 1
    return first, last


def _crosses_boundary(row: PageRow, boundary: float) -> bool:
    return any(part.x0 < boundary < part.x1 for part in row.parts)


def _cut_line(line: PdfLine, left: float, right: float) -> PdfLine | None:
    """Return the part of a line between two places, None where nothing stands."""
    parts = tuple(part for part in line.parts if left <= (part.x0 + part.x1) / 2 < right)
    if len(parts) == len(line.parts):
        return line
    if not parts:
        return None
    text = " ".join(part.text for part in parts)
    return replace(line, text=text, x0=parts[0].x0, x1=parts[-1].x1, parts=parts)
