"""The parts of lines that stand at one height of a page: the rows of its tables, if it has any."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.ingestion.parsers.grid import looks_like_value
from core.ingestion.parsers.pdf.lines import LinePart, PdfLine

_SAME_HEIGHT = 0.6  # share of the lower of two lines that stands beside the other, from which they are one row
_TURNED = 2.5  # times its type's size: a line that is higher was turned, as the labels of axes are
_CURRENCY = re.compile(r"[$€£¥]")
_CLOSES = re.compile(r"[)%]{1,2}")
_NOTHING = re.compile(r"[-–—]|n/?[am]\.?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRow:
    """What stands at one height. Distances as in PdfLine."""

    lines: tuple[PdfLine, ...]
    parts: tuple[LinePart, ...]  # from left to right
    y0: float
    y1: float

    @property
    def height(self) -> float:
        """How high its type is."""
        return self.y1 - self.y0

    @property
    def is_bold(self) -> bool:
        """Whether all of it is."""
        return all(line.bold for line in self.lines)

    @property
    def has_values(self) -> bool:
        """Whether figures stand behind what is on the left."""
        return any(looks_like_value(part.text) for part in self.parts[1:])


def is_value(text: str) -> bool:
    """Whether a cell holds a figure, or says that there is none."""
    return looks_like_value(text) or bool(_NOTHING.fullmatch(text))


def read_rows(lines: Iterable[PdfLine]) -> list[PageRow]:
    """The lines as rows, from the top down."""
    level = [line for line in lines if line.y1 - line.y0 <= line.size * _TURNED]
    rows: list[list[PdfLine]] = []
    for line in sorted(level, key=lambda one: (one.y0 + one.y1, one.x0)):
        if rows and _stand_side_by_side(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_row(row) for row in rows]


def _stand_side_by_side(one: PdfLine, other: PdfLine) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    return shared >= min(one.y1 - one.y0, other.y1 - other.y0) * _SAME_HEIGHT


def _row(lines: list[PdfLine]) -> PageRow:
    parts = sorted((part for line in lines for part in line.parts), key=lambda part: part.x0)
    return PageRow(
        lines=tuple(lines), parts=tuple(_join_signs(parts)), y0=lines[0].y0, y1=max(line.y1 for line in lines)
    )


def _join_signs(parts: list[LinePart]) -> list[LinePart]:
    """The parts with signs that stand apart joined to their numbers: a currency before, a bracket or percent behind."""
    joined: list[LinePart] = []
    sign = ""
    for place, part in enumerate(parts):
        if _CURRENCY.fullmatch(part.text) and place + 1 < len(parts):
            sign = part.text
        elif _CLOSES.fullmatch(part.text) and joined and not sign:
            joined[-1] = replace(joined[-1], text=joined[-1].text + part.text, x1=part.x1)
        else:
            joined.append(replace(part, text=sign + part.text))
            sign = ""
    return joined
