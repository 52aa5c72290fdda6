"""The elements of a Word document as a reader sees them: wrappers opened, deletions left out, alternatives chosen."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

_NAMESPACES = {
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
}
OFF = {"0", "false", "off", "none"}


@cache
def named(name: str) -> str:
    """Return a name as lxml has it: "w:p" with its namespace in braces."""
    prefix, _, local = name.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{local}"


PARAGRAPH, TABLE = named("w:p"), named("w:tbl")
RUN_PROPERTIES = named("w:rPr")
_PROPERTIES, _VALUE = named("w:pPr"), named("w:val")
_MARK_PROPERTIES = f"{_PROPERTIES}/{RUN_PROPERTIES}"
_ALTERNATES, _CHOICE, _FALLBACK = named("mc:AlternateContent"), named("mc:Choice"), named("mc:Fallback")
_CONTROL = named("w:sdt")
_GALLERY = "/".join(named(name) for name in ("w:sdtPr", "w:docPartObj", "w:docPartGallery"))
_TEXTS = (named("w:t"), named("m:t"))
# Elements that are replaced by their content.
_WRAPPERS = {
    named(name)
    for name in (
        "w:bdo",
        "w:customXml",
        "w:dir",
        "w:fldSimple",
        "w:hyperlink",
        "w:ins",
        "w:moveTo",
        "w:sdt",
        "w:sdtContent",
        "w:smartTag",
    )
}
# What tracked changes took away, and the properties of wrappers.
_LEFT_OUT = {named(name) for name in ("w:customXmlPr", "w:del", "w:moveFrom", "w:sdtEndPr", "w:sdtPr", "w:smartTagPr")}
_MARKS_GONE = (named("w:del"), named("w:moveFrom"))


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph as it reads with all tracked changes accepted."""

    parts: "tuple[_Element, ...]"  # each a w:p; several where the mark between them was deleted
    properties: "_Element | None"  # the w:pPr that holds for all parts: Word keeps that of the last one
    style_id: str  # "" where it names no style
    is_deleted: bool  # its own mark was deleted too, so that no paragraph is left where it has no words


def make_paragraph(*parts: "_Element") -> Paragraph:
    """Return the paragraph that one or several w:p make."""
    properties = parts[-1].find(_PROPERTIES)
    style = value_of(properties, "w:pStyle")
    return Paragraph(parts, properties, style, _has_lost_mark(parts[-1]))


def get(element: "_Element | None", name: str, default: str = "") -> str:
    """Return an attribute; the default where there is no element or no such attribute."""
    return default if element is None else str(element.get(named(name), default))


def value_of(element: "_Element | None", name: str) -> str:
    """Return the w:val of a child; "" where there is none."""
    found = None if element is None else element.find(named(name))
    return "" if found is None else str(found.get(_VALUE, ""))


def number_of(text: str, default: int = 0) -> int:
    """Return a text as a number that is not negative; the default where it is none, or has more than nine digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def is_on(properties: "_Element | None", name: str) -> bool | None:
    """Return what properties say of something that is on or off; None where they do not mention it."""
    found = None if properties is None else properties.find(named(name))
    return None if found is None else get(found, "w:val", "true") not in OFF


def children(element: "_Element") -> "Iterator[_Element]":
    """Yield the children that a reader sees, those in wrappers in the wrappers' place.

    Content controls, custom XML, smart tags, links, simple fields and what was inserted or moved here are wrappers.
    What was deleted or moved away is left out.
    """
    for child in element:
        tag = child.tag
        if not isinstance(tag, str) or tag in _LEFT_OUT:  # a comment has a function for its tag
            continue
        if tag in _WRAPPERS:
            if tag != _CONTROL or not _is_contents(child):
                yield from children(child)
        elif tag == _ALTERNATES:
            yield from _choose_alternative(child)
        else:
            yield child


def _is_contents(control: "_Element") -> bool:
    """Return True for the table of contents that Word makes of a document's headings."""
    return control.find(_GALLERY) is not None and get(control.find(_GALLERY), "w:val") == "Table of Contents"


def is_left_out(element: "_Element") -> bool:
    """Return True for text that was deleted or moved away, or that is a fallback for old readers."""
    return any(above.tag in _LEFT_OUT or above.tag == _FALLBACK for above in element.iterancestors())


def _choose_alternative(alternates: "_Element") -> "Iterator[_Element]":
    """Yield the children of the first alternative that has words. Word writes a text box in two forms."""
    branches = [*alternates.iterchildren(_CHOICE), *alternates.iterchildren(_FALLBACK)]
    said = (branch for branch in branches if next(branch.iter(*_TEXTS), None) is not None)
    branch = next(said, branches[0] if branches else None)
    if branch is not None:
        yield from children(branch)


def blocks(element: "_Element") -> "Iterator[Paragraph | _Element]":
    """Yield the paragraphs and the tables (w:tbl) of a body, a cell, a text box or a note."""
    waiting: list[_Element] = []  # the parts of a paragraph whose end was deleted
    for child in children(element):
        if child.tag not in (PARAGRAPH, TABLE):
            continue
        if child.tag == PARAGRAPH:
            waiting.append(child)
            if _has_lost_mark(child):
                continue
        if waiting:
            yield make_paragraph(*waiting)
            waiting = []
        if child.tag == TABLE:
            yield child
    if waiting:
        yield make_paragraph(*waiting)


def _has_lost_mark(paragraph: "_Element") -> bool:
    """Return True if the end of a paragraph was deleted or moved away: its words belong to the next one."""
    marks = paragraph.find(_MARK_PROPERTIES)
    return marks is not None and any(marks.find(name) is not None for name in _MARKS_GONE)
