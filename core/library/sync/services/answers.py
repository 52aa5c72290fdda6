"""Read what a service answers, of whose form nothing is taken for granted: values, and listings in pages. Pure."""

from collections.abc import Callable, Iterator, Mapping
from string import ascii_letters, digits
from typing import Any

from core.errors import SourceError

NO_ID = "the source gives it no id by which it could be kept apart"
_ID_MARKS = frozenset(ascii_letters + digits + "-_")

_MOST_PAGES = 100_000


def inner(found: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """Return the object below some names; {} when there is none."""
    for name in names:
        below = found.get(name)
        if not isinstance(below, dict):
            return {}
        found = below
    return found


def identifier(found: Mapping[str, Any], *names: str, also: str = "") -> str:
    """Return the value below some names, if it is an id; "" for anything else: what has none cannot be kept apart.

    also: characters beside letters, digits, "-" and "_" that ids of this service have.
    """
    value = text(found, *names)
    return value if value and set(value) <= _ID_MARKS | set(also) else ""


def text(found: Mapping[str, Any], *names: str) -> str:
    """Return the value below some names as text; "" when there is none."""
    value = inner(found, *names[:-1]).get(names[-1])
    return "" if value is None or isinstance(value, dict | list) else str(value)


def read_pages(
    read: Callable[[str], Mapping[str, Any]], next_of: Callable[[Mapping[str, Any]], str]
) -> Iterator[Mapping[str, Any]]:
    """The pages of a listing: read gets "" and then what the last page said of the next one, until that is "" too.

    SourceError when a source leads in a circle, or on and on.
    """
    cursor, seen = "", set[str]()
    while True:
        page = read(cursor)
        yield page
        cursor = next_of(page)
        if not cursor:
            return
        if cursor in seen or len(seen) >= _MOST_PAGES:
            raise SourceError("The source's listing does not come to an end. Nothing is taken for gone.")
        seen.add(cursor)


def items(page: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects in a list of a page. SourceError when it has no such list."""
    found = page.get(name)
    if not isinstance(found, list):
        raise SourceError("The source does not answer as it should: its listing has another form.")
    return [each for each in found if isinstance(each, dict)]
