"""The body of a web page as an outline."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.html_text import IN_LINE, is_text, lines_of
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.written import item, table

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_NOT_CONTENT = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "iframe", "svg")
_LISTS = ("ul", "ol", "dl")
_ENTRIES = ("li", "dt", "dd")
_TEXT_TAGS = (*_LISTS, "p", "li", "dt", "dd", "blockquote", "pre", "table", "figcaption", "caption", "address")
_MOST_TERMS = 3  # that share a meaning; where more come one after the other, those before the last have none
_NOTE_MARK = re.compile(r"\[\d{1,3}\]")
_HEADING_TAG = re.compile(r"h[1-7]")  # the last for bold lines


def write_whole_body(soup: "BeautifulSoup", outline: Outline) -> None:
    """Write all that a page's body says, without navigation, forms and scripts."""
    for tag in soup.find_all(_NOT_CONTENT):
        if not tag.decomposed:
            tag.clear(decompose=True)
    root = soup.find("main") or soup.find("article") or soup.body or soup
    write_tag(root, outline)


def write_tag(tag: "Tag", outline: Outline) -> None:
    """Write everything in a tag."""
    from bs4.element import PageElement, Tag

    loose: list[PageElement] = []
    for child in tag.children:
        is_inline = is_text(child) or (
            isinstance(child, Tag) and child.name in IN_LINE and not child.find(lambda inner: inner.name not in IN_LINE)
        )
        if is_inline:
            loose.append(child)
        elif isinstance(child, Tag):
            outline.text(lines_of(*loose))
            loose = []
            _write_block(child, outline)
    outline.text(lines_of(*loose))


def _write_block(tag: "Tag", outline: Outline) -> None:
    if _HEADING_TAG.fullmatch(tag.name):
        outline.heading(int(tag.name[1]), _NOTE_MARK.sub("", lines_of(tag)))
    elif tag.name == "pre":
        outline.text(tag.get_text())
    elif tag.name == "table":
        outline.text(_table_of_tag(tag))
    elif tag.name in _LISTS and tag.find(["li", "dt", "dd"]) and not tag.find([_HEADING_TAG, "table", "pre"]):
        outline.text("\n".join(_items_of_tag(tag)))
    elif tag.name == "li" and not tag.find(["p", *_LISTS]):
        outline.text(item(one_line(lines_of(tag))))
    elif tag.name in _TEXT_TAGS and not tag.find([*_TEXT_TAGS]):
        outline.text(lines_of(tag))
    else:
        write_tag(tag, outline)


def _table_of_tag(tag: "Tag") -> str:
    rows = [row.find_all(["td", "th"]) for row in tag.find_all("tr")]
    has_header = bool(rows) and all(cell.name == "th" for cell in rows[0])
    caption = tag.find("caption")
    return table(
        [[cell.get_text() for cell in row] for row in rows],
        has_header=True if has_header else None,
        caption=one_line(caption.get_text()) if caption else "",
    )


def _items_of_tag(tag: "Tag", depth: int = 0) -> list[str]:
    """Return the items of a list as lines, those of the lists within them below theirs; a term with what it means."""
    entries = []
    for entry in reversed([entry for entry in tag.find_all(_ENTRIES) if entry.find_parent(_LISTS) is tag]):
        inner = [child.extract() for child in entry.find_all(_LISTS) if child.find_parent(_LISTS) is tag]
        entries.append(
            _Entry(
                is_term=entry.name == "dt",
                text=one_line(lines_of(entry)),
                below=[line for child in inner for line in _items_of_tag(child, depth + 1)],
            )
        )
        if entry.find_parent((*_LISTS, *_ENTRIES)) is not tag:
            entry.extract()  # from the term before it, which the page does not close
    return _as_lines(reversed(entries), depth, is_counted=tag.name == "ol")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """An entry of a list."""

    is_term: bool  # the next entry says what it means
    text: str  # on one line, without the lists within it
    below: list[str]  # the lines of those


def _as_lines(entries: Iterable[_Entry], depth: int, *, is_counted: bool) -> list[str]:
    """Write entries as lines: terms before the meaning that they share, and those without one as items."""
    found: list[str] = []
    number = 1 if is_counted else None
    terms: list[str] = []
    for entry in entries:
        if entry.is_term and entry.text:
            terms.append(entry.text)
        elif entry.text:
            alone, sharing = ([], terms) if len(terms) <= _MOST_TERMS else (terms[:-1], terms[-1:])
            found += [item(term, depth=depth) for term in alone]
            text = f"{', '.join(sharing)}: {entry.text}" if sharing else entry.text
            found.append(item(text, depth=depth, number=number))
            number = number + 1 if number else None
            terms = []
        if entry.below:
            found += [*(item(term, depth=depth) for term in terms), *entry.below]
            terms = []
    return [*found, *(item(term, depth=depth) for term in terms)]
