"""The order in which the lines of a page are read."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from core.library.ingestion.parsers.pdf.lines import PdfLine

_LEAST_LINES = 5  # a column has at least as many
_MOST_CROSSING = 0.35  # share of lines that may run across the gutter (titles, tables) on a page in columns
_STEPS = 40  # places tried for the gutter


def in_reading_order(lines: tuple[PdfLine, ...], width: float) -> tuple[tuple[PdfLine, ...], ...]:
    """Return the lines of a page as the columns in which they are read. width: of the page.

    On a page in two columns a line that runs across both ends the columns above it. Other pages keep the order of
    the file, which the programs that write PDFs get right for one column.
    """
    gutter = _find_gutter(lines, width)
    if gutter is None:
        return (lines,) if lines else ()
    columns: list[list[PdfLine]] = []
    left: list[PdfLine] = []
    right: list[PdfLine] = []
    across: list[PdfLine] = []
    for line in sorted(lines, key=lambda each: (each.y0, each.x0)):
        if line.x1 <= gutter or line.x0 >= gutter:
            if across:
                columns.append(across)
                across = []
            (left if line.x1 <= gutter else right).append(line)
        else:
            columns += [left, right]
            left, right = [], []
            across.append(line)
    columns += [across, left, right] if across else [left, right]
    return tuple(tuple(column) for column in columns if column)


def _find_gutter(lines: Sequence[PdfLine], width: float) -> float | None:
    """Return where the gap between two columns is, from the left edge; None when the page is not in two columns."""
    best: tuple[int, float] | None = None
    begin, end = sorted(line.x0 for line in lines), sorted(line.x1 for line in lines)
    for step in range(_STEPS + 1):
        x = width * (0.35 + 0.3 * step / _STEPS)
        left = bisect_right(end, x)
        right = len(lines) - bisect_left(begin, x)
        crossing = len(lines) - left - right
        if min(left, right) >= _LEAST_LINES and crossing <= len(lines) * _MOST_CROSSING:
            best = min(best, (crossing, x)) if best else (crossing, x)
    if best is None or not _side_by_side(lines, width, best[1]):
        return None
    return best[1]


def _side_by_side(lines: Sequence[PdfLine], width: float, x: float) -> bool:
    """Return True if both sides hold running text, rather than the cells of a table or labels beside it."""
    half = width / 2
    for side in ([li for li in lines if li.x1 <= x], [li for li in lines if li.x0 >= x]):
        if sum(line.width > half * 0.5 for line in side) < len(side) * 0.4:
            return False
    return True
