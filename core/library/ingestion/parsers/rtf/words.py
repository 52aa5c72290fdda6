"""The tokens of RTF (groups, control words and text), and the control words by their meaning.

See the RTF specification 1.9.1, "RTF Syntax".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<symbol>[^a-zA-Z])"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\\\r\n]"
)

# Control words for characters.
CHARACTERS = {
    "tab": " ",
    "line": "\n",
    "lbr": "\n",
    "softline": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "nestcell": " ",
    "nestrow": "\n",
    "~": " ",
    "_": "-",
    "{": "{",
    "}": "}",
    "\\": "\\",
}
# Groups whose text is not the document's. Those that begin with \* are left out whatever they are called.
LEFT_OUT = frozenset(
    {
        "annotation",
        "atnauthor",
        "atnid",
        "bkmkend",
        "bkmkstart",
        "colortbl",
        "comment",
        "company",
        "datafield",
        "do",
        "fldinst",
        "filetbl",
        "footer",
        "footerf",
        "footerl",
        "footerr",
        "ftncn",
        "ftnsep",
        "ftnsepc",
        "header",
        "headerf",
        "headerl",
        "headerr",
        "info",
        "keywords",
        "listtable",
        "nonesttables",
        "objdata",
        "object",
        "operator",
        "pict",
        "private",
        "revtbl",
        "rxe",
        "shprslt",
        "sn",
        "subject",
        "sv",
        "tc",
        "txe",
        "xe",
    }
)
# The code pages of \fcharset.
CHARACTER_SETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
}


class Kind(Enum):
    """The kinds of tokens."""

    OPEN = auto()  # {
    CLOSE = auto()  # }
    WORD = auto()  # \par
    BYTE = auto()  # \'e9, a character of the font's code page
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token."""

    kind: Kind
    value: str = ""  # the word without its number, the byte as two hexadecimal digits, or the text
    number: int | None = None  # of a word; None where it has none


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a file, each byte of which is a character. What \\bin holds is passed over."""
    place = 0
    while found := _TOKEN.match(text, place):
        place = found.end()
        if found["brace"]:
            yield Token(Kind.OPEN if found["brace"] == "{" else Kind.CLOSE)
        elif found["word"]:
            number = int(found["number"]) if found["number"] else None
            if found["word"] == "bin":
                place += max(number or 0, 0)
            else:
                yield Token(Kind.WORD, found["word"], number)
        elif found["byte"]:
            yield Token(Kind.BYTE, found["byte"])
        elif found["symbol"]:
            yield Token(Kind.WORD, found["symbol"])
        elif found["text"]:
            yield Token(Kind.TEXT, found["text"])
