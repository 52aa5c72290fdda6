"""The pages that a site's sitemaps name, or a feed."""

from collections import deque
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from core.errors import SourceError
from core.sync.sites.markup import Entry, read_entries
from core.sync.sites.site import Site

_MOST_SITEMAPS = 1000
_SUFFIXES = (".xml", ".xml.gz", ".gz", ".txt")


def read_sitemaps(site: Site, address: str) -> Iterator[Entry]:
    """The pages in the sitemap at an address, or in those of the site at an address that is none.

    SourceError when there is none, and, after all others, when one of several could not be read.
    """
    waiting = deque([address] if address.endswith(_SUFFIXES) else _find(site, address))
    seen, failures = set(waiting), list[str]()
    while waiting:
        sitemap = waiting.popleft()
        try:
            entries = read_entries(site.read(sitemap, "The sitemap").content, sitemap)
            if entries is None:
                raise SourceError(f"{sitemap} is no sitemap.")
        except SourceError as error:
            if len(seen) == 1:
                raise
            failures.append(error.message)
            continue
        yield from entries.pages
        for further in entries.sitemaps:
            if further not in seen and site.holds(further):
                seen.add(further)
                waiting.append(further)
        if len(seen) > _MOST_SITEMAPS:
            raise SourceError(f"The site has more than {_MOST_SITEMAPS} sitemaps. Name one of them as the address.")
    if failures:
        raise SourceError(f"Not every sitemap could be read: {failures[0]}")


def read_feed(site: Site, address: str) -> list[Entry]:
    """The entries of a feed. SourceError when there is none at the address."""
    entries = read_entries(site.read(address, "The feed").content, address)
    if entries is None or entries.sitemaps:
        raise SourceError(f"{address} is no feed. Enter the address of one, which often ends in .xml or /feed.")
    return entries.pages


def _find(site: Site, address: str) -> list[str]:
    named = [urljoin(address, found) for found in site.sitemaps(address)]
    parts = urlsplit(address)
    return [found for found in named if site.holds(found)] or [f"{parts.scheme}://{parts.netloc}/sitemap.xml"]
