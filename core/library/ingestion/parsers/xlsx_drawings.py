"""The charts, pictures and shapes on the sheets of a workbook, which lie in parts of their own."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from core.library.ingestion.extent import Tally
from core.library.ingestion.parsers.drawings import Drawings
from core.library.ingestion.parsers.xlsx_parts import BOOK, Parts, Related

if TYPE_CHECKING:
    from lxml.etree import _Element

_SHEET_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MOST_ANCHORS = 5000  # things on a sheet


class SheetDrawings:
    """Reads what lies on the sheets of a workbook."""

    def __init__(self, parts: Parts, tally: Tally) -> None:
        self._parts = parts
        self._drawings = Drawings(tally)

    def read(self, sheet: str) -> list[str]:
        """Return the passages of a sheet, from the top down. sheet: the name of its part."""
        related = self._parts.find_related(sheet)
        return [text for kind, part in related.values() if kind == "drawing" for text in self._read_part(part)]

    def chart_sheets(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the part of each sheet that is a chart, without hidden ones."""
        related = self._parts.find_related(BOOK)
        book = self._parts.parse(BOOK)
        for sheet in book.iter("{*}sheet") if book is not None else ():
            kind, part = related.get(sheet.get(f"{_RELATIONS}id", ""), ("", ""))
            if kind == "chartsheet" and sheet.get("state", "visible") == "visible":
                yield sheet.get("name", ""), part

    def _read_part(self, part: str) -> Iterator[str]:
        root = self._parts.parse(part)
        related = self._parts.find_related(part)
        for anchor in sorted(list(root)[:_MOST_ANCHORS], key=_place) if root is not None else ():
            for shape in anchor.iter(f"{_SHEET_DRAWING}sp"):
                lines = (
                    "".join(text.text or "" for text in line.iter(f"{_MAIN}t")) for line in shape.iter(f"{_MAIN}p")
                )
                yield "\n".join(filter(str.strip, lines))
            yield from self._drawings.read(anchor, partial(self._find_part, related))

    def _find_part(self, related: Related, name: str) -> bytes | None:
        return self._parts.read(related.get(name, ("", ""))[1])


def _place(anchor: "_Element") -> tuple[int, int]:
    """Return the row and the column at which something begins."""
    stated = [anchor.findtext(f"{_SHEET_DRAWING}from/{_SHEET_DRAWING}{name}") or "" for name in ("row", "col")]
    row, column = (int(text) if text.isdecimal() and len(text) < 8 else 0 for text in stated)
    return row, column
