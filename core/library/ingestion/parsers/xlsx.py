"""XLSX: the sheets of a workbook, each a section, with their cells as the sheet shows them."""

import datetime as dt
import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.library.ingestion.cleaning import clean, one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_damaged_error, make_too_many_cells_error
from core.library.ingestion.extent import Found, Loss, Tally
from core.library.ingestion.naming import date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.grid import EMPTY, MOST_CELLS, Cell, cover, write_grid
from core.library.ingestion.parsers.header import describe
from core.library.ingestion.parsers.number_formats import show_date, show_number
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.strict import as_common
from core.library.ingestion.parsers.xlsx_parts import IsHidden, Parts, SheetComments, SheetDrawings

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet
    from openpyxl.worksheet._reader import WorkSheetParser

_MOST_MERGED = 10_000  # areas of a sheet; further ones show their text once
_MOST_BETWEEN = 1  # empty rows that are kept between two that are not


def parse_xlsx(content: bytes, name: str) -> ParsedDocument:
    """Parse a workbook: values as Excel last calculated them, without hidden sheets, rows and columns.

    UnreadableFileError when it is damaged or has more than MOST_CELLS cells.
    """
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        content = as_common(content)
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    except (InvalidFileException, KeyError, ValueError, TypeError, SyntaxError, zipfile.BadZipFile) as error:
        raise make_damaged_error(name, error) from error
    title, author = _read_properties(book, name)
    outline, tally = Outline(title), Tally()
    comments = Comments(tally)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = Parts(archive)
        reader = SheetComments(parts, comments)
        _write_sheets(book, SheetDrawings(parts, tally), reader, outline, tally, name)
    date = date_in_name(name) or date_in_words(title)
    return ParsedDocument(
        **describe(title, author, date), blocks=outline.blocks, extent=tally.extent, comments=comments.blocks
    )


def _write_sheets(
    book: "Workbook", drawings: SheetDrawings, comments: SheetComments, outline: Outline, tally: Tally, name: str
) -> None:
    left = MOST_CELLS
    for sheet in book.worksheets:
        tally.find(Found.PAGES)
        if sheet.sheet_state != "visible":
            tally.leave_out(Loss.HIDDEN_PAGES)
            continue
        rows, is_hidden = _read_rows(sheet, left, name)
        drawn = [text for text in drawings.read(sheet._worksheet_path) if text.strip()]
        if drawn or any(cell.text for row in rows for cell in row):
            outline.heading(2, sheet.title)
        left -= write_grid(rows, outline, name, called=sheet.title, names_columns=False)
        if left < 0:
            raise make_too_many_cells_error(name, MOST_CELLS)
        for text in drawn:
            outline.text(text)
        comments.read(sheet._worksheet_path, sheet.title, is_hidden)
    for title, part in drawings.chart_sheets():
        tally.find(Found.PAGES)
        for text in drawings.read(part):
            outline.heading(2, title)
            outline.text(text)


def _read_properties(book: "Workbook", name: str) -> tuple[str, str]:
    """Return the title and the author that a workbook states; the file's name, and nobody, where it does not."""
    title = one_line(str(book.properties.title or ""), MAX_TITLE) or title_from_name(name)
    author = one_line(str(book.properties.creator or ""))
    return title, author if author != "openpyxl" else ""


def _read_rows(sheet: "ReadOnlyWorksheet", most: int, name: str) -> tuple[list[list[Cell]], IsHidden]:
    """The rows of a sheet that are shown, in order, of several empty ones in a row one; and which cells are hidden.

    UnreadableFileError over most.

    The library's own way to read rows neither says which are hidden nor stops where a sheet claims a million columns.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    styles: dict[int, _Style] = {}
    rows: list[list[Cell]] = []
    numbers: dict[int, int] = {}  # of the rows in the sheet, each with its place here
    hidden_rows: set[int] = set()
    size = 0
    with sheet._get_source() as source:
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=sheet.parent.epoch,
            date_formats=sheet.parent._date_formats,
            timedelta_formats=sheet.parent._timedelta_formats,
        )
        last = 0
        for number, raw in parser.parse():
            if parser.row_dimensions.pop(str(number), {}).get("hidden") in ("1", "true"):
                last = number if number == last + 1 else last
                hidden_rows.add(number)
                continue
            rows += [[] for _ in range(min(number - last - 1, _MOST_BETWEEN))]
            last = number
            shown = [(each["column"] - 1, _read_cell(sheet, each, styles)) for each in raw]
            size += sum(bool(cell.text) for _, cell in shown)
            width = max((place for place, cell in shown if cell.text), default=-1) + 1
            if size > most or len(rows) > most or width > most:
                raise make_too_many_cells_error(name, MOST_CELLS)
            row = [EMPTY] * width
            for place, cell in shown:
                if cell.text:
                    row[place] = cell
            numbers[number] = len(rows)
            rows.append(row)
    widest = max(map(len, rows), default=0)
    for top, bottom, first, beyond in _read_merged(parser, numbers):
        cover(rows, (top, bottom, first, min(beyond, widest - 1)))
    hidden = _hidden_columns(parser)
    shown_rows = [[EMPTY if place in hidden else cell for place, cell in enumerate(row)] for row in rows]
    return shown_rows, lambda row, column: row in hidden_rows or column - 1 in hidden


_Style = tuple[str, bool, bool]  # the format of numbers; True for bold type, for type that is struck through


def _read_cell(sheet: "ReadOnlyWorksheet", raw: dict[str, Any], styles: dict[int, _Style]) -> Cell:
    """Return a cell as it is shown. styles: by number, of the cells before it on the sheet; its own is added."""
    value = raw["value"]
    if value is None or raw["data_type"] == "e":
        return EMPTY
    style = styles.get(raw["style_id"]) or styles.setdefault(raw["style_id"], _read_style(sheet, raw))
    number_format, is_bold, is_struck = style
    if is_struck:
        return EMPTY
    if isinstance(value, bool):
        return Cell(text=str(value).upper(), is_bold=is_bold)
    if isinstance(value, int | float):
        return Cell(text=show_number(value, number_format), is_value=True, is_bold=is_bold)
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return Cell(text=show_date(value, number_format), is_value=True, is_bold=is_bold)
    return Cell(text=clean(str(value)).strip(), is_bold=is_bold)


def _read_style(sheet: "ReadOnlyWorksheet", raw: dict[str, Any]) -> _Style:
    from openpyxl.cell.read_only import ReadOnlyCell

    try:
        cell = ReadOnlyCell(sheet, **raw)
        return cell.number_format, bool(cell.font.b), bool(cell.font.strike)
    except IndexError:  # a style that the workbook does not have
        return "General", False, False


def _read_merged(parser: "WorkSheetParser", numbers: dict[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the areas of merged cells among the rows that are shown."""
    areas = parser.merged_cells.mergeCell if parser.merged_cells else ()
    for area in areas[:_MOST_MERGED]:
        left, top, right, bottom = area.bounds
        shown = [numbers[row] for row in range(top, min(bottom, top + len(numbers)) + 1) if row in numbers]
        if shown and top in numbers:
            yield shown[0], shown[-1], left - 1, right - 1


def _hidden_columns(parser: "WorkSheetParser") -> set[int]:
    """Return the columns that are not shown, from 0."""
    hidden: set[int] = set()
    for column in parser.column_dimensions.values():
        if column.get("hidden") in ("1", "true"):
            hidden |= set(range(int(column["min"]) - 1, min(int(column["max"]), 16384)))
    return hidden
