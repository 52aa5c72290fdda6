"""Fetch the pages of a web site, as its robots.txt allows it and of no other site, and read its sitemaps and feeds."""

import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from core.errors import GoneError, IncompleteListingError, IngestionError, SourceError
from core.library.ingestion.markup.reader import MarkupReader
from core.library.ingestion.markup.values import MOST_ENTRIES, Entries, Entry
from core.library.ingestion.sources.web import Request, Response
from core.library.sync.connector import Access, Listed, Loaded
from core.library.sync.services.client import LISTING_MB, Client
from core.values.sizes import MEGABYTE

if TYPE_CHECKING:
    from protego import Protego

NOT_ALLOWED = "the site's robots.txt does not allow it"

_AGENT = "Footnote"
_SLOWEST = 30  # seconds between two requests, of what robots.txt asks for
_ROBOTS_BYTES = 512_000  # as RFC 9309 has it
_LONGEST_VALIDATOR = 250  # characters
_GZIP = b"\x1f\x8b"
_WITH_GZIP_HEADER = 31  # zlib's wbits
_MOST_SITEMAPS = 1000
_SITEMAP_ENDINGS = (".xml", ".xml.gz", ".gz", ".txt")


class Site:
    """One web site: the host of an address, with or without "www.", and further hosts that were named."""

    def __init__(self, access: Access, start: str, hosts: Iterable[str] = ()) -> None:
        own = urlsplit(start).netloc
        self._hosts = {own, f"www.{own}", own.removeprefix("www."), *hosts}
        self._access = access
        self.markup: MarkupReader = access.markup
        self._client = Client(access, start, name=own)
        self._robots: dict[str, Protego] = {}  # by scheme and host

    def holds(self, url: str) -> bool:
        """Return True if an address belongs to this site."""
        return urlsplit(url).netloc in self._hosts

    def allows(self, url: str) -> bool:
        """Return True if the site's robots.txt allows to fetch an address. SourceError when the file cannot be had."""
        return bool(self._robots_of(url).can_fetch(url, _AGENT))

    def sitemaps(self, url: str) -> list[str]:
        """Return the addresses of sitemaps that robots.txt names."""
        return list(self._robots_of(url).sitemaps)

    def ask(self, url: str, validator: str = "") -> Response:
        """Return the answer of an address, whatever its status. IngestionError when there is none."""
        return self._client.ask(Request(url=url, headers=_make_conditions(validator)), max_mb=self._access.max_mb)

    def read(self, url: str, what: str) -> Response:
        """Fetch a sitemap, a feed or a crawl's first page. SourceError when it cannot be had."""
        try:
            response = self._client.ask(Request(url=url, may_be_packed=True), max_mb=LISTING_MB)
        except IngestionError as error:
            raise SourceError(f"{what} cannot be had. {error.message}") from error
        if response.status != 200:
            raise SourceError(f"{what} cannot be had: {url} answered with status {response.status}.")
        return replace(response, content=_unpack_gzip(response.content, what))

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a page, as a connector loads it."""
        if not self.allows(listed.key):
            raise IngestionError(f"{listed.key} was not fetched: {NOT_ALLOWED}.")
        response = self.ask(listed.key, validator)
        if response.status == 304 and validator:
            return None
        if response.status in {404, 410}:
            raise GoneError(f"{listed.key} is no longer there.")
        if response.status != 200:
            raise IngestionError(
                f"{listed.key} could not be fetched: the server answered with status {response.status}."
            )
        if not self.holds(response.url):
            raise IngestionError(
                f"{listed.key} was not taken: it leads to another site, {urlsplit(response.url).netloc}."
            )
        if not self.allows(response.url):
            raise IngestionError(f"{listed.key} was not taken: it leads to {response.url}, and {NOT_ALLOWED}.")
        given = response.headers.get("etag") or response.headers.get("last-modified") or ""
        return Loaded(file=response.as_file(), validator=given if len(given) <= _LONGEST_VALIDATOR else "")

    def _robots_of(self, url: str) -> "Protego":
        # Read here and not in the sandbox: it is half a megabyte at the most, of lines of text that Python alone reads,
        # and its patterns are held against an address in linear time.
        from protego import Protego

        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = Protego.parse(self._read_robots(f"{origin}/robots.txt"))
            self._client.slow_down(min(_SLOWEST, self._robots[origin].crawl_delay(_AGENT) or 0))
        return self._robots[origin]

    def _read_robots(self, url: str) -> str:
        """RFC 9309, 2.3.1: where there is none, all may be fetched; where it cannot be had, nothing."""
        try:
            response = self._client.ask(Request(url=url), max_mb=1)
        except IngestionError as error:
            raise SourceError(f"Nothing was fetched, because robots.txt cannot be had. {error.message}") from error
        if response.status >= 500:
            raise SourceError(f"Nothing was fetched: {url} answered with status {response.status}.")
        return response.content[:_ROBOTS_BYTES].decode("utf-8", errors="replace") if response.status == 200 else ""


def _unpack_gzip(content: bytes, what: str) -> bytes:
    """Content that may be packed with gzip. SourceError when it is damaged or unpacks to too much."""
    if not content.startswith(_GZIP):
        return content
    unpacking, most = zlib.decompressobj(_WITH_GZIP_HEADER), LISTING_MB * MEGABYTE
    try:
        found = unpacking.decompress(content, most)
    except zlib.error as error:
        raise SourceError(f"{what} is packed with gzip and damaged.") from error
    if unpacking.unconsumed_tail:
        raise SourceError(f"{what} unpacks to more than {LISTING_MB} MB.")
    return found


def _make_conditions(validator: str) -> dict[str, str]:
    """Headers that ask for a page only if it changed. An entity tag is quoted (RFC 9110, 8.8.3), a date is not."""
    if not validator:
        return {}
    return {"If-None-Match" if validator.startswith(('"', "W/")) else "If-Modified-Since": validator}


def read_sitemaps(site: Site, address: str) -> Iterator[Entry]:
    """Yield the pages in the sitemap at an address, or in those of the site at an address that is none.

    SourceError when there is none, and, after all others, when one of several could not be read.
    IncompleteListingError, after all others, when one may name more than was read of it.
    """
    waiting = deque([address] if address.endswith(_SITEMAP_ENDINGS) else _find_sitemaps(site, address))
    seen, failures, cut = set(waiting), list[str](), list[str]()
    while waiting:
        sitemap = waiting.popleft()
        try:
            entries = _read_entries(site, sitemap, "The sitemap")
            if entries is None:
                raise SourceError(f"{sitemap} is no sitemap.")
        except SourceError as error:
            if len(seen) == 1:
                raise
            failures.append(error.message)
            continue
        yield from entries.pages
        cut += [] if entries.is_whole else [sitemap]
        further = [each for each in dict.fromkeys(entries.sitemaps) if each not in seen and site.holds(each)]
        seen.update(further)
        waiting.extend(further)
        if len(seen) > _MOST_SITEMAPS:
            raise SourceError(f"The site has more than {_MOST_SITEMAPS} sitemaps. Name one of them as the address.")
    if failures:
        raise SourceError(f"Not every sitemap could be read: {failures[0]}")
    if cut:
        raise IncompleteListingError(
            f"Not everything was listed: {cut[0]} is damaged, or names more than {MOST_ENTRIES:,} pages."
        )


def read_feed(site: Site, address: str) -> Sequence[Entry]:
    """Return the entries of a feed. SourceError when there is none at the address.

    One that is damaged gives what can be read of it: no feed names all of a site.
    """
    entries = _read_entries(site, address, "The feed")
    if entries is None or entries.sitemaps:
        raise SourceError(f"{address} is no feed. Enter the address of one, which often ends in .xml or /feed.")
    return entries.pages


def _read_entries(site: Site, address: str, what: str) -> Entries | None:
    """Return the entries of a sitemap or a feed. SourceError when it cannot be fetched or read."""
    content = site.read(address, what).content
    try:
        return site.markup.read_entries(content, address)
    except IngestionError as error:
        raise SourceError(f"{what} cannot be read. {error.message}") from error


def _find_sitemaps(site: Site, address: str) -> list[str]:
    named = [urljoin(address, found) for found in site.sitemaps(address)]
    parts = urlsplit(address)
    return [found for found in named if site.holds(found)] or [f"{parts.scheme}://{parts.netloc}/sitemap.xml"]
