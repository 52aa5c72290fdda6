"""The parts of a workbook's archive and what each refers to: the drawings on its sheets, and the comments."""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from core.library.ingestion.extent import Tally
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.drawings import Drawings, parse_part

if TYPE_CHECKING:
    from lxml.etree import _Element


BOOK = "xl/workbook.xml"

Related = dict[str, tuple[str, str]]  # by id: the end of the relation's type, and the part's name

_SHEET_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MOST_ANCHORS = 5000  # things on a sheet

IsHidden = Callable[[int, int], bool]  # of a row and a column, both from 1

_THREAD = "tc="  # begins the author of a note that repeats a thread for older programs
_ON = {"1", "true"}
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")


class Parts:
    """The parts of a workbook, by their names."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())

    def find_related(self, part: str) -> Related:
        """Return the parts that a part refers to."""
        folder, name = posixpath.split(part)
        root = self.parse(f"{folder}/_rels/{name}.rels")
        return {
            one.get("Id", ""): (
                one.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/"),
            )
            for one in (root if root is not None else ())
            if isinstance(one.tag, str) and one.get("TargetMode") != "External"
        }

    def parse(self, part: str) -> "_Element | None":
        """Return the root of a part; None where it is missing or damaged."""
        return parse_part(self.read(part))

    def read(self, part: str) -> bytes | None:
        """Return a part as it is; None where it is missing."""
        return self._archive.read(part) if part in self._names else None


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
        for anchor in sorted(list(root)[:_MOST_ANCHORS], key=_find_place) if root is not None else ():
            for shape in anchor.iter(f"{_SHEET_DRAWING}sp"):
                lines = (
                    "".join(text.text or "" for text in line.iter(f"{_MAIN}t")) for line in shape.iter(f"{_MAIN}p")
                )
                yield "\n".join(filter(str.strip, lines))
            yield from self._drawings.read(anchor, partial(self._find_part, related))

    def _find_part(self, related: Related, name: str) -> bytes | None:
        return self._parts.read(related.get(name, ("", ""))[1])


def _find_place(anchor: "_Element") -> tuple[int, int]:
    """Return the row and the column at which something begins."""
    stated = [anchor.findtext(f"{_SHEET_DRAWING}from/{_SHEET_DRAWING}{name}") or "" for name in ("row", "col")]
    row, column = (int(text) if text.isdecimal() and len(text) < 8 else 0 for text in stated)
    return row, column


class SheetComments:
    """Reads the comments on the sheets of a workbook."""

    def __init__(self, parts: Parts, comments: Comments) -> None:
        self._parts = parts
        self._comments = comments
        self._people = {
            person.get("id", ""): person.get("displayName", "")
            for kind, part in parts.find_related(BOOK).values()
            if kind == "person" and (root := parts.parse(part)) is not None
            for person in root.iterchildren("{*}person")
        }

    def read(self, sheet: str, title: str, is_hidden: IsHidden) -> None:
        """Collect the comments on a sheet, without resolved threads and those on hidden cells.

        sheet: the name of its part. title: the name that people see.
        """
        related = self._parts.find_related(sheet).values()
        threads = [part for kind, part in related if kind == "threadedComment"]
        for part in threads:
            self._read_threads(part, title, is_hidden)
        for kind, part in related:
            if kind == "comments":
                self._read_notes(part, title, is_hidden, has_threads=bool(threads))

    def _read_threads(self, part: str, title: str, is_hidden: IsHidden) -> None:
        root = self._parts.parse(part)
        written = list(root.iterchildren("{*}threadedComment")) if root is not None else []
        resolved = {each.get("id") for each in written if each.get("done") in _ON}
        for each in written:
            cell = each.get("ref", "")
            if each.get("parentId", each.get("id")) in resolved or _is_on_hidden(cell, is_hidden):
                self._comments.leave_out()
                continue
            self._comments.add(
                each.findtext("{*}text") or "",
                author=self._people.get(each.get("personId", ""), ""),
                written=each.get("dT", ""),
                place=_name_place(cell, title),
            )

    def _read_notes(self, part: str, title: str, is_hidden: IsHidden, *, has_threads: bool) -> None:
        root = self._parts.parse(part)
        if root is None:
            return
        authors = [each.text or "" for each in root.iterfind("{*}authors/{*}author")]
        for note in root.iterfind("{*}commentList/{*}comment"):
            author = _find_author(note.get("authorId", ""), authors)
            if has_threads and author.startswith(_THREAD):
                continue
            cell = note.get("ref", "")
            if _is_on_hidden(cell, is_hidden):
                self._comments.leave_out()
                continue
            self._comments.add(_read_note(note, author), author=author, place=_name_place(cell, title))


def _find_author(number: str, authors: list[str]) -> str:
    place = int(number) if number.isdecimal() and len(number) < 7 else len(authors)
    return authors[place] if place < len(authors) else ""


def _read_note(note: "_Element", author: str) -> str:
    """Return the words of a note, without its author's name, which Excel sets before them."""
    body = note.find("{*}text")
    words = "" if body is None else "".join(text.text or "" for text in body.iter("{*}t"))
    return words.removeprefix(f"{author}:") if author else words


def _name_place(cell: str, title: str) -> str:
    return f"{cell} of {title}" if _CELL.fullmatch(cell) else title


def _is_on_hidden(cell: str, is_hidden: IsHidden) -> bool:
    from openpyxl.utils import column_index_from_string

    found = _CELL.fullmatch(cell)
    return found is not None and is_hidden(int(found[2]), column_index_from_string(found[1]))
