"""A sheet of cells as an outline: its tables with the row that names their columns, and what is written around them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise

from core.library.ingestion import formats
from core.library.ingestion.errors import make_too_many_cells_error
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.written import names_period, table

MOST_CELLS = formats.MOST_CELLS
NOTHING = "—"  # where a row begins with an empty cell, which would not be seen before the first bar
_TITLE_LEVEL = 3  # below the sheet
_MOST_TITLE = 120  # characters of a title; what is longer is a note
_LONG = 250  # characters of a cell that holds sentences
_SHARE_OF_LONG = 0.25  # of the rows of a table, from which its rows are written as paragraphs
# What a chunk repeats has at most 64 tokens. A bar and a rule take five for each column, a word about one for each
# four letters.
_MOST_HEADER = 60
_FOR_COLUMN = 6
_LETTERS_A_TOKEN = 4
_SMALL = 300  # characters of a table that stays whole in one chunk, however wide it is
_SCALES = (
    r"thousands?|millions?|billions?|crores?|lakhs?|mio\b\.?|mrd\b\.?|tsd\b\.?|tausend|millionen|milliarden|milliers"
    r"|millones|[tkm](?:€|(?:eur|usd|chf|gbp)\b)"
)
_CURRENCIES = r"[$€£¥]|\b(?:eur|usd|gbp|chf|jpy|sek|nok|dkk|pln|cad|aud|inr|cny)\b|\b(?:dollar|euro|pound|franc)s?\b"
_UNIT = re.compile(
    rf"\b(?:in|of)\b[^.;:]{{0,20}}\b(?:{_SCALES})|\bin\s(?:{_CURRENCIES})|(?:{_CURRENCIES})\s?(?:m|mn|bn|k|{_SCALES})\b"
    rf"|[$€£]\s?'?000\b|\A\W*(?:{_SCALES})\b",
    re.IGNORECASE,
)
# Of columns, in a row of its own; in brackets anything.
_UNIT_ALONE = re.compile(
    rf"[(\[][^()\[\]]{{1,30}}[)\]]|(?:{_CURRENCIES})(?:\s?/\s?\w{{1,8}})?|[%‰°]|°[CF]|[kcm]?[gm][²³23]?|[mch]?l|ha|t|k?Wh?"
    r"|k?VA|V|A|Hz|bar|h|min|s|days?|weeks?|months?|years?|pcs|pieces|km/h|m/s",
    re.IGNORECASE,
)
_MOST_NAMES = 3  # rows that name columns together
_VALUE = re.compile(r"[^\w\s]{0,3} ?\d[\d.,:/' -]*+(?:[^\W\d_]{1,4}|[^\w\s])?\)?")
_LONGEST_VALUE = 40  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A cell as its sheet shows it."""

    text: str  # "" when empty
    is_value: bool = False  # a number, a date or a time
    is_bold: bool = False
    is_covered: bool = False  # by the cell to its left, which is as wide as both and whose text this repeats


EMPTY = Cell(text="")
Row = Sequence[Cell]


def looks_like_value(text: str) -> bool:
    """Return True if a text is a number or a date, perhaps with a unit: "1,200 EUR", "25%", "2025-03-01"."""
    return len(text) <= _LONGEST_VALUE and bool(_VALUE.fullmatch(text))


@dataclass(slots=True)
class _Table:
    """Rows below each other, without the lines of text above and below them."""

    columns: tuple[int, ...]  # of the sheet
    names: list[str] | None  # of the columns
    rows: list[list[Cell]]
    above: list[str]
    below: list[str]
    caption: str = ""  # repeated with the names
    page: int | None = None


def tells_unit(text: str) -> bool:
    """Return True if a text states the unit of figures: "In millions of dollars", "EUR thousand"."""
    return bool(_UNIT.search(text))


def write_table(
    names: Sequence[str] | None,
    rows: Sequence[list[Cell]],
    outline: Outline,
    *,
    called: str,
    caption: str = "",
    page: int | None = None,
) -> None:
    """Write one table.

    names: of its columns, None where it names none. called: what names a first column without a name. caption: the line
    above the table, repeated with its names. page: the table's page, from 1.
    """
    columns = max(len(row) for row in rows)
    one = _Table(tuple(range(columns)), list(names) if names else None, list(rows), [], [], caption, page)
    _write_named(one, outline, called)


