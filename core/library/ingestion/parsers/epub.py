"""EPUB: a ZIP of web pages in the order of the book's spine, each read as a page, with the chapters of its contents."""

import io
import posixpath
import zipfile
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_encrypted_error, make_unreadable_error
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.parsers.header import collect_fields
from core.library.ingestion.parsers.html_body import write_whole_body
from core.library.ingestion.parsers.html_page import read_page
from core.library.ingestion.parsers.outline import Outline

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_NCX = "application/x-dtbncx+xml"
_PAGES = ("application/xhtml+xml", "text/html")
_STATED = ("title", "creator", "date")
_HEADINGS = ("h1", "h2", "h3")


class _Book:
    """The parts of a book: its package, which lists the others."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())
        root = next((element for element in self._parse_part(_CONTAINER).iter("{*}rootfile")), None)
        self._path = str(root.get("full-path", "")) if root is not None else ""
        self.package = self._parse_part(self._path)
        items = {str(item.get("id")): item for item in self.package.iter("{*}item")}
        self._items = list(items.values())
        references = (each for each in self.package.iter("{*}itemref") if each.get("linear") != "no")
        listed = [items[key] for each in references if (key := str(each.get("idref"))) in items]
        self.pages = [
            self._resolve_address(self._path, str(item.get("href", "")))
            for item in listed
            if item.get("media-type") in _PAGES and "nav" not in str(item.get("properties", "")).split()
        ]

    def locked(self) -> frozenset[str]:
        """Return the parts that are encrypted; fonts often are, in books that anybody may read."""
        if _ENCRYPTION not in self._names:
            return frozenset()
        found = self._parse_part(_ENCRYPTION).iter("{*}CipherReference")
        return frozenset(unquote(str(each.get("URI", ""))) for each in found)

    def read(self, name: str) -> bytes:
        """Return a part's bytes; none where the book lacks it."""
        return self._archive.read(name) if name in self._names else b""

    def chapters(self) -> dict[str, str]:
        """Map each page's name to its title in the table of contents: that of the first entry leading to it."""
        found: dict[str, str] = {}
        for item in self._items:
            name = self._resolve_address(self._path, str(item.get("href", "")))
            if "nav" in str(item.get("properties", "")).split() and self.read(name):
                entries = [(link.get("href"), "".join(link.itertext())) for link in self._parse_part(name).iter("{*}a")]
            elif item.get("media-type") == _NCX and self.read(name):
                points = self._parse_part(name).iter("{*}navPoint")
                entries = [(_find_text(point, "content", "src"), _find_text(point, "text", "")) for point in points]
            else:
                continue
            for address, title in entries:
                found.setdefault(self._resolve_address(name, str(address or "")), one_line(title))
        return found

    def _parse_part(self, name: str) -> "_Element":
        from lxml import etree

        return etree.fromstring(self.read(name), etree.XMLParser(resolve_entities=False, no_network=True))

    @staticmethod
    def _resolve_address(base: str, address: str) -> str:
        """Return the name of the part that an address in the part `base` leads to."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(urlsplit(address).path)))


def parse_epub(content: bytes, name: str) -> ParsedDocument:
    """Parse a book. EncryptedFileError when its pages are locked, UnreadableFileError when it is damaged."""
    from lxml.etree import XMLSyntaxError

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        try:
            book = _Book(archive)
            locked, chapters = book.locked(), book.chapters()
        except (XMLSyntaxError, ValueError) as error:
            raise make_unreadable_error(name, "it is damaged, or its list of pages is missing") from error
        if locked.intersection(book.pages):
            raise make_encrypted_error(name)
        fields = _collect_details(book.package, name)
        outline = Outline(fields["title"])
        for page in book.pages:
            _write_page(read_page(book.read(page)), chapters.get(page, ""), outline)
    return ParsedDocument(**fields, blocks=outline.blocks)


def _collect_details(package: "_Element", name: str) -> dict[str, Any]:
    """Collect the book's own details: title, authors, date."""
    stated = {key: [one_line("".join(each.itertext())) for each in package.iter(f"{{*}}{key}")] for key in _STATED}
    header = {
        "title": next(iter(stated["title"]), ""),
        "authors": [author for author in stated["creator"] if author],
        "date": next(iter(stated["date"]), ""),
    }
    fields = collect_fields({key: value for key, value in header.items() if value})
    fields["title"] = one_line(str(fields["title"]), MAX_TITLE) or title_from_name(name)
    return fields


def _write_page(soup: "BeautifulSoup", chapter: str, outline: Outline) -> None:
    """A page under its chapter's name, which is not said twice where the page begins with it."""
    first = soup.find(_HEADINGS)
    if chapter:
        outline.heading(1, chapter)
        if first is not None and one_line(first.get_text(" ")).casefold() == chapter.casefold():
            first.decompose()
    write_whole_body(soup, outline)


def _find_text(element: "_Element", name: str, attribute: str) -> str:
    """Return the text, or an attribute, of the first element of a name below another."""
    found = next(element.iter(f"{{*}}{name}"), None)
    if found is None:
        return ""
    return str(found.get(attribute, "")) if attribute else "".join(found.itertext())
