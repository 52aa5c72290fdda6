"""The package of an OpenDocument file: a ZIP of what it holds, what it states of itself, and its styles."""

import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE
from core.library.ingestion.errors import make_damaged_error, make_encrypted_error, make_unreadable_error
from core.library.ingestion.naming import date_in_name, date_in_words
from core.library.ingestion.parsers.header import describe

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTENT, _STYLES, _META, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
# See docs.oasis-open.org/office/OpenDocument/v1.3, part 3.
_NAMESPACES = {
    "draw": f"{_OASIS}:drawing:1.0",
    "fo": f"{_OASIS}:xsl-fo-compatible:1.0",
    "office": f"{_OASIS}:office:1.0",
    "presentation": f"{_OASIS}:presentation:1.0",
    "style": f"{_OASIS}:style:1.0",
    "svg": f"{_OASIS}:svg-compatible:1.0",
    "table": f"{_OASIS}:table:1.0",
    "text": f"{_OASIS}:text:1.0",
}
_MOST_PARENTS = 20  # of a style; one that is its own ancestor ends there


def named(name: str) -> str:
    """Return the name of an element or an attribute as lxml has it: "text:p" with its namespace in full."""
    prefix, _, local = name.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{local}"


def get(element: "_Element", name: str, default: str = "") -> str:
    """Return an attribute by its short name."""
    return str(element.get(named(name), default))


def count_of(element: "_Element", name: str, default: int = 1) -> int:
    """Return an attribute that is a whole number; the default where it is none."""
    value = get(element, name)
    return int(value) if value.isdecimal() and len(value) < 10 else default


def children(element: "_Element") -> "Iterator[_Element]":
    """Return the elements within another, without comments and entities, which are never resolved."""
    return (child for child in element if isinstance(child.tag, str))


class Styles:
    """The styles of a file: their ancestors, and which are hidden or numbered."""

    def __init__(self, *roots: "_Element") -> None:
        self._styles: dict[str, _Element] = {}
        self._lists: dict[str, _Element] = {}
        for root in roots:
            self._styles |= {get(each, "style:name"): each for each in root.iter(named("style:style"))}
            self._lists |= {get(each, "style:name"): each for each in root.iter(named("text:list-style"))}

    def names(self, name: str) -> list[str]:
        """A style and those it is made from, as people call them, in lower case: "Heading_20_1" is "heading 1"."""
        return [get(style, "style:name").replace("_20_", " ").casefold() for style in self._list_ancestors(name)]

    def has(self, name: str, property_name: str, value: str) -> bool:
        """Return True if a style sets a property to a value, itself or by its nearest ancestor that sets it."""
        return self.value(name, property_name) == value

    def value(self, name: str, property_name: str) -> str:
        """The value that a style, or the nearest of those it is made from, sets a property to; "" where none does."""
        for style in self._list_ancestors(name):
            for properties in children(style):
                if (said := properties.get(named(property_name))) is not None:
                    return str(said)
        return ""

    def outline_level(self, name: str) -> int | None:
        """Return the heading level that a paragraph's style is for; None for none."""
        stated = (get(style, "style:default-outline-level") for style in self._list_ancestors(name))
        return next((int(level) for level in stated if level.isdecimal() and 0 < int(level) < 11), None)

    def is_counted(self, list_style: str, depth: int) -> bool:
        """Return True if the items of a list at a depth, from 0, are numbered."""
        style = self._lists.get(list_style)
        levels = children(style) if style is not None else iter(())
        for level in levels:
            if count_of(level, "text:level", 0) == depth + 1:
                return level.tag == named("text:list-level-style-number") and bool(get(level, "style:num-format"))
        return False

    def _list_ancestors(self, name: str) -> "Iterator[_Element]":
        for _ in range(_MOST_PARENTS):
            style = self._styles.get(name)
            if style is None:
                return
            yield style
            name = get(style, "style:parent-style-name")


class Package:
    """An OpenDocument file that was opened."""

    def __init__(self, content: bytes, name: str, body: str) -> None:
        """body: the element that holds what the file is about, "office:text" for a text.

        EncryptedFileError when it needs a password, UnreadableFileError when it is damaged.
        """
        from lxml.etree import XMLSyntaxError

        self._name, self._content = name, content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            try:
                manifest = _read_part(archive, _MANIFEST)
                if manifest is not None and any(True for _ in manifest.iter("{*}encryption-data")):
                    raise make_encrypted_error(name)
                root, styles = _read_part(archive, _CONTENT), _read_part(archive, _STYLES)
                self._meta = _read_part(archive, _META)
            except (XMLSyntaxError, ValueError) as error:
                raise make_damaged_error(name, error) from error
        found = root.find(f"{named('office:body')}/{named(body)}") if root is not None else None
        if root is None or found is None:
            raise make_unreadable_error(name, "it is damaged: what it is about is missing")
        self.body: _Element = found
        self.styles = Styles(*(each for each in (styles, root) if each is not None))

    @property
    def title(self) -> str:
        """The title that the file states; "" where it states none."""
        return one_line(self._read_stated("{*}title"), MAX_TITLE)

    def read_object(self, part: str) -> "_Element | None":
        """Return the root of an embedded object's part; None where the file lacks it, or it is damaged."""
        from lxml.etree import XMLSyntaxError

        with zipfile.ZipFile(io.BytesIO(self._content)) as archive:
            try:
                return _read_part(archive, part)
            except (XMLSyntaxError, ValueError):
                return None

    def describe(self, title: str) -> dict[str, Any]:
        """Return the fields of the document, under the title that it goes by."""
        author = one_line(self._read_stated("{*}initial-creator") or self._read_stated("{*}creator"))
        return describe(title, author, date_in_name(self._name) or date_in_words(title))

    def _read_stated(self, name: str) -> str:
        found = next(self._meta.iter(name), None) if self._meta is not None else None
        return "".join(map(str, found.itertext())) if found is not None else ""


def _read_part(archive: zipfile.ZipFile, name: str) -> "_Element | None":
    """Return a part of the package; None where it lacks it."""
    from lxml import etree

    if name not in archive.namelist():
        return None
    return etree.fromstring(archive.read(name), etree.XMLParser(resolve_entities=False, no_network=True))
