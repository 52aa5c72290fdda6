"""The raised and lowered text of a page, and the marks of its notes, as text that says the same."""

import re
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.html_text import HEADINGS, INLINE, is_text, text_after, text_before
from core.library.ingestion.parsers.raised import Place, Run, write_runs

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement, Tag

WRITTEN = "data-raised"  # the attribute of tags whose text was written so
_MOST_RAISED = 200  # characters; what is longer was never closed
_MOST_GROUPED = 20  # raised tags side by side that are read as one
_ALIGNED = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_NOTE_ROLES = frozenset(("doc-noteref", "noteref"))
_NOTE = re.compile(r"foot-?note|end-?note|note-?ref|\breference\b|\bfn(?:ref)?\b|_ftnref", re.IGNORECASE)
_MARK = re.compile(r"\[[\w*, -]{1,12}\]")
_TO_A_PLACE = re.compile(r"#")
_BACK = ("↩", "↩︎", "↑", "↵", "^")  # the links of notes back to their marks
_SLASHES = ("/", "⁄", "∕")


def write_raised_in(soup: "BeautifulSoup") -> None:
    """Replace the raised and lowered text of a page by plain text that keeps its meaning."""
    for link in soup.find_all("a", href=_TO_A_PLACE):
        if link.get_text().strip() in _BACK:
            link.clear(decompose=True)
    for tag in [tag for tag in soup.find_all(True) if _place_of(tag)]:
        if tag.decomposed or tag.get(WRITTEN) is not None:
            continue
        if len(tag.get_text()) <= _MOST_RAISED and not tag.find(lambda inner: inner.name not in INLINE):
            _write_raised(tag)


def _write_raised(tag: "Tag") -> None:
    """Write the text of a raised tag, and of those that go on with it, in its place.

    The tags stay: to take one out of many side by side costs the number of them.
    """
    from bs4.element import Tag

    # With those right behind it, and with the slash of a fraction and what is below it.
    group: list[PageElement] = [tag]
    while len(group) < _MOST_GROUPED and (follows := group[-1].next_sibling) is not None and _goes_on(follows):
        group.append(follows)
    before, after = text_before(tag), text_after(group[-1])
    runs = [Run(element.get_text(), _place_of(element) or Place.ON_LINE) for element in group]
    written = write_runs([Run(before), *runs, Run(after)])
    text = written[len(before) : len(written) - len(after)]
    if _MARK.fullmatch(text.strip()) and tag.find_parent(HEADINGS):
        text = ""  # the mark of a note is no part of a heading
    for element in group:
        if is_text(element):
            element.extract()  # the slash of a fraction
        elif isinstance(element, Tag):
            element.clear(decompose=True)
            element.name = "span"
            element.attrs = {WRITTEN: ""}
    tag.append(text)


def _place_of(element: "PageElement | None") -> Place | None:
    """Return where the text of an element is set; None for what is no tag, or is on its line."""
    from bs4.element import Tag

    if not isinstance(element, Tag) or element.get(WRITTEN) is not None:
        return None
    if element.name == "a":
        roles = {str(element.get("role") or ""), *str(element.get("epub:type") or "").split()}
        return Place.NOTE if roles & _NOTE_ROLES else None
    if element.name in ("sup", "sub"):
        place = Place.RAISED if element.name == "sup" else Place.LOWERED
    else:
        aligned = _ALIGNED.search(str(element.get("style") or "")) if element.name in INLINE else None
        if not aligned:
            return None
        place = Place.RAISED if aligned[1].casefold() == "super" else Place.LOWERED
    return Place.NOTE if place is Place.RAISED and _leads_to_note(element) else place


def _leads_to_note(tag: "Tag") -> bool:
    """Return True if raised text has, or is in, a link to a place of a page, or is called a note's mark."""
    link = tag.find("a", href=True) or tag.find_parent("a", href=True)
    named = " ".join([*(tag.get("class") or []), str(tag.get("id") or ""), str(tag.get("role") or "")])
    return (link is not None and "#" in str(link.get("href"))) or bool(_NOTE.search(named))


def _goes_on(element: "PageElement") -> bool:
    if is_text(element):
        return element.strip() in _SLASHES and _place_of(element.next_sibling) is Place.LOWERED
    return _place_of(element) is not None
