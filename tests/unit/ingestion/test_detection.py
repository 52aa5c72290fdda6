"""Test the detection of a file's kind, by content and name."""

import pytest

from core.errors import EmptyFileError, EncryptedFileError, UnreadableFileError, UnsupportedFileError
from core.library.ingestion.detection import detect, find_media_type
from core.library.ingestion.formats import BY_SUFFIX, FileKind
from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import docx, msg, open_document, paragraph, pdf, zip_of

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.md", b"# Title", FileKind.MARKDOWN),
        ("a.MDX", b"text", FileKind.MARKDOWN),
        ("a.txt", b"text", FileKind.TEXT),
        ("a.json", b"{}", FileKind.JSON),
        ("a.ndjson", b"{}", FileKind.JSONL),
        ("a.htm", b"<p>text", FileKind.HTML),
        ("a.txt", pdf([paragraph(["text"])]), FileKind.PDF),
        ("a.pdf", docx(), FileKind.DOCX),
        ("a.docx", zip_of({"xl/workbook.xml": b"x"}), FileKind.XLSX),
        ("a.XLSX", zip_of({"xl/workbook.xml": b"x"}), FileKind.XLSX),
        ("a.pptx", zip_of({"ppt/presentation.xml": b"x"}), FileKind.PPTX),
        ("a.epub", zip_of({"META-INF/container.xml": b"x"}), FileKind.EPUB),
        ("a.odt", open_document("text", ""), FileKind.ODT),
        ("a.docx", open_document("text-template", ""), FileKind.ODT),
        ("a.ods", open_document("spreadsheet", ""), FileKind.ODS),
        ("a.odp", open_document("presentation", ""), FileKind.ODP),
        ("a.rtf", b"{\\rtf1 words}", FileKind.RTF),
        ("a.doc", b"{\\rtf1 words}", FileKind.RTF),
        ("a.msg", msg(subject="Boats"), FileKind.MSG),
        ("photo.png", PNG, FileKind.PICTURE),
        ("photo.jpeg", PNG, FileKind.PICTURE),
        ("scan.tif", b"II*\0", FileKind.PICTURE),
        ("a.eml", b"Subject: Boats", FileKind.MAIL),
        ("a.csv", b"a,b", FileKind.CSV),
        ("a.tsv", b"a\tb", FileKind.CSV),
        ("a.csv", b"<!doctype html><html>", FileKind.HTML),
        ("a.md", b"\xef\xbb\xbf <!-- x -->\n<!DOCTYPE html><html>", FileKind.HTML),
        ("page", b"<html><body>x", FileKind.HTML),
    ],
)
def test_content_decides_and_the_name_helps(name: str, content: bytes, kind: FileKind) -> None:
    """Certain content counts more than the name."""
    assert detect(content, name) is kind


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.pdf", PNG, UnreadableFileError, r"a\.pdf is a file of type image/png, not a PDF as its name says"),
        ("a.pdf", b"plain words", UnreadableFileError, r"a\.pdf is text, not a PDF as its name says"),
        ("a.pdf", b"<!doctype html><p>Sign in", UnreadableFileError, r"a\.pdf is an HTML page, not a PDF"),
        ("a.docx", b"plain words", UnreadableFileError, r"a\.docx is text, not a Word document"),
        ("a.docx", b"PK\x03\x04 cut", UnreadableFileError, r"a\.docx cannot be read: it is damaged or cut off"),
        ("a.xlsb", zip_of({"xl/workbook.bin": b"x"}), UnsupportedFileError, r"in binary form \(save it as XLSX\)"),
        ("a.xlsx", b"a,b", UnreadableFileError, r"a\.xlsx is text, not an Excel workbook"),
        ("a.xlsx", zip_of({"xl/workbook.bin": b"x"}), UnreadableFileError, r"a\.xlsx is an Excel workbook in binary"),
        ("a.zip", zip_of({"a.txt": b"x"}), UnsupportedFileError, r"a\.zip is a ZIP archive.*Supported: Markdown"),
        (
            "a.doc",
            OLE,
            UnsupportedFileError,
            r"a\.doc is an Office file in the old format \(save it as DOCX, XLSX or PPTX\)",
        ),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), EncryptedFileError, r"a\.docx is protected"),
        (
            "photo.gif",
            b"GIF89a" + bytes(9),
            UnsupportedFileError,
            r"photo\.gif is a file of type image/gif, which cannot",
        ),
        ("photo.png", b"words", UnreadableFileError, r"photo\.png is text, not a picture as its name says"),
        ("a.odg", b"a,b", UnsupportedFileError, r"a\.odg is a file of type \.odg, which cannot be ingested"),
        ("a.ods", b"a,b", UnreadableFileError, r"a\.ods is text, not an OpenDocument spreadsheet as its name says"),
        (
            "a.odg",
            open_document("graphics", ""),
            UnsupportedFileError,
            r"a\.odg is an OpenDocument file that is no text",
        ),
        ("a.rtf", b"words", UnreadableFileError, r"a\.rtf is text, not an RTF text as its name says"),
        ("a.msg", OLE, UnsupportedFileError, r"a\.msg is an Office file in the old format"),
        ("LICENSE", b"words", UnsupportedFileError, r"LICENSE is a file without an extension"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, content: bytes, error: type[Exception], message: str) -> None:
    """The message names the file, what it is, and what to do."""
    with pytest.raises(error, match=message):
        detect(content, name)


