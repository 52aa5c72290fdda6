"""Read the grid of a table in a Word document: the columns of each cell."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.docx.markup import TABLE, children, get, is_on, named, number_of, value_of
from core.library.ingestion.parsers.spans import GridCell, GridRow

if TYPE_CHECKING:
    from lxml.etree import _Element

_ROW, _CELL = named("w:tr"), named("w:tc")
_MOST_COLUMNS = 63  # that a table in Word has; cells further right are read, but span no more than itself


def read_rows(found: "_Element") -> list[GridRow]:
    """Return the rows of a table (w:tbl) without those that were deleted."""
    rows = []
    for row in children(found):
        if row.tag != _ROW:
            continue
        properties = row.find(named("w:trPr"))
        if properties is not None and properties.find(named("w:del")) is not None:
            continue
        cells = _read_cells(row, number_of(value_of(properties, "w:gridBefore")))
        rows.append(GridRow(cells=tuple(cells), is_header=bool(is_on(properties, "w:tblHeader"))))
    return rows


def _read_cells(row: "_Element", column: int) -> list[GridCell]:
    cells: list[GridCell] = []
    column = min(column, _MOST_COLUMNS)
    for element in children(row):
        if element.tag != _CELL:
            continue
        properties = element.find(named("w:tcPr"))
        span = min(number_of(value_of(properties, "w:gridSpan"), 1) or 1, max(_MOST_COLUMNS - column, 1))
        merge = None if properties is None else properties.find(named("w:vMerge"))
        is_deleted = properties is not None and properties.find(named("w:cellDel")) is not None
        goes_on_to_the_right = value_of(properties, "w:hMerge") == "continue" and bool(cells)
        if not is_deleted and not goes_on_to_the_right:
            goes_on = merge is not None and get(merge, "w:val", "continue") != "restart"
            cells.append(
                GridCell(element=element, column=column, span=span, is_merged=merge is not None, goes_on=goes_on)
            )
        column += span
    return cells


def is_layout(rows: Sequence[GridRow]) -> bool:
    """Return True if a table only sets a layout: one cell, or one row or column with tables in it."""
    cells = [cell for row in rows for cell in row.cells]
    if len(cells) == 1:
        return True
    is_line = len(rows) == 1 or all(len(row.cells) == 1 for row in rows)
    return is_line and any(next(cell.element.iter(TABLE), None) is not None for cell in cells)
