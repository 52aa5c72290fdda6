"""Dates in a text, whole or in part, and whether one date says what another says. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.text import MONTHS

_NUMBERS = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
_MONTH = r"(?P<month>" + "|".join(MONTHS) + r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?)"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?![\d%]|[.,/]\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\d%]|[.,/]\d)"
_TO_DAY = r"(?:\s*(?:-|to|and|through)\s*(?P<last>[0-3]?\d)(?:st|nd|rd|th)?(?![\d%]|[.,/:]\d))?"
# "May" and "March" are words as well, and names of months only where the words around say so.
_PLAIN_MONTH = (
    r"(?P<month>" + "|".join(name for name in MONTHS if name not in ("May", "March")) + r")"
    r"|(?<=\b[Ii]n )(?P<in>May|March)|(?<=\b[Bb]y )(?P<by>May|March)|(?<=\b[Oo]f )(?P<of>May|March)"
    r"|(?<=\b[Ss]ince )(?P<since>May|March)|(?<=\b[Uu]ntil )(?P<until>May|March)|(?<=\b[Ff]rom )(?P<from>May|March)"
    r"|(?<=\b[Tt]o )(?P<to>March)|(?<=\band )(?P<and>May|March)(?!\s+[a-z])"
)
_FORMS = (
    re.compile(r"(?<![\d-])(?P<year>(?:1[5-9]|20)\d\d)-(?P<number>[01]\d)-(?P<day>[0-3]\d)(?!\d)"),
    re.compile(rf"\b{_MONTH}\s+{_DAY}{_TO_DAY}(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_DAY}{_TO_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}"),
    re.compile(rf"\b(?:{_PLAIN_MONTH})\b"),
    re.compile(rf"(?<![\w$€£.,/:]){_YEAR}(?![\w:])"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Date:
    """A date; a part that the text does not name is None."""

    year: int | None = None
    month: int | None = None  # 1..12
    day: int | None = None

    def says(self, other: "Date") -> bool:
        """True when this date has every part that the other one has, with the same value."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(theirs is None or ours == theirs for ours, theirs in pairs)

    def in_year(self, year: int) -> "Date":
        """This date with its year filled in, if it has none."""
        return Date(year=self.year or year, month=self.month, day=self.day)


def dates(text: str) -> tuple[list[Date], str]:
    """The dates of a text, and the text with blanks in their places, so that their numbers are not read again."""
    text = re.sub("[‐‑‒–—−]", "-", text)
    found: list[Date] = []
    for form in _FORMS:
        for match in form.finditer(text):
            found.extend(_dates(match))
        text = form.sub(lambda match: " " * len(match.group()), text)
    return found, text


def unknown(said: Sequence[Date], quotes: Sequence[Sequence[Date]], source: Sequence[Date]) -> bool:
    """True when a date of a statement is nowhere: neither in its quotes nor that of their source."""
    known = [*(date for quote in quotes for date in _completed(quote, source)), *source]
    return not all(any(other.says(date) for other in known) for date in said)


def unsupported(said: Sequence[Date], quotes: Sequence[Sequence[Date]], source: Sequence[Date]) -> bool:
    """True when a date of a statement is neither in its quotes nor that of their source.

    quotes: the dates of each quote. A date without its year takes those of its own quote, or else the source's. The
    source's date does not stand in for a date that the quotes have and the statement leaves out: it would be swapped.
    """
    completed = [date for quote in quotes for date in _completed(quote, source)]
    for date in said:
        if any(other.says(date) for other in completed):
            continue
        if not any(other.says(date) for other in source):
            return True
        if any(_same_kind(other, date) and not any(other.says(s) for s in said) for other in completed):
            return True
    return False


def _completed(quote: Sequence[Date], source: Sequence[Date]) -> list[Date]:
    years = {date.year for date in quote if date.year} or {date.year for date in source if date.year}
    return [*quote, *(date.in_year(year) for date in quote if not date.year for year in years)]


def _same_kind(date: Date, other: Date) -> bool:
    return bool(date.month) if other.month else bool(date.year)


def _dates(match: re.Match[str]) -> list[Date]:
    groups = {name: value for name, value in match.groupdict().items() if value}
    year = int(groups["year"]) if "year" in groups else None
    name = next((groups[key] for key in groups if key not in ("year", "day", "last", "number")), None)
    month = int(groups["number"]) if "number" in groups else _NUMBERS[name[:3]] if name else None
    days = [int(groups[key]) for key in ("day", "last") if key in groups]
    return [Date(year=year, month=month, day=day) for day in days] or [Date(year=year, month=month)]
