"""The alternative texts of the pictures on a web page."""

from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.drawings import Drawings
from core.library.ingestion.parsers.html_text import HEADINGS, IN_LINE

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_MOST_PICTURES = 1000
_MOST_INLINE = 30  # tags around a picture in its line
# What a picture is a part of, and is no passage within.
_PARTS = ("table", "ul", "ol", "dl", "pre", "button", *HEADINGS)
_NO_ROLE = ("presentation", "none")


def describe_pictures(soup: "BeautifulSoup", content: "Tag", drawings: Drawings) -> None:
    """Put a paragraph with the alternative text behind the block of each picture, unless its caption says the same."""
    for picture in content.find_all("img", limit=_MOST_PICTURES):
        if picture.find_parent(_PARTS):
            continue
        alternative = picture.get("alt")
        is_decorative = (
            alternative is None
            or not str(alternative).strip()
            or picture.get("role") in _NO_ROLE
            or picture.get("aria-hidden") == "true"
        )
        for passage in drawings.describe(str(alternative or ""), is_decorative=is_decorative):
            block = _find_block(picture, content)
            caption = block.find("figcaption")
            if caption is None or one_line(str(alternative)).casefold() not in one_line(caption.get_text()).casefold():
                (picture if block is content else block).insert_after(soup.new_tag("p", string=passage))


def _find_block(picture: "Tag", content: "Tag") -> "Tag":
    """Return the figure or the block that a picture is in."""
    figure = picture.find_parent("figure")
    if figure is not None and content in figure.parents:
        return figure
    block = picture
    for _ in range(_MOST_INLINE):
        if block is content or block.name not in IN_LINE or block.parent is None:
            break
        block = block.parent
    return block
