"""The comments on the cells of a workbook: notes, and threads of comments with answers."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.xlsx_parts import BOOK, Parts

if TYPE_CHECKING:
    from lxml.etree import _Element

IsHidden = Callable[[int, int], bool]  # of a row and a column, both from 1

_THREAD = "tc="  # begins the author of a note that repeats a thread for older programs
_ON = {"1", "true"}
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")


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
