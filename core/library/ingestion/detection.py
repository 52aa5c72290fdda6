"""Detect a file's kind, by its content first and its name second."""

import io
import zipfile
import zlib

from core.library.ingestion.errors import (
    make_encrypted_error,
    make_mislabelled_error,
    make_unreadable_error,
    make_unsupported_error,
)
from core.library.ingestion.formats import BY_SUFFIX, FileKind, Mark, Markup, Part, StatedType, Stream
from core.library.ingestion.naming import suffix

_ZIP_MARK = b"PK\x03\x04"
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Office before 2007, and today's Office when it encrypts
_ENCRYPTED_PACKAGE = "EncryptedPackage"  # a stream
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_TEMPLATE = "-template"
_BINARY_WORKBOOK = "xl/workbook.bin"  # besides the folders of the other form
_LONGEST_TYPE = 100  # characters


def find_media_type(content: bytes, name: str) -> str:
    """Return the media type of a file that a parser has read: by its mark, or by its name.

    Archives are not looked into, which is for the sandboxed process. A file that lacks the mark of what it is called
    is of no known type.
    """
    ending = suffix(name)
    claimed = BY_SUFFIX.get(ending)
    found = _find_mark(content, claimed)
    if found:
        kind, mark = found
        return mark.media_type or kind.value.media_type
    if claimed is None or any(isinstance(signature, Mark) for signature in claimed.value.signatures):
        return "application/octet-stream"
    return claimed.value.endings[ending]


def detect(content: bytes, name: str) -> FileKind:
    """Return the kind of a file that is not empty.

    A file that is another kind than its name says is read as what it is, where that is certain and harmless;
    otherwise UnreadableFileError. UnsupportedFileError for kinds that no parser reads.
    """
    claimed = BY_SUFFIX.get(suffix(name))
    found = _find_mark(content, claimed)
    if found:
        return found[0]
    if content.startswith(_ZIP_MARK):
        return _zip_kind(content, name, claimed)
    if content.startswith(_OLE_MARK):
        return _compound_kind(content, name)
    foreign = _foreign_kind(content)
    if foreign and claimed:
        raise make_mislabelled_error(name, foreign, claimed.value.article_name)
    if foreign:
        raise make_unsupported_error(name, foreign)
    return _text_kind(content, name, claimed)


def _find_mark(content: bytes, claimed: FileKind | None) -> tuple[FileKind, Mark] | None:
    """Return the mark that a file has, with its format. claimed: the format that its name says."""
    marks = ((kind, each) for kind in FileKind for each in kind.value.signatures if isinstance(each, Mark))
    fitting = ((kind, mark) for kind, mark in marks if not mark.needs_name or claimed in (None, kind))
    return next(((kind, mark) for kind, mark in fitting if mark.is_in(content)), None)


def _text_kind(content: bytes, name: str, claimed: FileKind | None) -> FileKind:
    beginnings = ((kind, each) for kind in FileKind for each in kind.value.signatures if isinstance(each, Markup))
    markup = next((kind for kind, signature in beginnings if signature.begins(content)), None)
    if claimed is None:
        ending = suffix(name)
        if markup and not ending:
            return markup
        raise make_unsupported_error(name, f"a file of type {ending}" if ending else "a file without an extension")
    if claimed.value.is_marked:
        if b"\0" in content:
            raise make_unreadable_error(name, f"it is damaged, and not {claimed.value.article_name}")
        actual = markup.value.article_name if markup else "text"
        raise make_mislabelled_error(name, actual, claimed.value.article_name)
    return markup if markup and claimed.value.may_hold_markup else claimed


def _zip_kind(content: bytes, name: str, claimed: FileKind | None) -> FileKind:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.namelist()
            stated = _stated_type(archive)
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, zlib.error) as error:
        raise make_unreadable_error(name, "it is damaged or cut off") from error
    signatures = [(kind, signature) for kind in FileKind for signature in kind.value.signatures]
    if stated.startswith(_OPEN_DOCUMENT):
        states = StatedType(media_type=stated.removesuffix(_TEMPLATE))
        found = next((kind for kind, signature in signatures if signature == states), None)
        if found is None:
            raise make_unsupported_error(name, "an OpenDocument file that is no text, sheet or presentation")
        return found
    parts_of = ((kind, signature.path) for kind, signature in signatures if isinstance(signature, Part))
    kind = next((kind for kind, path in parts_of if any(part.startswith(path) for part in parts)), None)
    what = "a ZIP archive"
    if kind is FileKind.XLSX and _BINARY_WORKBOOK in parts:
        kind, what = None, "an Excel workbook in binary form (save it as XLSX)"
    if kind:
        return kind
    if claimed:
        raise make_mislabelled_error(name, what, claimed.value.article_name)
    raise make_unsupported_error(name, what)


def _compound_kind(content: bytes, name: str) -> FileKind:
    if _has_stream(content, _ENCRYPTED_PACKAGE):
        raise make_encrypted_error(name)
    streams = ((kind, each) for kind in FileKind for each in kind.value.signatures if isinstance(each, Stream))
    found = next((kind for kind, stream in streams if _has_stream(content, stream.name)), None)
    if found is None:
        raise make_unsupported_error(name, "an Office file in the old format (save it as DOCX, XLSX or PPTX)")
    return found


def _has_stream(content: bytes, stream: str) -> bool:
    return stream.encode("utf-16-le") in content


def _stated_type(archive: zipfile.ZipFile) -> str:
    """Return the media type that an archive says it has; "" where it says none."""
    part = next((each for each in archive.infolist() if each.filename == "mimetype"), None)
    if part is None or part.flag_bits & 0x1:
        return ""
    with archive.open(part) as stream:
        return stream.read(_LONGEST_TYPE).decode("ascii", "replace").strip()


def _foreign_kind(content: bytes) -> str:
    """Return the kind of a picture, a sound, an archive or a program, with its article; "" for anything else."""
    import filetype

    guess = filetype.guess(content[:8192])
    if guess is None or guess.mime in {FileKind.PDF.value.media_type, "application/zip"}:
        return ""
    return f"a file of type {guess.mime}"
