"""A web page made plain before it is read: nothing struck out, raised text as text, words and blocks apart.

Both ways of reading a page (core.library.ingestion.parsers.html) then read the same, and so do books, mails and
Markdown.
"""

import re
from itertools import groupby
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.html_raised import WRITTEN, write_raised_in
from core.library.ingestion.parsers.html_tables import make_tables_plain
from core.library.ingestion.parsers.html_text import INLINE, block_of, is_text

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, PageElement, Tag

_MOST_DEPTH = 150  # of tags within tags; the pages of site builders have 40
_STRUCK = ("s", "strike", "del")
_DECORATION = re.compile(r"text-decoration(?:-line)?\s*:([^;]{0,200})", re.IGNORECASE)
_RULE = re.compile(r"([^{}]{1,300})\{([^{}]{0,2000})\}")
_SELECTOR = re.compile(r"[a-z][a-z0-9]*|(?:[a-z][a-z0-9]{0,20})?(?:\.[\w-]{1,60}){1,3}|#[\w-]{1,60}", re.IGNORECASE)
_MOST_SELECTORS = 50  # of style sheets that strike text out
_LABEL = re.compile(r"label|(?:\b|[_-])(?:key|term|field|prop|property|attr)(?:\b|[_-])", re.IGNORECASE)
_VALUE = re.compile(r"value|(?:\b|[_-])(?:val|data)(?:\b|[_-])", re.IGNORECASE)
_PAIRED = ("span", "div", "b", "strong", "label", "em", "i", "small", "p", "font")
_MOST_LABEL = 60  # characters
_LEAST_WORD = 3  # letters of a word that no figure beside it is a part of
_AS_WRITTEN = ("pre", "code", "textarea", "script", "style")
# Blocks whose loose text becomes a paragraph where other blocks are beside it.
_CONTAINERS = ("body", "main", "article", "section", "div", "center", "fieldset", "details", "figure")
_BLOCKS = (
    "p", "div", "table", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "section",
    "article", "main", "header", "footer", "nav", "aside", "form", "figure", "hr", "address", "details", "fieldset",
    "center", "summary", "figcaption", "iframe", "script", "style", "noscript", "template", "li", "dt", "dd",
)  # fmt: skip


def read_page(markup: str | bytes) -> "BeautifulSoup":
    """Parse the markup of a page, or of a part of one, and make it plain."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(markup, "lxml")
    _flatten_nesting(soup)
    _drop_struck(soup)
    write_raised_in(soup)
    _write_labels(soup)
    _part_words(soup)
    make_tables_plain(soup)
    _wrap_loose_text(soup)
    return soup


def _flatten_nesting(soup: "BeautifulSoup") -> None:
    """Make text of what is nested deeper than any page is: to read it level by level takes too long."""
    from bs4.element import Tag

    depths = {id(soup): 0}
    deepest: list[Tag] = []
    for element in soup.descendants:
        if isinstance(element, Tag):
            depths[id(element)] = depth = depths[id(element.parent)] + 1
            if depth == _MOST_DEPTH:
                deepest.append(element)
    for tag in deepest:
        text = tag.get_text(" ")
        tag.clear(decompose=True)
        tag.append(text)


def _drop_struck(soup: "BeautifulSoup") -> None:
    """Remove what is struck out: it no longer holds."""
    found = [*soup.find_all(_STRUCK), *soup.find_all(style=_DECORATION)]
    for selector in _striking_selectors(soup):
        found += soup.select(selector)
    for tag in found:
        if not tag.decomposed and _is_struck(tag):
            tag.clear(decompose=True)  # to take one out of many side by side would cost the number of them


def _is_struck(tag: "Tag") -> bool:
    """Return False where the tag's own style has another line, or none."""
    stated = _DECORATION.findall(str(tag.get("style") or ""))
    return "line-through" in stated[-1].casefold() if stated else True


def _striking_selectors(soup: "BeautifulSoup") -> list[str]:
    """Return the plain selectors, of classes, names and ids, that a page's own style sheets strike out."""
    found: list[str] = []
    for sheet in soup.find_all("style"):
        text = sheet.get_text()
        for rule in _RULE.finditer(text) if "line-through" in text else ():
            stated = _DECORATION.findall(rule[2])
            if stated and "line-through" in stated[-1].casefold():
                found += [one for one in map(str.strip, rule[1].split(",")) if _SELECTOR.fullmatch(one)]
    return found[:_MOST_SELECTORS]


def _write_labels(soup: "BeautifulSoup") -> None:
    """Write a label and its value on one line: pages call them so, and set them apart by their style alone."""
    for label in soup.find_all(_PAIRED, class_=True):
        value = label.find_next_sibling()
        if value is None or not _are_label_and_value(label, value):
            continue
        said = label.get_text().rstrip()
        label.append(": " if said and said[-1].isalnum() and value.get_text().strip() else " ")
        for tag in (label, value):
            tag.name = "span"
        if (following := value.find_next_sibling()) is not None and _is_called(following, _LABEL):
            value.append(soup.new_tag("br"))


