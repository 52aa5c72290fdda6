"""Detect a file's kind, by its content first and its name second."""

import io
import re
import zipfile
import zlib
from enum import StrEnum

from core.ingestion import recognition
from core.ingestion.errors import (
    make_encrypted_error,
    make_mislabelled_error,
    make_unreadable_error,
    make_unsupported_error,
)
from core.ingestion.naming import suffix


class FileKind(StrEnum):
    """A kind of file that a parser reads. The value is its name for people, with its article."""

    MARKDOWN = "a Markdown file"
    HTML = "an HTML page"
    PDF = "a PDF"
    TEXT = "a text file"
    DOCX = "a Word document"
    EPUB = "an EPUB book"
    PPTX = "a PowerPoint presentation"
    XLSX = "an Excel workbook"
    ODT = "an OpenDocument text"
    ODS = "an OpenDocument spreadsheet"
    ODP = "an OpenDocument presentation"
    RTF = "an RTF text"
    MAIL = "an e-mail"
    MSG = "an Outlook message"
    PICTURE = "a picture"
    CSV = "a CSV file"
    JSON = "a JSON file"
    JSONL = "a JSONL file"


BY_SUFFIX = {
    ".md": FileKind.MARKDOWN,
    ".mdx": FileKind.MARKDOWN,
    ".markdown": FileKind.MARKDOWN,
    ".html": FileKind.HTML,
    ".htm": FileKind.HTML,
    ".xhtml": FileKind.HTML,
    ".pdf": FileKind.PDF,
    ".txt": FileKind.TEXT,
    ".text": FileKind.TEXT,
    ".docx": FileKind.DOCX,
    ".epub": FileKind.EPUB,
    ".pptx": FileKind.PPTX,
    ".xlsx": FileKind.XLSX,
    ".xlsm": FileKind.XLSX,
    ".odt": FileKind.ODT,
    ".ott": FileKind.ODT,
    ".ods": FileKind.ODS,
    ".ots": FileKind.ODS,
    ".odp": FileKind.ODP,
    ".otp": FileKind.ODP,
    ".rtf": FileKind.RTF,
    ".eml": FileKind.MAIL,
    ".msg": FileKind.MSG,
    ".png": FileKind.PICTURE,
    ".jpg": FileKind.PICTURE,
    ".jpeg": FileKind.PICTURE,
    ".tif": FileKind.PICTURE,
    ".tiff": FileKind.PICTURE,
    ".csv": FileKind.CSV,
    ".tsv": FileKind.CSV,
    ".tab": FileKind.CSV,
    ".json": FileKind.JSON,
    ".jsonl": FileKind.JSONL,
    ".ndjson": FileKind.JSONL,
}
_BINARY = {
    FileKind.PDF,
    FileKind.DOCX,
    FileKind.PPTX,
    FileKind.XLSX,
    FileKind.EPUB,
    FileKind.ODT,
    FileKind.ODS,
    FileKind.ODP,
    FileKind.RTF,
    FileKind.MSG,
    FileKind.PICTURE,
}
_PNG_MARK = b"\x89PNG\r\n\x1a\n"
_TIFF_MARKS = (b"II*\0", b"MM\0*")  # in its two orders of bytes
_PICTURE_MARKS = (_PNG_MARK, b"\xff\xd8\xff", *_TIFF_MARKS)
_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024  # bytes; readers accept the mark that late
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Office before 2007, and today's Office when it encrypts
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_MESSAGE_PROPERTIES = "__properties_version1.0".encode("utf-16-le")
_RTF_MARK = b"{\\rtf"
_MARK = rb"(?:\xc3\xaf\xc2\xbb\xc2\xbf|\xef\xbb\xbf)?"  # a byte-order mark, once or twice encoded
_HTML = re.compile(
    rb"\s*+" + _MARK + rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?>.*?-->)\s*+)*+<(?:!doctype\s++html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
# The binary form of a workbook has the folders of the other one.
_OFFICE_PARTS = {
    "word/": FileKind.DOCX,
    "xl/workbook.bin": "an Excel workbook in binary form (save it as XLSX)",
    "xl/": FileKind.XLSX,
    "ppt/": FileKind.PPTX,
    "META-INF/container.xml": FileKind.EPUB,
}
# What the part "mimetype" of an OpenDocument file begins with; a template's goes on.
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_OPEN_DOCUMENT_KINDS = {"text": FileKind.ODT, "spreadsheet": FileKind.ODS, "presentation": FileKind.ODP}
_LONGEST_TYPE = 100  # characters


def list_readable_endings() -> tuple[str, ...]:
    """The endings of files that can be read here: of pictures only where text recognition is installed."""
    return tuple(
        ending for ending, kind in BY_SUFFIX.items() if kind is not FileKind.PICTURE or recognition.is_installed()
    )


_MEDIA_TYPES = {
    FileKind.PDF: "application/pdf",
    FileKind.HTML: "text/html",
    FileKind.MARKDOWN: "text/markdown",
    FileKind.TEXT: "text/plain",
    FileKind.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    FileKind.EPUB: "application/epub+zip",
    FileKind.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    FileKind.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    FileKind.ODT: "application/vnd.oasis.opendocument.text",
    FileKind.ODS: "application/vnd.oasis.opendocument.spreadsheet",
    FileKind.ODP: "application/vnd.oasis.opendocument.presentation",
    FileKind.RTF: "application/rtf",
    FileKind.MAIL: "message/rfc822",
    FileKind.MSG: "application/vnd.ms-outlook",
    FileKind.PICTURE: "image/tiff",
    FileKind.CSV: "text/csv",
    FileKind.JSON: "application/json",
    FileKind.JSONL: "application/jsonl",
}


def find_media_type(content: bytes, name: str) -> str:
    """The media type of a file that a parser has read: a PDF or picture by its content, others by their names."""
    kind = FileKind.PDF if _is_pdf(content) else BY_SUFFIX.get(suffix(name))
    if kind is FileKind.PICTURE and not content.startswith(_TIFF_MARKS):
        return "image/png" if content.startswith(_PNG_MARK) else "image/jpeg"
    return _MEDIA_TYPES[kind] if kind else "application/octet-stream"


def detect(content: bytes, name: str) -> FileKind:
    """The kind of a file that is not empty.

    A file that is another kind than its name says is read as what it is, where that is certain and harmless;
    otherwise UnreadableFileError. UnsupportedFileError for kinds that no parser reads.
    """
    claimed = BY_SUFFIX.get(suffix(name))
    if _is_pdf(content):
        return FileKind.PDF
    if content.startswith(b"PK\x03\x04"):
        return _zip_kind(content, name, claimed)
    if content.startswith(_OLE_MARK):
        if _ENCRYPTED_PACKAGE in content:
            raise make_encrypted_error(name)
        if _MESSAGE_PROPERTIES in content:
            return FileKind.MSG
        raise make_unsupported_error(name, "an Office file in the old format (save it as DOCX, XLSX or PPTX)")
    if content.lstrip()[: len(_RTF_MARK)] == _RTF_MARK:
        return FileKind.RTF
    if content.startswith(_PICTURE_MARKS) and claimed in (None, FileKind.PICTURE):
        return FileKind.PICTURE
    foreign = _foreign_kind(content)
    if foreign:
        raise make_mislabelled_error(name, foreign, claimed.value) if claimed else make_unsupported_error(name, foreign)
    return _text_kind(content, name, claimed)


def _is_pdf(content: bytes) -> bool:
    return _PDF_MARK in content[:_PDF_MARK_WITHIN]


def _text_kind(content: bytes, name: str, claimed: FileKind | None) -> FileKind:
    is_html = bool(_HTML.match(content[:4096]))
    if claimed in _BINARY:
        if b"\0" in content:
            raise make_unreadable_error(name, f"it is damaged, and not {claimed.value}")
        raise make_mislabelled_error(name, FileKind.HTML.value if is_html else "text", claimed.value)
    if claimed is None:
        ending = suffix(name)
        if is_html and not ending:
            return FileKind.HTML
        raise make_unsupported_error(name, f"a file of type {ending}" if ending else "a file without an extension")
    if claimed in {FileKind.TEXT, FileKind.MARKDOWN, FileKind.CSV} and is_html:
        return FileKind.HTML
    return claimed


def _zip_kind(content: bytes, name: str, claimed: FileKind | None) -> FileKind:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.namelist()
            stated = _stated_type(archive)
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, zlib.error) as error:
        raise make_unreadable_error(name, "it is damaged or cut off") from error
    if stated.startswith(_OPEN_DOCUMENT):
        found = _OPEN_DOCUMENT_KINDS.get(stated.removeprefix(_OPEN_DOCUMENT).removesuffix("-template"))
        if found is None:
            raise make_unsupported_error(name, "an OpenDocument file that is no text, sheet or presentation")
        return found
    kind = next((kind for folder, kind in _OFFICE_PARTS.items() if any(p.startswith(folder) for p in parts)), None)
    if isinstance(kind, FileKind):
        return kind
    what = kind or "a ZIP archive"
    raise make_mislabelled_error(name, what, claimed.value) if claimed else make_unsupported_error(name, what)


def _stated_type(archive: zipfile.ZipFile) -> str:
    """The media type that an archive says it has; "" where it says none."""
    part = next((each for each in archive.infolist() if each.filename == "mimetype"), None)
    if part is None or part.flag_bits & 0x1:
        return ""
    with archive.open(part) as stream:
        return stream.read(_LONGEST_TYPE).decode("ascii", "replace").strip()


def _foreign_kind(content: bytes) -> str:
    """The kind of a picture, a sound, an archive or a program, with its article; "" for anything else."""
    import filetype

    guess = filetype.guess(content[:8192])
    if guess is None or guess.mime in {"application/pdf", "application/zip"}:
        return ""
    return f"a file of type {guess.mime}"