@pytest.mark.parametrize("content", [b"", b" \n\t "])
def test_an_empty_file_is_named_as_such(content: bytes) -> None:
    """Nothing, or nothing but space, is an error of its own."""
    with pytest.raises(EmptyFileError, match=r"e\.md is empty"):
        parse(content, "e.md")


def test_front_matter_alone_is_no_document() -> None:
    """A file that describes a document without being one is empty."""
    with pytest.raises(EmptyFileError):
        parse(b"---\ntitle: T\n---\n", "e.md")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Größe – 5 €".encode(), "Größe – 5 €"),
        ("Größe – 5 €".encode("utf-8-sig"), "Größe – 5 €"),
        ("Größe – 5 €".encode("utf-16"), "Größe – 5 €"),
        ("Die Größe der Tür beträgt wie üblich zwei Meter für alle Räume.".encode("latin-1"), None),
        ("\ufeffGröße – 5 €".encode().decode("latin-1").encode(), "Größe – 5 €"),  # encoded twice
        (b"nul\xc2\xad\xe2\x80\x8bls", "nulls"),  # a soft hyphen and a zero-width space
    ],
)
def test_text_in_many_encodings(content: bytes, text: str | None) -> None:
    """The encoding is found by mark, by trial, or by guess; what is invisible and breaks words apart is gone."""
    (document,) = parse(content, "t.txt").documents
    assert document.blocks[0].text == text or (text is None and "Größe der Tür" in document.blocks[0].text)


def test_binary_content_is_no_text() -> None:
    """Bytes that are no text in any encoding are refused."""
    with pytest.raises(UnreadableFileError, match="it is not text"):
        parse(b"\x01\x02\x00\x03 abc", "t.txt")


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The unpacked bytes are counted, not the stated size."""
    monkeypatch.setattr("core.library.ingestion.parsers.MAX_UNZIPPED", 3 * 1024 * 1024)
    bomb = zip_of({"word/document.xml": b"<a/>", "word/media/a.bin": b"\0" * 4 * 1024 * 1024})
    assert len(bomb) < 10_000
    with pytest.raises(UnreadableFileError, match=r"bomb\.docx cannot be read: it unpacks to more than 3 MB"):
        parse(bomb, "bomb.docx")


@pytest.mark.parametrize("folder", ["word", "xl", "ppt", "META-INF"])
def test_every_archive_has_the_same_guard(folder: str) -> None:
    """An archive that unpacks to hundreds of times its size, or has too many parts, is refused long before 256 MB."""
    bomb = zip_of({f"{folder}/container.xml": b"<a/>", f"{folder}/b.bin": b"\0" * 17 * 1024 * 1024})
    with pytest.raises(UnreadableFileError, match="it unpacks to more than 16 MB"):
        parse(bomb, "bomb.docx")
    many = zip_of({f"{folder}/container.xml": b""} | {f"{folder}/{number}": b"" for number in range(10_000)})
    with pytest.raises(UnreadableFileError, match="it consists of more than 10,000 parts"):
        parse(many, "many.docx")


def test_every_kind_of_file_has_a_media_type() -> None:
    """Its original is kept under it."""
    for ending in BY_SUFFIX:
        assert "/" in find_media_type(b"words", f"a{ending}")
    assert find_media_type(b"%PDF-1.7", "a.txt") == "application/pdf"
    assert find_media_type(PNG, "photo.jpeg") == "image/png"
    assert find_media_type(b"words", "words") == "application/octet-stream"


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (zip_of({"word/document.xml": b"x"}), "report.pdf", "application/octet-stream"),  # read as what it is, no PDF
        (zip_of({"ppt/presentation.xml": b"x"}), "slides.rtf", "application/octet-stream"),
        (PNG, "photo", "image/png"),
        (b"MM\0*" + bytes(20), "scan.jpg", "image/tiff"),
        (b"{\\rtf1 words}", "letter.doc", "application/rtf"),
        (b"a\tb", "figures.tsv", "text/tab-separated-values"),
        (b"a\tb", "figures.TAB", "text/tab-separated-values"),
        (b"a,b", "figures.csv", "text/csv"),
    ],
)
def test_a_media_type_is_that_of_the_format_that_was_read(content: bytes, name: str, media_type: str) -> None:
    """A name alone makes no PDF: the viewer draws the pages of whatever is kept as one."""
    assert find_media_type(content, name) == media_type
