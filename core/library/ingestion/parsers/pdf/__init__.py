"""PDF: pages, reading order, headings and paragraphs from where the lines stand and how they are set."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.errors import NoTextError
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import GARBLED_PAGES, MAX_TITLE, RECOGNISED_PAGES, UNREAD_PAGES, ParsedDocument
from core.library.ingestion.errors import make_garbled_error, make_no_text_error, make_unrecognised_error
from core.library.ingestion.extent import Found, Loss, Tally
from core.library.ingestion.naming import date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.pdf.annotations import write_typed_texts
from core.library.ingestion.parsers.pdf.forms import fill_in_forms
from core.library.ingestion.parsers.pdf.garbled import is_garbled
from core.library.ingestion.parsers.pdf.headings import Headings
from core.library.ingestion.parsers.pdf.joining import Joiner
from core.library.ingestion.parsers.pdf.lines import Extracted, Page, PdfLine, extract
from core.library.ingestion.parsers.pdf.page_boilerplate import without_furniture
from core.library.ingestion.parsers.pdf.scans import find_scans, recognise
from core.library.ingestion.parsers.pdf.writing import PageWriter
from core.library.ingestion.recognition import Recogniser
from core.values.document_names import name_authors

_LEAST_LETTERS = 3  # a property or a line with fewer is no title
# What programs write where nobody gave a title.
_NO_TITLE = re.compile(r"^(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|pdf|indd|tex|dvi|pptx?|xlsx?))$", re.IGNORECASE)


def parse_pdf(content: bytes, name: str, recogniser: Recogniser | None = None) -> ParsedDocument:
    """Parse a PDF. NoTextError when no page has text that can be read; see also `extract`.

    recogniser: reads the pages that are pictures, or whose fonts do not say what they show. Without one these are left
    out, and named in the metadata.
    """
    extracted = extract(content, name)
    garbled = extracted.garbled
    pages = tuple(_without_text(page) if page.number in garbled else page for page in extracted.pages)
    pages = fill_in_forms(content, pages)
    unread = tuple(sorted({*find_scans(content, pages), *garbled}))
    recognised: tuple[int, ...] = ()
    if recogniser is not None and unread:
        pages = recognise(content, pages, unread, recogniser)
        # The models read Latin letters: what they make of others is no text either.
        misread = {page.number for page in pages if page.number in garbled and not _is_legible(page)}
        pages = tuple(_without_text(page) if page.number in misread else page for page in pages)
        recognised = tuple(number for number in unread if number not in misread)
        unread = tuple(sorted(misread))
    tally = Tally()
    comments = Comments(tally)
    pages = write_typed_texts(content, pages, extracted.annotated, comments)
    if not any(page.lines or page.turned for page in pages):
        raise _make_error(name, is_garbled=bool(garbled), can_recognise=recogniser is not None)
    document = write_pages(replace(extracted, pages=pages), name, recognised=recognised, unread=unread)
    left_out = [number for number in unread if number in garbled]
    metadata = document.metadata | ({GARBLED_PAGES: left_out} if left_out else {})
    tally.find(Found.PAGES, len(pages))
    tally.leave_out(Loss.GARBLED_PAGES, len(left_out))
    tally.leave_out(Loss.SCANNED_PAGES, len(unread) - len(left_out))
    pictured = {*recognised, *unread}
    pictures = sum(count for number, count in enumerate(extracted.pictures, 1) if number not in pictured)
    tally.find(Found.PICTURES, pictures)
    tally.leave_out(Loss.PICTURES, pictures)
    return replace(document, metadata=metadata, extent=tally.extent, comments=comments.blocks)


def _without_text(page: Page) -> Page:
    return replace(page, lines=(), turned=(), rulings=())


def _is_legible(page: Page) -> bool:
    text = "\n".join(line.text for line in (*page.lines, *page.turned))
    return bool(text) and not is_garbled(text)


def _make_error(name: str, *, is_garbled: bool, can_recognise: bool) -> NoTextError:
    if is_garbled:
        return make_garbled_error(name, can_recognise=can_recognise)
    return make_unrecognised_error(name) if can_recognise else make_no_text_error(name)


def write_pages(
    extracted: Extracted, name: str, *, recognised: Sequence[int] = (), unread: Sequence[int] = ()
) -> ParsedDocument:
    """Return the document that these pages are. recognised, unread: the numbers of those without text of their own."""
    pages = without_furniture(extracted.pages)
    headings = Headings(pages, extracted.bookmarks)
    title, shown = _find_title(extracted, headings, name)
    date = date_in_name(name) or date_in_words(title)
    writer = PageWriter(
        Outline(title), headings, Joiner(line.text for page in pages for line in (*page.lines, *page.turned))
    )
    for page in pages:
        writer.write(replace(page, lines=tuple(line for line in page.lines if line not in shown)))
    writer.write_turned()
    author = name_authors(extracted.author)
    metadata: dict[str, Any] = {"pages": len(pages)} | ({"author": author} if author else {})
    for key, numbers in ((RECOGNISED_PAGES, recognised), (UNREAD_PAGES, unread)):
        if numbers:
            metadata[key] = list(numbers)
    return ParsedDocument(title=title, document_date=date, metadata=metadata, blocks=writer.outline.blocks)


def _find_title(extracted: Extracted, headings: Headings, name: str) -> tuple[str, tuple[PdfLine, ...]]:
    """Return the title from the file's properties, else as it is set on the first page, else from the file's name.

    With it the lines on the first page that say the same.
    """
    stated = extracted.title
    shown = one_line(" ".join(line.text for line in headings.title), MAX_TITLE)
    if sum(map(str.isalpha, stated)) >= _LEAST_LETTERS and not _NO_TITLE.search(stated):
        title = one_line(stated, MAX_TITLE)
        return title, headings.title if shown.casefold() == title.casefold() else ()
    if sum(map(str.isalpha, shown)) >= _LEAST_LETTERS:
        return shown, headings.title
    return title_from_name(name), ()
