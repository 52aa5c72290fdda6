"""Filters in words, for whoever reads an answer."""

import datetime as dt

from core.types import Filters


def narrowed_to(filters: Filters) -> str:
    """What a search was narrowed to, such as "minutes, 2024"; empty when nothing was left out."""
    parts = (
        filters.document_type,
        filters.collection or " or ".join(filters.collections),
        f"“{filters.source}”" if filters.source else "",
        filters.chapter,
        f"section {filters.section}" if filters.section else "",
        _dates(filters.date_from, filters.date_to),
    )
    return ", ".join(part for part in parts if part)


def _dates(first: dt.date | None, last: dt.date | None) -> str:
    if first and last:
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
            return f"{first:%Y}" if first.year == last.year else f"{first:%Y} to {last:%Y}"
        if first.day == 1 and (last + dt.timedelta(days=1)).day == 1:
            same = (first.year, first.month) == (last.year, last.month)
            return f"{first:%B %Y}" if same else f"{first:%B %Y} to {last:%B %Y}"
        return _day(first) if first == last else f"{_day(first)} to {_day(last)}"
    if first:
        return f"since {_day(first)}"
    return f"until {_day(last)}" if last else ""


def _day(date: dt.date) -> str:
    return f"{date:%-d %B %Y}"
