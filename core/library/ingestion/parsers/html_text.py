"""Find the block of a text in a parsed page, and the text before it."""

import re
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from bs4.element import NavigableString, PageElement, Tag

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Tags within a line.
INLINE = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
        "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time",
        "tt", "u", "var", "wbr",
    )
)  # fmt: skip
# Tags that end no line and hold no block.
IN_LINE = INLINE | {"br", "img", "input", "button", "picture", "source"}
_WHITE_SPACE = re.compile(r"\s+")
_SPACES = re.compile(r" {2,}")
_AROUND_BREAK = re.compile(r" ?\n ?")
_MOST_INLINE = 30  # tags within each other in a line
_MOST_STEPS = 40  # texts before another that are looked at
_CONTEXT = 40  # characters before a text


def is_text(element: object) -> "TypeGuard[NavigableString]":
    """Return True for text that a page shows: no comment, script or style."""
    from bs4.element import NavigableString

    return type(element) is NavigableString


def lines_of(*elements: "PageElement") -> str:
    """Return the text of elements side by side, their white space as one space.

    Line breaks are where the page has them, spaces between blocks.
    """
    from bs4.element import Tag

    pieces: list[str] = []
    for outer in elements:
        for element in (outer, *(outer.descendants if isinstance(outer, Tag) else ())):
            if is_text(element):
                pieces.append(_WHITE_SPACE.sub(" ", element))
            elif isinstance(element, Tag) and element.name not in INLINE:
                pieces.append("\n" if element.name == "br" else " ")
    return _AROUND_BREAK.sub("\n", _SPACES.sub(" ", "".join(pieces))).strip()


def block_of(text: "NavigableString") -> "Tag | None":
    """Return the nearest tag around a text that is no part of a line; None where the lines are nested absurdly deep."""
    tag = text.parent
    for _ in range(_MOST_INLINE):
        if tag is None or tag.name not in INLINE:
            return tag
        tag = tag.parent
    return None


def text_before(tag: "Tag") -> str:
    """Return the end of the text before a tag in the same block, without a line break between."""
    from bs4.element import Tag

    pieces: list[str] = []
    element = tag.previous_element
    block = _block_around(tag)
    for _ in range(_MOST_STEPS):
        if element is None or element is block or sum(map(len, pieces)) >= _CONTEXT:
            break
        if isinstance(element, Tag) and element.name not in INLINE:
            break
        if is_text(element):
            pieces.append(str(element))
        element = element.previous_element
    return "".join(reversed(pieces))[-_CONTEXT:]


def text_after(element: "PageElement") -> str:
    """Return the beginning of the text right behind an element in its line."""
    following, outer = element.next_sibling, element.parent
    for _ in range(_MOST_INLINE):
        if following is not None or outer is None or outer.name not in INLINE:
            break
        following, outer = outer.next_sibling, outer.parent
    return str(following)[:_CONTEXT] if is_text(following) else ""


def _block_around(tag: "Tag") -> "Tag | None":
    around = tag.parent
    for _ in range(_MOST_INLINE):
        if around is None or around.name not in INLINE:
            break
        around = around.parent
    return around
