"""The names of a table's columns, from the rows above it; one may stand over several, as a period over its years."""

from collections.abc import Sequence

from core.ingestion.parsers.pdf.lines import LinePart
from core.ingestion.parsers.pdf.rows import PageRow
from core.ingestion.parsers.pdf.rulings import Ruling
from core.ingestion.parsers.pdf.table_columns import Edge, find_column

_NEAR = 5.0  # points between a name and the ruling below it
_OFF_CENTRE = 0.35  # of the width of the columns below a name, by which it may stand beside their middle


def name_columns(rows: Sequence[PageRow], edges: Sequence[Edge], rulings: Sequence[Ruling]) -> list[str]:
    """The names of the columns, from the top down; what stands over several holds for each of them."""
    names: list[list[str]] = [[] for _ in edges]
    for number, row in enumerate(rows):
        over = [part for part in row.parts if part.x1 > edges[1][0]]
        is_lowest = number == len(rows) - 1
        shared = {} if is_lowest else _share_evenly(over, edges)
        for part in row.parts:
            places = [find_column(part, edges)]
            if part in over and not is_lowest:
                places = _columns_above_ruling(part, row, edges, rulings) or shared.get(part) or places
            for place in places:
                names[place].append(part.text)
    return [" ".join(dict.fromkeys(name)) for name in names]


def _columns_above_ruling(part: LinePart, row: PageRow, edges: Sequence[Edge], rulings: Sequence[Ruling]) -> list[int]:
    """The columns that the ruling below a name runs over, where there is one that is not that of the whole table."""
    for ruling in rulings:
        near = ruling.is_across and -_NEAR < ruling.y0 - row.y1 < _NEAR
        if near and ruling.x0 <= part.x0 and part.x1 <= ruling.x1 and ruling.x0 > edges[0][0]:
            middles = [(left + right) / 2 for left, right in edges]
            return [place for place, middle in enumerate(middles) if ruling.x0 <= middle <= ruling.x1]
    return []


def _share_evenly(parts: Sequence[LinePart], edges: Sequence[Edge]) -> dict[LinePart, list[int]]:
    """Names that stand over equally many columns each, in their middle; nothing where they do not."""
    columns = list(range(1, len(edges)))
    each, rest = divmod(len(columns), len(parts)) if parts else (0, 0)
    if each < 2 or rest:
        return {}
    pitch = (edges[-1][1] - edges[1][1]) / (len(columns) - 1)
    shared = {}
    for number, part in enumerate(parts):
        own = columns[number * each : (number + 1) * each]
        left, right = edges[own[0]][1] - pitch, edges[own[-1]][1]
        if abs((part.x0 + part.x1) / 2 - (left + right) / 2) > _OFF_CENTRE * (right - left):
            return {}
        if len(parts) == 1 and part.x1 - part.x0 < pitch:  # the first line of one column's name
            return {}
        shared[part] = own
    return shared
