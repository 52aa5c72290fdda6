"""The body of a web page as an outline: from trafilatura's tree, or from the page itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.ingestion.cleaning import one_line
from core.ingestion.parsers.html_text import lines_of
from core.ingestion.parsers.outline import Outline
from core.ingestion.parsers.written import item, table

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from lxml.etree import _Element

_BOLD_LEVEL = 7  # below <h6>
_MOST_HEADING = 120  # characters of a bold line that stands for a heading
_NOT_CONTENT = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "iframe", "svg")
_LISTS = ("ul", "ol", "dl")
_TEXT_TAGS = (*_LISTS, "p", "li", "dt", "dd", "blockquote", "pre", "table", "figcaption", "caption", "address")
_AROUND_BREAK = re.compile(r"(?:(?<! ) ++)?\n *")
_WHITE_SPACE = re.compile(r"\s+")
_NOTE_MARK = re.compile(r"\[\d{1,3}\]")
_HEADING_TAG = re.compile(r"h[1-6]")


def write_main_content(body: "_Element", outline: Outline) -> None:
    """Write trafilatura's tree (its elements are named after TEI: head, p, list, table, quote, code, lb, hi)."""
    for element in body:
        match element.tag:
            case "head":
                outline.heading(int(str(element.get("rend", "h2"))[1:2] or 2), _flat(element))
            case "table":
                outline.text(_table(element))
            case "list" if element.find(".//head") is not None:
                for entry in element:
                    outline.text(one_line(entry.text or ""))
                    write_main_content(entry, outline)
            case "list":
                outline.text("\n".join(_items(element)))
            case "code":
                outline.text("".join(element.itertext()))
            case "quote" | "div":
                write_main_content(element, outline) if len(element) else outline.text(_flat(element))
            case _:
                _paragraph(element, outline)


def _paragraph(element: "_Element", outline: Outline) -> None:
    """A paragraph. One that begins with a bold line of its own begins a section: pages are often set so."""
    text = _flat(element)
    first = element[0] if len(element) else None
    if first is not None and first.tag == "hi" and first.get("rend") == "#b" and not (element.text or "").strip():
        heading = one_line(_NOTE_MARK.sub("", _flat(first)))
        rest = text.removeprefix(_flat(first)).strip(" ")
        if 0 < len(heading) <= _MOST_HEADING and heading[-1] not in ".:,;" and (not rest or rest.startswith("\n")):
            outline.heading(_BOLD_LEVEL, heading)
            text = rest
    outline.text(text.strip())


def _flat(element: "_Element") -> str:
    """The text of an element; a line break only where the page has one."""
    pieces = [_collapse_spaces(element.text)]
    for child in element:
        pieces.append("\n" if child.tag == "lb" else _flat(child))
        pieces.append(_collapse_spaces(child.tail))
    return _AROUND_BREAK.sub("\n", "".join(pieces))


def _collapse_spaces(text: str | None) -> str:
    return _WHITE_SPACE.sub(" ", text or "")


def _table(element: "_Element") -> str:
    rows = list(element.iter("row"))
    named = [all(cell.get("role") == "head" for cell in row) for row in rows]
    # A caption comes as a row before the header.
    first = 1 if len(rows) > 2 and not named[0] and len(rows[0]) and rows[0][0].get("role") == "head" else 0
    cells = [[_flat(cell) for cell in row] for row in rows]
    return table(cells, has_header=True if any(named[: first + 1]) else None)


def _items(element: "_Element", depth: int = 0) -> list[str]:
    """The items of a list as lines, those of the lists within them below theirs; a term with what it means."""
    entries = []
    for entry in element:
        inner = [child for child in entry if child.tag == "list"]
        entries.append(
            _Entry(
                is_term=str(entry.get("rend", "")).startswith("dt"),
                text=one_line(_flat_without(entry, inner)),
                below=[line for child in inner for line in _items(child, depth + 1)],
            )
        )
    return _as_lines(entries, depth, is_counted=element.get("rend") == "ol")


def _flat_without(element: "_Element", left_out: "list[_Element]") -> str:
    pieces = [_collapse_spaces(element.text)]
    for child in element:
        if child not in left_out:
            pieces.append("\n" if child.tag == "lb" else _flat(child))
        pieces.append(_collapse_spaces(child.tail))
    return _AROUND_BREAK.sub("\n", "".join(pieces))


def write_whole_body(soup: "BeautifulSoup", outline: Outline) -> None:
    """Write all that a page's body says, without navigation, forms and scripts."""
    for tag in soup.find_all(_NOT_CONTENT):
        tag.decompose()
    root = soup.find("main") or soup.find("article") or soup.body or soup
    _write_tag(root, outline)


def _write_tag(tag: "Tag", outline: Outline) -> None:
    from bs4.element import NavigableString, PreformattedString, Tag

    loose: list[str] = []
    for child in tag.children:
        if isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
            loose.append(str(child))
        if not isinstance(child, Tag):
            continue
        block = child.name in _TEXT_TAGS or child.find([*_TEXT_TAGS, _HEADING_TAG, "div"])
        if not block and not _HEADING_TAG.fullmatch(child.name):
            loose.append(lines_of(child) if child.name != "br" else "\n")
            continue
        outline.text(one_line("".join(loose)))
        loose = []
        _write_block(child, outline)
    outline.text(one_line("".join(loose)))


def _write_block(tag: "Tag", outline: Outline) -> None:
    if _HEADING_TAG.fullmatch(tag.name):
        outline.heading(int(tag.name[1]), lines_of(tag))
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
        _write_tag(tag, outline)


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
    """The same, of a list that is still HTML."""
    entries = []
    for entry in [entry for entry in tag.find_all(["li", "dt", "dd"]) if entry.find_parent(_LISTS) is tag]:
        inner = [child.extract() for child in entry.find_all(_LISTS) if child.find_parent(_LISTS) is tag]
        entries.append(
            _Entry(
                is_term=entry.name == "dt",
                text=one_line(lines_of(entry)),
                below=[line for child in inner for line in _items_of_tag(child, depth + 1)],
            )
        )
    return _as_lines(entries, depth, is_counted=tag.name == "ol")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """An entry of a list."""

    is_term: bool  # the next entry says what it means
    text: str  # on one line, without the lists within it
    below: list[str]  # the lines of those


def _as_lines(entries: Iterable[_Entry], depth: int, *, is_counted: bool) -> list[str]:
    found: list[str] = []
    number = 1 if is_counted else None
    term = ""
    for entry in entries:
        if entry.is_term:
            term = entry.text
            continue
        text = entry.text
        if term and text:
            text, term = f"{term}: {text}", ""
        if text:
            found.append(item(text, depth=depth, number=number))
            number = number + 1 if number else None
        found += entry.below
    return [*found, *([item(term, depth=depth)] if term else [])]
