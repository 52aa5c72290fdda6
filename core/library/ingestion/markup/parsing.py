"""Reading markup, in the sandbox: the values go out as JSON, which `values` reads.

Nothing of a document is read here. Entities are not resolved and nothing is loaded from elsewhere.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from core.library.ingestion.document import MAX_TITLE, MAX_URL
from core.library.ingestion.markup.values import (
    LONGEST,
    LONGEST_STAMP,
    MOST_ENTRIES,
    MOST_LINKS,
    MOST_RESOURCES,
    make_unread_error,
    normal,
)

_PIECE = 64 * 1024  # bytes that are read at a time
_STAMPS = ("lastmod", "updated", "pubDate", "date", "published")  # of a sitemap, Atom, RSS 2, RSS 1, Atom
_ENTRIES = {"url", "item", "entry"}
_FEEDS = {"urlset", "rss", "feed", "RDF"}
_DAV = {"dav": "DAV:"}
_HEAD = 1024  # bytes in which a page or a file says how it is encoded
_ENCODING = re.compile(rb"""(?:charset|encoding)=["']?([A-Za-z0-9][A-Za-z0-9._:-]{1,39})""")
_KNOWN = {"utf-8", "ascii", "us-ascii", "iso-8859-1"}  # to the library by itself
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")  # of UTF-8 and UTF-16, which go before what is written


def read_markup(form: str, content: bytes, base: str, name: str) -> dict[str, Any]:
    """Return what markup refers to, as JSON values. IngestionError when it is not of that form.

    form: one of the names below. base: the address from which it came. name: for messages.
    """
    return _FORMS[form](content, base, name)


def _read_links(content: bytes, base: str, name: str) -> dict[str, Any]:
    """The addresses to which an HTML page leads, in its order. It is read piece by piece: no tree is built of it."""
    from lxml import etree

    content, encoding = _as_utf8(content)
    found = _Found()
    parser = etree.HTMLParser(target=found, no_network=True, huge_tree=True, encoding=encoding)
    try:
        for start in range(0, len(content), _PIECE):
            parser.feed(content[start : start + _PIECE])
            if found.is_full:
                break
        parser.close()
    except (etree.XMLSyntaxError, ValueError):
        pass  # of an empty page, for one; what was found before counts
    here = _join_address(base, found.base) if found.base else base
    urls = (normal(_join_address(here, address)) for address in found.addresses)
    return {"links": list(dict.fromkeys(filter(None, urls))), "whole": not found.is_full}


class _Found:
    """Hears of a page's tags, and keeps the addresses."""

    def __init__(self) -> None:
        self.addresses: dict[str, None] = {}  # as they are written, each once
        self.base = ""
        self.is_full = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """One tag."""
        address = attributes.get("href", "").strip()
        if tag == "base":
            self.base = self.base or address
        # No address that is fetched is longer.
        if tag not in {"a", "area"} or not address or len(address) > MAX_URL or address.startswith("#"):
            return
        if address not in self.addresses and len(self.addresses) >= MOST_LINKS:
            self.is_full = True
            return
        self.addresses[address] = None

    def close(self) -> None:
        """The end of the page."""


def _read_entries(content: bytes, base: str, name: str) -> dict[str, Any]:
    """Return the entries of a sitemap, an index of sitemaps or a feed; {"none": True} for anything else.

    A sitemap may be plain text, with an address on each line.
    """
    root, is_whole = _parse_xml(content)
    if root is None:
        return _read_lines(content, base)
    kind = _name_of(root)
    if kind == "sitemapindex":
        named = (normal(_join_address(base, _text_of(each, "loc"))) for each in root if _name_of(each) == "sitemap")
        sitemaps, is_all = _take_first(filter(None, named), MOST_ENTRIES)
        return {"pages": [], "sitemaps": sitemaps, "whole": is_whole and is_all}
    if kind not in _FEEDS:
        return {"none": True}
    found = (_read_entry(each, base) for each in root.iter() if _name_of(each) in _ENTRIES)
    pages, is_all = _take_first(filter(None, found), MOST_ENTRIES)
    return {"pages": pages, "sitemaps": [], "whole": is_whole and is_all}


def _read_lines(content: bytes, base: str) -> dict[str, Any]:
    lines, is_all = _take_first(content.decode("utf-8", errors="replace").split(), MOST_ENTRIES)
    pages = [[url, "", ""] for line in lines if line.startswith("http") and (url := normal(_join_address(base, line)))]
    if not pages or len(pages) < len(lines):
        return {"none": True}
    return {"pages": pages, "sitemaps": [], "whole": is_all}