def write_grid(rows: Sequence[Row], outline: Outline, name: str, *, called: str, names_columns: bool) -> int:
    """Write the rows of a sheet and return how many cells that were, empty ones between others included.

    name: of the file, for errors. called: what the sheet is called, which names a first column without a name, as that
    of the lines of a balance sheet. names_columns: whether the first row of a table names the columns wherever it can,
    as in CSV; where not, its type and its cells decide. UnreadableFileError over MOST_CELLS.
    """
    found: list[_Table] = []
    size = 0
    for stretch, named in _join_names(_find_stretches(rows)):
        columns = _find_columns(stretch)
        size += len(stretch) * len(columns)
        if size > MOST_CELLS:
            raise make_too_many_cells_error(name, MOST_CELLS)
        cells = _align_rows(stretch, columns)
        _add_table(_read_table(cells, columns, names_columns=names_columns, named=named), found)
    for one in found:
        _write_named(one, outline, called)
    return size


def _write_named(one: _Table, outline: Outline, called: str) -> None:
    """Write a table, its first column named. What that one says of the unit holds for all of them."""
    if one.names and len(one.names) > 1 and tells_unit(one.names[0]) and not tells_unit(one.caption):
        one.caption = ", ".join(filter(None, (one.caption, one.names[0])))
        one.names[0] = ""
    if one.names and not one.names[0]:
        one.names[0] = called
    _write_table(one, outline)


def write_grid_in_text(rows: Sequence[Row], outline: Outline, name: str, *, names_columns: bool) -> int:
    """As `write_grid` for a table within a text: its title stays with it, for what follows is not under it."""
    apart = Outline("")
    size = write_grid(rows, apart, name, called="", names_columns=names_columns)
    for block in apart.blocks:
        outline.text(f"{block.section}\n{block.text}" if block.section else block.text)
    return size


def _find_stretches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the runs of rows below each other, without the empty ones between them."""
    stretch: list[Row] = []
    for row in rows:
        if any(cell.text for cell in row):
            stretch.append(row)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _find_columns(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the columns of the sheet that are not empty."""
    return tuple(sorted({place for row in rows for place, cell in enumerate(row) if cell.text and not cell.is_covered}))


def _join_names(stretches: Iterable[list[Row]]) -> Iterator[tuple[list[Row], int]]:
    """Join the names of columns with the rows below them behind empty rows.

    Yields each stretch with the number of its first rows that are names or above names; 0 where its cells decide.
    """
    names: list[Row] = []
    for stretch in stretches:
        if names and _continue_names(names, stretch):
            names = [*names, *stretch]
            continue
        if names and _stand_below(names, stretch):
            yield [*names, *stretch], len(names)
            names = []
            continue
        if names:
            yield names, 0
            names = []
        if _are_names(stretch):
            names = stretch
        else:
            yield stretch, 0
    if names:
        yield names, 0


def _are_names(rows: Sequence[Row]) -> bool:
    """Return True if rows could be nothing but the names of columns, perhaps below a title."""
    rest = list(dropwhile(_read_alone, rows))
    cells = [cell for row in rest for cell in row if cell.text]
    if not cells or len(rest) > _MOST_NAMES or any(cell.is_value and not names_period(cell.text) for cell in cells):
        return False
    if max(len(cell.text) for cell in cells) > _MOST_TITLE or len(_find_columns(rest)) < 2:
        return False
    return all(_may_go_on(above, below) for above, below in pairwise(_align_rows(rest, _find_columns(rest))))


def _continue_names(names: Sequence[Row], stretch: Sequence[Row]) -> bool:
    """Return True if a row behind empty ones goes on with the names above them."""
    if len(stretch) > 1 or len(_find_columns(stretch)) < 2 or len(list(dropwhile(_read_alone, names))) >= _MOST_NAMES:
        return False
    above, below = _align_rows([names[-1], stretch[0]], _find_columns([*names, *stretch]))
    return _may_go_on(above, below)


def _stand_below(named: Sequence[Row], stretch: Sequence[Row]) -> bool:
    """Return True if rows belong below names: in their columns, without names of their own."""
    names = list(dropwhile(_read_alone, named))
    columns, above = set(_find_columns(stretch)), set(_find_columns(names))
    unnamed = columns - above
    if len(columns & above) < 2 or not unnamed <= {min(columns)}:
        return False
    first, *rest = _align_rows(list(dropwhile(_read_alone, stretch)) or stretch, _find_columns(stretch))
    if any(cell.is_value and not names_period(cell.text) for cell in first):
        # A pair alone is an entry of a form, as a date or a sum is.
        return len(above) > 2 or bool(rest) or _is_bold(names)
    below = [[line[place] for line in rest] for place in range(len(first))]
    has_own = any(cell.text and not cell.is_value and _hold_values(below[place]) for place, cell in enumerate(first))
    if has_own or (_is_bold([first]) and not _is_bold(names)):
        return False
    return _is_bold(names) or (len(above) > 2 and bool(rest))


