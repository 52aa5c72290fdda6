"""Read the tables of a Word document, with everything in their cells."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.docx.markup import (
    TABLE,
    Paragraph,
    blocks,
    children,
    get,
    is_on,
    named,
    number_of,
    value_of,
)
from core.library.ingestion.parsers.docx.notes import Notes
from core.library.ingestion.parsers.docx.numbering import Numbers
from core.library.ingestion.parsers.docx.words import Line, Words
from core.library.ingestion.parsers.spans import GridCell, GridRow, Said, write_inline, write_spanned

if TYPE_CHECKING:
    from lxml.etree import _Element


_ROW, _CELL = named("w:tr"), named("w:tc")
_MOST_COLUMNS = 63  # that a table in Word has; cells further right are read, but span no more than itself

_MOST_DEPTH = 90  # of tables and text boxes in each other, as in the parser
_SMALL = 300  # characters of a table within a cell that is written in the cell's place
_ENDS = (".", ",", ";", ":", "!", "?")


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


class Cells:
    """Reads the cells of tables."""

    def __init__(self, words: Words, numbers: Numbers, notes: Notes, draw: "Callable[[_Element], list[str]]") -> None:
        """draw: returns the passages of a drawing."""
        self._words = words
        self._numbers = numbers
        self._notes = notes
        self._draw = draw

    def write(self, rows: Sequence[GridRow]) -> list[str]:
        """Return a table as text, then the larger tables in its cells, each below the name of its row."""
        apart: list[str] = []
        said = self._read_words(rows, 0, apart)
        return [write_spanned(rows, said), *apart]

    def notes(self, line: Line) -> str:
        """Return the notes that a line refers to in brackets; "" where there are none."""
        found = (self._notes.take(kind, identifier) for kind, identifier in line.notes)
        texts = (self._flatten_content(note, 1, None).text for note in found if note is not None)
        return " ".join(f"({text})" for text in texts if text)

    def _read_words(self, rows: Sequence[GridRow], depth: int, apart: list[str] | None) -> list[list[Said]]:
        """Return the words of each cell. apart: takes the larger tables in them; None where there is no place apart."""
        read = []
        for row in rows:
            texts: list[Said] = []
            for cell in row.cells:
                larger: list[str] = []
                texts.append(self._flatten_content(cell.element, depth, None if apart is None else larger))
                name = texts[0].text
                if apart is not None:
                    apart += [f"{name}\n{text}" if name and len(texts) > 1 else text for text in larger]
            read.append(texts)
        return read

    def _flatten_content(self, element: "_Element", depth: int, apart: list[str] | None) -> Said:
        """Return the contents of a cell, a text box or a note on one line."""
        pieces: list[str] = []
        weights: set[bool] = set()
        was_item = False
        for block in blocks(element):
            is_item = False
            if not isinstance(block, Paragraph):
                weights.add(False)
                pieces += filter(None, [self._inner_table(block, depth, apart)])
                continue
            line = self._words.read(block)
            text = one_line(line.text)
            if text or not block.is_deleted:
                listed = self._numbers.of(block, text)
                is_item = listed is not None
                text = f"{listed.label} {text}" if text and listed and listed.label else text
            if text:
                weights.add(line.is_bold)
                if is_item and was_item and not pieces[-1].endswith(_ENDS):
                    pieces[-1] += ";"
                was_item = is_item
                pieces.append(text)
            # A chart's table has no place in a cell, and would part its words.
            drawn = [text for drawing in line.drawings for text in self._draw(drawing)]
            pieces += [one_line(text) for text in drawn if "\n" not in text]
            if apart is not None:
                apart += [text for text in drawn if "\n" in text]
            if depth < _MOST_DEPTH:
                hanging = [self._flatten_content(box, depth + 1, apart).text for box in line.boxes]
                pieces += filter(None, [*hanging, self.notes(line)])
        return Said(text=" ".join(pieces), is_bold=weights == {True})

    def _inner_table(self, table: "_Element", depth: int, apart: list[str] | None) -> str:
        if depth >= _MOST_DEPTH:
            return ""
        rows = read_rows(table)
        said = self._read_words(rows, depth + 1, None)
        text = write_inline(rows, said)
        if apart is None or len(text) <= _SMALL:
            return text
        apart.append(write_spanned(rows, said))
        return ""
