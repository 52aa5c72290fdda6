"""Read what people wrote onto the pages of a PDF: typed text is text of the page, and comments are apart."""

import ctypes
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.pdf.lines import LinePart, Page, PdfLine

MOST_BYTES = 100_000  # of a string
TYPE = 10.0  # points: of a text whose size is not known
_MOST_ANNOTATIONS = 2000  # of a page that are read
_UNSEEN = 0b10 | 0b100000  # of an annotation's flags: hidden, and not shown on screens
_COMMENTS = ("TEXT", "LINE", "SQUARE", "CIRCLE", "HIGHLIGHT", "UNDERLINE", "SQUIGGLY", "STRIKEOUT", "CARET")
_MOST_ANSWERS = 20  # of a thread, each to the one before
_RESOLVED = ("Accepted", "Rejected", "Cancelled", "Completed")  # states of a comment, as reviewers set them


@dataclass(frozen=True, slots=True)
class _Remark:
    """A comment on a page, or a state that somebody gave to one."""

    text: str
    author: str
    written: str  # the date, in the file's form
    state: str  # "" for a comment
    answers: int | None  # the place among the page's annotations of the one that it answers, or whose state it is


def write_typed_texts(
    content: bytes, pages: Sequence[Page], annotated: Collection[int], comments: Comments
) -> tuple[Page, ...]:
    """Return the pages with the text that was typed onto them, as viewers offer it, and collect the comments.

    annotated: the numbers of the pages that have annotations.
    """
    import pypdfium2

    if not annotated:
        return tuple(pages)
    with pypdfium2.PdfDocument(content) as document:
        return tuple(
            _write_on(page, document[page.number - 1], comments) if page.number in annotated else page for page in pages
        )


def _write_on(page: Page, source: Any, comments: Comments) -> Page:
    import pypdfium2.raw as pdfium

    kinds = {getattr(pdfium, f"FPDF_ANNOT_{kind}") for kind in _COMMENTS}
    typed: list[PdfLine] = []
    remarks: dict[int, _Remark] = {}
    resolved: set[int | None] = set()
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(source.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(source.raw, number)
        if not annotation:
            continue
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(annotation)
            if kind != pdfium.FPDF_ANNOT_FREETEXT and kind not in kinds:
                continue
            text = read_string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")
            is_seen = bool(text) and not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN
            if kind == pdfium.FPDF_ANNOT_FREETEXT:
                typed += [write_line(text, *find_box(source, annotation))] if is_seen else []
                continue
            remark = _read_remark(source, annotation, text)
            if remark.state:  # how somebody dealt with another one, mostly hidden
                resolved |= {remark.answers} if remark.state in _RESOLVED else set()
            elif is_seen:
                remarks[number] = remark
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    _collect_comments(remarks, resolved, page.number, comments)
    drawn = " ".join(line.text for line in page.lines)  # some programs draw such a text on the page as well
    new = [line for line in typed if line.text not in drawn]
    return replace(page, lines=insert_lines(page.lines, new)) if new else page


def _read_remark(source: Any, annotation: Any, text: str) -> _Remark:
    """Return a comment. source: its page."""
    import pypdfium2.raw as pdfium

    author, changed, made, state = (
        read_string(pdfium.FPDFAnnot_GetStringValue, annotation, key) for key in (b"T", b"M", b"CreationDate", b"State")
    )
    answers = None
    if linked := pdfium.FPDFAnnot_GetLinkedAnnot(annotation, b"IRT"):
        answers = pdfium.FPDFPage_GetAnnotIndex(source.raw, linked)
        pdfium.FPDFPage_CloseAnnot(linked)
    return _Remark(text, author, made or changed, state, answers)


def _collect_comments(remarks: dict[int, _Remark], resolved: set[int | None], page: int, comments: Comments) -> None:
    """Collect the comments of a page, by their places among its annotations, without threads that are resolved."""
    for number, remark in remarks.items():
        first: int | None = number
        for _ in range(_MOST_ANSWERS):
            if first in resolved or first not in remarks:
                break
            first = remarks[first].answers
        if first in resolved:
            comments.leave_out()
        else:
            comments.add(remark.text, author=remark.author, written=remark.written, page=page)


def read_string(read: Callable[..., int], *arguments: Any) -> str:
    """Return a text that PDFium gives, on one line; "" for one of more than MOST_BYTES."""
    size = read(*arguments, None, 0)
    if not 2 < size <= MOST_BYTES:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(*arguments, buffer, size)
    return one_line(bytes(buffer).decode("utf-16-le", "replace").split("\0")[0])


def find_box(page: Any, annotation: Any) -> tuple[float, float, float, float]:
    """Return the left, right, upper and lower end of an annotation, in points from the page's top left corner."""
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, box)
    left, _, _, top = page.get_bbox()
    return box.left - left, box.right - left, top - box.top, top - box.bottom


def write_line(text: str, x0: float, x1: float, y0: float, y1: float) -> PdfLine:
    """Return a line in a box of the page, at its upper end."""
    part = LinePart(text=text, x0=x0, x1=x1)
    end = min(y1, y0 + 2 * TYPE)
    return PdfLine(text=text, x0=x0, x1=x1, y0=y0, y1=end, size=TYPE, bold=False, parts=(part,), is_field=True)


def insert_lines(lines: Sequence[PdfLine], new: Sequence[PdfLine]) -> tuple[PdfLine, ...]:
    """Return the lines of a page with new ones, each before the first that stands lower."""
    found = list(lines)
    for line in new:
        place = next((n for n, other in enumerate(found) if other.y0 > line.y0), len(found))
        found.insert(place, line)
    return tuple(found)
