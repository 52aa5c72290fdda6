"""CSV and TSV: one table, its columns parted by whatever parts them most evenly."""

import csv
import io
from collections import Counter
from itertools import islice

from core.library.ingestion.cleaning import clean
from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.errors import make_too_many_cells_error, make_unreadable_error
from core.library.ingestion.naming import date_in_name, suffix, title_from_name
from core.library.ingestion.parsers.grid import MOST_CELLS, Cell, looks_like_value, write_grid
from core.library.ingestion.parsers.outline import Outline

_DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 50  # rows
_SAMPLE = 100_000  # characters that these are looked for in
_STATED = "sep="  # how Excel has a file say it, on a line of its own


def parse_csv(text: str, name: str) -> ParsedDocument:
    """Parse a table of values. Its title is its file's name. UnreadableFileError when a quote never ends."""
    delimiter, text = _find_delimiter(text, name)
    rows: list[list[Cell]] = []
    size = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            size += len(row)
            if size > MOST_CELLS:
                raise make_too_many_cells_error(name, MOST_CELLS)
            shown = [clean(value).strip() for value in row]
            if not any(shown):  # the file is one table, whatever empty lines are in it
                continue
            rows.append([Cell(text=value, is_value=looks_like_value(value)) for value in shown])
    except csv.Error as error:
        raise make_unreadable_error(name, "one of its cells has no end: a quotation mark is missing") from error
    title = title_from_name(name)
    outline = Outline(title)
    write_grid(rows, outline, name, called=title, names_columns=True)
    return ParsedDocument(title=title, document_date=date_in_name(name), blocks=outline.blocks)


def _find_delimiter(text: str, name: str) -> tuple[str, str]:
    """Find the delimiter of the cells. Return it with the text below the line that states it, if there is one."""
    first, _, rest = text.partition("\n")
    if first.casefold().startswith(_STATED) and len(stated := first.strip("\r")[len(_STATED) :]) == 1:
        return stated, rest
    if suffix(name) != ".csv":
        return (
            "\t" if "\t" in text[:_SAMPLE] else max(_DELIMITERS, key=lambda each: _measure_evenness(text, each))
        ), text
    return max(_DELIMITERS, key=lambda each: _measure_evenness(text, each)), text


def _measure_evenness(text: str, delimiter: str) -> tuple[float, int]:
    """Measure how evenly a delimiter divides the first rows: the share of the most frequent width, and that width."""
    try:
        rows = [
            row for row in islice(csv.reader(io.StringIO(text[:_SAMPLE], newline=""), delimiter=delimiter), 50) if row
        ]
    except csv.Error:
        return 0.0, 0
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0.0, 0
    width, count = widths.most_common(1)[0]
    return count / len(rows), width
