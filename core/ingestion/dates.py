"""Finding a document's date in what names it. Pure."""

import datetime as dt
import re

from core.text import MONTHS

# 2024-01-31, 2024_01_31 or 20240131; not a part of a longer number, nor of an identifier such as 20080104X00020.
_DIGITS = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d|[A-Za-z]\d\d)")
_MONTH_NAMES = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
# "January 31, 2024", and of "January 30-31, 2024" the last day.
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH_NAMES})\.?\s+(?:\d{{1,2}}\s*[-–—]\s*)?(\d{{1,2}}),?\s+((?:19|20)\d\d)\b", re.IGNORECASE
)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})\s+({_MONTH_NAMES})\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)


def date_in_name(name: str) -> dt.date | None:
    """The date in a file's name or an address, in figures: year, month, day."""
    for match in _DIGITS.finditer(name):
        found = _date(match[1], match[3], match[4])
        if found:
            return found
    return None


def date_in_words(text: str) -> dt.date | None:
    """The first date in a title or a line: "January 31, 2024", "31 January 2024" or in figures."""
    for match in _MONTH_FIRST.finditer(text):
        found = _date(match[3], _month(match[1]), match[2])
        if found:
            return found
    for match in _DAY_FIRST.finditer(text):
        found = _date(match[3], _month(match[2]), match[1])
        if found:
            return found
    return date_in_name(text)


def as_date(value: object) -> dt.date | None:
    """A date from a value in a file's header: a date, a time, or text that holds one."""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    return date_in_words(value) if isinstance(value, str) else None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3].title()))


def _date(year: str, month: str | int, day: str) -> dt.date | None:
    try:
        return dt.date(int(year), int(month), int(day))
    except ValueError:
        return None
