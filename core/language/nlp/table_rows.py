"""Find rows of tables about something else than a question asks. Pure.

The rows of a table say the same in the same words of other years, products and places: each is near to a question about
any of them, also where the table lacks the one that is asked for. A sentence of prose names its subject; a row does by
its first cell, the names of its columns and the heading above it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.language.nlp.dates import WrittenDate, find_dates
from core.language.nlp.layout import BAR, cells
from core.language.nlp.seasons import find_season
from core.language.nlp.text import content_stems, stem

_YEAR = re.compile(r"(?<!\d)(?<!\d[.,])(?:19|20)\d\d(?![\d%]|[.,]\d)")
_STEMS_OF_PERIODS = {"end", "year"}  # at the end of 2024, in the year 2024
_STEMS_OF_PLACING = frozenset(content_stems("stand stored kept found lies located hangs belongs"))
# A time that may be a year of a table without being named in it.
_OPEN_TIME = re.compile(
    r"\b(?:since|before|after|until|till|between|from|through|over|during|by|ever|every|each|all|history)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[a-z]{1,4}-?(?P<number>\d{1,6})")  # E42, which is asked for as "error 42" as well
_NUMBERED = re.compile(r"\A(?P<thing>[^\W\d_]++) \d{1,4}\Z")  # "Shelf 8" in a column that is called "Place"
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’-]+")
_THING_OF_NAME = re.compile(r"(?<!^)(?<![\w-])(?P<name>[A-Z][\w-]++)\s(?=(?P<thing>[\w-]++))")


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    """A row with what is around it."""

    text: str
    leads: tuple[str, ...]  # what introduces it: the table's caption, the names of its columns
    heading: frozenset[str]  # stems of the headings above it
    passage: frozenset[str]  # stems of its passage, headings included

    @property
    def key(self) -> str:
        """Return its first cell, which says what the row is about."""
        return cells(self.text)[0]

    @property
    def header(self) -> str:
        """Return the names of the columns; "" where the table names none."""
        return self.leads[-1] if self.leads and BAR in self.leads[-1] else ""

    def lacks_column_for(self, question: str) -> tuple[str, ...]:
        """Return the names of its columns where a question names the row, and asks for none of them in their words."""
        names = tuple(name for name in cells(self.header)[1:] if not _YEAR.search(name))
        asked, key = set(content_stems(question)), set(content_stems(self.key))
        rest = asked - key - self.heading - set(content_stems(cells(self.header)[0]))
        told = set(content_stems(" ".join((self.text, *self.leads))))
        return names if key and key <= asked and rest and not rest & told else ()

    def is_named_by(self, question: str) -> bool:
        """Return True if a question names a cell and a column, and else nothing but its table and its document."""
        asked = set(content_stems(question)) - _STEMS_OF_PLACING
        columns = {
            *content_stems(self.header),
            *(stem(found["thing"]) for found in map(_NUMBERED.match, cells(self.text)) if found),
        }
        around = self.heading.union(columns, *map(content_stems, self.leads))
        if any(_YEAR.fullmatch(each) for each in asked & around):
            around |= _STEMS_OF_PERIODS
        parts = (set(content_stems(part)) for cell in cells(self.text) for part in (cell, cell.rpartition(": ")[2]))
        named = set().union(*(part for part in parts if part <= asked))
        return bool(named - self.heading and asked & columns) and asked <= named | around


class RowsAsked:
    """The subject, the years, the days and the names that a question looks for in tables."""

    def __init__(self, question: str, headings: Iterable[frozenset[str]]) -> None:
        # "In winter" is said by months: core.language.nlp.seasons.
        self._stems = set(content_stems(question)) - set(content_stems(" ".join(find_season(question).names)))
        self._years = set() if _OPEN_TIME.search(question) else set(_YEAR.findall(question))
        self._days = () if _OPEN_TIME.search(question) else _find_days(question)
        named = {stem(name) for name in _NAME.findall(question)}
        # A name that some headings hold is that of a company or a product, and rows under others are not its.
        self._names = {name for name in named if any(name in heading for heading in headings)}
        self._of_names = [(stem(found["name"]), stem(found["thing"])) for found in _THING_OF_NAME.finditer(question)]

    def is_about_another(self, row: TableRow) -> bool:
        """Return True if a row is about another year or name, or a member of its group that is not asked for."""
        own = set(content_stems(row.text))
        own |= {found["number"] for each in own if (found := _CODE.fullmatch(each))}
        is_of_others = bool(self._names - row.heading - own)
        is_of_another_time = self._is_of_another_year(row) or self._is_of_another_day(row)
        return is_of_others or is_of_another_time or self._is_one_of_others(row, own)

    def _is_of_another_year(self, row: TableRow) -> bool:
        by_year = _YEAR.findall(f"{row.key} {row.header}")
        told = {*by_year, *_YEAR.findall(" ".join((row.text, *row.leads)))}
        return bool(self._years and by_year) and self._years.isdisjoint(told)

    def _is_of_another_day(self, row: TableRow) -> bool:
        """Return True if a question names days, and the first cell of a row another one."""
        days = _find_days(row.key) if self._days else ()
        return bool(days) and not any(_agree(asked, day) for asked in self._days for day in days)

    def _is_one_of_others(self, row: TableRow, own: set[str]) -> bool:
        """Return True if a row is about another thing of its kind: the Beta pump, where the Gamma pump is asked for.

        This also holds where a column of the table is asked for, and neither the row nor the text around it has the
        thing that the question is about.
        """
        key = set(content_stems(row.key))
        if any(name not in row.passage and thing in key for name, thing in self._of_names):
            return True
        columns = {each for each in content_stems(" ".join(cells(row.header)[1:])) if not _YEAR.search(each)}
        is_of_a_year = bool(_YEAR.search(row.key))
        return bool(columns & self._stems and self._stems - row.passage) and not (is_of_a_year or own & self._stems)


def _find_days(text: str) -> tuple[WrittenDate, ...]:
    return tuple(date for date in find_dates(text) if date.day)


def _agree(asked: WrittenDate, told: WrittenDate) -> bool:
    """Return True if two days may be the same; a year that one of them leaves out may be any."""
    is_same_year = asked.year == told.year or asked.year is None or told.year is None
    return is_same_year and asked.month == told.month and bool(set(asked.days) & set(told.days))
