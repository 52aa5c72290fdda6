"""Files made for the tests."""

import io
import zipfile
from collections.abc import Sequence

from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

_, HEIGHT = A4


def pdf(pages: Sequence[Sequence[tuple[str, float, float, str, float]]], *, password: str = "") -> bytes:
    """A PDF of pages of lines: text, distance from the left and from the top, font, size."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, encrypt=StandardEncryption(password) if password else None)
    for page in pages:
        for text, x, y, font, size in page:
            canvas.setFont(font, size)
            canvas.drawString(x, HEIGHT - y, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def paragraph(lines: Sequence[str], *, x: float = 60, y: float = 120) -> list[tuple[str, float, float, str, float]]:
    """Lines of running text, one below the other."""
    return [(line, x, y + 13 * number, "Helvetica", 10) for number, line in enumerate(lines)]


def docx() -> bytes:
    """A Word document with a title, two levels of headings, a list and a table."""
    document = Document()
    document.core_properties.author = "Ada Writer"
    document.add_heading("Lift manual", 0)
    document.add_paragraph("Read this first.")
    document.add_heading("Operation", 1)
    document.add_heading("Starting", 2)
    document.add_paragraph("Turn the key.")
    document.add_paragraph("Press the green button.", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for row, values in zip(table.rows, (("Load", "Speed"), ("100 kg", "2 m/s")), strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def xlsx(sheets: dict[str, Sequence[Sequence[object]]]) -> bytes:
    """A workbook of sheets of rows."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    """A presentation of slides of a title and a text."""
    presentation = Presentation()
    for title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, text
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def epub(pages: dict[str, str], *, nav: str = "", metadata: str = "", **parts: bytes) -> bytes:
    """A book of pages by their names, each the inside of a body, with the inside of its contents' list."""
    named = {"nav.xhtml": f"<nav><ol>{nav}</ol></nav>"} | pages
    items = "".join(
        f'<item id="i{number}" href="{name}" media-type="application/xhtml+xml"'
        f' properties="{"nav" if name == "nav.xhtml" else ""}"/>'
        for number, name in enumerate(named)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(named)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    html = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    return zip_of(
        {"mimetype": b"application/epub+zip", "META-INF/container.xml": container.encode()}
        | {"OEBPS/book.opf": package.encode()}
        | {f"OEBPS/{name}": html.format(text).encode() for name, text in named.items()}
        | {name.replace("__", "/").replace("_dot_", "."): content for name, content in parts.items()}
    )


def zip_of(parts: dict[str, bytes]) -> bytes:
    """A ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()