def _read_folder(content: bytes, base: str, name: str) -> dict[str, Any]:
    """Return a WebDAV server's properties of a file, or of a folder and its members (RFC 4918, 14.16)."""
    from lxml import etree

    content, encoding = _as_utf8(content)
    try:
        answer = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, encoding=encoding))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise make_unread_error(name, "it is damaged, or no answer of a WebDAV server") from error
    if answer.tag != "{DAV:}multistatus":
        raise make_unread_error(name, "it is no answer of a WebDAV server")
    resources, is_all = _take_first(map(_read_resource, answer.iterfind("dav:response", _DAV)), MOST_RESOURCES)
    if any(len(text) > LONGEST for each in resources for text in each if isinstance(text, str)):
        raise make_unread_error(name, f"it holds a name or a property of more than {LONGEST:,} characters")
    return {"resources": resources, "whole": is_all}


def _read_resource(one: Any) -> list[str | bool]:
    """As `values.Resource` takes it."""
    tag, changed, size = (
        one.findtext(f".//dav:{name}", "", _DAV).strip() for name in ("getetag", "getlastmodified", "getcontentlength")
    )
    is_folder = one.find(".//dav:resourcetype/dav:collection", _DAV) is not None
    return [one.findtext("dav:href", "", _DAV), is_folder, tag, changed, size]


_FORMS: dict[str, Callable[[bytes, str, str], dict[str, Any]]] = {
    "links": _read_links,
    "entries": _read_entries,
    "folder": _read_folder,
}


def _parse_xml(content: bytes) -> tuple[Any, bool]:
    """Return the root of what can be read, and whether that is all; None for no XML."""
    from lxml import etree

    content, encoding = _as_utf8(content.lstrip())
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=True, encoding=encoding
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None, False
    return root, not any(error.level_name == "FATAL" for error in parser.error_log)


def _as_utf8(content: bytes) -> tuple[bytes, str | None]:
    """Content in an encoding that the library knows without opening files, and which that is; None: as it says."""
    said = _ENCODING.search(content[:_HEAD])
    if said is None or content.startswith(_MARKS):
        return content, None
    encoding = said[1].decode("ascii")
    if encoding.lower() in _KNOWN:
        return content, None
    try:
        return content.decode(encoding).encode("utf-8"), "utf-8"
    except (LookupError, UnicodeError):
        return content, None


def _read_entry(element: Any, base: str) -> list[str] | None:
    """Return the address, title and stamp of an entry; None without an address."""
    address = normal(_join_address(base, _text_of(element, "loc") or _find_link(element)))
    if not address:
        return None
    stamp = next((found for name in _STAMPS if (found := _text_of(element, name))), "")
    return [address, _text_of(element, "title")[:MAX_TITLE], _if_settled(stamp)]


def _find_link(element: Any) -> str:
    """Return the page of an entry: RSS writes it between tags, Atom as an attribute, with others beside it."""
    links = [child for child in element if _name_of(child) == "link"]
    written = next((text for child in links if (text := str(child.text or "").strip())), "")
    pages = [child for child in links if child.get("rel", "alternate") == "alternate"]
    return written or next((str(child.get("href")) for child in pages if child.get("href")), "")


def _if_settled(stamp: str) -> str:
    """A stamp that will be another when the page changes again. A day alone says so only when it is over everywhere."""
    if len(stamp) > LONGEST_STAMP:
        return ""
    try:
        day = dt.date.fromisoformat(stamp)
    except ValueError:
        return stamp
    return stamp if day < dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1) else ""


def _take_first(found: Iterable[Any], most: int) -> tuple[list[Any], bool]:
    """Return so many of them at the most, and whether these are all."""
    taken = list(islice(found, most + 1))
    return taken[:most], len(taken) <= most


def _join_address(base: str, address: str) -> str:
    """Return an address as it is meant at another; "" when it is none."""
    try:
        return urljoin(base, address.strip()) if address.strip() else ""
    except ValueError:
        return ""


def _text_of(element: Any, name: str) -> str:
    return next((str(child.text or "").strip() for child in element if _name_of(child) == name), "")


def _name_of(element: Any) -> str:
    """Return the name of an element without its namespace; "" of a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
