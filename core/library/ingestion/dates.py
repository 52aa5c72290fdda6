"""Finding a document's date in what names it. Pure."""

import datetime as dt

from core.language.nlp.dates import find_dates, find_dates_in_name

OLDEST = 1900  # the year; what is older is what a title speaks of


def date_in_name(name: str) -> dt.date | None:
    """The date in a file's name or an address, in figures: year, month, day."""
    return next((date.last for date in find_dates_in_name(name) if date.last), None)


def date_in_words(text: str) -> dt.date | None:
    """The first day in a title or a line, of several the last: "January 30-31, 2024", "31 January 2024".

    A month's name goes before figures, which may say when it came out: "2024-02-21: minutes of January 31, 2024".
    """
    found = [date for date in find_dates(text) if date.day and date.last and date.last.year >= OLDEST]
    found.sort(key=lambda date: not date.name)
    return found[0].last if found else date_in_name(text)


def as_date(value: object) -> dt.date | None:
    """A date from a value in a file's header: a date, a time, or text that holds one."""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    return date_in_words(value) if isinstance(value, str) else None
