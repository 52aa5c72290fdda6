"""Filters in words, for whoever reads an answer."""

import datetime as dt
from collections.abc import Sequence
from functools import reduce

from core.language.i18n.translation import day, month, say
from core.types import Filters


def describe_filters(filters: Filters) -> str:
    """Describe what a search was narrowed to, such as "minutes, 2024"; empty when nothing was left out."""
    parts = (
        filters.document_type,
        filters.collection or _join_names(filters.collections),
        f"“{filters.source}”" if filters.source else "",
        filters.chapter,
        say("section {name}", name=filters.section) if filters.section else "",
        _describe_dates(filters.date_from, filters.date_to),
    )
    return ", ".join(part for part in parts if part)


def _describe_dates(first: dt.date | None, last: dt.date | None) -> str:
    if first and last:
        if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
            return _join_ends(f"{first:%Y}", f"{last:%Y}")
        if first.day == 1 and (last + dt.timedelta(days=1)).day == 1:
            return _join_ends(month(first), month(last))
        return _join_ends(day(first), day(last))
    if first:
        return say("since {day}", day=day(first))
    return say("until {day}", day=day(last)) if last else ""


def _join_ends(first: str, last: str) -> str:
    return first if first == last else say("{first} to {last}", first=first, last=last)


def _join_names(names: Sequence[str]) -> str:
    return reduce(lambda some, last: say("{some} or {last}", some=some, last=last), names) if names else ""
