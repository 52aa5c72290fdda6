"""The pages that a site's sitemaps name, or a feed."""

from collections import deque
from collections.abc import Iterator, Sequence
from urllib.parse import urljoin, urlsplit

from core.errors import IncompleteListingError, IngestionError, SourceError
from core.library.ingestion.markup.values import MOST_ENTRIES, Entries, Entry
from core.library.sync.sites.site import Site

_MOST_SITEMAPS = 1000
_SUFFIXES = (".xml", ".xml.gz", ".gz", ".txt")


def read_sitemaps(site: Site, address: str) -> Iterator[Entry]:
    """The pages in the sitemap at an address, or in those of the site at an address that is none.

    SourceError when there is none, and, after all others, when one of several could not be read.
    IncompleteListingError, after all others, when one may name more than was read of it.
    """
    waiting = deque([address] if address.endswith(_SUFFIXES) else _find(site, address))
    seen, failures, cut = set(waiting), list[str](), list[str]()
    while waiting:
        sitemap = waiting.popleft()
        try:
            entries = _read_sitemap(site, sitemap)
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


def _read_sitemap(site: Site, address: str) -> Entries:
    entries = _read(site, address, "The sitemap")
    if entries is None:
        raise SourceError(f"{address} is no sitemap.")
    return entries


def read_feed(site: Site, address: str) -> Sequence[Entry]:
    """The entries of a feed. SourceError when there is none at the address.

    One that is damaged gives what can be read of it: no feed names all of a site.
    """
    entries = _read(site, address, "The feed")
    if entries is None or entries.sitemaps:
        raise SourceError(f"{address} is no feed. Enter the address of one, which often ends in .xml or /feed.")
    return entries.pages


def _read(site: Site, address: str, what: str) -> Entries | None:
    """Return the entries of a sitemap or a feed. SourceError when it cannot be fetched or read."""
    content = site.read(address, what).content
    try:
        return site.markup.read_entries(content, address)
    except IngestionError as error:
        raise SourceError(f"{what} cannot be read. {error.message}") from error


def _find(site: Site, address: str) -> list[str]:
    named = [urljoin(address, found) for found in site.sitemaps(address)]
    parts = urlsplit(address)
    return [found for found in named if site.holds(found)] or [f"{parts.scheme}://{parts.netloc}/sitemap.xml"]
