"""The columns of a table without rulings: the places that its rows leave free part them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter

from core.library.ingestion.parsers.pdf.lines import LinePart
from core.library.ingestion.parsers.pdf.rows import PageRow

Edge = tuple[float, float]  # of a column: left and right, in points

INDENT = 3.0  # points by which a row begins further right than another, at the least
SAME_RIGHT = 4.0  # points between the right edges of the figures in one column, and of its name
MOST_COLUMNS = 40  # of a table, from which names stand over one each

_LEAST_SHARE = 0.8  # of the rows that show the columns; the longest labels of the others may run into the next one


def find_columns(rows: Sequence[PageRow]) -> list[Edge]:
    """Return the columns of rows, as the places that no row leaves free."""
    kept = sorted(rows, key=lambda row: row.parts[0].x1)
    for most in range(len(kept), int(len(kept) * _LEAST_SHARE), -1):
        edges = _merge_edges(kept[:most])
        if not any(_have_shared_column(row, edges) for row in kept[:most]):
            return edges
    return _merge_edges(kept)


def cells_of(row: PageRow, edges: Sequence[Edge]) -> list[str]:
    """Return the texts of a row by its columns, "" where one is empty."""
    texts = [""] * len(edges)
    for part in row.parts:
        place = find_column(part, edges)
        texts[place] = f"{texts[place]} {part.text}".strip()
    return texts


def find_column(part: LinePart, edges: Sequence[Edge]) -> int:
    """Return the column that a part stands in, or is nearest to."""
    first = bisect_left(edges, part.x0, key=itemgetter(1))
    behind = bisect_right(edges, part.x1, key=itemgetter(0))
    near = range(max(first - 1, 0), min(behind + 1, len(edges)))
    return max(near, key=lambda place: min(part.x1, edges[place][1]) - max(part.x0, edges[place][0]))


def _merge_edges(rows: Sequence[PageRow]) -> list[Edge]:
    merged: list[Edge] = []
    for left, right in sorted((part.x0, part.x1) for row in rows for part in row.parts):
        if merged and left <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _have_shared_column(row: PageRow, edges: Sequence[Edge]) -> bool:
    """Return True if two parts of a row stand in one column."""
    return len({find_column(part, edges) for part in row.parts}) < len(row.parts)
