"""The straight lines that are drawn on a PDF's page: borders of tables, rules under their headers."""

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.library.ingestion.parsers.pdf.page_objects import find_bounds

_THIN = 3.0  # points; what is thicker is an area
_SHORT = 6.0  # points: what is shorter borders no cell
_APART = 2.0  # points between pieces of one line, and between two drawings of it


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruling:
    """A straight line that is drawn on a page, along one of its edges. Distances as in PdfLine."""

    x0: float
    x1: float
    y0: float
    y1: float
    is_drawn: bool = True  # False for the edge of an area that is filled and has no border

    @property
    def is_across(self) -> bool:
        """Whether it runs from left to right."""
        return self.x1 - self.x0 >= self.y1 - self.y0


def read_rulings(page: Any, paths: Iterable[Any]) -> tuple[Ruling, ...]:
    """Return the rulings of a page of pypdfium2; none of a page that is turned. PdfiumError for a path of no size.

    paths: the handles of what is drawn on the page, as `find_objects` gives them.
    """
    from pypdfium2 import PdfiumError

    if page.get_rotation():
        return ()
    left, _, _, top = page.get_bbox()
    found = []
    for drawn in paths:
        bounds = find_bounds(drawn)
        if bounds is None:
            raise PdfiumError("Failed to locate pageobject.")
        x0, y0, x1, y1 = bounds
        width, height = x1 - x0, y1 - y0
        if min(width, height) <= _THIN:
            found.append(Ruling(x0=x0 - left, x1=x1 - left, y0=top - y1, y1=top - y0))
        else:
            box = Ruling(x0=x0 - left, x1=x1 - left, y0=top - y1, y1=top - y0, is_drawn=_has_border(drawn))
            found += _list_edges(box)
    joined: list[Ruling] = []
    for is_drawn in (True, False):
        joined += _join_pieces([one for one in found if one.is_across and one.is_drawn is is_drawn])
        down = [_turn_ruling(one) for one in found if not one.is_across and one.is_drawn is is_drawn]
        joined += [_turn_ruling(one) for one in _join_pieces(down)]
    return tuple(joined)


def _has_border(drawn: Any) -> bool:
    """Return True if the outline of an area is drawn."""
    import pypdfium2.raw as pdfium

    fill, border = ctypes.c_int(), ctypes.c_int()
    return not pdfium.FPDFPath_GetDrawMode(drawn, fill, border) or bool(border.value) or not fill.value


def _turn_ruling(one: Ruling) -> Ruling:
    return replace(one, x0=one.y0, x1=one.y1, y0=one.x0, y1=one.x1)


def _join_pieces(across: list[Ruling]) -> list[Ruling]:
    """Lines from left to right as wholes: they are often drawn in pieces, a cell after the other."""
    joined: list[Ruling] = []
    for one in sorted(across, key=lambda each: (round(each.y0 / _APART), each.x0)):
        last = joined[-1] if joined else None
        if last and abs(last.y0 - one.y0) <= _APART and one.x0 <= last.x1 + _APART:
            joined[-1] = replace(last, x1=max(last.x1, one.x1), y1=max(last.y1, one.y1))
        else:
            joined.append(one)
    return [one for one in joined if one.x1 - one.x0 >= _SHORT]


def _list_edges(box: Ruling) -> list[Ruling]:
    """Return the edges of a box."""
    return [
        replace(box, y1=box.y0),
        replace(box, y0=box.y1),
        replace(box, x1=box.x0),
        replace(box, x0=box.x1),
    ]
