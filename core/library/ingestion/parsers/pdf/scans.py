"""The pages of a PDF that are pictures: which they are, and what is written on them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.pdf.lines import LinePart, Page, PdfLine
from core.library.ingestion.recognition import LONGEST_SIDE, RecognisedPage, Recogniser

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_LITTLE_TEXT = 60  # characters: a stamp, a page number; a page with more is no scan, or one that was recognised before
_LEAST_COVERED = 0.5  # of a page's width and height, by the picture that is a scan
_MOST_OBJECTS = 2000  # of a page that are looked at; a scan has a few


def find_scans(content: bytes, pages: Sequence[Page]) -> tuple[int, ...]:
    """Return the numbers of the pages that are pictures with next to no text."""
    import pypdfium2

    suspects = [page for page in pages if sum(len(line.text) for line in (*page.lines, *page.turned)) <= _LITTLE_TEXT]
    if not suspects:
        return ()
    with pypdfium2.PdfDocument(content) as document:
        return tuple(page.number for page in suspects if _is_scan(document[page.number - 1]))


def recognise(content: bytes, pages: Sequence[Page], scans: Sequence[int], recogniser: Recogniser) -> tuple[Page, ...]:
    """Return the pages, with what is written on those that are pictures."""
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        return tuple(_recognise_page(document, page, recogniser) if page.number in scans else page for page in pages)


def as_page(found: RecognisedPage, number: int, scale: float) -> Page:
    """Return a page as a PDF's parser has them. scale: points for a pixel."""
    lines = (
        PdfLine(
            text=line.text,
            x0=line.x0 * scale,
            x1=line.x1 * scale,
            y0=line.y0 * scale,
            y1=line.y1 * scale,
            size=round(line.size * scale * 2) / 2,
            bold=False,
            parts=(LinePart(text=line.text, x0=line.x0 * scale, x1=line.x1 * scale),),
        )
        for line in found.lines
    )
    return Page(number=number, width=found.width * scale, height=found.height * scale, lines=tuple(lines), rulings=())


def _is_scan(page: "PdfPage") -> bool:
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    width, height = page.get_size()
    for number, image in enumerate(page.get_objects(filter=(FPDF_PAGEOBJ_IMAGE,))):
        if number >= _MOST_OBJECTS:
            break
        left, bottom, right, top = image.get_bounds()
        if right - left >= _LEAST_COVERED * width and top - bottom >= _LEAST_COVERED * height:
            return True
    return False


def _recognise_page(document: "PdfDocument", page: Page, recogniser: Recogniser) -> Page:
    """Return a page as it is shown, its turn included."""
    shown = document[page.number - 1]
    scale = LONGEST_SIDE / max(*shown.get_size(), 1)
    found = recogniser.read(shown.render(scale=scale).to_pil())
    return as_page(found, page.number, 1 / scale)
