"""Files made to do harm, by kind: each as its name and a function that makes its bytes. None is stored.

They are meant for a sandbox with the limits of `LIMITS`: what is small in them would be large in the wild.
"""

import gzip
import io
import json
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from core.library.ingestion.sandbox.process import Limits
from tests.unit.ingestion.files import docx, epub, msg, open_document, paragraph, pdf, pptx, xlsx, zip_of

TOUCHED = Path("/tmp/footnote-was-here")  # noqa: S108 - what one of them tries to make
LIMITS = Limits(seconds=4, memory_mb=200, output_mb=2)
MB = 1024 * 1024
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)
_SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_SLIDE = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DOCTYPE = f'<!DOCTYPE html [<!ENTITY l0 "haha">{LAUGHS}]>'
STEALING = '<!DOCTYPE html [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'

Maker = Callable[[], bytes]


@cache
def good_pdf() -> bytes:
    """A PDF that is as it should be."""
    return pdf([paragraph(["A line of text on the first page."]), paragraph(["And another one."])])


@cache
def good_docx() -> bytes:
    """A Word document that is as it should be."""
    return docx()


def word(body: str, *, before: str = "", **parts: bytes) -> bytes:
    """A Word document with this body, and with more parts, __ standing for / and _dot_ for a dot in their names."""
    xml = f"{before}<w:document {_WORD}><w:body>{body}</w:body></w:document>"
    named = {name.replace("__", "/").replace("_dot_", "."): content for name, content in parts.items()}
    return zip_of(
        {"[Content_Types].xml": _TYPES.encode(), "_rels/.rels": _RELATIONS.encode(), "word/document.xml": xml.encode()}
        | named
    )


def said(text: str) -> str:
    """A paragraph of a Word document."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def raw_pdf(*objects: str | bytes, root: int = 1, trailer: str = "") -> bytes:
    """A PDF of these objects, numbered from 1, with a correct table of their places."""
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, each in enumerate(objects, 1):
        places.append(out.tell())
        body = each if isinstance(each, bytes) else each.encode("latin-1")
        out.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(f"trailer\n<</Size {len(objects) + 1}/Root {root} 0 R{trailer}>>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


def stream(content: bytes, entries: str = "") -> bytes:
    """A PDF's stream, as it is."""
    return f"<</Length {len(content)}{entries}>>\nstream\n".encode() + content + b"\nendstream"


FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
SHOWN = b"BT /F1 12 Tf 72 700 Td (Words on a page that does more than to be read.) Tj ET"


def page_of(content: bytes, *, catalog: str = "", page: str = "", box: str = "0 0 595 842", pages: str = "") -> bytes:
    """A PDF of one page. catalog, page, pages: more entries of these objects; content: the object of its content."""
    return raw_pdf(
        f"<</Type/Catalog/Pages 2 0 R{catalog}>>",
        f"<</Type/Pages/Kids[3 0 R]/Count 1{pages}>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R{page}>>",
        content,
        FONT,
    )


def deflated(size: int) -> bytes:
    """That many spaces, packed."""
    packer = zlib.compressobj(1)
    piece = b" " * MB
    return b"".join(packer.compress(piece) for _ in range(size // MB)) + packer.flush()


def zip_bomb() -> bytes:
    """A Word document with a picture of 300 MB of nothing."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("word/document.xml", "<a/>")
        with archive.open("word/media/a.bin", "w", force_zip64=True) as part:
            for _ in range(300):
                part.write(bytes(MB))
    return out.getvalue()


def nested_archive(depth: int) -> bytes:
    """An archive in an archive in an archive."""
    inner = b"0" * 1000
    for _ in range(depth):
        inner = zip_of({"inner.zip": inner})
    return inner


def locked_docx() -> bytes:
    """A Word document of which every part says that it needs a password."""
    content = bytearray(good_docx())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := content.find(mark, start)) >= 0:
            content[start + offset] |= 1
            start += 4
    return bytes(content)


def tar_gz() -> bytes:
    """A packed archive whose member has a name that leads out of it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("../../outside")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"words"))
    return out.getvalue()


