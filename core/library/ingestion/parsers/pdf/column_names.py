"""The names of a table's columns, from the rows above it; one may stand over several, as a period over its years."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import LinePart
from core.library.ingestion.parsers.pdf.rows import PageRow
from core.library.ingestion.parsers.pdf.rulings import Ruling
from core.library.ingestion.parsers.pdf.table_columns import MOST_COLUMNS, SAME_RIGHT, Edge, find_column
from core.library.ingestion.parsers.pdf.table_header import tells_period

_NEAR = 5.0  # points between a name and the ruling below it
_OFF_CENTRE = 0.35  # of the usual width of a column, by which a name may stand beside the middle of its columns
_LEAST_OFF = 5.0  # points that it may in any case
_LEAST_SPACE = 0.33  # times the height of the type, that is between the names of two columns at least
_WIDE_SPACE = 1.3  # times the space between the words of a name
_NEARER = 0.6  # times as far from the middle of several columns as from that of one: it names them
_WIDER = 1.15  # times the usual width of a column, from which a name is not that of one alone


def name_columns(
    rows: Sequence[PageRow], edges: Sequence[Edge], rulings: Sequence[Ruling], joiner: Joiner
) -> list[str]:
    """Return the names of the columns, from the top down; what stands over several holds for each of them."""
    names: list[list[str]] = [[] for _ in edges]
    for row in reversed(rows):
        said = [" ".join(name) for name in names]
        for part, places in _place_names(row, edges, rulings, said, is_lowest=row is rows[-1]):
            for place in places:
                names[place].insert(0, part.text)
    return [joiner.join(dict.fromkeys(name)) for name in names]


def _place_names(
    row: PageRow, edges: Sequence[Edge], rulings: Sequence[Ruling], said: Sequence[str], *, is_lowest: bool
) -> list[tuple[LinePart, list[int]]]:
    """Give each part of a row of names its columns. said: the names of the columns below it."""
    placed: list[tuple[LinePart, list[int]]] = []
    parts = _split_names(row, edges)
    over = [part for part in parts if part.x1 > edges[1][0] or part.x0 > edges[0][1]]
    if is_lowest and len(over) == len(edges) - 1:
        return [(part, [over.index(part) + 1 if part in over else 0]) for part in parts]
    for part in parts:
        nearest = find_column(part, edges)
        if nearest == 0 and part.x0 < edges[0][1] and part.x1 <= edges[1][0]:
            placed.append((part, [0]))
            continue
        if is_lowest or len(edges) > MOST_COLUMNS:
            placed.append((part, [max(nearest, 1)]))
            continue
        others = [other for other in parts if other is not part]
        ruled = _columns_above_ruling(part, row, edges, rulings)
        placed.append((part, ruled or _find_range(part, others, edges, said) or [max(nearest, 1)]))
    return placed


def _columns_above_ruling(part: LinePart, row: PageRow, edges: Sequence[Edge], rulings: Sequence[Ruling]) -> list[int]:
    """The columns that the ruling below a name runs over, where there is one that is not that of the whole table."""
    for ruling in rulings:
        near = ruling.is_across and -_NEAR < ruling.y0 - row.y1 < _NEAR
        if near and ruling.x0 <= part.x0 and part.x1 <= ruling.x1 and ruling.x0 > edges[0][0] + _NEAR:
            middles = [(left + right) / 2 for left, right in edges]
            return [place for place, middle in enumerate(middles) if place and ruling.x0 <= middle <= ruling.x1]
    return []


def _find_range(part: LinePart, others: Sequence[LinePart], edges: Sequence[Edge], said: Sequence[str]) -> list[int]:
    """Find the neighbouring columns in whose middle a name stands; one alone, unless what is below tells of more.

    Above years stands what they are the ends of, and above names that come twice what parts them.
    """
    columns = range(1, len(edges))
    rights = [right for _, right in edges[1:]]
    pitch = median([b - a for a, b in pairwise(rights)]) if len(rights) > 1 else edges[1][1] - edges[0][1]
    off = max(_LEAST_OFF, _OFF_CENTRE * pitch)
    middle = (part.x0 + part.x1) / 2
    found: list[tuple[float, int, int]] = []
    for first in columns:
        for last in columns[first - 1 :]:
            left, right = edges[first][0], edges[last][1]
            beside = min(abs(middle - (left + right) / 2), abs(middle - (right - (last - first + 1) * pitch / 2)))
            fits = part.x1 - part.x0 <= right - left + pitch * (1 + (last > first))
            free = not any(other.x1 > left + pitch / 4 and other.x0 < right - pitch / 4 for other in others)
            if beside <= off and fits and free:
                found.append((beside, first, last))
            elif first == last and abs(part.x1 - right) <= SAME_RIGHT and fits:
                found.append((0.0, first, last))
    alone = [one for one in found if one[1] == one[2]]
    over = [one for one in found if one[1] < one[2] and _may_share(said[one[1] : one[2] + 1], said)]
    same = [one for one in over if _are_alike(said[one[1] : one[2] + 1], said)]
    tells_when = not others and tells_period(part.text) and not any(map(tells_period, said))
    nearer = bool(alone and over) and min(over)[0] < min(alone)[0] * _NEARER and min(alone)[0] > _LEAST_OFF
    if over and (not alone or same or tells_when or nearer or part.x1 - part.x0 > _WIDER * pitch):
        widest = min(same or over, key=lambda one: (one[1] - one[2], one[0]))
        nearest = min(over, key=lambda one: (round(2 * one[0] / off), one[1] - one[2]))
        _, first, last = widest if same or tells_when else nearest
        return list(range(first, last + 1))
    return [min(alone)[1]] if alone else []


def _may_share(below: Sequence[str], said: Sequence[str]) -> bool:
    """Return True if columns are told apart by the names below, or by nothing so far."""
    return len(set(below)) == len(below) or not any(below) or not any(said)


def _are_alike(names: Sequence[str], said: Sequence[str]) -> bool:
    """Return True if all names are years, or come again in other columns."""
    return all(name and (tells_period(name) or said.count(name) > 1) for name in names)


def _split_names(row: PageRow, edges: Sequence[Edge]) -> list[LinePart]:
    """Return the parts of a row, those cut where names stand as close as words do, but over different columns."""
    found: list[LinePart] = []
    for part in row.parts:
        found += _split_name(part, edges, row.height) or [part]
    return found


def _split_name(part: LinePart, edges: Sequence[Edge], height: float) -> list[LinePart]:
    said = part.text.split(" ")
    if len(said) != len(part.words) or len(said) < 2:
        return []
    gaps = [right[0] - left[1] for left, right in pairwise(part.words)]
    wide = [n + 1 for n, gap in enumerate(gaps) if gap >= max(_LEAST_SPACE * height, _WIDE_SPACE * min(gaps))]
    if not wide:
        return []
    cuts = [0, *wide, len(said)]
    pieces = [
        LinePart(text=" ".join(said[a:b]), x0=part.words[a][0], x1=part.words[b - 1][1], words=part.words[a:b])
        for a, b in pairwise(cuts)
    ]
    columns = [find_column(piece, edges) for piece in pieces]
    fits = all(column and _is_set_over(piece, edges[column]) for piece, column in zip(pieces, columns, strict=True))
    return pieces if fits and len(set(columns)) == len(pieces) else []


def _is_set_over(part: LinePart, edge: Edge) -> bool:
    """Return True if a name ends where its figures do, or stands in their middle or around them."""
    middle = abs((part.x0 + part.x1 - edge[0] - edge[1]) / 2)
    is_around = part.x0 <= edge[0] and part.x1 >= edge[1]
    return abs(part.x1 - edge[1]) <= SAME_RIGHT or middle <= _LEAST_OFF or is_around
