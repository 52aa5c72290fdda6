"""Read paragraphs, lists, tables and comments, which the texts, sheets and slides of OpenDocument have in common."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import clean
from core.library.ingestion.errors import make_too_many_cells_error
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.grid import EMPTY, MOST_CELLS, Cell, cover, looks_like_value
from core.library.ingestion.parsers.odf.package import Styles, children, count_of, get, named
from core.library.ingestion.parsers.raised import Place, Run, leave_out_struck, write_runs
from core.library.ingestion.parsers.written import item

if TYPE_CHECKING:
    from lxml.etree import _Element


_MOST_SPACES = 1000  # in one element
_MOST_DEPTH = 9  # of lists within lists; LibreOffice has ten levels
_VALUES = {"float", "percentage", "currency", "date", "time"}
_MOST_COLUMNS = 16_384  # of a sheet, as LibreOffice has them
_MOST_BETWEEN = 1  # empty rows that are kept between two that are not
_MARKED_UP = {named(name) for name in ("text:span", "text:a", "text:meta", "text:ruby", "text:ruby-base")}
# What is written in a paragraph's place without being its text.
_NOT_TEXT = {
    named(name)
    for name in (
        "office:annotation",
        "office:annotation-end",
        "text:bookmark-ref",
        "text:hidden-paragraph",
        "text:hidden-text",
        "text:note-citation",
        "text:ruby-text",
        "draw:frame",
        "draw:custom-shape",
        "draw:g",
    )
}
_IN_GROUPS = {named(name) for name in ("table:table-row-group", "table:table-rows", "table:table-header-rows")}
_COLUMN_GROUPS = {
    named(name) for name in ("table:table-column-group", "table:table-columns", "table:table-header-columns")
}

_COMMENT = named("office:annotation")
_DELETED = named("text:tracked-changes")
_RESOLVED = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}resolved"


def text_of(paragraph: "_Element", styles: Styles) -> str:
    """The text of a paragraph as it is shown: footnotes in brackets, nothing hidden or struck out, no comments."""
    if styles.has(get(paragraph, "text:style-name"), "text:display", "none") or _is_struck(paragraph, styles):
        return ""
    return clean(write_runs(leave_out_struck(_read_runs(paragraph, styles, Place.ON_LINE))))


def _read_runs(element: "_Element", styles: Styles, place: Place) -> Iterator[Run | None]:
    """Yield the runs of an element's text, which is set in a place."""
    yield Run(_flatten(element.text), place)
    for child in children(element):
        if child.tag == named("text:s"):
            yield Run(" " * min(count_of(child, "text:c"), _MOST_SPACES), place)
        elif child.tag == named("text:tab"):
            yield Run(" ", place)
        elif child.tag == named("text:line-break"):
            yield Run("\n", place)
        elif child.tag == named("text:note"):
            said = " ".join(text_of(each, styles) for each in child.iter(named("text:p")))
            yield Run(f" ({said})" if said else "")
        elif child.tag in _MARKED_UP and _is_struck(child, styles):
            yield None
        elif child.tag not in _NOT_TEXT and not (
            child.tag in _MARKED_UP and styles.has(get(child, "text:style-name"), "text:display", "none")
        ):
            yield from _read_runs(child, styles, _place_in(child, styles, place))
        yield Run(_flatten(child.tail), place)


def _is_struck(element: "_Element", styles: Styles) -> bool:
    style = get(element, "text:style-name")
    lines = (styles.value(style, f"style:text-line-through-{name}") for name in ("style", "type"))
    return next(filter(None, lines), "none") != "none"


def _place_in(element: "_Element", styles: Styles, around: Place) -> Place:
    """Return where the text of an element is set: "super 58%", "sub", or how many percent above its line."""
    if element.tag not in _MARKED_UP:
        return around
    stated = styles.value(get(element, "text:style-name"), "style:text-position").split(" ")[0]
    if not stated:
        return around
    if stated.rstrip("%").strip("-0.") == "":
        return Place.ON_LINE
    return Place.LOWERED if stated == "sub" or stated.startswith("-") else Place.RAISED


