"""The part of a web page that is its content: all of it but what surrounds it on every page of its site.

What trafilatura keeps is content. What it drops is dropped only where the page itself says that it is no content, by
its tags, by what it calls them, or because it is nothing but links: trafilatura drops short lists and tables, and
whole sections, of ordinary pages.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.html_text import HEADINGS, is_text

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import NavigableString, Tag
    from lxml.etree import _Element

_NO_TEXT = ("script", "style", "noscript", "template", "iframe", "svg")
_AROUND = ("nav", "header", "footer", "aside", "form")
_PARTS_OF_CONTENT = ("main", "article", "section")
# What people call the parts of a page that surround its content: the second ones only where they hold mostly links.
_PLACES = r"(?:site|page|main|global|top|bottom|left|right|js)?[-_]?"
_KINDS = r"(?:[-_]?(?:area|bar|block|box|container|content|inner|links?|list|menu|nav|notice|section|wrap|wrapper))?"
_SURROUNDING = re.compile(
    rf"{_PLACES}(?:ad|ads|advert(?:s|isements?)?|bread-?crumbs?|comments?|consent|cookies?|copyright|footer|gdpr|masthead"
    rf"|modal|nav|navbar|navigation|newsletter|pager|pagination|popup|promo|related|share|sharing|sidebar|skip|social"
    rf"|sponsor(?:ed|s)?|subscribe){_KINDS}",
    re.IGNORECASE,
)
_OF_LINKS = re.compile(
    rf"{_PLACES}(?:banner|head|header|login|menu|search|tags?|teasers?|toolbar|widgets?){_KINDS}", re.IGNORECASE
)
_ROLES = frozenset(("navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu"))
_COPYRIGHT = re.compile(r"\W*(?:copyright\b|©|\(c\)\s*\d{4}|all rights reserved)", re.IGNORECASE)
_BLOCKS = ("div", "section", "ul", "ol", "p", "table", "center")
_SHARE_KEPT = 0.5  # of the text of a part that is content, as trafilatura finds it
_SHARE_OF_PAGE = 0.5  # of its text, from which a part is no surrounding
_SHARE_OF_LINKS = 0.8  # of the text of a block that is a menu
_SHARE_OF_MOST = 0.8  # of a page's text, from which what holds it is the content
_TELLING = 25  # letters of a text that occurs nowhere else by chance
_MOSTLY_LINKS = 0.5
_LEAST_LINKS = 3  # of a menu
_LEAST_BESIDE = 50  # letters that a page says beside a menu which is not its content
_MOST_COPYRIGHT = 300  # characters
_BOLD = ("b", "strong")
_MOST_HEADING = 120  # characters of a bold line that serves as a heading
_NOT_LETTERS = re.compile(r"[\W_]+")


@dataclass(slots=True)
class _Size:
    """Count the letters and digits that a tag shows."""

    shown: int = 0
    linked: int = 0  # in links
    kept: int = 0  # in texts that trafilatura keeps
    links: int = 0  # how many
    headings: int = 0

    def add(self, other: "_Size") -> None:
        self.shown += other.shown
        self.linked += other.linked
        self.kept += other.kept
        self.links += other.links
        self.headings += other.headings


def find_content(soup: "BeautifulSoup", extracted: "_Element | None") -> "Tag":
    """Remove from a page what is no content, and return what holds the rest. extracted: what trafilatura keeps."""
    for tag in soup.find_all(_NO_TEXT):
        if not tag.decomposed:
            tag.clear(decompose=True)
    kept = frozenset(_fold_letters(text) for text in extracted.itertext()) if extracted is not None else frozenset()
    body = soup.body or soup
    sizes = _measure_tags(body, kept)
    most = _SHARE_OF_PAGE * sizes[id(body)].shown
    menus: list[Tag] = []
    for tag in body.find_all(True):
        if tag.decomposed:
            continue
        if _surrounds_content(tag, sizes[id(tag)], most):
            tag.clear(decompose=True)  # to take one out of many side by side would cost the number of them
        elif _is_menu(tag, sizes[id(tag)]):
            menus.append(tag)
    _clear_menus(body, menus, [tag for tag in menus if sizes[id(tag)].shown >= most])
    _mark_bold_headings(soup, body)
    shown = [text for text in body.find_all(string=True) if is_text(text)]
    whole = sum(len(_fold_letters(text)) for text in shown)
    main = body.find("main") or _only_article(body)
    if main is not None and sizes[id(main)].shown >= _SHARE_OF_PAGE * whole:
        return main
    around = _find_around([text for text in shown if len(folded := _fold_letters(text)) >= _TELLING and folded in kept])
    return around if around is not None and sizes.get(id(around), _Size()).shown >= _SHARE_OF_MOST * whole else body


def _find_around(texts: "list[NavigableString]") -> "Tag | None":
    """Return the smallest tag that contains some texts."""
    if not texts:
        return None
    holding = {id(tag) for tag in texts[-1].parents}
    return next((tag for tag in texts[0].parents if id(tag) in holding), None)


def _measure_tags(body: "Tag", kept: frozenset[str]) -> dict[int, _Size]:
    """Return the sizes of a tag and all tags within it, by their ids."""
    tags = [body, *body.find_all(True)]
    sizes = {id(tag): _Size() for tag in tags}
    for text in body.find_all(string=True):
        if is_text(text) and text.parent is not None:
            folded = _fold_letters(text)
            size = sizes[id(text.parent)]
            size.shown += len(folded)
            size.kept += len(folded) if folded in kept else 0
    for tag in reversed(tags):
        size = sizes[id(tag)]
        if tag.name == "a" and tag.get("href"):
            size.linked, size.links = size.shown, 1
        size.headings += tag.name in HEADINGS[1:]
        if tag is not body and tag.parent is not None:
            sizes[id(tag.parent)].add(size)
    return sizes


def _surrounds_content(tag: "Tag", size: _Size, most: float) -> bool:
    """Return True if a tag surrounds the content. most: the size from which it does not."""
    if tag.name in _AROUND:
        if tag.name == "header" and size.headings and tag.find_parent(_PARTS_OF_CONTENT):
            return False  # it holds the heading of a section
        return tag.name != "form" or size.shown < most
    if size.kept > _SHARE_KEPT * size.shown:
        return False
    if size.shown < most and tag.name not in ("main", "article", *HEADINGS) and _is_named_so(tag, size):
        return True
    if tag.name not in _BLOCKS:
        return False
    return size.shown <= _MOST_COPYRIGHT and bool(_COPYRIGHT.match(one_line(tag.get_text())))


def _is_menu(tag: "Tag", size: _Size) -> bool:
    """Return True if a block that trafilatura drops holds nothing but links."""
    if tag.name not in _BLOCKS or size.kept > _SHARE_KEPT * size.shown:
        return False
    is_of_links = size.links >= _LEAST_LINKS and size.linked >= _SHARE_OF_LINKS * size.shown and not size.headings
    return is_of_links and not tag.find_parent(("main", "article", "td", "th"))


def _clear_menus(body: "Tag", menus: "Sequence[Tag]", large: "Sequence[Tag]") -> None:
    """Empty the menus of a page, but not those that are the page: a table of contents, or a list of addresses.

    large: those with half of the page's text. They, or lists under headings, are the content where next to nothing is
    said beside them.
    """
    kept = {id(tag) for tag in large or filter(_is_headed, menus)}
    if kept and _count_beside(body, {id(tag) for tag in menus}) >= _LEAST_BESIDE:
        kept = set()
    for menu in menus:
        if not menu.decomposed and not any(id(tag) in kept for tag in (menu, *menu.parents)):
            menu.clear(decompose=True)


def _is_headed(tag: "Tag") -> bool:
    before = tag.find_previous_sibling()
    return before is not None and before.name in HEADINGS


def _count_beside(body: "Tag", menus: set[int]) -> int:
    """Count the letters of a page outside of its menus and headings."""
    texts = [text for text in body.find_all(string=True) if is_text(text)]
    beside = (text for text in texts if not any(id(tag) in menus or tag.name in HEADINGS for tag in text.parents))
    return sum(len(_fold_letters(text)) for text in beside)


def _is_named_so(tag: "Tag", size: _Size) -> bool:
    if str(tag.get("role") or "") in _ROLES:
        return True
    for name in [*(tag.get("class") or []), str(tag.get("id") or "")]:
        if _SURROUNDING.fullmatch(name) or (_OF_LINKS.fullmatch(name) and size.linked >= _MOSTLY_LINKS * size.shown):
            return True
    return False


def _only_article(body: "Tag") -> "Tag | None":
    articles = body.find_all("article", limit=2)
    return articles[0] if len(articles) == 1 else None


def _mark_bold_headings(soup: "BeautifulSoup", body: "Tag") -> None:
    """Make headings, below all others, of the bold lines that paragraphs begin with: pages are often set so."""
    for paragraph in body.find_all("p"):
        first = next((child for child in paragraph.contents if not (is_text(child) and not child.strip())), None)
        if first is None or getattr(first, "name", None) not in _BOLD:
            continue
        behind = next((one for one in first.next_siblings if not (is_text(one) and not one.strip())), None)
        heading = one_line(first.get_text())
        is_line = behind is None or getattr(behind, "name", None) == "br"
        if is_line and 0 < len(heading) <= _MOST_HEADING and heading[-1] not in ".:,;":
            paragraph.insert_before(soup.new_tag("h7", string=heading))
            first.extract()


def _fold_letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()
