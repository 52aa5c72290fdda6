"""Bad files by fault and by format: each fault of FAULTS in every format that can have it, under its usual ending.

Where `tests.unit.ingestion.hostile_files` has what an attacker would make, here is what people have by mistake.
"""

import io
import re
import zipfile
from collections.abc import Callable

from openpyxl import Workbook

from tests.unit.ingestion import hostile_files as good
from tests.unit.ingestion.files import epub, msg, open_document, pdf, pptx, xlsx, zip_of

Maker = Callable[[], bytes]
CANARY = "kestrel-of-the-file-outside"  # in files that others refer to
ADDRESS = "http://127.0.0.1:9/outside"
_CELLS = 1_100_000
_WIDE = 10_000
_MAIL = b"From: Ada <ada@example.com>\nSubject: Boats\n"
_LINK = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
_OUTSIDE = (
    '<Relationship Id="rId{}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" '
    'Target="{}" TargetMode="External"/>'
)


def in_each(ending: str, *kinds: str) -> str:
    """Relationships that lead outside, to an address and to a file, one of each of these kinds."""
    targets = (ADDRESS, "file:///{outside}")
    return "".join(
        _OUTSIDE.format(90 + 2 * place + which, kind, f"{target}.{ending}" if which == 0 else target)
        for place, kind in enumerate(kinds)
        for which, target in enumerate(targets)
    )


def good_html() -> bytes:
    """A page that is as it should be."""
    return b"<!doctype html><html><body><h1>Boats</h1><p>One boat for each member of the club.</p></body></html>"


def good_mail() -> bytes:
    """A message with an attached file, as it should be."""
    return (
        _MAIL + b'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nOne boat each.\n'
        b"--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=plan.pdf\n"
        b"Content-Transfer-Encoding: base64\n\n" + b"QUJD\n" * 50 + b"--b--\n"
    )


GOOD: dict[str, Maker] = {
    "docx": good.good_docx,
    "pptx": good.good_pptx,
    "xlsx": good.good_xlsx,
    "odt": good.good_odt,
    "ods": lambda: good.sheet_of(_row("Boat", "Fee") + _row("Dinghy", "4")),
    "odp": lambda: open_document("presentation", f"<draw:page>{_box('One for each.')}</draw:page>"),
    "epub": good.good_epub,
    "pdf": good.good_pdf,
    "rtf": lambda: rb"{\rtf1\ansi One boat for each member.\par And an oar.\par}",
    "html": good_html,
    "eml": good_mail,
    "msg": good.good_msg,
    "csv": lambda: b"Boat,Fee\nDinghy,4\nYacht,11\n",
    "md": lambda: b"# Boats\n\nOne for each member.\n",
    "json": lambda: b'{"title": "Boats", "text": "One for each member."}',
}


def _row(*texts: str) -> str:
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
    return f"<table:table-row>{cells}</table:table-row>"


def _box(text: str) -> str:
    return f"<draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"


