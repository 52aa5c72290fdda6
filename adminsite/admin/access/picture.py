"""A picture of paths: columns of boxes, and a band from each box to the next one that it leads to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

MOST = 10  # boxes of a column; the smallest others are drawn as one
OTHERS = "others"
_STEP, _BOX, _COLUMN, _WIDTH, _MARGIN = 44, 32, 330, 230, 4  # pixels
_THIN, _THICK = 2.0, 22.0  # of a band


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """A box with its name and how many go through it."""

    label: str
    count: int
    x: int
    y: int
    width: int = _WIDTH
    height: int = _BOX


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """A band between two boxes, as a path of SVG."""

    path: str
    width: float
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """The drawing for the template."""

    boxes: tuple[Box, ...]
    bands: tuple[Band, ...]
    width: int
    height: int


def draw(paths: Iterable[tuple[Sequence[str], int]]) -> Picture | None:
    """The picture of some paths, each the names of its boxes from left to right and a count; None without any."""
    counted = [(tuple(names), count) for names, count in paths]
    if not counted:
        return None
    columns = [_find_column(counted, place) for place in range(len(counted[0][0]))]
    boxes = {
        (place, label): Box(label=label, count=count, x=_MARGIN + place * _COLUMN, y=_MARGIN + row * _STEP)
        for place, column in enumerate(columns)
        for row, (label, count) in enumerate(column.items())
    }
    return Picture(
        boxes=tuple(boxes.values()),
        bands=tuple(_draw_bands(counted, columns, boxes)),
        width=_COLUMN * (len(columns) - 1) + _WIDTH + 2 * _MARGIN,
        height=max(len(column) for column in columns) * _STEP + _MARGIN,
    )


def _find_column(counted: Sequence[tuple[tuple[str, ...], int]], place: int) -> dict[str, int]:
    """The boxes of a column with their counts, the largest first."""
    totals: Counter[str] = Counter()
    for names, count in counted:
        totals[names[place]] += count
    shown = dict(totals.most_common(MOST))
    rest = totals.total() - sum(shown.values())
    return {**shown, OTHERS: rest} if rest else shown


def _draw_bands(
    counted: Sequence[tuple[tuple[str, ...], int]],
    columns: Sequence[dict[str, int]],
    boxes: dict[tuple[int, str], Box],
) -> Iterable[Band]:
    totals: Counter[tuple[int, str, str]] = Counter()
    for names, count in counted:
        shown = [name if name in columns[place] else OTHERS for place, name in enumerate(names)]
        for place, (left, right) in enumerate(pairwise(shown)):
            totals[place, left, right] += count
    most = max(totals.values(), default=1)
    for (place, left, right), count in totals.items():
        start, end = boxes[place, left], boxes[place + 1, right]
        x, y, to_x, to_y = start.x + _WIDTH, start.y + _BOX // 2, end.x, end.y + _BOX // 2
        middle = (x + to_x) // 2
        yield Band(
            path=f"M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}",
            width=round(max(_THIN, _THICK * count / most), 1),
            title=f"{left} – {right}: {count:,}",
        )
