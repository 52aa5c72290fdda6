"""Find the pages of a site by following links from a first one, and select addresses by patterns."""

import hashlib
import mimetypes
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import (
    FileTooLargeError,
    IncompleteListingError,
    IngestionError,
    SandboxError,
    SourceError,
    UnsafeUrlError,
)
from core.library.ingestion.formats import BY_SUFFIX, FileKind, list_readable_endings
from core.library.ingestion.markup.values import MOST_LINKS
from core.library.ingestion.naming import suffix
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.web import Response
from core.library.sync.connector import Listed
from core.library.sync.services.site import NOT_ALLOWED, Site

_MOST_FAILURES = 10  # pages in one crawl; more say that the site is in trouble
_PAGES = set(FileKind.HTML.value.media_types)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The limits of a crawl."""

    start: str
    depth: int  # links from the first page
    most_pages: int  # that are visited
    exclude: tuple[str, ...]  # patterns of what is not followed


def crawl(site: Site, bounds: Bounds) -> Iterator[Listed | LeftOut]:
    """Yield pages reachable by links, breadth first, within the start page's site and folder.

    SourceError when the first page cannot be had, and, after all others, when some could not: where their links lead
    is not known. IncompleteListingError at the limit of pages, as calendars without an end reach it, and after all
    others where a page has more links than are read, or its links cannot be read.
    """
    first = site.read(bounds.start, "The first page")
    if not site.holds(first.url):
        raise SourceError(f"{bounds.start} leads to another site. Enter the address that it leads to: {first.url}")
    walk = _Walk(site, bounds, first)
    yield from walk.pages()
    if walk.failed:
        raise SourceError(f"Not every page could be fetched ({len(walk.failed)} could not): {walk.failed[0]}")
    if walk.unfollowed:
        count = len(walk.unfollowed)
        raise IncompleteListingError(f"Not every link was followed (on {count} pages): {walk.unfollowed[0]}")


class _Walk:
    """One crawl under way."""

    def __init__(self, site: Site, bounds: Bounds, first: Response) -> None:
        self._site = site
        self._bounds = bounds
        self._folder = _folder_of(first.url)
        self._seen = {bounds.start, first.url}
        self._first = first
        self._waiting: deque[tuple[str, int]] = deque([(first.url, 0)])
        self._visited = 0
        self._is_cut = False
        self.failed: list[str] = []  # messages, of pages that should be there
        self.unfollowed: list[str] = []  # the same of pages with links that are not known

    def pages(self) -> Iterator[Listed | LeftOut]:
        """Yield all pages up to the limit."""
        while self._waiting and self._visited < self._bounds.most_pages:
            url, depth = self._waiting.popleft()
            if not self._site.allows(url):
                yield LeftOut(name=url, reason=NOT_ALLOWED)
                continue
            self._visited += 1
            if depth and BY_SUFFIX.get(suffix(urlsplit(url).path), FileKind.HTML) is not FileKind.HTML:
                yield Listed(key=url, name=url, source_url=url)
            else:
                yield from self._visit_page(url, depth)
        if self._waiting or self._is_cut:
            limit = f"limit reached: there are more than {self._bounds.most_pages} pages"
            yield LeftOut(name=self._bounds.start, reason=limit)
            raise IncompleteListingError(f"The crawl was not finished, {limit}.")

    def _visit_page(self, url: str, depth: int) -> Iterator[Listed | LeftOut]:
        try:
            response = self._site.ask(url) if depth else self._first
        except UnsafeUrlError:
            yield LeftOut(name=url, reason="it leads to an address that is not fetched")
            return
        except FileTooLargeError as error:
            yield LeftOut(name=url, reason=error.message)
            return
        except (IngestionError, SourceError) as error:
            self._note_failure(error.message)
            return
        if response.status in {401, 403}:
            yield LeftOut(name=url, reason="the site does not show it to everybody")
        elif response.status >= 500:
            self._note_failure(f"{url} answered with status {response.status}.")
        elif response.status == 200 and self._is_new(url, response.url):
            if self._site.allows(response.url):
                yield from self._take_response(response, depth)
            else:
                yield LeftOut(name=response.url, reason=NOT_ALLOWED)

    def _take_response(self, response: Response, depth: int) -> Iterator[Listed | LeftOut]:
        content_type = response.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        name = response.as_file().name
        is_file = suffix(name) in list_readable_endings() and BY_SUFFIX[suffix(name)] is not FileKind.HTML
        if content_type in _PAGES or is_file:
            digest = hashlib.sha256(response.content).hexdigest()
            yield Listed(key=response.url, name=response.url, fingerprint=digest, source_url=response.url)
        if content_type in _PAGES and depth < self._bounds.depth:
            reason = self._follow_links(response, depth + 1)
            if reason:
                self.unfollowed.append(f"{response.url}: {reason}")
                yield LeftOut(name=response.url, reason=reason)

    def _follow_links(self, response: Response, depth: int) -> str:
        """Await what a page leads to. Returns why that may not be all; "" when it is."""
        try:
            links = self._site.markup.read_links(response.content, response.url)
        except SandboxError as error:
            raise SourceError(error.message) from error
        except IngestionError as error:
            return f"its links are not known. {error.message}"
        for link in links.urls:
            if link not in self._seen and self._is_near(link):
                self._await_link(link, depth)
        return "" if links.is_whole else f"it has more than {MOST_LINKS:,} links, of which the rest was not followed"

    def _await_link(self, link: str, depth: int) -> None:
        """Visit it in its turn, if the limit lets its turn come."""
        if len(self._waiting) >= self._bounds.most_pages:
            self._is_cut = True
            return
        self._seen.add(link)
        self._waiting.append((link, depth))

    def _is_new(self, url: str, led_to: str) -> bool:
        """Return True if an address led to a page of the crawl that no other link led to before."""
        if led_to == url:
            return True
        is_new = led_to not in self._seen and self._is_near(led_to)
        self._seen.add(led_to)
        return is_new

    def _is_near(self, url: str) -> bool:
        path = urlsplit(url).path
        return (
            self._site.holds(url)
            and (path.startswith(self._folder) or path == self._folder.rstrip("/"))
            and not fits_any(url, self._bounds.exclude)
            and _may_be_document(path)
        )

    def _note_failure(self, message: str) -> None:
        self.failed.append(message)
        if len(self.failed) > _MOST_FAILURES:
            raise SourceError(f"More than {_MOST_FAILURES} pages could not be fetched: {self.failed[0]}")


def _folder_of(url: str) -> str:
    """Return the folder of a page: "/docs/" for "/docs/", "/docs/start.html" and "/docs"."""
    path = urlsplit(url).path
    above, _, last = path.rpartition("/")
    return f"{path}/" if last and "." not in last else f"{above}/"


def _may_be_document(path: str) -> bool:
    """Return True unless a file's ending rules it out: pictures, styles and archives are not fetched at all."""
    ending = suffix(path)
    return ending in list_readable_endings() or mimetypes.types_map.get(ending, "text/html") in _PAGES


def is_wanted(address: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Return True if a pattern to include matches, or there is none, and no pattern to exclude matches."""
    wanted = list(include)
    return (not wanted or fits_any(address, wanted)) and not fits_any(address, exclude)


def fits_any(address: str, patterns: Iterable[str]) -> bool:
    """Return True if the address contains one of the patterns, in which "*" matches anything."""
    return any(_fits_pattern(address, pattern) for pattern in patterns)


def _fits_pattern(address: str, pattern: str) -> bool:
    position = 0
    for piece in pattern.split("*"):
        found = address.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True