def truncated() -> dict[str, Maker]:
    """Half of each file, as a broken download leaves it."""
    return {ending: (lambda make=make: make()[: len(make()) // 2]) for ending, make in GOOD.items()}


def nested() -> dict[str, Maker]:
    """Each nested far deeper than a person would."""
    deep = 3000
    return {
        "docx": lambda: good.word("<w:tbl><w:tr><w:tc>" * deep + good.said("x") + "</w:tc></w:tr></w:tbl>" * deep),
        "pptx": lambda: good.presentation("<p:grpSp>" * deep + good.shown("x") + "</p:grpSp>" * deep),
        "xlsx": lambda: good.workbook("<a>" * deep + "</a>" * deep + "<sheetData/>"),
        "odt": lambda: open_document(
            "text", "<text:list><text:list-item>" * deep + "</text:list-item></text:list>" * deep
        ),
        "ods": lambda: good.sheet_of("<table:table-row-group>" * deep + "</table:table-row-group>" * deep),
        "odp": lambda: open_document(
            "presentation", "<draw:page>" + "<draw:g>" * deep + "</draw:g>" * deep + "</draw:page>"
        ),
        "epub": lambda: epub({"a.xhtml": "<blockquote>" * deep + "deep"}),
        "pdf": lambda: good.page_of(good.stream(b"q " * 200_000 + good.SHOWN)),
        "rtf": lambda: rb"{\rtf1" + b"{" * deep * 10 + b"x" + b"}" * deep * 10 + b"}",
        "html": lambda: b"<html><body>" + b"<table><tr><td>" * deep + b"deep",
        "eml": lambda: (
            _MAIL + b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(deep))
        ),
        "md": lambda: b"> " * deep + b"deep",
        "json": lambda: b'{"title": "a", "text": ' + b"[" * deep * 10 + b"]" * deep * 10 + b"}",
        "csv": lambda: b'a,b\n"' + b'""' * deep * 10 + b'",c\n',
    }


def encrypted() -> dict[str, Maker]:
    """Each as its program encrypts it."""
    office = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    manifest = (
        b'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
        b'manifest:full-path="content.xml"><manifest:encryption-data manifest:checksum="x"/></manifest:file-entry>'
        b"</manifest:manifest>"
    )
    book = (
        b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns='
        b'"http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
        b'<CipherData><CipherReference URI="OEBPS/one.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    kinds = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}
    return {
        **dict.fromkeys(("docx", "pptx", "xlsx"), lambda: office),
        **{
            ending: (
                lambda kind=kind: zip_of(
                    {
                        "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
                        "META-INF/manifest.xml": manifest,
                        "content.xml": bytes(range(256)) * 4,
                    }
                )
            )
            for ending, kind in kinds.items()
        },
        "epub": lambda: epub({"one.xhtml": "<p>x</p>"}, **{"META-INF__encryption_dot_xml": book}),
        "pdf": lambda: pdf([[("secret", 60, 120, "Helvetica", 10)]], password="opensesame"),
        "eml": lambda: (
            _MAIL + b'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="b"\n\n--b\n'
            b"Content-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream; "
            b"name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----\nabc\n-----END PGP MESSAGE-----\n--b--\n"
        ),
        "msg": lambda: msg(subject="Boats", kind="IPM.Note.SMIME", attached=["smime.p7m"]),
        "zip": lambda: _locked(zip_of({"notes.txt": b"words"})),
    }


def _locked(archive: bytes) -> bytes:
    """An archive of which every part says that it needs a password."""
    content = bytearray(archive)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := content.find(mark, start)) >= 0:
            content[start + offset] |= 1
            start += 4
    return bytes(content)


def with_macro() -> dict[str, Maker]:
    """Each with a program in it, which is never run and never text."""
    macro = f"Sub AutoOpen() Shell {CANARY}".encode()
    return {
        "docx": lambda: good.word(good.said("Harmless."), word__vbaProject_dot_bin=macro),
        "docm": lambda: saved_as("docm", macro),
        "pptx": lambda: good.presentation(good.shown("Harmless."), ppt__vbaProject_dot_bin=macro),
        "pptm": lambda: saved_as("pptm", macro),
        "xlsx": lambda: good.workbook(_sheet(2, 2), xl__vbaProject_dot_bin=macro),
        "xlsm": lambda: saved_as("xlsm", macro),
        "odt": lambda: open_document(
            "text", "<text:p>Harmless.</text:p>", Basic__Standard__Module1_dot_xml=b"<a>" + macro + b"</a>"
        ),
        "pdf": lambda: good.page_of(
            good.stream(good.SHOWN), catalog=f"/OpenAction<</S/JavaScript/JS(app.alert\\('{CANARY}'\\))>>"
        ),
        "html": lambda: good_html().replace(
            b"<p>", f"<script>alert('{CANARY}')</script><p onclick=\"x('{CANARY}')\">".encode()
        ),
        "rtf": lambda: rb"{\rtf1 Harmless.{\object\objocx{\*\objclass " + macro + rb"}{\*\objdata 4d5a}}\par}",
        "eml": lambda: (
            _MAIL
            + b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>Harmless words.</p><script>"
            + macro
            + b"</script>"
        ),
        "epub": lambda: epub({"one.xhtml": f"<script>run('{CANARY}')</script><p>Harmless words.</p>"}),
    }


_MAIN_TYPES = {
    "docm": "vnd.ms-word.document.macroEnabled",
    "dotx": "vnd.openxmlformats-officedocument.wordprocessingml.template",
    "dotm": "vnd.ms-word.template.macroEnabledTemplate",
    "pptm": "vnd.ms-powerpoint.presentation.macroEnabled",
    "ppsx": "vnd.openxmlformats-officedocument.presentationml.slideshow",
    "ppsm": "vnd.ms-powerpoint.slideshow.macroEnabled",
    "potx": "vnd.openxmlformats-officedocument.presentationml.template",
    "potm": "vnd.ms-powerpoint.template.macroEnabled",
    "xlsm": "vnd.ms-excel.sheet.macroEnabled",
    "xltx": "vnd.openxmlformats-officedocument.spreadsheetml.template",
    "xltm": "vnd.ms-excel.template.macroEnabled",
}
OTHER_ENDINGS = tuple(_MAIN_TYPES)


def saved_as(ending: str, macro: bytes = b"Sub AutoOpen()") -> bytes:
    """A file as Office saves it under one of OTHER_ENDINGS: with its own media type, and a part for its macros."""
    usual = {"d": "docx", "p": "pptx", "x": "xlsx"}[ending[0]]
    with zipfile.ZipFile(io.BytesIO(GOOD[usual]())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    changed = re.sub(
        r"application/vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|presentationml\.presentation"
        r"|spreadsheetml\.sheet)\.main\+xml",
        f"application/{_MAIN_TYPES[ending]}.main+xml",
        parts["[Content_Types].xml"].decode(),
    )
    folder = next(name.partition("/")[0] for name in parts if name.startswith(("word/", "xl/", "ppt/")))
    return zip_of(parts | {"[Content_Types].xml": changed.encode(), f"{folder}/vbaProject.bin": macro})


def with_references(outside: str = "") -> dict[str, Maker]:
    """Each with references to an address and to a file of this machine. outside: the path of that file."""

    def related(*kinds: str, more: str = "") -> bytes:
        return _RELATIONS.format(in_each("png", *kinds) + more).replace("{outside}", outside).encode()

    file = f"file://{outside}"
    layout = (
        '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'slideLayout" Target="../slideLayouts/slideLayout2.xml"/>'
    )
    images = f'<img src="{ADDRESS}.png"/><img src="{file}"/><iframe src="{file}"></iframe><object data="{file}"/>'
    return {
        "docx": lambda: good.word(
            good.said("Harmless.") + '<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
            'relationships" r:id="rId93"/>',
            word___rels__document_dot_xml_dot_rels=related("image", "aFChunk", "attachedTemplate", "subDocument"),
        ),
        "pptx": lambda: good.presentation(
            good.shown("Harmless."), ppt__slides___rels__slide1_dot_xml_dot_rels=related("image", "video", more=layout)
        ),
        "xlsx": lambda: good.workbook(
            _sheet(2, 2), xl__worksheets___rels__sheet1_dot_xml_dot_rels=related("drawing", "hyperlink")
        ),
        "odt": lambda: open_document(
            "text",
            f'<text:section><text:section-source {_LINK}="{file}"/><text:p>Harmless.</text:p></text:section>'
            f'<text:p><draw:frame><draw:image {_LINK}="{ADDRESS}.png"/></draw:frame></text:p>',
        ),
        "ods": lambda: good.sheet_of(f'<table:table-source {_LINK}="{file}"/>' + _row("a", "b") * 2),
        "odp": lambda: open_document(
            "presentation",
            f'<draw:page>{_box("Harmless.")}<draw:frame><draw:plugin {_LINK}="{file}"/></draw:frame></draw:page>',
        ),
        "epub": lambda: epub({"one.xhtml": f"<p>Harmless words.</p>{images}"}),
        "pdf": lambda: good.page_of(
            good.stream(good.SHOWN),
            page=f"/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/GoToR/F({outside})>>>>"
            f"<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI({ADDRESS})>>>>]",
        ),
        "rtf": lambda: (
            rb"{\rtf1{\field{\*\fldinst INCLUDETEXT " + file.encode() + rb" }{\fldrslt Harmless.}}"
            rb"{\*\template " + ADDRESS.encode() + rb"}\par}"
        ),
        "html": lambda: good_html().replace(
            b"<p>", f'<link rel="stylesheet" href="{ADDRESS}.css"/>{images}<p>'.encode()
        ),
        "eml": lambda: (
            _MAIL
            + f'Content-Type: message/external-body; access-type=local-file; name="{outside}"\n\n'
            "Content-Type: text/plain\n\n".encode()
        ),
        "msg": lambda: msg(subject="Boats", html=f"<p>Harmless words.</p>{images}".encode()),
        "csv": lambda: f'Boat,Fee\nDinghy,"=WEBSERVICE(""{ADDRESS}"")"\nYacht,11\n'.encode(),
        "md": lambda: f"# Boats\n\nHarmless.\n\n![plan]({file})\n\n{images}\n\n!include {outside}\n".encode(),
        "json": lambda: f'{{"title": "Boats", "text": "Harmless.", "$ref": "{file}"}}'.encode(),
    }


def _sheet(rows: int, columns: int) -> str:
    row = "".join("<c><v>1</v></c>" for _ in range(columns))
    return "<sheetData>" + f"<row>{row}</row>" * rows + "</sheetData>"


def million_cells() -> dict[str, Maker]:
    """Each with more cells than are read from one file."""
    rows, columns = _CELLS // 10, 10
    return {
        "xlsx": lambda: good.workbook(_sheet(rows, columns)),
        "ods": lambda: good.sheet_of(
            f'<table:table-row table:number-rows-repeated="{rows}">' + _row(*"1" * columns).partition(">")[2]
        ),
        "csv": lambda: (b",".join([b"1"] * columns) + b"\n") * rows,
        "html": lambda: b"<html><body><table>" + (b"<tr>" + b"<td>1" * columns) * rows,
        "md": lambda: (b"|1" * columns + b"|\n") + (b"|-" * columns + b"|\n") + (b"|1" * columns + b"|\n") * rows,
        "docx": lambda: good.word(
            "<w:tbl>" + f"<w:tr>{('<w:tc>' + good.said('1') + '</w:tc>') * columns}</w:tr>" * rows + "</w:tbl>"
        ),
        "odt": lambda: open_document("text", f"<table:table>{_row(*'1' * columns) * rows}</table:table>"),
        "rtf": lambda: rb"{\rtf1" + (rb"\trowd\intbl " + rb"1\cell " * columns + rb"\row ") * rows + b"}",
        "pptx": lambda: good.presentation(_slide_table(rows, columns)),
    }


def _slide_table(rows: int, columns: int) -> str:
    cell = "<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>1</a:t></a:r></a:p></a:txBody></a:tc>"
    row = f'<a:tr h="1">{cell * columns}</a:tr>'
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="t"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/'
        f'table"><a:tbl><a:tblPr/><a:tblGrid>{"<a:gridCol/>" * columns}</a:tblGrid>{row * rows}</a:tbl></a:graphicData>'
        "</a:graphic></p:graphicFrame>"
    )


def wide_tables() -> dict[str, Maker]:
    """Each with a table of ten thousand columns."""
    names = [f"c{n}" for n in range(_WIDE)]
    rows = [names, ["7"] * _WIDE]
    return {
        "xlsx": lambda: xlsx({"Wide": rows}),
        "ods": lambda: good.sheet_of("".join(_row(*row) for row in rows)),
        "csv": lambda: "\n".join(",".join(row) for row in rows).encode(),
        "html": lambda: (
            "<html><body><table>" + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows)
        ).encode(),
        "md": lambda: "\n".join("|".join(["", *row, ""]) for row in (names, ["-"] * _WIDE, *rows[1:])).encode(),
        "docx": lambda: good.word(
            "<w:tbl>"
            + "".join(f"<w:tr>{''.join(f'<w:tc>{good.said(c)}</w:tc>' for c in row)}</w:tr>" for row in rows)
            + "</w:tbl>"
        ),
        "odt": lambda: open_document("text", f"<table:table>{''.join(_row(*row) for row in rows)}</table:table>"),
        "rtf": lambda: (
            r"{\rtf1" + "".join(r"\trowd\intbl " + "".join(rf"{c}\cell " for c in row) + r"\row " for row in rows) + "}"
        ).encode(),
        "pptx": lambda: good.presentation(_slide_table(2, _WIDE)),
        "json": lambda: ('{"title": "a", "text": "x"' + "".join(f', "{name}": 7' for name in names) + "}").encode(),
    }


def without_words() -> dict[str, Maker]:
    """Each as its program saves it when nothing has been written."""
    return {
        "docx": lambda: good.word("<w:p/>"),
        "pptx": lambda: pptx([("", "")]),
        "xlsx": lambda: _blank_workbook(),
        "odt": lambda: open_document("text", "<text:p/>"),
        "ods": lambda: good.sheet_of("<table:table-row><table:table-cell/></table:table-row>"),
        "odp": lambda: open_document("presentation", "<draw:page/>"),
        "epub": lambda: epub({"one.xhtml": ""}),
        "pdf": lambda: pdf([[]]),
        "rtf": lambda: rb"{\rtf1\ansi\par}",
        "html": lambda: b"<!doctype html><html><body></body></html>",
        "eml": lambda: _MAIL + b"\n",
        "msg": lambda: msg(subject="Boats"),
        "csv": lambda: b",,\n,,\n",
        "md": lambda: b"---\ntitle: Boats\n---\n",
        "json": lambda: b'{"title": "Boats", "text": ""}',
        "jsonl": lambda: b'{"title": "Boats", "text": ""}\n',
    }


def _blank_workbook() -> bytes:
    out = io.BytesIO()
    Workbook().save(out)
    return out.getvalue()


def nothing() -> dict[str, Maker]:
    """No bytes at all."""
    return dict.fromkeys(GOOD, lambda: b"")


FAULTS: dict[str, Callable[[], dict[str, Maker]]] = {
    "truncated": truncated,
    "nested": nested,
    "encrypted": encrypted,
    "macro": with_macro,
    "references": with_references,
    "cells": million_cells,
    "wide": wide_tables,
    "blank": without_words,
    "nothing": nothing,
}
