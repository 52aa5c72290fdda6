"""The tables of a page made plain: those that only set its layout dissolved, the others with each cell in its column.

A cell that spans others is repeated in each row that it spans. Rows of names are joined to one. A cell's contents
become text: lists, paragraphs and tables within it, and line breaks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.grid import NOTHING, looks_like_value
from core.library.ingestion.parsers.html_text import HEADINGS, block_of, is_text

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, Tag

_MOST_RIGHT = 1000  # columns that a cell spans, as browsers have it
_MOST_SPANNED = 200_000  # cells of a table, spanned ones counted in each place
_MOST_DIGITS = 9  # of a span
_SECTIONS = ("thead", "tbody", "tfoot")
_LONG = 200  # characters of a cell that holds paragraphs
_MOST_LAYOUT_ROWS = 3  # of a table that sets texts side by side
_PROSE = ("p", "ul", "ol", "div", "blockquote", "br")
_SHARE_OF_LINKS = 0.8  # of a cell's text, from which it is a link


@dataclass(frozen=True, kw_only=True, slots=True)
class _Cell:
    """A cell, or a place that one spans."""

    text: str = ""
    is_head: bool = False
    is_link: bool = False
    down: int = 1  # rows that it spans, itself included
    right: int = 1  # columns
    is_covered: bool = False  # by the cell to its left
    is_below: bool = False  # by the cell above it


_EMPTY = _Cell()


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one section of a table."""

    name: str  # "thead", "tbody", "tfoot"
    rows: "list[list[Tag]]"  # of cells


def make_tables_plain(soup: "BeautifulSoup") -> None:
    """Dissolve the layout tables of a page, and write each other table with a cell in each place."""
    tables = soup.find_all("table")
    outer = {id(around) for table in tables if (around := table.find_parent("table")) is not None}
    for table in reversed(tables):  # those within others first
        sections = list(_sections_of(table))
        if _is_layout(table, sections, holds_table=id(table) in outer):
            _dissolve_table(table, sections)
        else:
            _rewrite_table(soup, table, sections)


def _sections_of(table: "Tag") -> Iterator[_Rows]:
    """Yield the sections of a table without those of tables within it, each with the cells of its rows."""
    found: dict[int, _Rows] = {}
    for row in _find_nearest(table, ("tr",), stop=("table", "td", "th")):
        around = row.parent if row.parent is not None and row.parent.name in _SECTIONS else table
        name = around.name if around is not table else "tbody"
        cells = list(_find_nearest(row, ("td", "th"), stop=("table", "tr")))
        found.setdefault(id(around), _Rows(name, [])).rows.append(cells)
    yield from found.values()


def _find_nearest(tag: "Tag", names: tuple[str, ...], *, stop: tuple[str, ...]) -> "Iterator[Tag]":
    """Yield the tags of some names within another, in order, not looking into these or into those to stop at."""
    from bs4.element import Tag

    waiting = [child for child in reversed(tag.contents) if isinstance(child, Tag)]
    while waiting:
        child = waiting.pop()
        if child.name in names:
            yield child
        elif child.name not in stop:
            waiting += [inner for inner in reversed(child.contents) if isinstance(inner, Tag)]


