"""Joining the lines of a column into paragraphs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from core.ingestion.parsers.pdf.lines import PdfLine
from core.nlp.bracketed_numbers import begins_with_bracketed_number

_GAP = 1.35  # the distance to the line above, against the usual one, from which a new paragraph begins
_INDENT = 6.0  # points to the right of the line above, from which a new paragraph begins
_LEFT_OF_ITEM = 1.0  # points to the left of an item's mark, where none of its lines begins
_OTHER_SIZE = 1.5  # points of difference in size, from which a new paragraph begins
_BULLET = re.compile(r"^(?:[•●▪◦■□➢✓*]|(?:o|\(?(?:\d{1,2}|[a-z])[.)])\s)", re.IGNORECASE)
_ENDS_SENTENCE = re.compile(r"[.!?:;][\"'”’)\]]*$")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[PdfLine] = field(default_factory=list)

    def is_open(self, column: Iterable[PdfLine]) -> bool:
        """True when the paragraph seems to go on elsewhere: its last line is full and ends no sentence."""
        last = self.lines[-1]
        full = max(line.x1 for line in column) - last.x1 < last.width * 0.15
        return full and not _ENDS_SENTENCE.search(last.text)


def paragraphs(column: tuple[PdfLine, ...]) -> list[Paragraph]:
    """The paragraphs of a column, by the distance between lines, indentation, bullets and size."""
    pitch = _pitch(column)
    found: list[Paragraph] = []
    previous: PdfLine | None = None
    for line in column:
        if previous is None or _begins(line, previous, pitch) or _is_left_of_item(line, found[-1]):
            found.append(Paragraph())
        found[-1].lines.append(line)
        previous = line
    return found


def continues(line: PdfLine) -> bool:
    """True when a line may be the rest of a paragraph that began on the page or in the column before."""
    return not _begins_item(line)


def _begins_item(line: PdfLine) -> bool:
    return bool(_BULLET.match(line.text)) and not begins_with_bracketed_number(line.text)


def _pitch(column: tuple[PdfLine, ...]) -> float:
    distances = [below.y0 - above.y0 for above, below in pairwise(column) if below.y0 > above.y0]
    return median(distances) if distances else 0.0


def _begins(line: PdfLine, previous: PdfLine, pitch: float) -> bool:
    distance = line.y0 - previous.y0
    if abs(distance) < line.size * 0.5:  # the same line, in two parts
        return False
    return (
        distance < 0
        or distance > pitch * _GAP
        or abs(line.size - previous.size) >= _OTHER_SIZE
        or line.bold != previous.bold
        or _begins_item(line)
        or (line.x0 - previous.x0 > _INDENT and not _begins_item(previous))
    )


def _is_left_of_item(line: PdfLine, paragraph: Paragraph) -> bool:
    """True when the paragraph is an item of a list, and the line begins further left: what follows the list."""
    first = paragraph.lines[0]
    return _begins_item(first) and line.x0 < first.x0 - _LEFT_OF_ITEM