def _align_rows(rows: Sequence[Row], columns: Sequence[int]) -> list[list[Cell]]:
    """Return rows with a cell for each of these columns."""
    return [[row[place] if place < len(row) else EMPTY for place in columns] for row in rows]


def _is_bold(rows: Iterable[Row]) -> bool:
    return all(cell.is_bold for row in rows for cell in row if cell.text)


def _hold_values(cells: Iterable[Cell]) -> bool:
    """Return True if cells hold values alone, and not only nothing."""
    said = [cell for cell in cells if cell.text]
    return bool(said) and all(cell.is_value for cell in said)


def _may_go_on(above: Row, below: Row) -> bool:
    """Return True if a row could go on with the names above it: a second line of them, or their units."""
    said = [cell for cell in below[1:] if cell.text]
    return (
        bool(said)
        and not any(cell.is_value and not names_period(cell.text) for cell in (*above, *below))
        and (
            not above[0].text
            or not below[0].text
            or any(cell.is_covered for cell in above)
            or above[0].text == below[0].text
            or all(_UNIT_ALONE.fullmatch(cell.text) for cell in said)
        )
    )


def _count_names(cells: Sequence[Row]) -> int:
    """Return how many of the first rows name the columns, given that the first does: only figures are below it."""
    above, below = cells[0], cells[1]
    places = [place for place, cell in enumerate(below) if cell.text and place]
    if len(cells) < 3 or any(cell.is_value for cell in below) or not _may_go_on(above, below):
        return 1
    return 2 if all(_hold_values(row[place] for row in cells[2:]) for place in places) else 1


def _join_lines(lines: Sequence[Row]) -> list[str]:
    """Join the names of columns that take several lines. A year holds until the next one on its line."""
    filled = []
    for line in lines[:-1]:
        texts = [cell.text for cell in line]
        if all(names_period(text) for text in texts if text):
            last = ""
            texts = [last := text or last for text in texts]
        filled.append(texts)
    columns = zip(*filled, [cell.text for cell in lines[-1]], strict=True)
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns]


def _add_table(one: _Table, found: list[_Table]) -> None:
    """Add a table. What follows an empty row without names of its own goes on with the table above it."""
    last = found[-1] if found else None
    if last and one.names and len(last.columns) == len(last.rows) == 1 and not one.above:
        one.above = [row[0].text for row in found.pop().rows]  # its title, with an empty row below it
        last = None
    goes_on = (
        last is not None
        and last.names is not None
        and one.names is None
        and not last.below
        and not one.above
        and len(one.columns) > 1
        and set(one.columns) <= set(last.columns)
    )
    if last is None or not goes_on:
        found.append(one)
        return
    places = {column: place for place, column in enumerate(one.columns)}
    last.rows += [[row[places[c]] if c in places else EMPTY for c in last.columns] for row in one.rows]
    last.below += one.below


def _read_table(cells: list[list[Cell]], columns: tuple[int, ...], *, names_columns: bool, named: int) -> _Table:
    """Read a table. named: how many of its first rows are surely names or above names."""
    above: list[str] = []
    below: list[str] = []
    while cells and (alone := _read_alone(cells[0])) and len(columns) > 1:
        above.append(alone)
        cells = cells[1:]
    named -= len(above)
    while len(cells) > 1 and (alone := _read_alone(cells[-1])) and len(columns) > 1:
        below.insert(0, alone)
        cells = cells[:-1]
    if named < 1:
        if len(cells) > 2 and _is_upper_header(cells[0], cells[1]):
            named = 2
        else:
            named = _count_names(cells) if has_header(cells, names_columns=names_columns) else 0
    names = _join_lines(cells[:named]) if named else None
    cells = cells[named:]
    rows = [[EMPTY if cell.is_covered else cell for cell in row] for row in cells]
    return _Table(columns, names, rows, above, below)


def _read_alone(row: Row) -> str:
    """Return the text of a row that has but one, which is no value: a title, a note. "" for any other row."""
    said = [cell for cell in row if cell.text and not cell.is_covered]
    return said[0].text if len(said) == 1 and not said[0].is_value else ""


def _names_columns(row: Row) -> bool:
    """Return True if the cells of a row could be the names of columns: words, years, months."""
    said = [cell for cell in row if cell.text]
    return len(said) * 2 > len(row) and all(not cell.is_value or names_period(cell.text) for cell in said)


