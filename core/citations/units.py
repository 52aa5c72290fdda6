"""The smallest pieces of a passage that speak of one thing, with what stands above them and names it. Pure.

A sentence, an item of a list with its lead-in, a row of a table with its header; each with the headings it is under.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.citations.cleaning import cleaned
from core.citations.evidence import Evidence
from core.text import sentences

_ITEM = re.compile(r"[ \t]*(?:[-*•–]|\d{1,3}[.)]|[a-z]\))[ \t]+\S")
_ROW = re.compile(r"[ \t]*\|")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, an item or a row, and what names its subject."""

    text: str
    lead: str  # what introduces a list's item or heads a table; empty for a sentence
    above: tuple[str, ...]  # sentences before it in its paragraph, the lead, headings, the source: the nearest first


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def units(evidence: Sequence[Evidence]) -> list[Unit]:
    """The units that some quotes are part of, each once."""
    return list(dict.fromkeys(unit for found in evidence for unit in _units(found)))


def _units(found: Evidence) -> Iterator[Unit]:
    content, source = found.passage.content, found.passage.source
    lines = list(_lines(content))
    for start, end in sentences(content):
        if start >= found.end or end <= found.start:
            continue
        at = next(i for i, line in enumerate(lines) if line.start <= start < line.end)
        if _ROW.match(lines[at].text):
            head = _header(lines, at)
            yield Unit(cleaned(lines[at].text), head, (head, *_headings(lines, at), source))
        elif (first := _first_line_of_item(lines, at)) is not None:
            last = _last_line_of_item(lines, at)
            item = content[lines[first].start : lines[last].end]
            lead = _lead_in(lines, first)
            yield Unit(cleaned(item), lead, (lead, *_headings(lines, first), source))
        else:
            yield Unit(cleaned(content[start:end]), "", (*_before(content, start), *_headings(lines, at), source))


def _lines(content: str) -> Iterator[_Line]:
    start = 0
    for text in content.splitlines(keepends=True):
        yield _Line(start, start + len(text), text)
        start += len(text)


def _first_line_of_item(lines: Sequence[_Line], at: int) -> int | None:
    """The line with which the item of a line begins; an empty line or a heading ends an item."""
    for i in range(at, -1, -1):
        if _ITEM.match(lines[i].text):
            return i
        if not lines[i].text.strip() or _HEADING.match(lines[i].text):
            return None
    return None


def _last_line_of_item(lines: Sequence[_Line], at: int) -> int:
    for i in range(at + 1, len(lines)):
        if not lines[i].text.strip() or _ITEM.match(lines[i].text) or _HEADING.match(lines[i].text):
            return i - 1
    return len(lines) - 1


def _lead_in(lines: Sequence[_Line], first: int) -> str:
    """What introduces a list: an item that this one is indented under, or the last line before the list."""
    indented = _indent(lines[first].text)
    for i in range(first - 1, -1, -1):
        text = lines[i].text
        if not text.strip() or (_ITEM.match(text) and _indent(text) >= indented):
            continue
        if _indent(text) >= indented and _first_line_of_item(lines, i) is not None:
            continue  # an item before it goes on over this line
        return "" if _HEADING.match(text) else cleaned(text)
    return ""


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _header(lines: Sequence[_Line], at: int) -> str:
    """The first row of the table that a row is in; nothing for that row itself."""
    first = at
    while first > 0 and _ROW.match(lines[first - 1].text):
        first -= 1
    return cleaned(lines[first].text) if first < at else ""


def _headings(lines: Sequence[_Line], at: int) -> tuple[str, ...]:
    return next(((cleaned(lines[i].text),) for i in range(at - 1, -1, -1) if _HEADING.match(lines[i].text)), ())


def _before(content: str, start: int) -> Iterable[str]:
    """The sentences before a place in its paragraph, the nearest first."""
    paragraph = content.rfind("\n\n", 0, start) + 1
    spans = [span for span in sentences(content[paragraph:start]) if span[0] < span[1]]
    return tuple(cleaned(content[paragraph + a : paragraph + b]) for a, b in reversed(spans))
