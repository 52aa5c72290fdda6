"""Read the layout of a text: its paragraphs, the items of its lists and the rows of its tables. Pure.

Read from the text alone, so that a chunk, a quote and a whole document are read alike. Parsers write lists with their
marks ("- ", "3. ") and their depth as white space before them, and tables a row on a line with bars between the cells;
the line of a table's header is followed by a RULE.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from core.language.nlp.written_numbers import CARDINALS, begins_with_bracketed_number

RULE = "---"  # of each cell in the line under a table's header, as Markdown has it
BAR = " | "
LONGEST_ITEM = 400  # characters: an item of three or four sentences

_LONGEST_FIELD = 100  # characters; longer lines are prose with a colon

_MARK = r"(?:[-*•●▪◦■□➢✓–]|\(?\d{1,3}[.)]|\(?[a-z]\)|\([ivx]{1,4}\)|(?:step|stage)\s\d{1,2}[:.)])(?=\s)"
_ITEM = re.compile(rf"(?P<mark>{_MARK})\s+(?=\S)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_FIELD = re.compile(r"[^\W\d_][^:\n.!?;]{0,40}:[ \t]+[^\s:]")
_FIELD_WITHIN = re.compile(r"(?<![\w&])[A-Z][\w&/ ]{1,40}:\s")
_FIELDS_OF_FORM = 3
_RULE_LINE = re.compile(r"[\s|:]*--[\s|:-]*")
_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(r"[.!?;,]\Z")
_LONGEST_LABEL = 80  # characters
_COUNTED = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)


class BlockKind(StrEnum):
    """The kinds of stretches of text."""

    PROSE = "prose"  # a paragraph
    ITEM = "item"  # of a list
    HEADER = "header"  # the first row of a table, which names its columns
    ROW = "row"  # of a table


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """A paragraph, an item or a row: text[start:end]."""

    kind: BlockKind
    start: int
    end: int
    indent: int = 0  # of an item: the white space before its mark, in characters
    number: int | None = None  # of an item that is counted
    group: int = 0  # of an item or row: where its list or table starts
    is_below_label: bool = False  # an item without a mark: a telephone number that a line above it names


@dataclass(frozen=True, slots=True)
class _Line:
    begins: int  # with its white space
    start: int
    end: int
    text: str  # without white space at its edges
    is_behind_blank: bool  # the line before is blank

    @property
    def is_row(self) -> bool:
        has_bars = BAR in self.text or (len(self.text) > 1 and self.text.startswith("|") and self.text.endswith("|"))
        return has_bars and not find_mark(self.text)

    @property
    def is_rule(self) -> bool:
        return is_rule(self.text)


def stretches(text: str) -> list[Stretch]:
    """Divide a text into its stretches, in order. White space between them and the rules of tables are left out."""
    found: list[Stretch] = []
    for is_table, lines in groupby(_number_tables(list(_split_lines(text))), key=lambda pair: pair[1]):
        run = [line for line, _ in lines]
        if is_table:
            found += _read_table(run)
        else:
            for stretch in _read_paragraphs_and_items(run, text):
                found.append(_place_in_list(stretch, found, text))
    return _read_counted_paragraphs(found, text)


def find_mark(line: str) -> re.Match[str] | None:
    """Return the mark of an item that a line begins with, and the white space behind it: "- ", "3. ", "(a) "."""
    return None if begins_with_bracketed_number(line) else _ITEM.match(line)


def cells(row: str) -> list[str]:
    """Return the cells of a table's row, empty ones too: before the first bar of "| 2023 | 2024" is one."""
    bare = row.strip()
    return [cell.strip() for cell in (bare[1:-1] if is_bordered(bare) else bare).split("|")]


def pair_cells(header: str, row: str) -> tuple[list[str], list[str]]:
    """Return the cells of a table's header and those of a row below it, each at the place of its column.

    A table is written in one way: where only one of the two has a bar at both ends, those bars part empty cells.
    """
    if is_bordered(header.strip()) == is_bordered(row.strip()):
        return cells(header), cells(row)
    names, own = ([cell.strip() for cell in line.strip().split("|")] for line in (header, row))
    return names, own


def is_bordered(row: str) -> bool:
    """Return True if a row has a bar at both ends, as Markdown writes it, which then parts no cells."""
    return len(row) > 1 and row[0] == row[-1] == "|"


def draw_rule(header: str) -> str:
    """Return the line under a table's header."""
    return BAR.join(RULE for _ in cells(header))


def is_field(line: str) -> bool:
    """Return True if a line is a label with its value, as on a form: "Deposit: 75 euros"."""
    return len(line) <= _LONGEST_FIELD and bool(_FIELD.match(line))


def is_form(text: str) -> bool:
    """Return True if a text is a field of a form, or several in a row: "Location: Wausau Weather: Clear Light: Day"."""
    is_sentence = bool(_SENTENCE_END.search(text))
    return (is_field(text) and not is_sentence) or len(_FIELD_WITHIN.findall(text)) >= _FIELDS_OF_FORM


def is_rule(line: str) -> bool:
    """Return True if a line is the one under a table's header."""
    return "|" in line and bool(_RULE_LINE.fullmatch(line))


