"""Read dates in a text by core.language.nlp.dates, also years and months alone, and compare what two say. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.nlp.dates import MONTH_NUMBERS, MONTHS, YEAR, blank_out, find_dates
from core.language.nlp.written_numbers import write_powers

_DASHES = re.compile("[‐‑‒–—−]")
# Names of months by themselves. "May" and "March" are words as well, and months only where the words around say so; in
# capitals "AND MAY" and "TO MARCH" hold verbs more often.
_ONLY_MONTHS = [name for name in MONTHS if name not in ("May", "March")]
_MONTH_ALONE = re.compile(
    rf"\b(?:{'|'.join((*_ONLY_MONTHS, *(name.upper() for name in _ONLY_MONTHS)))}"
    r"|(?:(?<=\b(?i:in|by|of) )|(?<=\b(?i:from) )|(?<=\b(?i:since|until) ))(?:May|March|MAY|MARCH)"
    r"|(?<=\b[Tt]o )March|(?<=\band )(?:May|March)(?!\s+[a-z]))\b"
)
# A colon follows the name of a column; 2019:30 is no year.
_YEAR_ALONE = re.compile(rf"(?<![\w$€£.,/:]){YEAR}(?!\w|:\d|/\d)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Date:
    """A date; a part that the text does not name is None."""

    year: int | None = None
    month: int | None = None  # 1..12
    day: int | None = None

    def says(self, other: "Date") -> bool:
        """Return True if this date has every part that the other one has, with the same value."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(theirs is None or ours == theirs for ours, theirs in pairs)

    def in_year(self, year: int) -> "Date":
        """Return this date with its year filled in, if it has none."""
        return Date(year=self.year or year, month=self.month, day=self.day)


def split_dates(text: str) -> tuple[list[Date], str]:
    """Find the dates of a text, and put blanks in their places, so that their numbers are not read again."""
    text = _DASHES.sub("-", write_powers(text))
    written = [date for date in find_dates(text) if date.is_sure]
    found = [Date(year=date.year, month=date.month, day=day) for date in written for day in date.days or (None,)]
    rest = blank_out(text, written)
    found += (Date(month=MONTH_NUMBERS[match.group().casefold()]) for match in _MONTH_ALONE.finditer(rest))
    found += (Date(year=int(match.group())) for match in _YEAR_ALONE.finditer(rest))
    return found, _YEAR_ALONE.sub(_blank_out, _MONTH_ALONE.sub(_blank_out, rest))


def has_unknown(said: Sequence[Date], quotes: Sequence[Sequence[Date]], source: Sequence[Date]) -> bool:
    """Return True if a date of a statement is nowhere: neither in its quotes nor that of their source."""
    known = [*(date for quote in quotes for date in _complete_years(quote, source)), *source]
    return not all(any(other.says(date) for other in known) for date in said)


def has_unsupported(said: Sequence[Date], quotes: Sequence[Sequence[Date]], source: Sequence[Date]) -> bool:
    """Return True if a date of a statement is neither in its quotes nor that of their source.

    quotes: the dates of each quote. A date without its year takes those of its own quote, or else the source's. The
    source's date does not replace a date that the quotes have and the statement leaves out: it would be swapped.
    """
    completed = [date for quote in quotes for date in _complete_years(quote, source)]
    for date in said:
        if any(other.says(date) for other in completed):
            continue
        if not any(other.says(date) for other in source):
            return True
        if any(_is_same_kind(other, date) and not any(other.says(s) for s in said) for other in completed):
            return True
    return False


def _complete_years(quote: Sequence[Date], source: Sequence[Date]) -> list[Date]:
    years = {date.year for date in quote if date.year} or {date.year for date in source if date.year}
    return [*quote, *(date.in_year(year) for date in quote if not date.year for year in years)]


def _is_same_kind(date: Date, other: Date) -> bool:
    return bool(date.month) if other.month else bool(date.year)


def _blank_out(match: re.Match[str]) -> str:
    return " " * len(match.group())
