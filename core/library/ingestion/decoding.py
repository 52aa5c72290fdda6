"""Decode a text file: from its bytes to its text, in the encoding that it states, or the likeliest one.

Windows-1252 and Latin-1 are told from other encodings of one byte a character by their letters: what looks at the
shares of bytes alone takes the ² of a short German file for an ogonek of Central Europe.
"""

import codecs
import re
from collections import Counter
from collections.abc import Collection

from core.errors import UnreadableFileError
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

ENCODING = "cp1252"  # holds Latin-1
_ALPHABETS = tuple(
    frozenset(letters)
    for letters in (
        "äöüßé",  # German
        "àâæçéèêëîïôœùûüÿ",  # French
        "áéíñóúüçºª",  # Spanish
        "ãáàâçéêíóôõúüºª",  # Portuguese
        "àèéìíîòóùú",  # Italian
        "åäöæøéü",  # Danish, Norwegian, Swedish, Finnish
        "áðéíóúýþæö",  # Icelandic
        "ëïéèöüáóçê",  # Dutch
        "àçèéíïòóúü",  # Catalan
    )
)
# Languages whose letters are in the same places of other code pages.
_OTHERS = {
    "cp1250": (
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "ąćęłńóśźż",  # Polish
        "áéíóöőúüű",  # Hungarian
        "čćđšž",  # Croatian, Slovene
        "ăâîşţ",  # Romanian
    ),
    "cp1254": ("çğıöşüâ",),  # Turkish
}
_SHARE_OF_ONE = 0.95  # of the letters with marks, that one language has
_SHARE_OF_ALL = 0.98  # the same of the Western languages together
_MOST_IN_RUNS = 0.3  # of the bytes above ASCII, that are in runs: alphabets without Latin letters
_HIGH = re.compile(r"[^\x00-\x7f]+")
_LONG_RUN = 3  # characters above ASCII in a row
# Signs within a word, letters in capitals behind small ones, and control characters: no Western text has them.
_ODD = re.compile(
    r"(?<=[A-Za-zß-ÿ])[¡-©«-´¶-¹»-¿×÷†‡•€‚„“”‰‹›ƒˆ˜](?=[A-Za-zß-ÿ])"
    r"|(?<=[a-zß-ÿ])[ŠŽŒŸÀ-ÖØ-Þ](?=[a-zß-ÿ])|[\x80-\x9f]|[ÿþýðŠŽ](?=[A-Z])"
)
_MOST_ODD = 0.02  # of the characters above ASCII


def decode(content: bytes, name: str) -> str:
    """Return the text of a file: by its byte-order mark, as UTF-8, or in the encoding that it most likely has.

    UnreadableFileError when it is no text.
    """
    for mark, encoding in sorted(_MARKS.items(), key=lambda item: -len(item[0])):
        if content.startswith(mark):
            return _decode_as(content, encoding, name)
    if b"\0" in content[:_SAMPLE]:
        raise make_unreadable_error(name, "it is not text")
    try:
        return _once_decoded(content.decode("utf-8"))
    except UnicodeDecodeError:
        return _decode_as(content, _guess_encoding(content, name), name)


def _once_decoded(text: str) -> str:
    if not text.startswith(_TWICE_ENCODED_MARK):
        return text
    try:
        return text.encode("latin-1").decode("utf-8-sig")
    except UnicodeError:
        return text


def _decode_as(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise make_unreadable_error(name, f"it is not the {encoding} text that it seems to be") from error


def decode_unstated(content: bytes, stated: str = "") -> str:
    """The text of bytes that are text, in the encoding that is stated, if they are, or that they most likely have.

    Bytes that are no text in it are replaced. For a part of a file, which the others must not be lost for.
    """
    named = _find_known(stated)
    # UTF-8 is often called Latin-1; what is stated else may be of seven bits, which would pass for UTF-8.
    for encoding in ("utf-8", named) if named in ("", ENCODING) else (named, "utf-8"):
        if not encoding:
            continue
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    try:
        return content.decode(_guess_encoding(content, ""), "replace")
    except UnreadableFileError:
        return content.decode(ENCODING, "replace")


def _find_known(stated: str) -> str:
    """Return an encoding that is stated; "" for none that is known. Latin-1 is read as browsers do, as Windows-1252."""
    try:
        name = codecs.lookup(stated).name if stated else ""
    except LookupError:
        return ""
    return {"iso8859-1": ENCODING, "ascii": ""}.get(name, name)


def _guess_encoding(content: bytes, name: str) -> str:
    from charset_normalizer import from_bytes

    sample = content[:_SAMPLE]
    stated = _STATED.search(sample[:_LONGEST_HEAD])
    if stated and (encoding := _find_known(stated[1].decode("ascii"))) and _fits_encoding(sample, encoding):
        return encoding
    if is_western(content):
        return ENCODING
    best = from_bytes(sample).best()
    if best is None:
        raise make_unreadable_error(name, "it is not text in any known encoding")
    return best.encoding


def _fits_encoding(sample: bytes, encoding: str) -> bool:
    """Return True if the sample, which may end within a character, is text in an encoding."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def is_western(content: bytes) -> bool:
    """Return True if a text that is not UTF-8 reads as one of a Western European language in Windows-1252."""
    try:
        text = content.decode(ENCODING)
    except UnicodeDecodeError:
        return False
    runs = _HIGH.findall(text)
    high = sum(map(len, runs))
    if not high or sum(len(run) for run in runs if len(run) >= _LONG_RUN) > _MOST_IN_RUNS * high:
        return False
    if sum(1 for _ in _ODD.finditer(text)) > _MOST_ODD * high:
        return False
    if max(_measure_share(text, alphabet) for alphabet in _ALPHABETS) >= _SHARE_OF_ONE:
        return True
    # Names from several countries, unless another code page makes one language of them.
    return _measure_share(text, frozenset().union(*_ALPHABETS)) >= _SHARE_OF_ALL and not _is_of_another(content)


def _measure_share(text: str, alphabet: Collection[str]) -> float:
    """Return the share of a text's letters with marks that an alphabet has; 1 where the text has none."""
    marked = "".join(_HIGH.findall(text)).lower()
    letters = Counter(letter for letter in marked if letter.isalpha() and letter != "µ")
    return sum(letters[letter] for letter in alphabet) / letters.total() if letters else 1.0


def _is_of_another(content: bytes) -> bool:
    """Return True if a text is all of one language that is written in another code page."""
    for encoding, alphabets in _OTHERS.items():
        text = content.decode(encoding, "replace")
        if max(_measure_share(text, alphabet) for alphabet in alphabets) >= _SHARE_OF_ONE:
            return True
    return False