def _is_layout(table: "Tag", sections: Sequence[_Rows], *, holds_table: bool) -> bool:
    """Return True if a table sets a page's layout, and its cells are no data."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = [row for section in sections for row in section.rows]
    cells = [cell for row in rows for cell in row]
    if any(cell.name == "th" and cell.get_text().strip() for cell in cells) or table.find("caption", recursive=False):
        return False
    if holds_table or max(map(len, rows), default=0) < 2 or any(cell.find(HEADINGS) for cell in cells):
        return True
    return len(rows) <= _MOST_LAYOUT_ROWS and any(
        cell.find(_PROSE) is not None and len(cell.get_text()) > _LONG for cell in cells
    )


def _dissolve_table(table: "Tag", sections: Sequence[_Rows]) -> None:
    """Turn a table and its cells into blocks below each other."""
    for tag in table.find_all(("colgroup", "col"), recursive=False):
        tag.decompose()
    for section in sections:
        for row in section.rows:
            for cell in row:
                cell.name = "div"
                if cell.parent is not None:
                    cell.parent.name = "div"
    for tag in table.find_all((*_SECTIONS, "caption", "tr"), recursive=False):
        tag.name = "div"
    table.name = "div"


def _rewrite_table(soup: "BeautifulSoup", table: "Tag", sections: Sequence[_Rows]) -> None:
    """Write a table anew: one row of names, a cell in each place; a row over the whole width begins another table."""
    caption = table.find("caption", recursive=False)
    title = text_of_cell(caption) if caption is not None else ""
    rows, headed = _spread_cells(sections)
    above: list[str] = []
    while len(rows) > 1 and _is_title(rows[0]):
        above.append(rows.pop(0)[0].text)
        headed = max(headed - 1, 0)
    height = _header_height(rows, headed)
    names = [
        " ".join(dict.fromkeys(filter(None, texts)))
        for texts in zip(*([cell.text for cell in row] for row in rows[:height]), strict=True)
    ]
    if names:
        title, above = ": ".join(filter(None, (title, *above))), []
    table.clear(decompose=True)
    table.name, table.attrs = "div", {}
    for part in _split_parts(rows[height:], ": ".join(above)):
        for tag in part.write(soup, title, names):
            table.append(tag)


def _spread_cells(sections: Sequence[_Rows]) -> tuple[list[list[_Cell]], int]:
    """The rows with a cell in each column, those that others span included, and how many of them are in the head.

    A column is where some cell begins: one that spans a thousand columns makes no more of them.
    """
    ordered = sorted(sections, key=lambda section: ("thead", "tbody", "tfoot").index(section.name))
    left = _MOST_SPANNED
    placed: list[dict[int, _Cell]] = []
    headed = 0
    for section in ordered:
        spread, left = _spread_section(section.rows, left)
        placed += spread
        headed += len(spread) if section.name == "thead" else 0
    columns = sorted({place for row in placed for place, cell in row.items() if not (cell.is_covered or cell.is_below)})
    return [[row.get(place, _EMPTY) for place in columns] for row in placed], headed


def _spread_section(rows: "list[list[Tag]]", left: int) -> tuple[list[dict[int, _Cell]], int]:
    """Return the cells of a section's rows by their columns. left: how many more places may be spanned."""
    placed: list[dict[int, _Cell]] = []
    waiting: dict[int, tuple[_Cell, int]] = {}  # cells that go on below, with the rows that are left to them
    for number, tags in enumerate(rows):
        row = {place: replace(cell, is_below=True) for place, (cell, _) in waiting.items()}
        waiting = {place: (cell, more - 1) for place, (cell, more) in waiting.items() if more > 1}
        place = 0
        for tag in tags:
            while place in row:
                place += 1
            cell = _read_cell(tag, len(rows) - number)
            if cell.right * cell.down > max(left, 1):
                cell = replace(cell, right=1, down=1)
            left -= cell.right * cell.down - 1
            for column in range(place, place + cell.right):
                spanned = replace(cell, is_covered=column > place)
                row.setdefault(column, spanned)
                if cell.down > 1:
                    waiting[column] = (spanned, cell.down - 1)
            place += cell.right
        if any(cell.text for cell in row.values()):
            placed.append(row)
    return placed, left


def _read_cell(tag: "Tag", rows_left: int) -> _Cell:
    text = text_of_cell(tag)
    linked = sum(len(one_line(link.get_text())) for link in tag.find_all("a"))
    down = _read_span(tag.get("rowspan"))
    return _Cell(
        text=text,
        is_head=tag.name == "th",
        is_link=bool(linked) and linked >= _SHARE_OF_LINKS * len(text),
        down=min(down, rows_left) if down else rows_left,
        right=min(max(_read_span(tag.get("colspan")), 1), _MOST_RIGHT),
    )


def _read_span(stated: object) -> int:
    """Return the number of a span; 1 where none is stated, and 0, which is up to the end, as it is."""
    digits = str(stated if stated is not None else "").strip()
    return int(digits[:_MOST_DIGITS]) if digits.isdecimal() and digits.isascii() else 1


def _is_title(row: Sequence[_Cell]) -> bool:
    """Return True if one cell is as wide as the table, and says no value."""
    first, *behind = row
    is_alone = bool(behind) and not first.is_below and all(cell.is_covered for cell in behind)
    return is_alone and bool(first.text) and first.right > 1 and not looks_like_value(first.text)


def _header_height(rows: Sequence[Sequence[_Cell]], headed: int) -> int:
    """Count the rows that name the columns. headed: those that the table says do."""
    if headed or len(rows) < 2:
        return min(headed, len(rows) - 1)
    height = 0
    while height < len(rows) and _has_heads_alone(rows[height]):
        height += 1
    if height == len(rows):
        height = 1
    if height:
        spanned = max(number + cell.down for number, row in enumerate(rows[:height]) for cell in row)
        names = [cell for row in rows[height:spanned] for cell in row if cell.text and not cell.is_below]
        fits = spanned < len(rows) and not any(looks_like_value(cell.text) for cell in names)
        return max(height, spanned) if fits else height
    return 2 if _is_upper_header(rows) else 0