def _flatten(text: str | None) -> str:
    """White space as OpenDocument reads it: a run of it is one space."""
    if not text:
        return ""
    inner = " ".join(text.split())
    before, after = (" " if edge.isspace() else "" for edge in (text[0], text[-1]))
    return f"{before}{inner}{after}" if inner else " "


class Lists:
    """Writes lists, and counts their items where the file counts them."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._counts: dict[tuple[str, int], int] = {}

    def write(self, found: "_Element", *, style: str = "", depth: int = 0) -> str:
        """Return a list with those within it, as text. style: that of the list around it."""
        own = get(found, "text:style-name") or style
        goes_on = get(found, "text:continue-numbering") == "true" or get(found, "text:continue-list")
        if not goes_on:
            self._counts.pop((own, depth), None)
        lines: list[str] = []
        for entry in children(found):
            if entry.tag in (named("text:list-item"), named("text:list-header")):
                lines += self._write_entry(entry, own, depth)
        return "\n".join(lines)

    def _write_entry(self, entry: "_Element", style: str, depth: int) -> Iterator[str]:
        """Yield an item's paragraphs, of which the first has the mark, and the lists within it."""
        said: list[str] = []
        inner: list[str] = []
        for child in children(entry):
            if child.tag == named("text:list"):
                inner.append(self.write(child, style=style, depth=depth + 1))
            elif child.tag in (named("text:p"), named("text:h")) and (text := text_of(child, self._styles).strip()):
                said.append(text)
        if said:
            number = None
            if entry.tag == named("text:list-item") and self._styles.is_counted(style, depth):
                first = count_of(entry, "text:start-value", 0)
                number = self._counts[style, depth] = first or self._counts.get((style, depth), 0) + 1
            yield item("\n".join(said), depth=min(depth, _MOST_DEPTH), number=number)
        yield from filter(None, inner)


def rows_of(table: "_Element", styles: Styles, most: int, name: str) -> list[list[Cell]]:
    """Return the rows of a table that are shown, in order; of several empty ones in a row one.

    most: the cells that are read. UnreadableFileError over that.
    """
    hidden = hidden_columns(table)
    rows: list[list[Cell]] = []
    areas: list[tuple[int, int, int, int]] = []
    size = 0
    for row in shown_rows(table):
        if get(row, "table:visibility", "visible") != "visible":
            continue
        cells, spans = _read_cells(row, styles, hidden)
        if not cells:
            rows += [[] for _ in range(min(count_of(row, "table:number-rows-repeated"), _MOST_BETWEEN))]
            continue
        repeated = count_of(row, "table:number-rows-repeated")
        size += len(cells) * repeated
        if size > most:
            raise make_too_many_cells_error(name, MOST_CELLS)
        areas += [(len(rows), len(rows) + down - 1, place, place + right - 1) for place, down, right in spans]
        rows += [list(cells) for _ in range(repeated)]
    widest = max(map(len, rows), default=0)
    for top, bottom, left, right in areas:
        cover(rows, (top, bottom, left, min(right, widest - 1)))
    return rows


def has_header_rows(table: "_Element") -> bool:
    """Return True if a table marks rows that are repeated on each page."""
    return next(table.iter(named("table:table-header-rows")), None) is not None


def shown_rows(element: "_Element") -> "Iterator[_Element]":
    """Yield the rows of a table, without groups of them that are folded away."""
    for child in children(element):
        if child.tag == named("table:table-row"):
            yield child
        elif child.tag in _IN_GROUPS and get(child, "table:display", "true") == "true":
            yield from shown_rows(child)