def _split_lines(text: str) -> Iterator[_Line]:
    """Yield the lines of a text that are not blank."""
    end = 0
    for found in _LINE.finditer(text):
        line = found.group().strip()
        if line:
            start = found.start() + len(found.group()) - len(found.group().lstrip())
            yield _Line(found.start(), start, start + len(line), line, text.count("\n", end, found.start()) > 1)
            end = found.end()


def _number_tables(lines: list[_Line]) -> Iterator[tuple[_Line, int]]:
    """Each line with the number of the table that it is a part of; 0 for no table. One row alone is no table."""
    number = 0
    row_before = False
    for place, line in enumerate(lines):
        below = lines[place + 1] if place + 1 < len(lines) else None
        goes_on = row_before and not line.is_behind_blank
        if not line.is_row or not (goes_on or (below and below.is_row and not below.is_behind_blank)):
            row_before = False
            yield line, 0
            continue
        number += 0 if goes_on else 1
        row_before = True
        yield line, number


def _read_table(lines: list[_Line]) -> list[Stretch]:
    has_header = len(lines) > 1 and lines[1].is_rule
    return [
        Stretch(
            kind=BlockKind.HEADER if has_header and place == 0 else BlockKind.ROW,
            start=line.start,
            end=line.end,
            group=lines[0].start,
        )
        for place, line in enumerate(lines)
        if not line.is_rule
    ]


def _read_paragraphs_and_items(lines: list[_Line], text: str) -> Iterator[Stretch]:
    open_stretch: Stretch | None = None
    was_field = False
    label: Stretch | None = None  # the stretch before, if it may name what follows
    for line in lines:
        item = find_mark(line.text)
        indent = len(text[line.begins : line.start].expandtabs(4))
        follows_field, was_field = was_field, is_field(line.text)
        if open_stretch and not (item or line.is_behind_blank or (follows_field and was_field)):
            open_stretch = replace(open_stretch, end=line.end)
            continue
        if open_stretch:
            yield open_stretch
            label = open_stretch if _is_label(text[open_stretch.start : open_stretch.end]) else None
        if item:
            open_stretch = _make_item(line, item, indent)
        elif label and begins_with_bracketed_number(line.text):
            open_stretch = _place_below(label, line)
        else:
            open_stretch = Stretch(kind=BlockKind.PROSE, start=line.start, end=line.end)
    if open_stretch:
        yield open_stretch


def _read_counted_paragraphs(found: list[Stretch], text: str) -> list[Stretch]:
    """Return the stretches with the paragraphs as items that the one before counts: "Three kinds are dangerous:"."""
    for place, lead in enumerate(found):
        counted = _COUNTED.findall(text, lead.start, lead.end) if lead.kind is BlockKind.PROSE else []
        if not counted or text[lead.end - 1] != ":":
            continue
        first, end = place + 1, place + 1 + CARDINALS[counted[-1].casefold()]
        items = found[first:end]
        if len(items) < end - first or any(
            one.kind is not BlockKind.PROSE or one.end - one.start > LONGEST_ITEM for one in items
        ):
            continue
        found[first:end] = [replace(one, kind=BlockKind.ITEM, group=items[0].start) for one in items]
    return found


def _is_label(text: str) -> bool:
    """Return True if a paragraph or an item may name the telephone number in the paragraph below."""
    return len(text) <= _LONGEST_LABEL and not _SENTENCE_END.search(text) and not begins_with_bracketed_number(text)


def _place_below(label: Stretch, line: _Line) -> Stretch:
    """Make a telephone number below what names it an item, as one is below its list's lead-in."""
    return Stretch(
        kind=BlockKind.ITEM,
        start=line.start,
        end=line.end,
        indent=label.indent + 1,
        group=line.start,
        is_below_label=True,
    )


def _make_item(line: _Line, found: re.Match[str], indent: int) -> Stretch:
    number = _NUMBER.search(found["mark"])
    return Stretch(
        kind=BlockKind.ITEM,
        start=line.start,
        end=line.end,
        indent=indent,
        number=int(number.group()) if number else None,
        group=line.start,
    )


def _place_in_list(stretch: Stretch, before: list[Stretch], text: str) -> Stretch:
    """Return an item with the list that it belongs to: the one that it follows, or that it goes on counting.

    What a sentence with a colon introduces is a list of its own, even if it goes on counting.
    """
    if stretch.kind is not BlockKind.ITEM or not before:
        return stretch
    if before[-1].kind is BlockKind.PROSE and text.endswith(":", before[-1].start, before[-1].end):
        return stretch
    last = before[-1] if before[-1].kind is BlockKind.ITEM else None
    if last is None and stretch.number and stretch.number > 1:
        items = (one for one in reversed(before) if one.kind is BlockKind.ITEM and one.number)
        counted = next(items, None)
        last = counted if counted and counted.number == stretch.number - 1 else None
    begins_anew = last and stretch.number == 1 and last.number is not None and stretch.indent <= last.indent
    return stretch if last is None or begins_anew else replace(stretch, group=last.group)
