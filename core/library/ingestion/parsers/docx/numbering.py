"""The numbers, letters, words and bullets that Word sets before paragraphs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.docx.markup import Paragraph, get, is_on, named, number_of, value_of
from core.library.ingestion.parsers.docx.styles import Styles

if TYPE_CHECKING:
    from lxml.etree import _Element

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MOST_ROMAN = 3999
_MOST_LETTERS = 10  # times that a letter is set: Word goes on from z with aa, bb, cc
_LATIN, _RUSSIAN = "abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрстуфхцчшщыэюя"
_CARDINALS = (
    "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve", "Thirteen",
    "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen", "Twenty",
)  # fmt: skip
_ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth", "Eleventh",
    "Twelfth", "Thirteenth", "Fourteenth", "Fifteenth", "Sixteenth", "Seventeenth", "Eighteenth", "Nineteenth",
    "Twentieth",
)  # fmt: skip
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_LISTED = {"cardinalText": _CARDINALS, "ordinalText": _ORDINALS, "decimalEnclosedCircle": tuple(_CIRCLED)}

_LIST_STYLE = re.compile(r"list(?: (?P<kind>bullet|number|paragraph|continue))?(?: (?P<level>\d))?")
_LEVELS = 9  # that Word has
_PLACE = re.compile(r"%([1-9])")  # of a level's number in a label
_LONGEST_LABEL = 60  # characters


def write_number(number: int, form: str, digits: str = "") -> str:
    """Return a number in a form of Word's (ST_NumberFormat); in decimal digits where the form is not known.

    digits: the first number of a form "custom", as "001".
    """
    if form in ("none", "bullet"):
        return ""
    if form == "decimalZero":
        return f"{number:02}"
    if form == "custom" and digits.isdigit() and len(digits) < 10:
        return f"{number:0{len(digits)}}"
    if form == "ordinal":
        return f"{number}{_ordinal_ending(number)}"
    if number > 0:
        written = _write_letters(number, form)
        if written:
            return written.upper() if form.startswith("upper") or form.endswith("Upper") else written
    return str(number)


def _write_letters(number: int, form: str) -> str:
    """Return a number in a form without digits, in lower case where it has two cases; "" for what has no such form."""
    if form in ("lowerRoman", "upperRoman"):
        return _write_roman(number)
    if form in ("lowerLetter", "upperLetter", "russianLower", "russianUpper"):
        alphabet = _RUSSIAN if form.startswith("russian") else _LATIN
        times, place = divmod(number - 1, len(alphabet))
        return alphabet[place] * (times + 1) if times < _MOST_LETTERS else ""
    words = _LISTED.get(form, ())
    return words[number - 1] if number <= len(words) else ""


def _write_roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN if number <= _MOST_ROMAN else ():
        times, number = divmod(number, value)
        written += letters * times
    return written.lower()


def _ordinal_ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A paragraph's place in its list."""

    depth: int  # 0 for a list that is in no other
    label: str = ""  # what Word sets before it, as "§ 2" or "(b)"; "" for a bullet


@dataclass(frozen=True, kw_only=True, slots=True)
class _Level:
    """One level of a list."""

    format: str  # as "decimal", "bullet", "upperRoman"
    digits: str  # the first number of a format "custom", as "001"
    text: str  # of the label, as "%1.%2"
    start: int
    restarts_below: int  # the level, from 1, below which it begins anew; 0 for never
    is_legal: bool  # all numbers in its label are decimal
    is_hidden: bool
    style: str  # the id of the style that it belongs to


class Numbers:
    """Counts the paragraphs of a document, asked in its order."""

    def __init__(self, root: "_Element | None", styles: Styles) -> None:
        self._styles = styles
        self._lists = _Lists(root, styles)
        self._counts: dict[str, list[int | None]] = {}  # of the levels, by the list's id
        self._begun: set[tuple[str, int]] = set()  # the numbers (w:num) whose own start was used, with the level
        self._by_style: dict[str, tuple[str, str]] = {}  # the number and the level of a style
        self._by_name: dict[int, int] = {}  # of the styles of lists in a document that says no more of them

    def of(self, paragraph: Paragraph, text: str) -> Listed | None:
        """Return the place of the next paragraph, whose words are given; None when it is no item."""
        number, level = self._number_of(paragraph)
        named_style = _LIST_STYLE.fullmatch(self._styles.name_of(paragraph))
        if number and number != "0" and (levels := self._lists.levels(number)):
            depth = level
            if named_style and named_style["level"] and not level:
                depth = int(named_style["level"]) - 1
            return self._count_item(number, level, levels, min(max(depth, 0), _LEVELS - 1))
        return self._count_by_name(named_style, text) if number != "0" else None

    def _count_item(self, number: str, level: int, levels: "list[_Level | None]", depth: int) -> Listed | None:
        own = levels[level]
        if own is None or own.format == "bullet":
            return Listed(depth=depth)
        shared = self._lists.shared(number)
        counts = self._counts.setdefault(shared, [None] * _LEVELS)
        start = self._lists.own_start(number, level)
        before = counts[level]
        if before is None or (start is not None and (number, level) not in self._begun):
            counts[level] = own.start if start is None else start
        else:
            counts[level] = before + 1
        self._begun.add((number, level))
        for below in range(level + 1, _LEVELS):
            lower = levels[below]
            if lower is None or (lower.restarts_below and level < lower.restarts_below):
                counts[below] = None
        label = "" if own.is_hidden else _write_label(own, levels, counts)
        return Listed(depth=depth, label=label) if label else None

    def _count_by_name(self, named_style: "re.Match[str] | None", text: str) -> Listed | None:
        """Count an item whose style is called one of a list and says no more; any other paragraph ends the list."""
        if not named_style or named_style["kind"] == "continue":
            if text.strip():
                self._by_name = {}
            return None
        depth = min(max(int(named_style["level"] or 1) - 1, 0), _LEVELS - 1)
        if named_style["kind"] != "number":
            return Listed(depth=depth)
        self._by_name = {level: count for level, count in self._by_name.items() if level <= depth}
        self._by_name[depth] = self._by_name.get(depth, 0) + 1
        return Listed(depth=depth, label=f"{self._by_name[depth]}.")

    def _number_of(self, paragraph: Paragraph) -> tuple[str, int]:
        """Return the id of the number (w:num) of a paragraph, "" for none and "0" for none on purpose, and its level.

        The paragraph says them, or its style, or one that its style inherits from; each of the two apart.
        """
        style = self._styles.id_of(paragraph)
        if style not in self._by_style:
            self._by_style[style] = self._number_of_style(style)
        number, level = self._by_style[style]
        own = None if paragraph.properties is None else paragraph.properties.find(named("w:numPr"))
        if own is not None:
            own_number, own_level = value_of(own, "w:numId"), value_of(own, "w:ilvl")
            number, level = own_number or number, own_level or ("" if own_number else level)
        return number, min(number_of(level), _LEVELS - 1)

    def _number_of_style(self, style: str) -> tuple[str, str]:
        number = level = ""
        for identifier, element in self._styles.chain(style):
            stated = element.find(f"{named('w:pPr')}/{named('w:numPr')}")
            if stated is None:
                continue
            if not number:
                number = value_of(stated, "w:numId")
                level = level or self._lists.level_of_style(number, identifier)
            level = level or value_of(stated, "w:ilvl")
        return number, level


