"""Dates as they are written in English: 5 March 2024, March 5th, 2024, 2024-03-05, 2024/03/05, March 2024. Pure.

The one grammar of questions, citations and files. It gives the parts of a date and their places; their meaning is for
its readers: a question's date is a stretch of days, a citation's is compared part by part, a file's is one day.

A date with its year counts in small letters and in capitals as well: nothing else looks like it. Without a year only a
day beside a name that begins with a capital is one, since "may 5 people enter?" asks no date.

03/05/2024 and 05.03.2024 are no dates here. They are the 3rd of May or the 5th of March, and a wrong day is worse than
none: a question takes the year from 03/05/2024, which both readings share, a citation compares the figures as written,
and a file has no date from it.

From the dates of a sentence, and the words before them, follows since when and until when it says that something holds.
"""

import calendar
import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT = {"Sept": 9} | {name[:3]: number for number, name in enumerate(MONTHS, 1)}
MONTH_NUMBERS = {name.casefold(): number for name, number in (*zip(MONTHS, range(1, 13), strict=True), *_SHORT.items())}

# Both are for patterns of readers too, whose flags say whether small letters count. A month's full name that a full
# stop follows ends a sentence: "It began in March. 5 people came."
MONTH = rf"(?:(?:{'|'.join(MONTHS)})\b|(?:{'|'.join(_SHORT)})\b\.?)"
YEAR = r"(?:1[5-9]|20)\d\d(?![\d%]|[.,]\d)"  # no share, and no part of a longer number or one such as 2012.11770

# In capitals "MAY" is the verb: THE HALL MAY 5 TIMES A YEAR BE CLOSED.
_WITH_CAPITAL = rf"(?:{MONTH}|(?:{'|'.join(name.upper() for name in MONTHS if name != 'May')})\b)"
_ORDINAL = r"(?i:st|nd|rd|th)?"
_DAY = rf"(?P<day>3[01]|[12]\d|0?[1-9]){_ORDINAL}(?![\d%]|[.,/]\d)"
# "March 19-20" and "March 5 and 7"; not the hour in "March 5 to 7:30".
_LAST_DAY = (
    rf"(?:\s*(?:[-‐‑‒–—−]|(?i:to|and|through))\s*(?P<last_day>3[01]|[12]\d|0?[1-9]){_ORDINAL}(?![\d%]|[.,/:]\d))?"
)
_NUMBERED_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)"
# The fuller form comes first: what it reads is not read again.
_FORMS = (
    re.compile(
        rf"(?<![\d-])(?<!\d[.,]){_NUMBERED_YEAR}-(?P<number>0[1-9]|1[0-2])-(?P<day>3[01]|[12]\d|0[1-9])(?!-?\d)"
    ),
    # No path of an address: https://example.org/2024/03/05/news
    re.compile(
        rf"(?<![\d/-])(?<!\d[.,]){_NUMBERED_YEAR}/(?P<number>1[0-2]|0?[1-9])/(?P<day>3[01]|[12]\d|0?[1-9])(?![\d/]|-\d)"
    ),
    re.compile(rf"(?<![\d-])(?<!\d[.,]){_NUMBERED_YEAR}-(?P<number>0[1-9]|1[0-2])(?![\d%]|[.,-]\d)"),
    re.compile(rf"\b(?P<name>{MONTH})\s+{_DAY}{_LAST_DAY},?\s+(?P<year>{YEAR})", re.IGNORECASE),
    re.compile(rf"\b{_DAY}{_LAST_DAY}\s+(?:of\s+)?(?P<name>{MONTH}),?\s+(?P<year>{YEAR})", re.IGNORECASE),
    re.compile(rf"\b(?P<name>{MONTH}),?\s+(?:of\s+)?(?P<year>{YEAR})", re.IGNORECASE),
    re.compile(rf"\b(?P<name>{_WITH_CAPITAL})\s+{_DAY}{_LAST_DAY}"),
    # Not "5 May" in "Section 3.5 May not be waived".
    re.compile(rf"(?<!\d[.,/:])\b{_DAY}{_LAST_DAY}\s+(?:of\s+)?(?P<name>{_WITH_CAPITAL})"),
)
_FIGURE_OF_MONTH = re.compile(
    rf"^\W*(?i:what|how (?:much|many|high|low|large))\b.{{0,80}}\s(?i:in)\s({'|'.join(MONTHS)})\b"
)
_IN_MONTH = re.compile(rf"\s(?:in|for|over|during)\s({'|'.join(MONTHS)})\b")
_DIGIT = re.compile(r"\d")
_READ = "\0"  # in the place of what was read: neither white space nor a part of a word, so that it joins nothing
_ALSO_VERBS = ("may", "march")

# 2024-01-31, 2024_01_31, 2024.01.31 or 20240131; not a part of a longer number, nor of an identifier such as
# 20080104X00020.
_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<mark>[-_.]?)(?P<number>0[1-9]|1[0-2])(?P=mark)(?P<day>3[01]|[12]\d|0[1-9])"
    r"(?!\d|[A-Za-z]\d\d)"
)

