"""Files made for the tests."""

import io
import itertools
import struct
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


OPEN_DOCUMENT = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("draw", "drawing"),
        ("fo", "xsl-fo-compatible"),
        ("office", "office"),
        ("meta", "meta"),
        ("presentation", "presentation"),
        ("style", "style"),
        ("svg", "svg-compatible"),
        ("table", "table"),
        ("text", "text"),
    )
)


def open_document(kind: str, body: str, *, styles: str = "", meta: str = "", before: str = "", **parts: bytes) -> bytes:
    """An OpenDocument file: the inside of its body, of its automatic styles and of its metadata.

    kind: "text", "spreadsheet" or "presentation". before: the text before the root of its content.
    """
    content = (
        f"{before}<office:document-content {OPEN_DOCUMENT}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    stated = (
        f'<office:document-meta {OPEN_DOCUMENT} xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<office:meta>{meta}</office:meta></office:document-meta>"
    )
    named = {name.replace("__", "/").replace("_dot_", "."): content for name, content in parts.items()}
    return zip_of(
        {"mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(), "content.xml": content.encode()}
        | {"meta.xml": stated.encode()}
        | named
    )


_SECTOR, _SMALL_SECTOR, _FREE, _END, _TABLE = 512, 64, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(streams: dict[str, bytes]) -> bytes:
    """A compound file, as Outlook's are, of small streams by their names: "stream" or "storage/stream"."""
    folders = sorted({name.partition("/")[0] for name in streams if "/" in name})
    small = bytearray()
    starts, chain = {}, []
    for name, content in streams.items():
        starts[name] = len(chain) if content else _END
        count = -(-len(content) // _SMALL_SECTOR)
        chain += [*range(len(chain) + 1, len(chain) + count), _END] if count else []
        small += content.ljust(count * _SMALL_SECTOR, b"\0")
    entries: list[list[object]] = [["Root Entry", 5, _FREE, _FREE, _FREE, 0, len(small)]]
    places: dict[str, list[int]] = {"": []}
    for folder in folders:
        places[""].append(len(entries))
        places[folder] = []
        entries.append([folder, 1, _FREE, _FREE, _FREE, 0, 0])
    for name, content in streams.items():
        folder, _, last = name.rpartition("/")
        places[folder].append(len(entries))
        entries.append([last, 2, _FREE, _FREE, _FREE, starts[name], len(content)])
    for folder, inside in places.items():  # a tree that leans: each entry's right neighbour is the next
        parent = 0 if not folder else next(n for n, entry in enumerate(entries) if entry[:2] == [folder, 1])
        inside.sort(key=lambda n: (len(str(entries[n][0])), str(entries[n][0]).upper()))
        entries[parent][4] = inside[0] if inside else _FREE
        for one, other in itertools.pairwise(inside):
            entries[one][3] = other
    directory = b"".join(_entry(*entry) for entry in entries)  # type: ignore[arg-type]
    pieces = [directory, struct.pack(f"<{len(chain)}I", *chain), bytes(small)]
    sizes = [-(-len(piece) // _SECTOR) for piece in pieces]
    first = [1, 1 + sizes[0], 1 + sizes[0] + sizes[1]]  # the table of sectors is sector 0
    table = [_TABLE]
    for size in sizes:
        table += [*range(len(table) + 1, len(table) + size), _END] if size else []
    assert len(table) <= _SECTOR // 4, "too large for the writer of the tests"
    table += [_FREE] * (_SECTOR // 4 - len(table))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, first[0], 0, 4096,
        first[1] if chain else _END, sizes[1], _END, 0, 0,
    )  # fmt: skip
    header = header.ljust(_SECTOR, b"\xff")
    root = bytearray(directory)
    struct.pack_into("<I", root, 116, first[2] if small else _END)
    pieces[0] = bytes(root)
    return (
        header
        + struct.pack(f"<{len(table)}I", *table)
        + b"".join(p.ljust(s * _SECTOR, b"\0") for p, s in zip(pieces, sizes, strict=True))
    )


def _entry(name: str, kind: int, left: int, right: int, child: int, start: int, size: int) -> bytes:
    """An entry of a compound file's directory."""
    coded = name.encode("utf-16-le")
    return struct.pack("<64sHBBIII16xI16xIQ", coded, len(coded) + 2, kind, 1, left, right, child, 0, start, size)


def msg(*, attached: Sequence[str] = (), sent: int = 0, body: str = "", html: bytes = b"", **said: str) -> bytes:
    """An Outlook message. said: subject, sender, headers, kind (its class); sent: in 100 nanoseconds since 1601."""
    numbers = {"subject": 0x37, "sender": 0x42, "headers": 0x7D, "kind": 0x1A, "body": 0x1000}
    times = struct.pack("<HHIQ", 0x40, 0x39, 6, sent) if sent else b""
    page = struct.pack("<HHIQ", 3, 0x3FDE, 6, 65001)
    streams = {"__properties_version1.0": bytes(32) + times + page}
    for name, text in (said | {"body": body}).items():
        streams[f"__substg1.0_{numbers[name]:04X}001F"] = text.encode("utf-16-le")
    if html:
        streams["__substg1.0_10130102"] = html
    for number, name in enumerate(attached):
        folder = f"__attach_version1.0_#{number:08X}"
        streams[f"{folder}/__properties_version1.0"] = bytes(8)
        streams[f"{folder}/__substg1.0_3707001F"] = name.encode("utf-16-le")
    return compound(streams)
