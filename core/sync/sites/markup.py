"""Addresses in what a site says of its pages: sitemaps, feeds, and the links of a page. Pure.

Nothing of a document is read here. Entities are not resolved and nothing is loaded from elsewhere.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from core.errors import UnsafeUrlError
from core.ingestion.sources.addresses import check_url

_MOST_LINKS = 5000  # of one page
_STAMPS = ("lastmod", "updated", "pubDate", "date", "published")  # of a sitemap, Atom, RSS 2, RSS 1, Atom
_ENTRIES = {"url", "item", "entry"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A page, as a sitemap or a feed names it."""

    url: str  # in its normal form
    title: str = ""
    stamp: str = ""  # when it changed last, in whatever form; "": not told, or it may change again without another one


@dataclass(frozen=True, kw_only=True, slots=True)
class Entries:
    """What a sitemap or a feed names."""

    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)  # further ones, of an index


def read_entries(content: bytes, base: str) -> Entries | None:
    """What a sitemap, an index of sitemaps or a feed names; None when it is none of them. base: its address.

    A sitemap may be plain text, with an address on each line.
    """
    root = _parse_xml(content)
    if root is None:
        lines = content.decode("utf-8", errors="replace").split()
        pages = [Entry(url=url) for line in lines if line.startswith("http") and (url := normal(line, base))]
        return Entries(pages=pages) if pages and len(pages) == len(lines) else None
    kind = _name(root)
    if kind == "sitemapindex":
        named = [normal(_text(each, "loc"), base) for each in root if _name(each) == "sitemap"]
        return Entries(sitemaps=[url for url in named if url])
    if kind not in {"urlset", "rss", "feed", "RDF"}:
        return None
    found = (_entry(each, base) for each in root.iter() if _name(each) in _ENTRIES)
    return Entries(pages=[entry for entry in found if entry])


def read_links(content: bytes, base: str) -> Iterator[str]:
    """The addresses that an HTML page links to, in their normal form and in its order. base: its own."""
    from lxml import etree

    parser = etree.HTMLParser(no_network=True)
    try:
        root: Any = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return
    if root is None:
        return
    named = root.find(".//base[@href]")
    here = urljoin(base, str(named.get("href"))) if named is not None else base
    for element in islice(root.iter("a", "area"), _MOST_LINKS):
        address = str(element.get("href") or "")
        if address and (target := normal(address, here)):
            yield target


def normal(address: str, base: str) -> str:
    """An address in its normal form; "" when it is of a kind that is never fetched."""
    try:
        return check_url(urljoin(base, address.strip()))
    except (UnsafeUrlError, ValueError):
        return ""


def _parse_xml(content: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        return etree.fromstring(content.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _entry(element: Any, base: str) -> Entry | None:
    address = normal(_text(element, "loc") or _link(element), base)
    if not address:
        return None
    stamp = next((found for name in _STAMPS if (found := _text(element, name))), "")
    return Entry(url=address, title=_text(element, "title"), stamp=_if_settled(stamp))


def _link(element: Any) -> str:
    """The page of an entry: RSS writes it between tags, Atom as an attribute, with others beside it."""
    links = [child for child in element if _name(child) == "link"]
    written = next((text for child in links if (text := str(child.text or "").strip())), "")
    pages = [child for child in links if child.get("rel", "alternate") == "alternate"]
    return written or next((str(child.get("href")) for child in pages if child.get("href")), "")


def _if_settled(stamp: str) -> str:
    """A stamp that will be another when the page changes again. A day alone says so only when it is over everywhere."""
    try:
        day = dt.date.fromisoformat(stamp)
    except ValueError:
        return stamp
    return stamp if day < dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1) else ""


def _text(element: Any, name: str) -> str:
    return next((str(child.text or "").strip() for child in element if _name(child) == name), "")


def _name(element: Any) -> str:
    """The name of an element without its namespace; "" of a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
