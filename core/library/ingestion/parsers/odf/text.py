"""ODT: headings, lists, tables and text boxes in their order."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.extent import Found, Tally
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.grid import MOST_CELLS, write_grid_in_text
from core.library.ingestion.parsers.odf.content import (
    Lists,
    has_header_rows,
    read_comments,
    rows_of,
    text_of,
)
from core.library.ingestion.parsers.odf.frames import Frames
from core.library.ingestion.parsers.odf.package import Package, children, count_of, get, named
from core.library.ingestion.parsers.outline import Outline

if TYPE_CHECKING:
    from lxml.etree import _Element

# Elements that repeat other parts of the text, or hold deleted text.
_NOT_TEXT = {
    named(name)
    for name in (
        "text:alphabetical-index",
        "text:bibliography",
        "text:illustration-index",
        "text:object-index",
        "text:table-index",
        "text:table-of-content",
        "text:tracked-changes",
        "text:user-index",
        "office:forms",
    )
}
_BOXES = (named("draw:text-box"), named("draw:custom-shape"))


def parse_odt(content: bytes, name: str) -> ParsedDocument:
    """Parse a text. EncryptedFileError when it needs a password, UnreadableFileError when it is damaged."""
    package = Package(content, name, "office:text")
    writer = _Writer(package, name)
    writer.write(package.body)
    comments = Comments(writer.tally)
    read_comments(package.body, package.styles, comments)
    writer.tally.find(Found.NOTES, sum(1 for _ in package.body.iter(named("text:note"))))
    return ParsedDocument(
        **package.describe(writer.title),
        blocks=writer.outline.blocks,
        extent=writer.tally.extent,
        comments=comments.blocks,
    )


class _Writer:
    """Writes a text into an outline."""

    def __init__(self, package: Package, name: str) -> None:
        self._styles = package.styles
        self._lists = Lists(package.styles)
        self._name = name
        self._left = MOST_CELLS
        self.tally = Tally()
        self._frames = Frames(package, self.tally, name)
        self._stated_title = self._shown_title(package.body) or package.title
        self.outline = Outline(self._stated_title or title_from_name(name))

    @property
    def title(self) -> str:
        """The title as it is set or stated, else the one heading of the first level above all, else the file's name."""
        heading = one_line(self.outline.only_chapter, MAX_TITLE)
        return self._stated_title or heading or title_from_name(self._name)

    def write(self, element: "_Element") -> None:
        """Write everything in an element."""
        for child in children(element):
            if child.tag in (named("text:h"), named("text:p")):
                self._write_paragraph(child)
            elif child.tag == named("text:list"):
                self._write_list(child)
            elif child.tag == named("table:table"):
                rows = rows_of(child, self._styles, self._left, self._name)
                self._left -= write_grid_in_text(rows, self.outline, self._name, names_columns=has_header_rows(child))
            elif child.tag not in _NOT_TEXT and get(child, "text:display", "true") == "true":
                self._describe_frame(child)
                self.write(child)

    def _write_paragraph(self, paragraph: "_Element") -> None:
        style = get(paragraph, "text:style-name")
        text = text_of(paragraph, self._styles)
        level = self._styles.outline_level(style)
        if paragraph.tag == named("text:h"):
            level = count_of(paragraph, "text:outline-level")
        if "title" in self._styles.names(style):
            if one_line(text, MAX_TITLE) != self._stated_title:
                self.outline.text(text)  # a further title, or a style made from it
        elif level:
            self.outline.heading(level, text)
        else:
            self.outline.text(text)
        for frame in _find_frames(paragraph):
            self._describe_frame(frame)
        for box in _find_boxes(paragraph):
            self.write(box)

    def _describe_frame(self, frame: "_Element") -> None:
        for text in self._frames.describe(frame):
            self.outline.text(text)

    def _write_list(self, found: "_Element") -> None:
        """A list; one that numbers the chapters holds nothing but headings."""
        headings = list(found.iter(named("text:h")))
        if headings:
            for heading in headings:
                self._write_paragraph(heading)
            return
        self.outline.text(self._lists.write(found))

    def _shown_title(self, body: "_Element") -> str:
        """Return the text of the first paragraph in the style for titles; "" where there is none."""
        titles = (
            one_line(text_of(paragraph, self._styles), MAX_TITLE)
            for paragraph in body.iter(named("text:p"), named("text:h"))
            if "title" in self._styles.names(get(paragraph, "text:style-name"))
        )
        return next(filter(None, titles), "")


def _find_boxes(element: "_Element") -> "Iterator[_Element]":
    """Yield the text boxes and shapes in a paragraph, without those inside one of them."""
    for child in children(element):
        if child.tag in _BOXES:
            yield child
        else:
            yield from _find_boxes(child)


def _find_frames(element: "_Element") -> "Iterator[_Element]":
    """Yield the frames in a paragraph, without those inside a text box."""
    for child in children(element):
        if child.tag == named("draw:frame"):
            yield child
        if child.tag not in _BOXES:
            yield from _find_frames(child)
