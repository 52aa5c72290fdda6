"""Plain, bounded values of what markup refers to. Pure.

They come out of the sandbox as JSON, which a parser that was taken over may have written: whatever has another form or
goes over a bound is refused, and no address is taken that is not one to fetch.
"""

from dataclasses import dataclass
from typing import Any

from core.errors import UnreadableFileError, UnsafeUrlError
from core.library.ingestion.document import MAX_TITLE
from core.library.ingestion.sources.addresses import check_url

MOST_LINKS = 10_000  # of one page
MOST_ENTRIES = 50_000  # of one sitemap or feed: as many as a sitemap may have (sitemaps.org/protocol.html)
MOST_RESOURCES = 100_000  # in one folder
LONGEST = 8000  # characters of one value of a folder's listing
LONGEST_STAMP = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Links:
    """Links of a page."""

    urls: tuple[str, ...]  # each once, in their order and their normal form
    is_whole: bool  # False: the page has more of them

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Links":
        """Return the links in a reply. TypeError, KeyError or ValueError when there are none."""
        urls = _read_list(raw["links"], MOST_LINKS)
        return cls(urls=tuple(url for each in urls if (url := normal(_read_text(each)))), is_whole=raw["whole"] is True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A page, as a sitemap or a feed names it."""

    url: str  # in its normal form
    title: str = ""
    stamp: str = ""  # when it changed last, in whatever form; "": unknown, or it may change again without another one


@dataclass(frozen=True, kw_only=True, slots=True)
class Entries:
    """Entries of a sitemap or a feed."""

    pages: tuple[Entry, ...] = ()
    sitemaps: tuple[str, ...] = ()  # further ones, of an index
    is_whole: bool = True  # False: it is damaged, or has more entries, so that it may name more

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Entries":
        """Return the entries in a reply. Errors as of `Links.from_json`."""
        found = [[_read_text(value) for value in each] for each in _read_list(raw["pages"], MOST_ENTRIES)]
        pages = [
            Entry(url=address, title=title[:MAX_TITLE], stamp=stamp if len(stamp) <= LONGEST_STAMP else "")
            for url, title, stamp in found
            if (address := normal(url))
        ]
        sitemaps = [normal(_read_text(each)) for each in _read_list(raw["sitemaps"], MOST_ENTRIES)]
        return cls(pages=tuple(pages), sitemaps=tuple(filter(None, sitemaps)), is_whole=raw["whole"] is True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """A resource listed by a WebDAV server. Everything is as it was written, and may be empty."""

    href: str
    is_folder: bool
    tag: str
    changed: str
    size: str

    @classmethod
    def from_json(cls, raw: Any) -> "Resource":
        """One of a reply. Errors as of `Links.from_json`."""
        href, is_folder, tag, changed, size = raw
        href, tag, changed, size = map(_read_text, (href, tag, changed, size))
        return cls(href=href, is_folder=is_folder is True, tag=tag, changed=changed, size=size)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resources:
    """Properties of a file, or of a folder and its members, on a WebDAV server."""

    found: tuple[Resource, ...]
    is_whole: bool  # False: it has more

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Resources":
        """Return all of a reply. Errors as of `Links.from_json`."""
        found = _read_list(raw["resources"], MOST_RESOURCES)
        return cls(found=tuple(map(Resource.from_json, found)), is_whole=raw["whole"] is True)


def make_unread_error(name: str, what: str) -> UnreadableFileError:
    """Some markup is damaged, or not of the form that it should have. what: the fault, as the end of a sentence."""
    return UnreadableFileError(f"{name} was not read: {what}.")


def normal(address: str) -> str:
    """Return an address in its normal form; "" when it is of a kind that is never fetched."""
    try:
        return check_url(address)
    except (UnsafeUrlError, ValueError):
        return ""


def _read_list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("There are too many, or there is no list.")
    return value


def _read_text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise ValueError("It is too long, or no text.")
    return value