def _read_cells(row: "_Element", styles: Styles, hidden: set[int]) -> tuple[list[Cell], list[tuple[int, int, int]]]:
    """The cells of a row up to the last that says something, and which of them span others: place, rows, columns."""
    cells: list[Cell] = []
    spans: list[tuple[int, int, int]] = []
    waiting = place = 0  # empty cells that count only where another follows; the column
    for element in children(row):
        if element.tag not in (named("table:table-cell"), named("table:covered-table-cell")):
            continue
        repeated = min(count_of(element, "table:number-columns-repeated"), _MOST_COLUMNS)
        cell = _read_cell(element, styles)
        if not cell.text:
            waiting += repeated
            place += repeated
            continue
        if len(cells) + waiting + repeated > MOST_CELLS:
            return [EMPTY] * (MOST_CELLS + 1), []
        cells += [EMPTY] * waiting
        down, right = count_of(element, "table:number-rows-spanned"), count_of(element, "table:number-columns-spanned")
        if (down, right) != (1, 1):
            spans.append((len(cells), down, right))
        cells += [EMPTY if column in hidden else cell for column in range(place, place + repeated)]
        waiting = 0
        place += repeated
    return cells, spans


def _read_cell(element: "_Element", styles: Styles) -> Cell:
    """Return a cell as its sheet shows it: its paragraphs are the value as it is written there."""
    said = list(_find_paragraphs(element))
    text = "\n".join(filter(None, (text_of(each, styles) for each in said))).strip()
    if not text:
        return EMPTY
    looks = styles.has(get(element, "table:style-name"), "fo:font-weight", "bold")
    is_bold = looks or all(_is_bold(each, styles) for each in said)
    kind = get(element, "office:value-type")
    return Cell(text=text, is_value=kind in _VALUES or (not kind and looks_like_value(text)), is_bold=is_bold)


def _find_paragraphs(element: "_Element") -> "Iterator[_Element]":
    """Yield the paragraphs in a cell, those in its lists too, without comments and the tables within it."""
    for child in children(element):
        if child.tag in (named("text:p"), named("text:h")):
            yield child
        elif child.tag in (named("text:list"), named("text:list-item"), named("text:section")):
            yield from _find_paragraphs(child)


def _is_bold(paragraph: "_Element", styles: Styles) -> bool:
    """Return True if all text of a paragraph is bold, or its style is one for the heads of tables."""
    own = get(paragraph, "text:style-name")
    if styles.has(own, "fo:font-weight", "bold") or "table heading" in styles.names(own):
        return True
    spans = [child for child in children(paragraph) if child.tag == named("text:span")]
    return (
        bool(spans)
        and not (paragraph.text or "").strip()
        and all(
            styles.has(get(span, "text:style-name"), "fo:font-weight", "bold") and not (span.tail or "").strip()
            for span in spans
        )
    )


def hidden_columns(table: "_Element") -> set[int]:
    """Return the columns that are not shown, from 0."""
    hidden: set[int] = set()
    place = 0
    for column in _find_columns(children(table)):
        repeated = min(count_of(column, "table:number-columns-repeated"), _MOST_COLUMNS)
        if get(column, "table:visibility", "visible") != "visible":
            hidden |= set(range(place, place + repeated))
        place += repeated
    return hidden


def _find_columns(elements: "Iterable[_Element]") -> "Iterator[_Element]":
    for element in elements:
        if element.tag == named("table:table-column"):
            yield element
        elif element.tag in _COLUMN_GROUPS:
            yield from _find_columns(children(element))


def read_comments(
    element: "_Element", styles: Styles, comments: Comments, *, place: str = "", page: int | None = None
) -> None:
    """Collect the comments in an element, without resolved ones and those in deleted text. place, page: of all."""
    for comment in element.iter(_COMMENT):
        is_deleted = next(comment.iterancestors(_DELETED), None) is not None
        _add_comment(comment, styles, comments, is_shown=not is_deleted, place=place, page=page)


def read_sheet_comments(sheet: "_Element", styles: Styles, comments: Comments) -> None:
    """Collect the comments on the cells of a sheet, without resolved ones and those on hidden cells."""
    shown = list(_list_shown(sheet))
    known = set(shown)
    for comment in sheet.iter(_COMMENT):
        if comment not in known:
            comments.leave_out()
    for comment in shown:
        _add_comment(comment, styles, comments, is_shown=True, place=get(sheet, "table:name"))


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


def _add_comment(
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
