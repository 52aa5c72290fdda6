"""Titles of tables: short lines right above them that are set as no other line of text, and are no headings."""

from collections.abc import Callable, Sequence

from core.library.ingestion.parsers.pdf.lines import PdfLine
from core.library.ingestion.parsers.pdf.tables import PageTable

_FAR = 2.6  # times the height of a line, that it is above the table at most, or above the next line of the title
_MOST_LINES = 3
_MOST_CHARACTERS = 100
_OFF_CENTRE = 6.0  # points between the middle of a title and that of its table
_NARROWER = 0.8  # of the width of the table, that a title in its middle has at most
_LEAST_CAPITALS = 0.8  # of the letters of a title in capitals


def find_title(table: PageTable, lines: Sequence[PdfLine], is_text: Callable[[PdfLine], bool]) -> tuple[PdfLine, ...]:
    """Find the last of the lines above a table that are its title. is_text: whether a line is no heading."""
    left, right = min(line.x0 for line in table.lines), max(line.x1 for line in table.lines)
    top = min(line.y0 for line in table.lines)
    title: list[PdfLine] = []
    for line in reversed(lines):
        near = 0 <= top - line.y1 <= _FAR * (line.y1 - line.y0)
        if len(title) == _MOST_LINES or not near or not is_text(line) or not _is_set_apart(line, left, right):
            break
        title.insert(0, line)
        top = line.y0
    return tuple(title)


def _is_set_apart(line: PdfLine, left: float, right: float) -> bool:
    """Return True for bold type, capitals, or a short line in the middle of the table. left, right: of the table."""
    text = line.text
    if len(line.parts) > 1 or len(text) > _MOST_CHARACTERS or line.is_field or text.endswith((".", ",", ";", ":")):
        return False
    letters = [character for character in text if character.isalpha()]
    if not letters or text[0].islower() or line.x1 < left or line.x0 > right:
        return False
    in_capitals = sum(map(str.isupper, letters)) >= _LEAST_CAPITALS * len(letters)
    middle = abs((line.x0 + line.x1 - left - right) / 2) <= _OFF_CENTRE
    return line.bold or in_capitals or (middle and line.width <= _NARROWER * (right - left))
