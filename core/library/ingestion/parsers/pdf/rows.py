"""The parts of lines that stand at one height of a page: the rows of its tables, if it has any."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from core.library.ingestion.parsers.grid import looks_like_value
from core.library.ingestion.parsers.pdf.lines import LinePart, PdfLine

_SAME_HEIGHT = 0.6  # share of the lower of two lines that stands beside the other, from which they are one row
_TURNED = 2.5  # times its type's size: a line that is higher was turned, as the labels of axes are
_CURRENCY = re.compile(r"(?:US|CA?|AU?|NZ|HK|S)?[$€£¥]")
_CLOSES = re.compile(r"[)%]{1,2}")
_NOTHING = re.compile(r"[$€£¥]?\s?[-–—−]\s?%?|n\.?/?[am]\.?|nmf|\*", re.IGNORECASE)
_MARK = re.compile(r"\s?(?:\((?:\d{1,2}|[a-z])\)|[*†‡§]{1,3}|[¹²³⁴-⁹]{1,2})\Z")  # of a note, behind a figure
_MARK_ALONE = re.compile(r"\((?:\d{1,2}|[a-z])\)|[*†‡§]{1,3}")
_NEAR_MARK = 15.0  # points that a mark is away from its label at most
# Figures that `looks_like_value` leaves out: with the names of currencies before them, percent behind a bracket.
_AMOUNT = re.compile(
    r"\(?(?:(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|CAD|AUD|SEK|NOK|DKK|PLN|INR|Rs\.?)\s?|(?:US|CA?|AU?|NZ|HK|S)(?=\$))?"
    r"[$€£¥]?\s?[-−–+(]{0,2}\s?[$€£¥]?\s?\d[\d.,']*+\s?(?:[%x]|bps|pts?|pp)?\)?\s?%?"
)
_THOUSANDS = re.compile(r"\W{0,3}000'?s?")  # the unit of a column
_LONGEST = 40  # characters of a figure
_LEAST_LEADERS = 4  # dots


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
        return any(is_figure(part.text) for part in self.parts[1:])


def is_value(text: str) -> bool:
    """Return True if a cell holds a figure, perhaps with the mark of a note, or says that there is none."""
    return is_figure(text) or bool(_NOTHING.fullmatch(text))


@lru_cache(maxsize=4096)  # each part of a line is asked about ten times: as a row, a value, a name, below each ruling
def is_figure(text: str) -> bool:
    """Return True if a cell holds a figure, perhaps with the mark of a note."""
    bare = _MARK.sub("", text) or text
    return (
        len(text) <= _LONGEST
        and not _THOUSANDS.fullmatch(text)
        and (looks_like_value(bare) or bool(_AMOUNT.fullmatch(bare)))
    )


def drop_leaders(row: PageRow) -> PageRow:
    """Return a row without the dots that lead from a label to its figures."""
    if "..." not in (text := "".join(part.text for part in row.parts).replace(" ", "").replace("…", "...")):
        return row
    parts = [replace(part, text=cut_leaders(part.text)) for part in row.parts]
    return replace(row, parts=tuple(part for part in parts if part.text)) if text.strip(".") else row


def cut_leaders(text: str) -> str:
    """Return a label without the dots behind it."""
    end = len(text.rstrip(" .…·_"))
    return text[:end] if len(text[end:].replace(" ", "").replace("…", "...")) >= _LEAST_LEADERS else text


def read_rows(lines: Iterable[PdfLine]) -> list[PageRow]:
    """Return the lines as rows, from the top down."""
    level = [line for line in lines if line.y1 - line.y0 <= line.size * _TURNED]
    rows: list[list[PdfLine]] = []
    for line in sorted(level, key=lambda one: (one.y0 + one.y1, one.x0)):
        if rows and _stand_side_by_side(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_make_row(row) for row in rows]


def _stand_side_by_side(one: PdfLine, other: PdfLine) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    return shared >= min(one.y1 - one.y0, other.y1 - other.y0) * _SAME_HEIGHT


def _make_row(lines: list[PdfLine]) -> PageRow:
    parts = sorted((part for line in lines for part in line.parts), key=lambda part: part.x0)
    return PageRow(
        lines=tuple(lines),
        parts=tuple(map(_close_bracket, _join_signs(parts))),
        y0=lines[0].y0,
        y1=max(line.y1 for line in lines),
    )


def _join_signs(parts: list[LinePart]) -> list[LinePart]:
    """The parts with what stands apart joined: a currency to the number behind it, a bracket or percent before it.

    A mark of a note is joined to its label.
    """
    joined: list[LinePart] = []
    sign: LinePart | None = None
    for place, part in enumerate(parts):
        if sign is None and _CURRENCY.fullmatch(part.text) and _is_number(parts[place + 1 : place + 2]):
            sign = part
        elif sign is None and joined and _belongs_to(joined[-1], part, is_label=len(joined) == 1):
            space = " " if _MARK_ALONE.fullmatch(part.text) else ""
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text}{space}{part.text}", x1=part.x1)
        elif sign is not None:
            joined.append(replace(part, text=sign.text + part.text, x0=sign.x0))
            sign = None
        else:
            joined.append(part)
    return joined


def _close_bracket(part: LinePart) -> LinePart:
    """Return the part without the space before a bracket that stands in a cell of its own."""
    closed = f"{part.text[:-2]})"
    is_apart = part.text.endswith(" )") and "(" in part.text and is_figure(closed)
    return replace(part, text=closed) if is_apart else part


def _is_number(following: list[LinePart]) -> bool:
    """Return True if what follows the sign of a currency is its amount, and not the name of a column."""
    return any(is_value(part.text) for part in following)


def _belongs_to(before: LinePart, part: LinePart, *, is_label: bool) -> bool:
    """Return True if a part is a sign that closes the figure before it, or the mark of a note on the label before."""
    if _CLOSES.fullmatch(part.text):
        return True
    near = part.x0 - before.x1 <= _NEAR_MARK
    return near and is_label and not is_value(before.text) and bool(_MARK_ALONE.fullmatch(part.text))
