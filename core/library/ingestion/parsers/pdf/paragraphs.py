"""Joining the lines of a column into paragraphs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from core.language.nlp.written_numbers import begins_with_bracketed_number
from core.library.ingestion.parsers.pdf.lines import PdfLine

_GAP = 1.35  # the distance to the line above, against the usual one, from which a new paragraph begins
_INDENT = 6.0  # points to the right of the line above, from which a new paragraph begins
_LEFT_OF_ITEM = 1.0  # points to the left of an item's mark, where none of its lines begins
_OTHER_SIZE = 1.5  # points of difference in size, from which a new paragraph begins
_LEAST_ENTRIES = 4  # lines of a list without marks
_LEAST_TOLD = 0.8  # of those lines, which have a figure or a colon
_TELLS = re.compile(r"\w\W+\d|\w:\s")
_SHORT = 0.6  # of the room up to the right edge, which a line of such a list fills at most
_SAME_LEFT = 2.0  # points between the beginnings of its lines
_BULLET = re.compile(r"^(?:[•●▪◦■□➢✓*]|(?:o|\(?(?:\d{1,2}|[a-z])[.)])\s)", re.IGNORECASE)
_ENDS_SENTENCE = re.compile(r"[.!?:;][\"'”’)\]]*$")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    lines: list[PdfLine] = field(default_factory=list)

    def is_open(self, column: Iterable[PdfLine]) -> bool:
        """Return True if the paragraph seems to go on elsewhere: its last line is full and ends no sentence."""
        last = self.lines[-1]
        full = max(line.x1 for line in column) - last.x1 < last.width * 0.15
        return full and not last.is_field and not _ENDS_SENTENCE.search(last.text)


def paragraphs(column: tuple[PdfLine, ...]) -> list[Paragraph]:
    """Return the paragraphs of a column, by the distance between lines, indentation, bullets and size."""
    distances = [below.y0 - above.y0 for above, below in pairwise(column) if below.y0 > above.y0]
    pitch = median(distances) if distances else 0.0
    entries = _find_entries(column)
    found: list[Paragraph] = []
    previous: PdfLine | None = None
    for place, line in enumerate(column):
        begins = previous is None or place in entries or _begins_paragraph(line, previous, pitch)
        if begins or _is_left_of_item(line, found[-1]):
            found.append(Paragraph())
        found[-1].lines.append(line)
        previous = line
    return found


def continues(line: PdfLine) -> bool:
    """Return True if a line may be the rest of a paragraph that began on the page or in the column before."""
    return not _begins_item(line) and not line.is_field


def _begins_item(line: PdfLine) -> bool:
    return bool(_BULLET.match(line.text)) and not begins_with_bracketed_number(line.text)


def _find_entries(column: Sequence[PdfLine]) -> set[int]:
    """Find the lines of lists without marks: short lines below each other that each tell a figure of something.

    A line that is broken because the next word has no room is full; in a list none is. The lines of an address or of
    a label in a drawing say something together, and few of them have figures.
    """
    entries: set[int] = set()
    right = max((line.x1 for line in column), default=0.0)
    run: list[int] = []
    for place, line in enumerate([*column, None]):
        if line is not None and _is_short(line, right) and (not run or _is_next(line, column[run[-1]])):
            run.append(place)
            continue
        told = sum(bool(_TELLS.search(column[entry].text)) for entry in run)
        if len(run) >= _LEAST_ENTRIES and told >= _LEAST_TOLD * len(run):
            entries.update(run, [run[-1] + 1])
        run = [place] if line is not None and _is_short(line, right) else []
    return entries


def _is_short(line: PdfLine, right: float) -> bool:
    """Return True if a line ends far from the right edge, begins as a name does, and ends no sentence."""
    begins = line.text[:1]
    return (
        line.x1 - line.x0 < (right - line.x0) * _SHORT
        and (begins.isupper() or begins.isdigit())
        and not line.text.endswith((".", ",", ";", "-", ":"))
    )


def _is_next(line: PdfLine, above: PdfLine) -> bool:
    same_type = abs(line.size - above.size) < 1 and line.bold == above.bold
    return same_type and abs(line.x0 - above.x0) <= _SAME_LEFT and line.y0 > above.y0


def _begins_paragraph(line: PdfLine, previous: PdfLine, pitch: float) -> bool:
    distance = line.y0 - previous.y0
    if line.is_field or previous.is_field:
        return True
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
    """Return True if the paragraph is an item of a list, and the line begins further left: what follows the list."""
    first = paragraph.lines[0]
    return _begins_item(first) and line.x0 < first.x0 - _LEFT_OF_ITEM
