"""ODP: a page for each slide, with its title as section, its texts in reading order and the speaker's notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.extent import Found, Loss, Tally
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.grid import MOST_CELLS
from core.library.ingestion.parsers.odf.content import Lists, read_comments, rows_of, text_of
from core.library.ingestion.parsers.odf.frames import Frames
from core.library.ingestion.parsers.odf.package import Package, Styles, children, get, named
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.written import table

if TYPE_CHECKING:
    from lxml.etree import _Element

_NOTES = "Notes of the speaker:"
_SLIDE_LEVEL = 2
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt)")
_IN_MILLIMETRES = {"cm": 10.0, "mm": 1.0, "in": 25.4, "pt": 0.353}
_REPEATED = {"date-time", "footer", "header", "page-number"}  # placeholders that every slide repeats
_TEXTS = {named(name) for name in ("draw:text-box", "text:section")}


@dataclass(frozen=True, slots=True)
class _Slide:
    """A slide of a presentation."""

    page: "_Element"
    number: int  # from 1
    name: str  # of the file


def parse_odp(content: bytes, name: str) -> ParsedDocument:
    """Parse a presentation without its hidden slides.

    EncryptedFileError when it needs a password, UnreadableFileError when it is damaged.
    """
    package = Package(content, name, "office:presentation")
    pages = [child for child in children(package.body) if child.tag == named("draw:page")]
    first = _find_title(pages[0], package.styles) if pages else ""
    title = package.title or one_line(first, MAX_TITLE) or title_from_name(name)
    outline = Outline(title)
    lists = Lists(package.styles)
    tally = Tally()
    comments = Comments(tally)
    frames = Frames(package, tally, name)
    tally.find(Found.PAGES, len(pages))
    for number, page in enumerate(pages, 1):
        if package.styles.has(get(page, "draw:style-name"), "presentation:visibility", "hidden"):
            tally.leave_out(Loss.HIDDEN_PAGES)
        else:
            _write_slide(_Slide(page, number, name), outline, lists, package.styles, frames)
            read_comments(page, package.styles, comments, page=number)
    return ParsedDocument(
        **package.describe(title), blocks=outline.blocks, extent=tally.extent, comments=comments.blocks
    )


def _find_title(page: "_Element", styles: Styles) -> str:
    found = (shape for shape in _in_reading_order(page) if get(shape, "presentation:class") == "title")
    shape = next(found, None)
    return (
        one_line(" ".join(text_of(each, styles) for each in shape.iter(named("text:p")))) if shape is not None else ""
    )


def _write_slide(slide: _Slide, outline: Outline, lists: Lists, styles: Styles, frames: Frames) -> None:
    page, number = slide.page, slide.number
    title = _find_title(page, styles)
    blocks = [
        text
        for shape in _in_reading_order(page)
        if get(shape, "presentation:class") not in {"title", *_REPEATED}
        for text in (*_read_texts(shape, lists, styles, slide.name), *frames.describe(shape))
    ]
    notes = page.find(named("presentation:notes"))
    noted = notes.iter(named("draw:frame")) if notes is not None else iter(())
    said = [
        each for frame in noted if get(frame, "presentation:class") == "notes" for each in frame.iter(named("text:p"))
    ]
    text = "\n".join(text_of(each, styles) for each in said).strip()
    blocks = [block for block in blocks if block.strip()]
    if not (title or blocks or text):
        return
    outline.heading(_SLIDE_LEVEL, title or f"Slide {number}")
    for block in blocks or [title]:  # a slide of a title alone says that
        outline.text(block, page=number)
    if text:
        outline.text(f"{_NOTES}\n{text}", page=number)


def _in_reading_order(element: "_Element") -> "Iterator[_Element]":
    """Yield the shapes from the top down and from left to right, those of a group in the group's place."""
    shapes = [
        each
        for each in children(element)
        if each.tag.startswith(named("draw:")) and each.tag != named("draw:layer-set")
    ]
    for shape in sorted(shapes, key=_find_place):
        if shape.tag == named("draw:g"):
            yield from _in_reading_order(shape)
        else:
            yield shape


def _find_place(shape: "_Element") -> tuple[float, float]:
    """Return a shape's distance from the top and from the left, in millimetres; of a group, that of its first shape."""
    if shape.tag == named("draw:g"):
        return min((_find_place(child) for child in children(shape)), default=(0.0, 0.0))
    return _read_length(get(shape, "svg:y")), _read_length(get(shape, "svg:x"))


def _read_length(text: str) -> float:
    found = _LENGTH.fullmatch(text)
    return float(found[1]) * _IN_MILLIMETRES[found[2]] if found else 0.0


def _read_texts(element: "_Element", lists: Lists, styles: Styles, name: str) -> Iterator[str]:
    """Yield the text of a shape, a block for each paragraph, list and table."""
    for child in children(element):
        if child.tag in (named("text:p"), named("text:h")):
            yield text_of(child, styles)
        elif child.tag == named("text:list"):
            yield lists.write(child)
        elif child.tag == named("table:table"):
            rows = rows_of(child, styles, MOST_CELLS, name)
            cells = [["" if cell.is_covered else cell.text for cell in row] for row in rows]
            is_headed = get(child, "table:use-first-row-styles") == "true"
            yield table(cells, has_header=True if is_headed else None)
        elif child.tag in _TEXTS:
            yield from _read_texts(child, lists, styles, name)