_BEFORE = 40  # characters before a date that are looked at
_THE_DAY = r"\s(?:the\s)?(?:(?:end|beginning|start|middle)\sof\s)?\Z"
_ENDS = re.compile(rf"\b(?:until|till|up\sto|through|ended\son|expired\son|lapsed\son){_THE_DAY}", re.IGNORECASE)
_BEGINS = re.compile(
    rf"\b(?:since|from|as\s(?:of|from)|starting|beginning|effective|with\seffect\sfrom|after){_THE_DAY}", re.IGNORECASE
)
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|did|had|until|till|before|earlier|previously|formerly|former|used to|since|history|chang\w+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenDate:
    """A date at its place in a text: a day, days from one to another of a month, or a month. None: not written."""

    start: int  # offsets into the text, in characters
    end: int
    year: int | None
    month: int  # 1..12
    day: int | None
    last_day: int | None  # of "March 19-20" or "March 5 and 7" the second
    name: str  # the month's, as it is written, without a full stop; empty where that is a number

    @property
    def days(self) -> tuple[int, ...]:
        """Return the days that are written, one or two; of a month none."""
        return tuple(day for day in (self.day, self.last_day) if day)

    @property
    def first(self) -> dt.date | None:
        """Return its first day; None without a year, and where that month has no such day."""
        return self._make_date(min(self.days) if self.days else 1)

    @property
    def last(self) -> dt.date | None:
        """Return its last day; None as for the first."""
        return self._make_date(max(self.days) if self.days else calendar.monthrange(self.year or 1, self.month)[1])

    @property
    def is_sure(self) -> bool:
        """Return True if it is a date in any text.

        People type "may 2024" in questions; in prose "may 2000" is a verb too.
        """
        return self.day is not None or self.name not in _ALSO_VERBS

    def _make_date(self, day: int) -> dt.date | None:
        try:
            return dt.date(self.year, self.month, day) if self.year else None
        except ValueError:  # the 31st of a month that has 30 days
            return None


def find_dates(text: str) -> tuple[WrittenDate, ...]:
    """Return the days and months that a text names, in order.

    Of years by themselves, and months by themselves, none.
    """
    found: list[WrittenDate] = []
    if not _DIGIT.search(text):  # most sentences have none
        return ()
    for form in _FORMS:
        dates = [_read_date(match) for match in form.finditer(text)]
        text = _put_out(text, dates, _READ)
        found += dates
    return tuple(sorted(found, key=lambda date: date.start))


def find_dates_in_name(name: str) -> tuple[WrittenDate, ...]:
    """Return the days in a file's name or an address, in order: year, month and day in figures, also without marks."""
    return tuple(_read_date(match) for match in _IN_NAME.finditer(name))


def is_of_another_month(question: str, text: str) -> bool:
    """Return True if a question asks for a figure of a month, and a text tells what it was in others."""
    asked = set(_FIGURE_OF_MONTH.findall(question))
    told = set(_IN_MONTH.findall(text)) if asked else set()
    return bool(told) and asked.isdisjoint(told)


def reword_dates(question: str, text: str) -> str:
    """Return a question with its days as a text has them in figures: "2025-09-03" for "3 September 2025".

    A day stays as it is where the text has no such day in figures. One without a year takes the text's.
    """
    asked = find_dates(question)
    if not asked:  # most questions have none, and each passage would be searched
        return question
    days = {(one.month, one.day, one.year): text[one.start : one.end] for one in find_dates(text) if not one.name}
    said, behind = "", 0
    for date in asked:
        years = [date.year] if date.year else sorted({year for *_, year in days if year}, reverse=True)
        written = (days.get((date.month, date.day, year)) for year in years if date.name and date.day)
        other = next(filter(None, written), "")
        if other and not date.last_day:
            said += question[behind : date.start] + other
            behind = date.end
    return said + question[behind:]


def blank_out(text: str, dates: Iterable[WrittenDate]) -> str:
    """Return the text with spaces in the places of some of its dates, which are given in order."""
    return _put_out(text, dates, " ")


def _put_out(text: str, dates: Iterable[WrittenDate], mark: str) -> str:
    pieces: list[str] = []
    done = 0
    for date in dates:
        pieces += (text[done : date.start], mark * (date.end - date.start))
        done = date.end
    return "".join((*pieces, text[done:])) if pieces else text


def _read_date(match: re.Match[str]) -> WrittenDate:
    groups = match.groupdict()
    name = (groups.get("name") or "").rstrip(".")
    day, last_day, year = (int(groups[key]) if groups.get(key) else None for key in ("day", "last_day", "year"))
    return WrittenDate(
        start=match.start(),
        end=match.end(),
        year=year,
        month=MONTH_NUMBERS[name.casefold()] if name else int(groups["number"]),
        day=day,
        last_day=last_day,
        name=name,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Validity:
    """Holds the first and the last day on which something holds, as far as a sentence names them."""

    since: dt.date | None = None  # the latest where it names several
    until: dt.date | None = None

    def has_ended(self, today: dt.date) -> bool:
        """Return True if it held until a day that is over, and nothing is said to hold since then."""
        return self.until is not None and self.until < today and (self.since is None or self.since <= self.until)

    def holds(self, today: dt.date) -> bool:
        """Return True if it is said to hold since a day that has come, and has not ended."""
        return self.since is not None and self.since <= today and not self.has_ended(today)

    def is_to_come(self, today: dt.date) -> bool:
        """Return True if it is said to hold from a day that has not come."""
        return self.since is not None and self.since > today and self.until is None


def find_validity(sentence: str) -> Validity:
    """Return since when and until when a sentence says that something holds."""
    since: list[dt.date] = []
    until: list[dt.date] = []
    for date in find_dates(sentence):
        before = sentence[max(date.start - _BEFORE, 0) : date.start]
        if _ENDS.search(before) and date.last:
            until.append(date.last)
        elif _BEGINS.search(before) and date.first:
            since.append(date.first)
    return Validity(since=max(since, default=None), until=max(until, default=None))


def asks_about_past(question: str) -> bool:
    """Return True if a question is about a time, or a change, and not only about what holds today."""
    return bool(_OF_THE_PAST.search(question)) or bool(find_dates(question))