def _are_label_and_value(label: "Tag", value: "Tag") -> bool:
    """Return True if two tags side by side are called so, or the first is and there is no other."""
    if not _is_called(label, _LABEL) or value.name not in _PAIRED or label.find_parent(_AS_WRITTEN):
        return False
    between = label.next_sibling
    if is_text(between) and between.strip():
        return False
    parent = label.parent
    is_pair = parent is not None and label.find_previous_sibling() is None and value.find_next_sibling() is None
    if not (_is_called(value, _VALUE) or is_pair) or len(label.get_text()) > _MOST_LABEL:
        return False
    return not any(tag.find(lambda inner: inner.name not in INLINE) for tag in (label, value))


def _is_called(tag: "Tag", pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(" ".join(tag.get("class") or [])))


def _part_words(soup: "BeautifulSoup") -> None:
    """Put a space between words that the page sets apart by their tags alone: "Stage" and "Piano", "Weight" and 48."""
    from bs4.element import Tag

    parted: list[NavigableString] = []
    before: NavigableString | None = None
    for element in soup.descendants:
        if not is_text(element):
            if isinstance(element, Tag) and element.name not in INLINE:
                before = None
        elif element:
            if before is not None and _are_apart(before, element):
                parted.append(element)
            before = element
    for text in parted:
        text.replace_with(f" {text}")


def _are_apart(before: "NavigableString", after: "NavigableString") -> bool:
    """Return True if two texts without white space between them are no one word."""
    if before.parent is after.parent or _is_raised(before) or _is_raised(after):
        return False
    last, first = before[-1], after[0]
    if last.isspace() or first.isspace():
        return False
    block = block_of(after)
    if block is None or block is not block_of(before) or block.name in _AS_WRITTEN or after.find_parent(_AS_WRITTEN):
        return False
    if not last.isalnum() or not first.isalnum():
        return (last == ":" and first.isalnum()) or (last.isalpha() and first in "€$£")
    both = before.parent is not block and after.parent is not block
    if first.islower():
        return both and last.islower() and _are_pair(before, after, block)
    if first.isupper():
        return last.islower() or (_leading_letters(after) >= _LEAST_WORD and (both or last.isdecimal()))
    return both if last.isdecimal() else _leading_letters(before[::-1]) >= _LEAST_WORD


def _is_raised(text: "NavigableString") -> bool:
    return text.parent is not None and text.parent.get(WRITTEN) is not None


def _are_pair(before: "NavigableString", after: "NavigableString", block: "Tag") -> bool:
    """Return True if two texts are all of a block, in tags of two kinds."""
    one, other = before.parent, after.parent
    if one is None or other is None or one.parent is not block or other.parent is not block:
        return False
    is_all = len(block.contents) == 2 and block.contents[0] is one and block.contents[1] is other
    return is_all and (one.name, one.get("class")) != (other.name, other.get("class"))


def _leading_letters(text: str) -> int:
    """Return the letters that a text begins with, up to those of a word."""
    return next((n for n, character in enumerate(text[:_LEAST_WORD]) if not character.isalpha()), _LEAST_WORD)


def _wrap_loose_text(soup: "BeautifulSoup") -> None:
    """Make paragraphs of text beside blocks, which the extraction of a page's content would lose."""
    holding = _tags_with_blocks(soup)
    for container in soup.find_all(_CONTAINERS):
        if id(container) not in holding:
            continue
        groups = [
            (is_block, [*children])
            for is_block, children in groupby([*container.children], key=lambda child: _is_block(child, holding))
        ]
        if not any(_is_loose(children) for is_block, children in groups if not is_block):
            continue
        container.clear()
        for is_block, children in groups:
            around = container
            if not is_block and _is_loose(children):
                around = soup.new_tag("p")
                container.append(around)
            for child in children:
                around.append(child)


def _is_loose(children: "list[PageElement]") -> bool:
    return any(character.isalnum() for one in children for character in _shown_text(one))


def _shown_text(element: "PageElement") -> str:
    from bs4.element import Tag

    return element.get_text() if is_text(element) or isinstance(element, Tag) else ""


def _is_block(element: "PageElement", holding: set[int]) -> bool:
    from bs4.element import Tag

    return isinstance(element, Tag) and (element.name in _BLOCKS or id(element) in holding)


def _tags_with_blocks(soup: "BeautifulSoup") -> set[int]:
    """Return the ids of the tags that contain blocks."""
    found: set[int] = set()
    for block in soup.find_all(_BLOCKS):
        around = block.parent
        while around is not None and id(around) not in found:
            found.add(id(around))
            around = around.parent
    return found