def archives() -> Iterator[tuple[str, str, Maker]]:
    """Kinds that are packed, as (kind, name, maker)."""
    yield "zip bomb", "bomb.docx", zip_bomb
    yield "nested archives", "nested.zip", lambda: nested_archive(30)
    yield "nested archives as a document", "nested.docx", lambda: nested_archive(30)
    yield (
        "archives within a document",
        "within.docx",
        lambda: word(said("Harmless."), word__embeddings__a_dot_zip=nested_archive(30)),
    )
    yield "part with a name that leads out", "out.docx", lambda: zip_of({"word/../../../outside.xml": b"<a/>"})
    yield "gzip bomb", "bomb.gz", lambda: gzip.compress(bytes(20 * MB), 1)
    yield "gzip bomb as text", "bomb.txt", lambda: gzip.compress(bytes(20 * MB), 1)
    yield "tar that leads out", "out.tar.gz", tar_gz
    yield "Word document with a password", "locked.docx", locked_docx
    yield (
        "Word document that Office locked",
        "ole.docx",
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
    )
    for share in (10, 50, 90, 99):
        yield (
            f"Word document cut off at {share} %",
            "cut.docx",
            lambda share=share: (  # type: ignore[misc]
                good_docx()[: len(good_docx()) * share // 100]
            ),
        )
    yield "laughing entities in a Word document", "laughs.docx", lambda: word(said("&l9;"), before=DOCTYPE)
    yield "entity of a file in a Word document", "stolen.docx", lambda: word(said("&secret;"), before=STEALING)
    yield (
        "Word document nested deep",
        "deep.docx",
        lambda: word("<w:tbl><w:tr><w:tc>" * 5000 + said("deep") + "</w:tc></w:tr></w:tbl>" * 5000),
    )
    yield (
        "Word document that asks the network",
        "asks.docx",
        lambda: word(
            said("Harmless."),
            word___rels__document_dot_xml_dot_rels=(
                b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                b'<Relationship Id="r9" '
                b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" '
                b'Target="http://127.0.0.1:9/template.dotm" TargetMode="External"/><Relationship Id="r8" Type="http://'
                b'schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/passwd" '
                b'TargetMode="External"/></Relationships>'
            ),
        ),
    )
    yield (
        "Word document with a macro",
        "macro.docx",
        lambda: word(said("Harmless."), word__vbaProject_dot_bin=b"\0" * 99),
    )
    for kind, opening in (
        ("tables", "<w:tbl><w:tr><w:tc>"),
        ("controls", "<w:sdt><w:sdtContent>"),
        ("boxes", "<w:p><w:r><w:pict><w:txbxContent>"),
    ):
        yield (
            f"{kind} of a Word document nested as deep as XML may be",
            "nested.docx",
            lambda opening=opening: word(  # type: ignore[misc]
                said("Top.")
                + opening * (250 // opening.count("<"))
                + said("deep")
                + "".join(f"</{name}>" for name in reversed(opening[1:-1].split("><"))) * (250 // opening.count("<"))
            ),
        )
    yield "Word document without a body", "bodiless.docx", lambda: zip_of({"word/document.xml": b"<a/>"})
    yield (
        "row that spans a hundred thousand columns",
        "wide.docx",
        lambda: word(
            '<w:tbl><w:tblGrid/><w:tr><w:tc><w:tcPr><w:gridSpan w:val="100000"/></w:tcPr>'
            + said("wide")
            + "</w:tc></w:tr></w:tbl>"
        ),
    )


@cache
def good_xlsx() -> bytes:
    """A workbook that is as it should be."""
    return xlsx({"Fees": [["Boat", "Fee"], ["Dinghy", 4], ["Yacht", 11]]})


def workbook(sheet: str, *, before: str = "", **parts: bytes) -> bytes:
    """A workbook whose sheet has this XML, and with more parts, named as those of `word`."""
    with zipfile.ZipFile(io.BytesIO(good_xlsx())) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    xml = f"{before}<worksheet {_SHEET}>{sheet}</worksheet>"
    named = {name.replace("__", "/").replace("_dot_", "."): content for name, content in parts.items()}
    return zip_of(found | {"xl/worksheets/sheet1.xml": xml.encode()} | named)


def written(reference: str, text: str = "words") -> str:
    """A cell of a sheet."""
    return f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'


def tables() -> Iterator[tuple[str, str, Maker]]:
    """Workbooks, and tables in text."""
    row = f'<row r="1">{written("A1")}{written("B1")}</row>'
    yield "workbook cut off", "cut.xlsx", lambda: good_xlsx()[: len(good_xlsx()) // 2]
    yield "workbook without a book", "bookless.xlsx", lambda: zip_of({"xl/workbook.xml": b"<a/>"})
    yield (
        "laughing entities in a workbook",
        "laughs.xlsx",
        lambda: workbook(f'<sheetData><row r="1">{written("A1", "&l9;")}</row></sheetData>', before=DOCTYPE),
    )
    yield (
        "entity of a file in a workbook",
        "stolen.xlsx",
        lambda: workbook(f'<sheetData><row r="1">{written("A1", "&secret;")}</row></sheetData>', before=STEALING),
    )
    yield (
        "cells at the far corners of a sheet",
        "corners.xlsx",
        lambda: workbook(
            f'<dimension ref="A1:XFD1048576"/><sheetData>{row}'
            f'<row r="1048576">{written("XFD1048576")}</row></sheetData>'
        ),
    )
    yield (
        "cells on a diagonal",
        "diagonal.xlsx",
        lambda: workbook(
            "<sheetData>"
            + "".join(f'<row r="{n}">' + '<c t="n"><v></v></c>' * n + "<c><v>1</v></c></row>" for n in range(1, 1200))
            + "</sheetData>"
        ),
    )
    yield (
        "merged cells over a whole sheet",
        "merged.xlsx",
        lambda: workbook(
            f"<sheetData>{row}</sheetData><mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * 5000 + "</mergeCells>"
        ),
    )
    yield (
        "cells of styles and strings that there are not",
        "styles.xlsx",
        lambda: workbook('<sheetData><row r="1"><c s="9999"><v>1</v></c><c t="s"><v>99</v></c></row></sheetData>'),
    )
    yield (
        "sheet nested deep",
        "deep.xlsx",
        lambda: workbook("<a>" * 20_000 + "</a>" * 20_000 + f"<sheetData>{row}</sheetData>"),
    )
    yield (
        "workbook with macros, links and pictures",
        "macro.xlsx",
        lambda: workbook(f"<sheetData>{row}{row}</sheetData>", xl__vbaProject_dot_bin=b"\0" * 99),
    )
    yield "a million cells and more", "huge.csv", lambda: b"1,2,3,4,5,6,7,8,9,0\n" * 110_000
    yield "one row of a million cells", "wide.csv", lambda: b"1," * 1_100_000
    yield "quotation mark without an end", "quote.csv", lambda: b'a,b\n"' + b"word, " * 50_000
    yield "quotation marks alone", "marks.csv", lambda: b'"' * 100_000
    yield "separators alone", "separators.tsv", lambda: b"\t" * 50_000


@cache
def good_pptx() -> bytes:
    """A presentation that is as it should be."""
    return pptx([("Boats", "One for each member")])


def presentation(shapes: str, *, before: str = "", **parts: bytes) -> bytes:
    """A presentation whose slide has these shapes, and with more parts, named as those of `word`."""
    with zipfile.ZipFile(io.BytesIO(good_pptx())) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    xml = f"{before}<p:sld {_SLIDE}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>{shapes}</p:spTree></p:cSld></p:sld>"
    named = {name.replace("__", "/").replace("_dot_", "."): content for name, content in parts.items()}
    return zip_of(found | {"ppt/slides/slide1.xml": xml.encode()} | named)


def shown(text: str) -> str:
    """A text box of a slide."""
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="7" name="a"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def slides() -> Iterator[tuple[str, str, Maker]]:
    """Presentations."""
    yield "presentation cut off", "cut.pptx", lambda: good_pptx()[: len(good_pptx()) // 2]
    yield "presentation without slides", "slideless.pptx", lambda: zip_of({"ppt/presentation.xml": b"<a/>"})
    yield (
        "laughing entities in a presentation",
        "laughs.pptx",
        lambda: presentation(shown("&l9;"), before=DOCTYPE),
    )
    yield (
        "entity of a file in a presentation",
        "stolen.pptx",
        lambda: presentation(shown("&secret;"), before=STEALING),
    )
    yield (
        "groups nested deep in a presentation",
        "deep.pptx",
        lambda: presentation("<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>" * 100 + shown("deep") + "</p:grpSp>" * 100),
    )
    yield (
        "presentation that asks the network",
        "asks.pptx",
        lambda: presentation(
            shown("Harmless."),
            ppt__slides___rels__slide1_dot_xml_dot_rels=(
                b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                b'<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
                b'slideLayout" Target="../slideLayouts/slideLayout2.xml"/><Relationship Id="r8" Type="http://'
                b'schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/passwd" '
                b'TargetMode="External"/></Relationships>'
            ),
        ),
    )
    yield (
        "slide of shapes without a place",
        "shapes.pptx",
        lambda: presentation(shown("Harmless.") + "<p:graphicFrame/><p:pic/><p:cxnSp/>"),
    )


@cache
def good_epub() -> bytes:
    """A book that is as it should be."""
    return epub({"one.xhtml": "<h1>One</h1><p>Words of the first chapter.</p>"})


def books() -> Iterator[tuple[str, str, Maker]]:
    """EPUB."""
    container = b'<container><rootfiles><rootfile full-path="%s"/></rootfiles></container>'
    yield "book cut off", "cut.epub", lambda: good_epub()[: len(good_epub()) // 2]
    yield "book without a package", "bookless.epub", lambda: zip_of({"META-INF/container.xml": container % b"a.opf"})
    yield (
        "book that leads out",
        "out.epub",
        lambda: zip_of({"META-INF/container.xml": container % b"../../../etc/passwd"}),
    )
    yield (
        "laughing entities in a book",
        "laughs.epub",
        lambda: epub({"a.xhtml": "<p>x</p>"}, OEBPS__book_dot_opf=f"{DOCTYPE}<package>&l9;</package>".encode()),
    )
    yield (
        "entity of a file in a book",
        "stolen.epub",
        lambda: epub({"a.xhtml": "<p>x</p>"}, OEBPS__book_dot_opf=f"{STEALING}<a>&secret;</a>".encode()),
    )
    yield "book nested deep", "deep.epub", lambda: epub({"a.xhtml": "<div>" * 1000 + "deep"})
    yield (
        "book whose pages lead away",
        "away.epub",
        lambda: epub(
            {"../../outside.xhtml": "<p>out</p>", "a.xhtml": '<iframe src="file:///etc/passwd"/><p>Words.</p>'}
        ),
    )


@cache
def good_odt() -> bytes:
    """An OpenDocument text that is as it should be."""
    return open_document("text", "<text:h>Boats</text:h><text:p>One for each member.</text:p>")


def sheet_of(rows: str) -> bytes:
    """An OpenDocument workbook of one sheet."""
    return open_document("spreadsheet", f'<table:table table:name="a">{rows}</table:table>')


def open_documents() -> Iterator[tuple[str, str, Maker]]:
    """OpenDocument: texts, sheets and slides."""
    cell = "<table:table-cell{}><text:p>words</text:p></table:table-cell>"
    yield "OpenDocument cut off", "cut.odt", lambda: good_odt()[: len(good_odt()) // 2]
    yield (
        "OpenDocument without content",
        "empty.odt",
        lambda: zip_of({"mimetype": b"application/vnd.oasis.opendocument.text"}),
    )
    yield (
        "type of an OpenDocument that unpacks to too much",
        "type.odt",
        lambda: zip_of({"mimetype": b"application/vnd.oasis.opendocument.text" + b" " * 17 * MB}),
    )
    yield (
        "laughing entities in an OpenDocument",
        "laughs.odt",
        lambda: open_document("text", "<text:p>&l9;</text:p>", before=DOCTYPE),
    )
    yield (
        "entity of a file in an OpenDocument",
        "stolen.odt",
        lambda: open_document("text", "<text:p>Words.&secret;</text:p>", before=STEALING),
    )
    yield (
        "OpenDocument nested deep",
        "deep.odt",
        lambda: open_document("text", "<text:section>" * 5000 + "<text:p>deep</text:p>" + "</text:section>" * 5000),
    )
    yield (
        "lists nested as deep as XML may be",
        "lists.odt",
        lambda: open_document(
            "text",
            "<text:list><text:list-item>" * 120 + "<text:p>deep</text:p>" + "</text:list-item></text:list>" * 120,
        ),
    )
    yield (
        "style that is its own parent",
        "styles.odt",
        lambda: open_document(
            "text",
            '<text:p text:style-name="a">words</text:p>',
            styles='<style:style style:name="a" style:parent-style-name="a"/>',
        ),
    )
    yield (
        "spaces without number",
        "spaces.odt",
        lambda: open_document("text", '<text:p>a<text:s text:c="999999999"/>b</text:p>' * 2000),
    )
    yield (
        "OpenDocument that asks the network",
        "asks.odt",
        lambda: open_document(
            "text",
            '<text:p>Harmless.<draw:frame><draw:image xmlns:xlink="http://www.w3.org/1999/xlink" '
            'xlink:href="http://127.0.0.1:9/a.png"/></draw:frame></text:p>',
        ),
    )
    yield (
        "row repeated a billion times",
        "rows.ods",
        lambda: sheet_of(
            f'<table:table-row table:number-rows-repeated="999999999">{cell.format("")}</table:table-row>'
        ),
    )
    yield (
        "cell repeated a billion times",
        "cells.ods",
        lambda: sheet_of(
            "<table:table-row>" + cell.format(' table:number-columns-repeated="999999999"') + "</table:table-row>"
        ),
    )
    yield (
        "cell that spans a whole sheet",
        "spans.ods",
        lambda: sheet_of(
            "<table:table-row>"
            + cell.format(' table:number-columns-spanned="999999999" table:number-rows-spanned="999999999"') * 500
            + "</table:table-row>"
        ),
    )
    yield (
        "slides without a place",
        "slides.odp",
        lambda: open_document("presentation", "<draw:page><draw:g/></draw:page>"),
    )


def rich_texts() -> Iterator[tuple[str, str, Maker]]:
    """RTF."""
    yield "groups nested deep in RTF", "deep.rtf", lambda: b"{\\rtf1" + b"{" * MB
    yield "groups that end too often", "ends.rtf", lambda: b"{\\rtf1 words" + b"}" * MB
    yield (
        "object of megabytes in RTF",
        "object.rtf",
        lambda: b"{\\rtf1 words{\\object{\\*\\objdata " + b"4d5a" * MB + b"}}}",
    )
    yield "bytes past the end of RTF", "bin.rtf", lambda: b"{\\rtf1 words{\\pict\\bin999999999 x}}"
    yield (
        "numbers too large for RTF",
        "numbers.rtf",
        lambda: b"{\\rtf1\\uc9999999999\\u-9999999999 \\s99999 words\\ansicpg0}",
    )
    yield "half a character in RTF", "half.rtf", lambda: b"{\\rtf1 words \\u-10179?}"
    yield "boxes within boxes in RTF", "boxes.rtf", lambda: b"{\\rtf1" + b"{\\shptxt a" * 5000
    yield "title of a megabyte in RTF", "title.rtf", lambda: b"{\\rtf1{\\info{\\title " + b"\\'41a" * MB + b"}}words}"
    yield (
        "row of ten thousand cells in RTF",
        "cells.rtf",
        lambda: b"{\\rtf1\\trowd\\intbl " + b"a\\cell " * 10_000,
    )
    yield "mark of RTF alone", "mark.rtf", lambda: b"{\\rtf"


@cache
def good_msg() -> bytes:
    """A message of Outlook's that is as it should be."""
    return msg(subject="Boats", sender="Ada", body="One for each member.", attached=["plan.pdf"])


def outlook() -> Iterator[tuple[str, str, Maker]]:
    """Outlook's messages."""
    for share in (20, 50, 80):
        yield (
            f"message cut off at {share} %",
            "cut.msg",
            lambda share=share: good_msg()[: len(good_msg()) * share // 100],  # type: ignore[misc]
        )
    yield (
        "sectors that are a circle",
        "circle.msg",
        lambda: good_msg()[:512] + struct.pack("<I", 0xFFFFFFFD) + struct.pack("<I", 1) * 127 + good_msg()[1024:],
    )
    yield (
        "directory that is a circle",
        "tree.msg",
        lambda: good_msg().replace(b"\xff\xff\xff\xff\x02\x00\x00\x00", b"\x01\x00\x00\x00\x01\x00\x00\x00"),
    )
    yield "message that is encrypted", "locked.msg", lambda: msg(subject="a", kind="IPM.Note.SMIME", body="words")
    yield "time before there were clocks", "time.msg", lambda: msg(subject="a", body="words", sent=2**63 - 1)
    yield "message of nothing", "nothing.msg", lambda: msg()


def mails() -> Iterator[tuple[str, str, Maker]]:
    """E-mail."""
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (number, number) for number in range(500)
    )
    yield "mail nested deep", "deep.eml", lambda: b"Subject: deep\n" + nested + b"\nwords"
    yield "mail without headers", "bare.eml", lambda: b"words alone"
    yield "mail of headers alone", "headers.eml", lambda: b"Subject: a\n" * 10_000
    yield "mail to everybody", "many.eml", lambda: b"From: " + b"a@b.c, " * 5_000 + b"\nSubject: a\n\nwords"
    yield "brackets in a sender", "brackets.eml", lambda: b"From: " + b"(" * 5_000 + b"\nSubject: a\n\nwords"
    yield "subject in words of encodings", "words.eml", lambda: b"Subject: " + b"=?utf-8?q?a?= " * 5_000 + b"\n\nwords"
    yield "encodings that there are not", "odd.eml", lambda: b"Subject: a\nContent-Type: text/plain; charset=x\n\n\xff"
    yield "mail that is encrypted", "locked.eml", lambda: b"Subject: a\nContent-Type: multipart/encrypted\n\nwords"
    yield "quotes without an end in a mail", "on.eml", lambda: b"Subject: a\n\nwords\n" + b"On a\n" * 20_000


def pictures() -> Iterator[tuple[str, str, Maker]]:
    """Pictures, which this process does not open."""
    yield "picture cut off", "cut.png", lambda: b"\x89PNG\r\n\x1a\n" + bytes(8)
    yield "picture called tiff", "a.tiff", lambda: b"MM\0*" + b"\xff" * 1000


def structured() -> Iterator[tuple[str, str, Maker]]:
    """JSON, and front matter in YAML."""
    many = 200_000
    yield "JSON nested deep", "deep.json", lambda: b"[" * many + b"]" * many
    yield "JSON objects nested deep", "objects.json", lambda: b'{"sections":[' * many
    yield (
        "sections nested deep",
        "sections.json",
        lambda: b'{"title":"T","text":"x","m":' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}",
    )
    yield "huge number", "number.json", lambda: b'{"title":"T","text":"words","n":' + b"9" * 100_000 + b"}"
    yield "numbers that are none", "nan.json", lambda: b'{"title":"T","text":"words","n":NaN,"m":[Infinity,1e999]}'
    yield "half a character", "half.json", lambda: b'{"id":"\\ud800","title":"\\udfff","text":"words \\ud83d"}'
    yield (
        "NUL in an id",
        "nul.json",
        lambda: b'[{"id":"a\\u0000b","title":"T\\u0000","text":"words","x\\u0000":"\\u0000"}]',
    )
    yield "keys twice", "twice.json", lambda: b'{"title":"A","title":"B","text":"one","text":"two"}'
    yield (
        "values of other types",
        "types.json",
        lambda: json.dumps(
            {"title": ["a"], "text": "words", "date": {"y": 1}, "authors": {"a": [1]}, "sections": 3, "metadata": [1]}
        ).encode(),
    )
    yield "a lone value", "lone.json", lambda: b'"only words"'
    yield "a bad row among good ones", "rows.jsonl", lambda: b'{"text":"one"}\n{"text":\n{"text":"three"}\n'
    yield "bad rows alone", "bad.jsonl", lambda: b"{nothing\n" * 5000
    yield "one id, many texts", "same.jsonl", lambda: b"".join(b'{"id":1,"text":"t%d"}\n' % n for n in range(2000))
    yield "10 MB on one line", "line.json", lambda: b'{"title":"T","text":"' + b"word " * (2 * MB) + b'"}'
    yield (
        "laughing aliases",
        "laughs.md",
        lambda: (
            "---\na0: &a0 haha\n"
            + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
            + "---\n\nWords."
        ).encode(),
    )
    yield "alias of itself", "self.md", lambda: b"---\ntitle: T\nself: &a [*a]\n---\n\nWords."
    yield (
        "tags that run programs",
        "tags.md",
        lambda: b"---\ntitle: !!python/object/apply:os.system ['touch /tmp/footnote-was-here']\n---\n\nWords.",
    )
    yield "front matter that is no mapping", "list.md", lambda: b"---\n- a\n- b\n---\n\nWords."
    yield "front matter that never ends", "endless.md", lambda: b"---\n" + b"a: b\n" * 2000
    yield "dates that there are not", "date.md", lambda: b"---\ndate: 2020-13-45\ntitle: 9999-99-99\n---\n\nWords."
    yield "front matter nested deep", "yaml.md", lambda: b"---\na: " + b"[" * 3000 + b"]" * 3000 + b"\n---\n\nWords."


def pages() -> Iterator[tuple[str, str, Maker]]:
    """HTML and Markdown."""
    yield "HTML nested deep", "deep.html", lambda: b"<html>" + b"<div>" * 1000 + b"deep"
    yield "quotes nested deep in HTML", "quotes.html", lambda: b"<html><body>" + b"<blockquote><ul><li>" * 200 + b"deep"
    yield "tables nested deep", "tables.html", lambda: b"<html>" + b"<table><tr><td>" * 60 + b"deep"
    yield "laughing entities", "laughs.xhtml", lambda: f"{DOCTYPE}<html><body><p>&l9; words</p></body></html>".encode()
    yield "entity of a file", "stolen.html", lambda: f"{STEALING}<html><body><p>&secret; words</p></html>".encode()
    yield (
        "page that leads away",
        "away.html",
        lambda: (
            b'<html><head><base href="file:///etc/"><meta http-equiv="refresh" content="0;url=file:///etc/passwd"></head>'
            b'<body><iframe src="file:///etc/passwd"></iframe><img src="http://127.0.0.1:9/x"><link rel="import" '
            b'href="passwd"><object data="passwd"></object><p>Words that stay.</p></body></html>'
        ),
    )
    yield "page of scripts alone", "scripts.html", lambda: b"<html><script>fetch('http://127.0.0.1:9')</script></html>"
    yield "picture as SVG", "picture.svg", lambda: f"{DOCTYPE}<svg><text>&l9;</text></svg>".encode()
    yield "tag without an end", "tag.html", lambda: b"<html><body><p>words</p><a " + b'x="y" ' * 200_000
    yield "comments without an end", "comments.html", lambda: b"<html><body>words" + b"<!--" * 100_000
    yield (
        "title of a megabyte",
        "title.html",
        lambda: b"<html><title>" + b"t " * 100_000 + b"</title><p>words</p></html>",
    )
    yield "quotes nested deep", "quotes.md", lambda: b">" * 20_000 + b" deep"
    yield "lists nested deep", "lists.md", lambda: b"".join(b"  " * level + b"- item\n" for level in range(150))
    yield "brackets", "brackets.md", lambda: b"[" * 10_000
    yield "backticks", "backticks.md", lambda: b"".join(b"`" * (n % 300 + 1) + b" a\n" for n in range(1000))
    yield "emphasis", "emphasis.md", lambda: b"*a _b **c " * 1500
    yield "braces of components", "braces.mdx", lambda: b"<A b={" + b"{" * 20_000
    yield "comments in Markdown", "comments.md", lambda: b"<!--" * 1500
    yield (
        "table of a thousand columns",
        "table.md",
        lambda: b"|a" * 1000 + b"|\n" + b"|-" * 1000 + b"|\n" + b"|1" * 1000 + b"|",
    )
    yield "a long line of Markdown", "line.md", lambda: b"word " * 20_000


def texts() -> Iterator[tuple[str, str, Maker]]:
    """Bytes that may or may not be text."""
    yield "nothing", "nothing.md", lambda: b""
    yield "white space alone", "space.txt", lambda: b" \t\r\n\x0b\x0c" * 1000
    yield "NULs alone", "nuls.txt", lambda: bytes(1000)
    yield "a byte-order mark alone", "mark.txt", lambda: b"\xef\xbb\xbf"
    yield "a mark of UTF-16 alone", "mark16.md", lambda: b"\xff\xfe"
    yield "what is no UTF-8", "broken.txt", lambda: b"words \xc3\x28 \xa0\xa1 \xf0\x28\x8c\x28 words" * 50
    yield "half of UTF-16", "odd.txt", lambda: "words".encode("utf-16") + b"\x00"
    yield "lone surrogates in UTF-16", "lone.txt", lambda: b"\xff\xfe" + b"\x00\xd8" * 100
    yield "what is beyond Unicode", "beyond.txt", lambda: b"\xff\xfe\x00\x00" + b"\xff\xff\xff\x7f" * 10
    yield "marks that turn the reading", "turned.txt", lambda: "abc \u202edcba\u202c words \u2066\u2069".encode()
    yield "control characters", "control.txt", lambda: bytes(range(1, 32)) + b" words \x1b[2J \x9b31m"
    yield "marks heaped up", "heaped.txt", lambda: ("e" + "\u0301" * 50_000 + " words").encode()
    yield "10 MB on one line of text", "line.txt", lambda: b"word " * (2 * MB)
    yield "twenty thousand pages", "pages.txt", lambda: b"\x0c" * 20_000 + b"words"
    yield "a program", "program.txt", lambda: b"\x7fELF\x02\x01\x01" + bytes(200)
    yield "a picture as Markdown", "picture.md", lambda: b"\x89PNG\r\n\x1a\n" + bytes(64)


def portable() -> Iterator[tuple[str, str, Maker]]:
    """PDF."""
    yield "PDF with a password", "locked.pdf", lambda: pdf([paragraph(["secret"])], password="opensesame")
    for share in (1, 30, 60, 95):
        yield (
            f"PDF cut off at {share} %",
            "cut.pdf",
            lambda share=share: (  # type: ignore[misc]
                good_pdf()[: max(len(good_pdf()) * share // 100, 9)]
            ),
        )
    yield (
        "tree of pages that is a circle",
        "circle.pdf",
        lambda: raw_pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2/Parent 2 0 R>>"),
    )
    yield (
        "bookmarks that are a circle",
        "marks.pdf",
        lambda: raw_pdf(
            "<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
            stream(SHOWN),
            FONT,
            "<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>",
            "<</Title(again)/Parent 6 0 R/Next 7 0 R/First 7 0 R/Last 7 0 R/Dest[3 0 R/Fit]>>",
        ),
    )
    yield "page of a million miles", "huge.pdf", lambda: page_of(stream(SHOWN), box="0 0 1e30 99999999999")
    yield "page of no size", "flat.pdf", lambda: page_of(stream(SHOWN), box="0 0 0 0")
    yield "page inside out", "inside.pdf", lambda: page_of(stream(SHOWN), box="900 900 -900 -900", page="/Rotate 45")
    yield (
        "a hundred thousand pages claimed",
        "claims.pdf",
        lambda: raw_pdf(
            "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 100000>>", "<</Type/Page/Parent 2 0 R>>"
        ),
    )
    yield (
        "one page a hundred times",
        "same.pdf",
        lambda: raw_pdf(
            "<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Kids[{'3 0 R ' * 100}]/Count 100>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
            stream(SHOWN),
            FONT,
        ),
    )
    yield (
        "tree of pages nested deep",
        "deep.pdf",
        lambda: raw_pdf(
            "<</Type/Catalog/Pages 2 0 R>>",
            *(f"<</Type/Pages/Kids[{n + 1} 0 R]/Count 1>>" for n in range(2, 5000)),
            "<</Type/Page/MediaBox[0 0 9 9]>>",
        ),
    )
    yield (
        "scripts and programs to launch",
        "script.pdf",
        lambda: page_of(
            stream(SHOWN),
            catalog="/OpenAction<</S/JavaScript/JS(app.launchURL\\('http://127.0.0.1:9'\\))>>/AA<</WC<</S/Launch/F(/bin/sh)>>>>",
            page="/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(file:///etc/passwd)>>>>]",
        ),
    )
    yield (
        "files within",
        "within.pdf",
        lambda: page_of(
            stream(SHOWN),
            catalog="/Names<</EmbeddedFiles<</Names[(a.exe)<</Type/Filespec/F(../../a.exe)/EF<</F 4 0 R>>>>]>>>>",
        ),
    )
    yield (
        "pictures alone",
        "picture.pdf",
        lambda: page_of(stream(b"q 100 0 0 100 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q")),
    )
    yield "deflate bomb", "bomb.pdf", lambda: page_of(stream(deflated(300 * MB), "/Filter/FlateDecode"))
    yield (
        "filters upon filters",
        "filters.pdf",
        lambda: page_of(stream(zlib.compress(SHOWN), "/Filter[" + "/FlateDecode" * 5000 + "]")),
    )
    yield (
        "table of objects that is a circle",
        "prev.pdf",
        lambda: raw_pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>", trailer="/Prev 9"),
    )
    yield (
        "stream of objects within itself",
        "objects.pdf",
        lambda: raw_pdf(
            "<</Type/Catalog/Pages 2 0 R>>",
            stream(b"2 0 <</Type/Pages>>", "/Type/ObjStm/N 999999/First 4/Extends 2 0 R"),
        ),
    )
    yield (
        "font that claims every character",
        "font.pdf",
        lambda: raw_pdf(
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
            stream(SHOWN),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 2147483647/Widths[1e30]"
            "/ToUnicode 6 0 R>>",
            stream(
                b"begincmap 1 begincodespacerange <00><FFFFFFFF> endcodespacerange "
                b"1 beginbfrange <00000000><FFFFFFFF><0041> endbfrange endcmap"
            ),
        ),
    )
    yield (
        "form that draws itself",
        "form.pdf",
        lambda: page_of(
            stream(b"/X Do", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 4 0 R>>>>"),
            page="/Resources<</XObject<</X 4 0 R>>>>",
        ),
    )
    yield (
        "text turned every way",
        "turned.pdf",
        lambda: page_of(stream(b"BT /F1 1e30 Tf 1e30 -1e30 1e30 1e30 1e38 1e38 Tm (words) Tj /F1 -3 Tf (more) Tj ET")),
    )
    yield "PDF that is a ZIP as well", "both.pdf", lambda: good_pdf() + zip_of({"word/document.xml": b"<a/>"})
    yield "mark of a PDF alone", "mark.pdf", lambda: b"%PDF-1.7\n"
    yield "mark of a PDF late", "late.pdf", lambda: b"\n" * 900 + good_pdf()


def mislabelled() -> Iterator[tuple[str, str, Maker]]:
    """Each format under another's name."""
    made: dict[str, Maker] = {
        "md": lambda: b"# Head\n\nWords in Markdown.",
        "html": lambda: b"<!doctype html><html><body><p>Words on a page.</p></body></html>",
        "json": lambda: b'{"title": "T", "text": "Words in JSON."}',
        "pdf": good_pdf,
        "docx": good_docx,
        "xlsx": good_xlsx,
        "pptx": good_pptx,
        "epub": good_epub,
        "odt": good_odt,
        "msg": good_msg,
    }
    for true, maker in made.items():
        for claimed in (
            "md",
            "txt",
            "html",
            "json",
            "jsonl",
            "pdf",
            "docx",
            "xlsx",
            "pptx",
            "csv",
            "epub",
            "odt",
            "rtf",
        ):
            if claimed != true:
                yield f"{true} called {claimed}", f"wrong.{claimed}", maker


KINDS = {
    kind: (name, maker)
    for family in (
        archives,
        tables,
        slides,
        books,
        open_documents,
        rich_texts,
        outlook,
        mails,
        pictures,
        structured,
        pages,
        texts,
        portable,
        mislabelled,
    )
    for kind, name, maker in family()
}