class _Lists:
    """The definitions of a document's lists: numbers (w:num) that share lists (w:abstractNum)."""

    def __init__(self, root: "_Element | None", styles: Styles) -> None:
        self._abstract: dict[str, _Element] = {}
        self._numbers: dict[str, _Element] = {}
        self._read: dict[str, list[_Level | None]] = {}
        self._by_style: dict[str, str] = {}  # lists by the style of lists that they define
        self._styles = styles
        for element in () if root is None else root:
            if element.tag == named("w:abstractNum"):
                identifier = get(element, "w:abstractNumId")
                self._abstract.setdefault(identifier, element)
                if style := value_of(element, "w:styleLink"):
                    self._by_style.setdefault(style, identifier)
            elif element.tag == named("w:num"):
                self._numbers.setdefault(get(element, "w:numId"), element)

    def shared(self, number: str) -> str:
        """Return the id of the list that a number uses, which others may go on counting."""
        identifier = value_of(self._numbers.get(number), "w:abstractNumId")
        link = value_of(self._abstract.get(identifier), "w:numStyleLink")
        return self._by_style.get(link, identifier) if link else identifier

    def levels(self, number: str) -> "list[_Level | None]":
        """Return the levels of a number; none where the document has no such number."""
        if number not in self._read:
            abstract = self._abstract.get(self.shared(number))
            levels: list[_Level | None] = [None] * _LEVELS
            sources = [] if abstract is None else [abstract]
            if number in self._numbers:
                sources += self._numbers[number].iterchildren(named("w:lvlOverride"))
            for place, level in ((place, level) for source in sources for place, level in _read_levels(source)):
                levels[place] = level
            self._read[number] = levels if number in self._numbers else []
        return self._read[number]

    def own_start(self, number: str, level: int) -> int | None:
        """Return where a number begins to count on its own; None where it goes on with its list."""
        element = self._numbers.get(number)
        for override in () if element is None else element.iterchildren(named("w:lvlOverride")):
            start = value_of(override, "w:startOverride")
            if start and number_of(get(override, "w:ilvl"), _LEVELS) == level:
                return number_of(start, 1)
        return None

    def level_of_style(self, number: str, style: str) -> str:
        """Return the level of a number that belongs to a style; "" where none does."""
        levels = enumerate(self.levels(number))
        return next((str(place) for place, level in levels if level and level.style == style), "")


def _read_levels(source: "_Element") -> "Iterator[tuple[int, _Level]]":
    for element in source.iterchildren(named("w:lvl")):
        place = number_of(get(element, "w:ilvl"), _LEVELS)
        if place < _LEVELS:
            yield place, _read_level(element, place)


def _read_level(element: "_Element", place: int) -> _Level:
    # A form that Word knew later is in an alternative, with its nearest form for older ones beside it.
    formats = list(element.iter(named("w:numFmt")))
    custom = next((get(one, "w:format") for one in formats if get(one, "w:format")), "")
    restart = value_of(element, "w:lvlRestart")
    return _Level(
        format="custom" if custom else get(formats[0] if formats else None, "w:val", "decimal"),
        digits=custom.split(",")[0].strip(),
        text=value_of(element, "w:lvlText"),
        start=number_of(value_of(element, "w:start")),
        restarts_below=number_of(restart, place) if restart else place,
        is_legal=bool(is_on(element, "w:isLgl")),
        is_hidden=bool(is_on(element.find(named("w:rPr")), "w:vanish")),
        style=value_of(element, "w:pStyle"),
    )


def _write_label(own: _Level, levels: "list[_Level | None]", counts: list[int | None]) -> str:
    def write(found: "re.Match[str]") -> str:
        place = int(found[1]) - 1
        level, count = levels[place], counts[place]
        if level is None or level.format == "bullet":
            return ""
        number = level.start if count is None else count
        return write_number(number, "decimal" if own.is_legal else level.format, level.digits)

    return one_line(_PLACE.sub(write, own.text[:_LONGEST_LABEL]), _LONGEST_LABEL)
