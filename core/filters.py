"""Filters in JSON: as somebody gives them at whichever door, checked, and as they are stored."""

import datetime as dt
import re
from typing import Any

from core.errors import InvalidFilterError
from core.language.nlp.text import one_line, remove_controls
from core.models import Document
from core.types import TEXT_FILTERS, Filters

LEAST_RESULTS, MOST_RESULTS = 1, 10
LONGEST_FILTER = 300  # characters of a text in a filter
MOST_NAMES = 50  # collections in a filter
KNOWN_FILTERS = frozenset({*TEXT_FILTERS, "collections", "date_from", "date_to", "max_results"})
MOST_SHOWN, LONGEST_SHOWN = 5, 50  # unknown names that an error repeats, and characters of each

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_filters(raw: dict[str, Any] | None) -> Filters:
    """Filters from the JSON form that somebody gave, at whichever door.

    InvalidFilterError names the part that cannot be used: an unknown one, one that no document can have, a list or text
    that is empty or too long.
    """
    if raw is None:
        return Filters()
    if not isinstance(raw, dict):
        raise InvalidFilterError('Filters must be an object such as {"document_type": "minutes"}.')
    unknown = sorted(str(name)[:LONGEST_SHOWN] for name in raw.keys() - KNOWN_FILTERS)
    if unknown:
        raise InvalidFilterError(f"Unknown filter: {', '.join(unknown[:MOST_SHOWN])}.")
    texts: dict[str, Any] = {name: _text(name, raw[name]) for name in TEXT_FILTERS if raw.get(name) is not None}
    filters = Filters(
        **texts,
        collections=_names("collections", raw.get("collections")),
        date_from=_date("date_from", raw.get("date_from")),
        date_to=_date("date_to", raw.get("date_to")),
        max_results=_max_results(raw.get("max_results")),
    )
    if filters.document_type and filters.document_type not in Document.Type.values:
        raise InvalidFilterError(f"document_type must be one of: {', '.join(Document.Type.values)}.")
    if filters.date_from and filters.date_to and filters.date_from > filters.date_to:
        raise InvalidFilterError("date_from is after date_to.")
    return filters


def filters_as_json(filters: Filters) -> dict[str, Any]:
    """The JSON form of filters, without the parts that do not narrow."""
    raw: dict[str, Any] = {name: getattr(filters, name) for name in TEXT_FILTERS if getattr(filters, name)}
    if filters.collections:
        raw["collections"] = list(filters.collections)
    raw |= {name: getattr(filters, name).isoformat() for name in ("date_from", "date_to") if getattr(filters, name)}
    return raw | {"max_results": filters.max_results}


def filters_from_json(raw: dict[str, Any]) -> Filters:
    """Filters from their stored JSON form. They were checked when they were given, perhaps by other rules than now."""
    texts: dict[str, Any] = {name: str(raw[name]) for name in TEXT_FILTERS if raw.get(name)}
    return Filters(
        **texts,
        collections=tuple(raw.get("collections") or ()),
        date_from=dt.date.fromisoformat(raw["date_from"]) if raw.get("date_from") else None,
        date_to=dt.date.fromisoformat(raw["date_to"]) if raw.get("date_to") else None,
        max_results=raw.get("max_results") or Filters().max_results,
    )


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_FILTER:
        raise InvalidFilterError(f"{name} must be text of at most {LONGEST_FILTER} characters.")
    text = one_line(remove_controls(value))
    if not text:
        raise InvalidFilterError(f"{name} is empty. Leave it out, or give it a value.")
    return text


def _names(name: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST_NAMES:
        raise InvalidFilterError(f"{name} must be a list of 1 to {MOST_NAMES} names.")
    return tuple(dict.fromkeys(_text(name, each) for each in value))


def _date(name: str, value: Any) -> dt.date | None:
    if value is None:
        return None
    if isinstance(value, dt.date):
        return value
    try:
        if not _DAY.fullmatch(value):
            raise ValueError
        return dt.date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidFilterError(f"{name} must be a date like 2024-03-20.") from error


def _max_results(value: Any) -> int:
    if value is None:
        return Filters().max_results
    if not isinstance(value, int) or isinstance(value, bool) or not LEAST_RESULTS <= value <= MOST_RESULTS:
        raise InvalidFilterError(f"max_results must be a whole number from {LEAST_RESULTS} to {MOST_RESULTS}.")
    return value
