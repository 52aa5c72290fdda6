"""The charts, pictures and shapes on the sheets of a workbook, which lie in parts of their own."""

import posixpath
import zipfile
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from core.ingestion.extent import Found, Loss, Tally
from core.ingestion.parsers.drawings import Drawings
from core.ingestion.parsers.drawings.drawing import parse_part

if TYPE_CHECKING:
    from lxml.etree import _Element

_SHEET_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_BOOK = "xl/workbook.xml"
_MOST_ANCHORS = 5000  # things on a sheet

_Related = dict[str, tuple[str, str]]  # by id: the end of the relation's type, and the part's name


class SheetDrawings:
    """Reads what lies on the sheets of a workbook."""

    def __init__(self, archive: zipfile.ZipFile, tally: Tally) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())
        self._tally = tally
        self._drawings = Drawings(tally)

    def read(self, sheet: str) -> list[str]:
        """Return the passages of a sheet, from the top down. sheet: the name of its part. Its comments are counted."""
        related = self._relations(sheet)
        passages = [text for kind, part in related.values() if kind == "drawing" for text in self._read_part(part)]
        counts = [
            sum(self._count(part, tag) for kind, part in related.values() if kind == tag)
            for tag in ("comments", "threadedComment")
        ]
        self._tally.find(Found.COMMENTS, max(counts))  # what is in a thread is kept in the older form too
        self._tally.leave_out(Loss.COMMENTS, max(counts))
        return passages

    def chart_sheets(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the part of each sheet that is a chart, without hidden ones."""
        related = self._relations(_BOOK)
        book = self._parse(_BOOK)
        for sheet in book.iter("{*}sheet") if book is not None else ():
            kind, part = related.get(sheet.get(f"{_RELATIONS}id", ""), ("", ""))
            if kind == "chartsheet" and sheet.get("state", "visible") == "visible":
                yield sheet.get("name", ""), part

    def _read_part(self, part: str) -> Iterator[str]:
        root = self._parse(part)
        related = self._relations(part)
        for anchor in sorted(list(root)[:_MOST_ANCHORS], key=_place) if root is not None else ():
            for shape in anchor.iter(f"{_SHEET_DRAWING}sp"):
                lines = (
                    "".join(text.text or "" for text in line.iter(f"{_MAIN}t")) for line in shape.iter(f"{_MAIN}p")
                )
                yield "\n".join(filter(str.strip, lines))
            yield from self._drawings.read(anchor, partial(self._find_part, related))

    def _find_part(self, related: _Related, name: str) -> bytes | None:
        return self._read(related.get(name, ("", ""))[1])

    def _relations(self, part: str) -> _Related:
        """Return the parts that a part refers to."""
        folder, name = posixpath.split(part)
        root = self._parse(f"{folder}/_rels/{name}.rels")
        return {
            one.get("Id", ""): (
                one.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
            )
            for one in (root if root is not None else ())
            if isinstance(one.tag, str) and one.get("TargetMode") != "External"
        }

    def _count(self, part: str, kind: str) -> int:
        root = self._parse(part)
        return 0 if root is None else sum(1 for _ in root.iter(f"{{*}}{kind.removesuffix('s')}"))

    def _parse(self, part: str) -> "_Element | None":
        return parse_part(self._read(part))

    def _read(self, part: str) -> bytes | None:
        return self._archive.read(part) if part in self._names else None


def _place(anchor: "_Element") -> tuple[int, int]:
    """Return the row and the column at which something begins."""
    stated = [anchor.findtext(f"{_SHEET_DRAWING}from/{_SHEET_DRAWING}{name}") or "" for name in ("row", "col")]
    row, column = (int(text) if text.isdecimal() and len(text) < 8 else 0 for text in stated)
    return row, column
