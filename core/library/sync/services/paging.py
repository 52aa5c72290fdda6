"""Reading a listing that comes in pages."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.errors import SourceError

_MOST_PAGES = 100_000


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
    """The objects in a list of a page. SourceError when it has no such list."""
    found = page.get(name)
    if not isinstance(found, list):
        raise SourceError("The source does not answer as it should: its listing has another form.")
    return [each for each in found if isinstance(each, dict)]
