"""From a text file's bytes to its text."""

from core.ingestion.errors import make_unreadable_error

_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# A UTF-8 byte-order mark that was taken for Latin-1 and encoded once more, as the rest of such a file was too.
_TWICE_ENCODED_MARK = "\xef\xbb\xbf"
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
        return _decode(content, _guess(content[:_SAMPLE], name), name)


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


def _guess(sample: bytes, name: str) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None:
        raise make_unreadable_error(name, "it is not text in any known encoding")
    return best.encoding
