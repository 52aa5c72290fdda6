"""Read listings of Jira page by page: by number, by token, and by number where what was read may be gone meanwhile."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.errors import SourceError
from core.library.sync.services.answers import identifier, items, read_pages, text

Page = Mapping[str, Any]

_MOST_PAGES = 100_000
_MOST_IDLE = 20  # pages one after the other that bring nothing new
_STEP_BACK = 50  # issues, where a page is empty that should not be


def read_numbered(ask: Callable[[int], Page], name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a listing with `startAt`, up to `isLast`, or to `total` where there is no `isLast`.

    ask: gives the page that begins at a number. name: of the list in it. SourceError for a listing without an end, and
    for one that does not tell its end.
    """
    start = 0
    for _ in range(_MOST_PAGES):
        page = ask(start)
        found = items(page, name)
        yield from found
        start += len(page[name])
        if _is_last(page, start):
            return
        if not found:
            break
    raise _make_endless_error()


def read_tokens(ask: Callable[[str], Page], name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a listing with `nextPageToken`. ask: gives the page of a token, "" for the first.

    SourceError for a listing that leads in a circle, or breaks off: one that says there is more and not where.
    """
    for page in read_pages(ask, lambda page: text(page, "nextPageToken")):
        yield from items(page, name)
        token = text(page, "nextPageToken")
        if (page.get("isLast") is False and not token) or not token.isprintable():
            raise SourceError("The source's listing breaks off. Nothing is taken for gone.")


def read_issues(ask: Callable[[int], Page]) -> Iterator[dict[str, Any]]:
    """Yield the issues of a search with `startAt` in the order of their keys, each once.

    What is deleted or moved meanwhile shifts all that follows, and an issue would be passed over: so each page has to
    begin with an issue that is known, and where it does not, the search goes back. New issues come last. Errors as of
    `read_numbered`.
    """
    start, seen, idle = 0, set[str](), 0
    while idle < _MOST_IDLE:
        page = ask(start)
        issues = items(page, "issues")
        fresh = [issue for issue in issues if identifier(issue, "id") not in seen]
        is_joined = not start or (bool(issues) and issues[0] not in fresh)
        idle = 0 if is_joined and fresh else idle + 1
        if not is_joined:
            start = max(0, start - 2 * max(len(issues), _STEP_BACK))
            continue
        yield from fresh
        seen |= {identifier(issue, "id") for issue in fresh} - {""}
        end = start + len(page["issues"])
        if _is_last(page, end):
            return
        start = max(0, end - 1)
    raise _make_endless_error()


def _is_last(page: Page, end: int) -> bool:
    """Tell whether nothing comes after a page that ends before a number."""
    if isinstance(page.get("isLast"), bool):
        return bool(page["isLast"])
    total = page.get("total")
    return isinstance(total, int) and end >= total


def _make_endless_error() -> SourceError:
    return SourceError("The source's listing does not come to an end. Nothing is taken for gone.")