def _has_heads_alone(row: Sequence[_Cell]) -> bool:
    said = [cell for cell in row if cell.text]
    return bool(said) and all(cell.is_head for cell in said) and (len(said) > 1 or len(row) == 1)


def _is_upper_header(rows: Sequence[Sequence[_Cell]]) -> bool:
    """Return True if the first row spans names in the second one, in a table that marks no names."""
    if len(rows) < 3 or not any(cell.is_covered and cell.text for cell in rows[0]):
        return False
    if not (rows[1][0].is_below or not rows[0][0].text):
        return False
    names = [cell for row in rows[:2] for cell in row if cell.text]
    return not any(looks_like_value(cell.text) for cell in names) and any(
        looks_like_value(cell.text) for row in rows[2:] for cell in row
    )


@dataclass(slots=True)
class _Part:
    """The rows of a table below one that is as wide as the table."""

    title: str
    rows: list[Sequence[_Cell]]

    def write(self, soup: "BeautifulSoup", caption: str, names: Sequence[str]) -> "Iterator[Tag]":
        """Yield the tags of a table with the names of the columns; a title without rows is a note below the table."""
        if not self.rows and self.title:
            note = soup.new_tag("p")
            note.string = self.title
            yield note
            return
        table = soup.new_tag("table")
        if said := ": ".join(filter(None, (caption, self.title))):
            table.append(soup.new_tag("caption", string=said))
        if names:
            table.append(_write_row(soup, "th", [_Cell(text=name) for name in names]))
        for row in self.rows:
            table.append(_write_row(soup, "td", row))
        yield table


def _split_parts(rows: Sequence[Sequence[_Cell]], title: str) -> Iterator[_Part]:
    part = _Part(title, [])
    is_first = True
    for row in rows:
        if not _is_title(row):
            part.rows.append(row)
            continue
        if part.rows or part.title:
            yield part
            is_first = False
        part = _Part(row[0].text, [])
    if part.rows or part.title or is_first:
        yield part


def _write_row(soup: "BeautifulSoup", name: str, row: Sequence[_Cell]) -> "Tag":
    """A row of a table. A cell over several columns says the same in each, but for one that the row begins with."""
    written = soup.new_tag("tr")
    begun = True
    for cell in row:
        begun = begun and (cell.is_covered or not written.contents)
        tag = soup.new_tag(name)
        text = "" if cell.is_covered and begun else cell.text
        if not text and not written.contents:
            text = NOTHING
        if cell.is_link and text:
            tag.append(soup.new_tag("a", href="#", string=text))
        else:
            tag.string = text
        written.append(tag)
    return written


def text_of_cell(cell: "Tag") -> str:
    """Return the text of a cell on one line: items parted by commas, blocks and lines by spaces."""
    pieces: list[str] = []
    before: NavigableString | None = None
    is_broken = False
    for element in cell.descendants:
        if not is_text(element):
            is_broken = is_broken or getattr(element, "name", None) == "br"
            continue
        if not element.strip():
            pieces.append(" ")
            continue
        if before is not None:
            pieces.append(_choose_separator(before, element, cell, " " if is_broken else ""))
        pieces.append(str(element))
        before, is_broken = element, False
    return one_line("".join(pieces))


def _choose_separator(before: "NavigableString", after: "NavigableString", cell: "Tag", otherwise: str) -> str:
    """Return what parts two texts of a cell: a comma between items and the rows of a table, a colon behind a term."""
    if block_of(before) is block_of(after):
        return otherwise
    one, other = (_entry_of(text, cell) for text in (before, after))
    if not before.rstrip()[-1:].isalnum() or cell.name != "td":
        return " "
    if one is other:  # paragraphs of one text, or a line that is set in parts
        return ", " if after.lstrip()[0].isupper() and not otherwise else " "
    if one is None or other is None:
        return " "
    if one.name == "dt" or (one.name in ("td", "th") and one.parent is other.parent):
        return ": " if one.name == "dt" or one.find_previous_sibling() is None else " "
    return ", "


def _entry_of(text: "NavigableString", cell: "Tag") -> "Tag | None":
    """Return the item, or the cell of an inner table, that contains a text of a cell."""
    tag = text.parent
    while tag is not None and tag is not cell:
        if tag.name in ("li", "dt", "dd", "td", "th"):
            return tag
        tag = tag.parent
    return None
