"""The comments in the texts, sheets and slides of OpenDocument."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.odf.content import hidden_columns, shown_rows, text_of
from core.library.ingestion.parsers.odf.package import Styles, children, count_of, get, named

if TYPE_CHECKING:
    from lxml.etree import _Element

_COMMENT = named("office:annotation")
_DELETED = named("text:tracked-changes")
_RESOLVED = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}resolved"


def read_comments(
    element: "_Element", styles: Styles, comments: Comments, *, place: str = "", page: int | None = None
) -> None:
    """Collect the comments in an element, without resolved ones and those in deleted text. place, page: of all."""
    for comment in element.iter(_COMMENT):
        is_deleted = next(comment.iterancestors(_DELETED), None) is not None
        _add(comment, styles, comments, is_shown=not is_deleted, place=place, page=page)


def read_sheet_comments(sheet: "_Element", styles: Styles, comments: Comments) -> None:
    """Collect the comments on the cells of a sheet, without resolved ones and those on hidden cells."""
    shown = list(_list_shown(sheet))
    known = set(shown)
    for comment in sheet.iter(_COMMENT):
        if comment not in known:
            comments.leave_out()
    for comment in shown:
        _add(comment, styles, comments, is_shown=True, place=get(sheet, "table:name"))


def _list_shown(sheet: "_Element") -> "Iterator[_Element]":
    hidden = hidden_columns(sheet)
    for row in shown_rows(sheet):
        if get(row, "table:visibility", "visible") != "visible":
            continue
        column = 0
        for cell in children(row):
            if column not in hidden:
                yield from cell.iterchildren(_COMMENT)
            column += count_of(cell, "table:number-columns-repeated")


def _add(
    comment: "_Element", styles: Styles, comments: Comments, *, is_shown: bool, place: str, page: int | None = None
) -> None:
    if not is_shown or comment.get(_RESOLVED) == "true":
        comments.leave_out()
        return
    said = (text_of(each, styles) for each in comment.iter(named("text:p")))
    comments.add(
        "\n".join(filter(str.strip, said)),
        author=comment.findtext("{*}creator") or "",
        written=comment.findtext("{*}date") or "",
        place=place,
        page=page,
    )
