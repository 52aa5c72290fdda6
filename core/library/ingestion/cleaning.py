"""Making text fit to be stored, searched and quoted. Pure."""

import re
import unicodedata

# What PostgreSQL refuses (NUL), what UTF-8 cannot hold (lone surrogates), and what is invisible but breaks words
# apart for search and for quotes: other control characters, the soft hyphen, zero-width marks, byte-order marks.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\ud800-\udfff]")
_HYPHENS = re.compile("[\u2010\u2011]")
_ODD_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
# Arabic letters in the form that they are drawn in, of old programs and some PDFs: nobody types them.
_DRAWN_LETTERS = re.compile("[\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdc7\ufdf0-\ufdfc\ufe70-\ufefc]+")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_TRAILING = re.compile(r"(?<![ \t])[ \t]++(?=\n)")
_MANY_NEWLINES = re.compile(r"\n{3,}")


def clean(text: str) -> str:
    """Text as it is stored: composed characters (NFC), plain spaces and hyphens, "\\n" line ends, nothing invisible."""
    if text.isascii() and text.isprintable():  # as most lines and cells are: nothing but spaces at the end may go
        return text.rstrip()
    text = _LINE_ENDS.sub("\n", text)
    if not text.isascii():
        text = _DRAWN_LETTERS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
    text = _HYPHENS.sub("-", _ODD_SPACES.sub(" ", _UNWANTED.sub("", text)))
    text = _MANY_NEWLINES.sub("\n\n", _TRAILING.sub("", unicodedata.normalize("NFC", text)))
    return text.strip("\n").rstrip()


def one_line(text: str, limit: int | None = None) -> str:
    """Text on one line with single spaces, cut to `limit` characters with an ellipsis when it is longer."""
    line = " ".join(clean(text).split())
    if limit is not None and len(line) > limit:
        return line[: limit - 1].rstrip() + "…"
    return line
