"""From a text file's bytes to its text."""

import codecs
import re

from core.errors import UnreadableFileError
from core.library.ingestion import western
from core.library.ingestion.errors import make_unreadable_error

_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# A UTF-8 byte-order mark that was taken for Latin-1 and encoded once more, as the rest of such a file was too.
_TWICE_ENCODED_MARK = "\xef\xbb\xbf"
# What pages and XML state of their encoding.
_STATED = re.compile(rb"(?:charset|encoding)\s?=\s?[\"']?([A-Za-z][\w.:-]{1,30})", re.ASCII)
_LONGEST_HEAD = 2048  # bytes that it is looked for in
_SAMPLE = 200_000  # bytes that are looked at to guess an encoding


def decode(content: bytes, name: str) -> str:
    """The text of a file: by its byte-order mark, as UTF-8, or in the encoding that it most likely has.

    UnreadableFileError when it is no text.
    """
    for mark, encoding in sorted(_MARKS.items(), key=lambda item: -len(item[0])):
        if content.startswith(mark):
            return _decode(content, encoding, name)
    if b"\0" in content[:_SAMPLE]:
        raise make_unreadable_error(name, "it is not text")
    try:
        return _once_decoded(content.decode("utf-8"))
    except UnicodeDecodeError:
        return _decode(content, _guess(content, name), name)


def _once_decoded(text: str) -> str:
    if not text.startswith(_TWICE_ENCODED_MARK):
        return text
    try:
        return text.encode("latin-1").decode("utf-8-sig")
    except UnicodeError:
        return text


def _decode(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise make_unreadable_error(name, f"it is not the {encoding} text that it seems to be") from error


def decode_unstated(content: bytes, stated: str = "") -> str:
    """The text of bytes that are text, in the encoding that is stated, if they are, or that they most likely have.

    Bytes that are no text in it are replaced. For a part of a file, which the others must not be lost for.
    """
    named = _known(stated)
    # UTF-8 is often called Latin-1; what is stated else may be of seven bits, which would pass for UTF-8.
    for encoding in ("utf-8", named) if named in ("", western.ENCODING) else (named, "utf-8"):
        if not encoding:
            continue
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    try:
        return content.decode(_guess(content, ""), "replace")
    except UnreadableFileError:
        return content.decode(western.ENCODING, "replace")


def _known(stated: str) -> str:
    """An encoding that is stated; "" for none that is known. Latin-1 is read as browsers do, as Windows-1252."""
    try:
        name = codecs.lookup(stated).name if stated else ""
    except LookupError:
        return ""
    return {"iso8859-1": western.ENCODING, "ascii": ""}.get(name, name)


def _guess(content: bytes, name: str) -> str:
    from charset_normalizer import from_bytes

    sample = content[:_SAMPLE]
    stated = _STATED.search(sample[:_LONGEST_HEAD])
    if stated and (encoding := _known(stated[1].decode("ascii"))) and _fits(sample, encoding):
        return encoding
    if western.is_western(content):
        return western.ENCODING
    best = from_bytes(sample).best()
    if best is None:
        raise make_unreadable_error(name, "it is not text in any known encoding")
    return best.encoding


def _fits(sample: bytes, encoding: str) -> bool:
    """Return True if the sample, which may end within a character, is text in an encoding."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
