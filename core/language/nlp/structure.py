"""The sentences of a text with what introduces them: an item its list's lead-in, a row its table's header. Pure.

"At most 1 litre" says nothing without "Class B", nor "cameras" without "Nobody may bring:". Whatever quotes an item or
a row, or cuts a text in pieces, takes along what `Unit.leads` points to.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from core.language.nlp.layout import LONGEST_ITEM, BlockKind, Stretch, cells, find_mark, pair_cells, stretches
from core.language.nlp.text import one_line, prose_sentences

Span = tuple[int, int]

LONGEST_LEAD = 300  # characters; what is longer is a paragraph, and introduces nothing

_INTRODUCES = re.compile(
    r":\W{0,3}\Z|\b(?:the following|as follows|(?:listed|shown|given|described|steps|rules) below)\b", re.IGNORECASE
)
_STEP = re.compile(r"(?:step|stage)\s", re.IGNORECASE)  # the mark says what the item is, and stays
_CLOSED = (".", ":", "!", "?", ";", ",")
# An enumeration in running prose: "First, the sheds go. Second, ... Third, ..."
_OPENS_COUNT = re.compile(r"(?:first(?:,|ly\b| of all\b)|\(?1\)\s)", re.IGNORECASE)
_COUNTS_ON = re.compile(
    r"(?:and )?(?:(?:second|third|fourth|fifth|sixth|seventh|last)(?:,|ly\b)|finally\b|\(?[2-9]\)\s)", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TextUnit:
    """A sentence, an item or a row: text[start:end]."""

    kind: BlockKind
    start: int
    end: int
    leads: tuple[Span, ...] = ()  # what introduces it, the outermost first
    group: int | None = None  # where its list or table starts, if it is a part of one


@lru_cache(maxsize=512)
def units(text: str) -> tuple[TextUnit, ...]:
    """Return the sentences of a text in order, as `core.language.nlp.text.sentences`, each with what introduces it."""
    reader = _Reader(text)
    for stretch in stretches(text):
        reader.read(stretch)
    return tuple(reader.found)


def find_unit_at(text: str, place: int) -> TextUnit | None:
    """Return the sentence, item or row of a text that an offset is in; None between them."""
    return next((one for one in units(text) if one.start <= place < one.end), None)


def find_beside(text: str, sentence: str) -> tuple[str, str]:
    """Return the sentences of prose right before and right after one, in its paragraph; empty where there is none."""
    found = units(text)
    place = next((i for i, unit in enumerate(found) if text[unit.start : unit.end] == sentence), None)
    if place is None:
        return "", ""
    one = found[place]
    before = found[place - 1] if place else None
    after = found[place + 1] if place + 1 < len(found) else None
    return (
        text[before.start : before.end] if before and _is_continued_by(text, before, one) else "",
        text[after.start : after.end] if after and _is_continued_by(text, one, after) else "",
    )


def _is_continued_by(text: str, first: TextUnit, second: TextUnit) -> bool:
    """Return True if two consecutive sentences are prose of one paragraph."""
    return first.kind is second.kind is BlockKind.PROSE and "\n\n" not in text[first.end : second.start]


def introduces(sentence: str) -> bool:
    """Return True if a sentence introduces a list: it ends in a colon, or has the words "the following"."""
    return bool(_INTRODUCES.search(sentence))


def write_with_leads(leads: tuple[str, ...], unit: str, *, columns: Collection[int] = ()) -> str:
    """Write an item or a row on one line in words understandable by themselves, behind its lead-ins.

    leads: as they are written, the outermost first; of a row its table's header is the last. columns: the places, from
    0, of the cells of a row that are written besides its first; all of them where there are none.
    """
    *above, header = (*leads, "") if not leads or "|" not in leads[-1] else leads
    line = _write_row(header, unit, columns) if "|" in unit and header else _write_bare(unit)
    for lead in reversed(above):
        opening = _write_bare(lead)
        line = f"{opening}{'' if opening.endswith(_CLOSED) else ':'} {line}"
    return line


@dataclass(slots=True)
class _Reader:
    """A reader of a text's stretches, which remembers the lead-ins and headers for the next one."""

    text: str
    found: list[TextUnit] = field(default_factory=list)
    last: Span | None = None  # the sentence right before, if it is short
    lead: Span | None = None  # the same, if it introduces something
    group: int | None = None  # the list or table that is read
    group_lead: Span | None = None
    header: Span | None = None
    items: list[tuple[int, Span]] = field(default_factory=list)  # (indent, lead) of the items that are open

    def read(self, stretch: Stretch) -> None:
        if stretch.kind is BlockKind.PROSE:
            self._read_prose(stretch)
            return
        if stretch.group != self.group:
            is_table = stretch.kind is not BlockKind.ITEM
            is_right_above = self.last is not None and "\n\n" not in self.text[self.last[1] : stretch.start]
            is_caption = stretch.is_below_label or (is_table and is_right_above)
            self.group, self.group_lead = stretch.group, self.last if is_caption else self.lead
            self.header, self.items = None, []
        self.lead = self.last = None
        if stretch.kind is BlockKind.ITEM:
            self._read_item(stretch)
            return
        leads = tuple(span for span in (self.group_lead, self.header) if span)
        if stretch.kind is BlockKind.HEADER:
            self.header = (stretch.start, stretch.end)
        self._add_unit(stretch.kind, (stretch.start, stretch.end), leads)

    def _read_prose(self, stretch: Stretch) -> None:
        spans = prose_sentences(self.text, stretch.start, stretch.end)
        self.found += _group_counted(self.text, spans)
        self.last = self._limit_lead(spans[-1]) if spans else None
        self.lead = self.last if self.last and introduces(self.text[slice(*self.last)]) else None

    def _read_item(self, stretch: Stretch) -> None:
        while self.items and self.items[-1][0] >= stretch.indent:
            self.items.pop()
        above = tuple(span for span in (self.group_lead, *(span for _, span in self.items)) if span)
        spans = prose_sentences(self.text, stretch.start, stretch.end)
        first = (stretch.start, stretch.end)
        if stretch.end - stretch.start > LONGEST_ITEM:
            first = spans[0]
            self._add_unit(BlockKind.ITEM, first, above)
            for span in spans[1:]:
                self._add_unit(BlockKind.ITEM, span, (*above, first) if self._limit_lead(first) else above)
        else:
            self._add_unit(BlockKind.ITEM, first, above)
        if lead := self._limit_lead(first):
            self.items.append((stretch.indent, lead))

    def _add_unit(self, kind: BlockKind, span: Span, leads: tuple[Span, ...]) -> None:
        self.found.append(TextUnit(kind=kind, start=span[0], end=span[1], leads=leads, group=self.group))

    @staticmethod
    def _limit_lead(span: Span) -> Span | None:
        return span if span[1] - span[0] <= LONGEST_LEAD else None


