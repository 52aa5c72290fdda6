"""The names of files and the dates in what names a document: titles, endings, days. Pure."""

import datetime as dt
import re
import unicodedata
from pathlib import PurePosixPath

from core.language.nlp.dates import find_dates, find_dates_in_name

OLDEST = 1900  # the year; what is older is what a title speaks of

_LONGEST = 200  # characters of a name that somebody gave a file; systems take 255 bytes
_LONGEST_ENDING = 10
_SEPARATORS = re.compile(r"[/\\]")


def date_in_name(name: str) -> dt.date | None:
    """Return the date in a file's name or an address, in figures: year, month, day."""
    return next((date.last for date in find_dates_in_name(name) if date.last), None)


def date_in_words(text: str) -> dt.date | None:
    """Return the first day in a title or a line, of several the last: "January 30-31, 2024", "31 January 2024".

    A month's name goes before figures, which may say when it came out: "2024-02-21: minutes of January 31, 2024".
    """
    found = [date for date in find_dates(text) if date.day and date.last and date.last.year >= OLDEST]
    found.sort(key=lambda date: not date.name)
    return found[0].last if found else date_in_name(text)


def as_date(value: object) -> dt.date | None:
    """Return a date from a value in a file's header: a date, a time, or text that holds one."""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    return date_in_words(value) if isinstance(value, str) else None


def clean_uploaded_name(name: str) -> str:
    """Clean the name of an uploaded file, to be stored and shown.

    Folders before it, invisible characters and those that turn the direction of reading are removed, and it is
    shortened; "file" replaces an empty name.
    """
    last = _SEPARATORS.split(name)[-1]
    shown = "".join(character for character in last if not unicodedata.category(character).startswith("C"))
    stem, ending = _split_ending(" ".join(shown.split()))
    return f"{stem[: _LONGEST - len(ending)].strip(' .') or 'file'}{ending}"


def _split_ending(name: str) -> tuple[str, str]:
    """Return a name and its ending, with the dot; an ending that is none of a file stays with the name."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if dot and ending.isalnum() and len(ending) < _LONGEST_ENDING else (name, "")


def title_from_name(name: str) -> str:
    """Make a readable title from a file's name: "safety_manual-2.pdf" becomes "Safety manual 2".

    A hyphen between figures stays: "fees-2025-26.xlsx" becomes "Fees 2025-26".
    """
    stem = PurePosixPath(name).stem or name
    if date_in_name(stem) and not re.search(r"[A-Za-z]{2}", stem):
        return stem
    words = re.sub(r"(?:[\s_]|(?<!\d)-|-(?!\d))+", " ", stem).strip()
    return words[:1].upper() + words[1:] if words else name


def suffix(name: str) -> str:
    """Return the ending of a file's name, in lower case and with its dot; "" when it has none."""
    return PurePosixPath(name).suffix.lower()