def _is_upper_header(first: Row, second: Row) -> bool:
    """Return True if two rows name the columns together: the years above, the quarters below."""
    said = [cell.text for cell in first if cell.text]
    are_years = len(said) > 1 and not first[0].text and all(map(names_period, said)) and all(c.text for c in second)
    return (any(cell.is_covered for cell in first) or are_years) and _names_columns(second)


def has_header(cells: Sequence[Row], *, names_columns: bool) -> bool:
    """Return True if the first row names the columns. names_columns: as for write_grid."""
    if len(cells) < 2 or len(cells[0]) < 2 or not _names_columns(cells[0]):
        return False
    first, *rest = cells
    if names_columns or len(first) > 2 or all(cell.is_bold for cell in first if cell.text):
        return True
    # Two columns are as often names with their meanings as a table.
    said = [row[1] for row in rest if row[1].text]
    return not first[1].is_value and bool(said) and all(cell.is_value for cell in said)


def _write_table(one: _Table, outline: Outline) -> None:
    if len(one.columns) == 1:
        for line in [*(one.names or ()), *(row[0].text for row in one.rows)]:
            outline.text(line, page=one.page)
        return
    _write_above(one, outline)
    long = sum(any(len(cell.text) > _LONG for cell in row) for row in one.rows)
    if one.names and long > _SHARE_OF_LONG * len(one.rows):
        _write_records(one, outline)
        return
    rows = ([one.names] if one.names else []) + [[cell.text for cell in row] for row in one.rows]
    for places in _split_columns(one, rows):
        part = [[row[place] for place in places] for row in rows]
        for row in part:
            row[0] = row[0] or (NOTHING if any(row) else "")
        outline.text(table(part, has_header=one.names is not None, caption=one.caption), page=one.page)
    for line in one.below:
        outline.text(line, page=one.page)


def _write_above(one: _Table, outline: Outline) -> None:
    """Write the lines above a table. Its title becomes a heading, which all chunks of the table are found by."""
    title, *notes = one.above or ("",)
    if len(title) > _MOST_TITLE:
        title, notes = "", one.above
    outline.heading(_TITLE_LEVEL, title)
    for line in notes:
        outline.text(line, page=one.page)


def _write_records(one: _Table, outline: Outline) -> None:
    """Each row as a paragraph, with the name of a column before what it holds."""
    outline.text(one.caption, page=one.page)
    for row in one.rows:
        pairs = zip(one.names or (), row, strict=True)
        lines = [f"{name}: {cell.text}" if name else cell.text for name, cell in pairs if cell.text]
        outline.text("\n".join(lines), page=one.page)
    for line in one.below:
        outline.text(line, page=one.page)


def _split_columns(one: _Table, rows: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """The columns that are written together: a table too wide for a chunk becomes several, each with the first ones."""
    names = one.names or [""] * len(one.columns)
    costs = [_FOR_COLUMN + len(name) // _LETTERS_A_TOKEN for name in names]
    most = _MOST_HEADER - len(one.caption) // _LETTERS_A_TOKEN
    if sum(costs) <= most or sum(len(cell) + 3 for row in rows for cell in row) <= _SMALL:
        yield list(range(len(costs)))
        return
    keys = _find_keys(one)
    places = list(keys)
    for place in range(len(costs)):
        if place in keys:
            continue
        if len(places) > len(keys) and sum(costs[each] for each in (*places, place)) > most:
            yield places
            places = list(keys)
        places.append(place)
    yield places


def _find_keys(one: _Table) -> list[int]:
    """The columns that say what a row is about: the first, and where that only counts, the first of words as well."""
    words = next((p for p in range(len(one.columns)) if sum(r[p].is_value for r in one.rows) * 2 < len(one.rows)), 0)
    return sorted({0, words})


def cover(rows: list[list[Cell]], area: tuple[int, int, int, int]) -> None:
    """Repeat the text of a merged cell over its area: (first row, last row, first column, last column), from 0."""
    top, bottom, left, right = area
    if top >= len(rows) or left >= len(rows[top]) or not rows[top][left].text:
        return
    cell = rows[top][left]
    for number in range(top, min(bottom + 1, len(rows))):
        row = rows[number]
        width = right + 1 if number == top else left + 1
        row += [EMPTY] * (width - len(row))
        for place in range(left, width):
            if (number, place) != (top, left) and not row[place].text:
                row[place] = replace(cell, is_covered=place > left)
