"""HTML: the main content with its headings, title, date and authors, and the alternative texts of its pictures."""

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_scripted_error
from core.library.ingestion.extent import Tally
from core.library.ingestion.naming import date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.drawings import Drawings
from core.library.ingestion.parsers.header import collect_fields
from core.library.ingestion.parsers.html_body import write_tag
from core.library.ingestion.parsers.html_content import find_content
from core.library.ingestion.parsers.html_date import states_date
from core.library.ingestion.parsers.html_page import read_page
from core.library.ingestion.parsers.html_text import HEADINGS, IN_LINE
from core.library.ingestion.parsers.outline import Outline

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag


# Meta tags by meaning, the most telling first. The citation_ family is what Google Scholar asks publishers for.
_META = {
    "title": ("citation_title", "og:title", "twitter:title", "dc.title"),
    "date": ("citation_date", "citation_publication_date", "article:published_time", "dc.date", "date"),
    "authors": ("citation_author", "dc.creator"),
    "arxiv_id": ("citation_arxiv_id",),
}
_SAVED = "saved from url="  # the comment that browsers write into a page that they save
_SAVED_FROM = re.compile(r"\s*saved from url=\(\d{4}\)(\S{1,1000})")
STATED_URL = "stated_url"  # in the metadata: the address that the page says it has

_MOST_PICTURES = 1000
_MOST_INLINE = 30  # tags around a picture in its line
# What a picture is a part of, and is no passage within.
_PARTS = ("table", "ul", "ol", "dl", "pre", "button", *HEADINGS)
_NO_ROLE = ("presentation", "none")


def parse_html(text: str, name: str) -> ParsedDocument:
    """Parse a web page, without what surrounds its content on every page of a site."""
    import trafilatura

    soup = read_page(text)
    extracted: Any = trafilatura.bare_extraction(
        str(soup),
        include_formatting=True,
        include_tables=True,
        include_comments=False,
        favor_recall=True,
        with_metadata=True,
    )
    fields = _collect_fields(soup, extracted, name)
    outline = Outline(fields["title"])
    content = find_content(soup, extracted.body if extracted is not None else None)
    tally = Tally()
    describe_pictures(soup, content, Drawings(tally))
    write_tag(content, outline)
    if not outline.blocks and soup.find("script"):
        raise make_scripted_error(name)
    return ParsedDocument(**fields, blocks=outline.blocks, extent=tally.extent)


def _collect_fields(soup: "BeautifulSoup", extracted: Any, name: str) -> dict[str, Any]:
    header: dict[str, Any] = {}
    for key, names in _META.items():
        values = next((found for each in names if (found := _read_meta(soup, each))), [])
        if values:
            header[key] = values if key == "authors" else values[0]
    if stated := _stated_address(soup):
        header["source_url"] = stated
    fields = collect_fields(header)
    fields["metadata"].pop("authors", None)
    if fields["source_url"] and not fields["arxiv_id"]:
        fields["metadata"][STATED_URL] = fields["source_url"]  # also where the page was fetched from another address
    shown = soup.find(["h1", "h2"])
    tag = soup.title.get_text() if soup.title else ""
    candidates = (fields["title"], shown.get_text() if shown else "", tag, title_from_name(name))
    fields["title"] = next(line for text in candidates if (line := one_line(text, MAX_TITLE)))
    guessed = date_in_words(extracted.date) if extracted is not None and extracted.date else None
    if guessed and not states_date(soup, guessed):
        guessed = None
    fields["document_date"] = (
        fields["document_date"]
        or date_in_name(name)
        or date_in_name(fields["source_url"])
        or date_in_words(fields["title"])
        or guessed
    )
    return fields


def _stated_address(soup: "BeautifulSoup") -> str:
    """Return the address that a page gives for itself: its canonical one, its card's, or a browser's on saving.

    Else "".

    Anybody can write any address here. It is a link to show, and does not identify the document.
    """
    from bs4.element import Comment

    links = soup.find_all("link", rel="canonical", href=True)
    comments = soup.find_all(string=lambda text: isinstance(text, Comment) and text.strip().startswith(_SAVED), limit=1)
    saved = (found[1] for comment in comments if (found := _SAVED_FROM.match(str(comment))))
    candidates = (*(str(link["href"]) for link in links), *_read_meta(soup, "og:url"), *saved)
    return next((url for each in candidates if urlsplit(url := each.strip()).scheme in ("http", "https")), "")


def _read_meta(soup: "BeautifulSoup", name: str) -> list[str]:
    tags = soup.find_all("meta", attrs={"name": name}) or soup.find_all("meta", attrs={"property": name})
    return [content for tag in tags if (content := one_line(str(tag.get("content") or "")))]


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