def _group_counted(text: str, spans: Sequence[Span]) -> list[TextUnit]:
    """Return the sentences of prose, those of each enumeration of a paragraph as items of one list.

    An item reaches to the next one. What stands before the first one introduces it.
    """
    found = [TextUnit(kind=BlockKind.PROSE, start=start, end=end) for start, end in spans]
    for first, (start, _) in enumerate(spans):
        if not _OPENS_COUNT.match(text, start):
            continue
        paragraph = list(
            takewhile(lambda n: "\n\n" not in text[spans[n - 1][1] : spans[n][0]], range(first + 1, len(spans)))
        )
        begins = [first, *(n for n in paragraph if _COUNTS_ON.match(text, spans[n][0]))]
        if len(begins) == 1:
            continue
        is_led = first > 0 and "\n\n" not in text[spans[first - 1][1] : start]
        leads = (spans[first - 1],) if is_led and spans[first - 1][1] - spans[first - 1][0] <= LONGEST_LEAD else ()
        ends = [*(n - 1 for n in begins[1:]), begins[-1]]  # of the last one it is not known what belongs to it
        items = [
            TextUnit(kind=BlockKind.ITEM, start=spans[begin][0], end=spans[end][1], leads=leads, group=start)
            for begin, end in zip(begins, ends, strict=True)
        ]
        return [*found[:first], *items, *found[begins[-1] + 1 :]]
    return found


def _write_row(header: str, row: str, columns: Collection[int]) -> str:
    """Write a row in words: its first cell, and each other one behind the name of its column."""
    (_, *names), (first, *rest) = pair_cells(header, row)
    told = [
        f"{name}: {value}" if name else value
        for place, (name, value) in enumerate(zip([*names, *[""] * len(rest)], rest, strict=False), 1)
        if value and (not columns or place in columns)
    ]
    return " – ".join(filter(None, (one_line(first), "; ".join(map(one_line, told)))))


def _write_bare(unit: str) -> str:
    """Write a unit on one line without its mark; the cells of a row without a header parted by dashes."""
    line = one_line(unit)
    mark = find_mark(line)
    if mark and not _STEP.match(line):
        line = line[mark.end() :]
    return " – ".join(filter(None, cells(line))) if " | " in line else line
