"""Check that e-mail addresses, host names and telephone numbers of a statement occur in its quotes. Pure.

The other checks allow words of the model's own, and none of those may be an address to which a reader then writes, or a
number to call. Links are removed before (core.asking.verification.cleaning). This check reads the plain words that
remain, which a reader copies and some clients make a link of.
"""

import html
import re
from collections.abc import Iterable, Iterator

from core.asking.verification.dates import split_dates
from core.asking.verification.quote_normalisation import fold
from core.language.nlp.text import STOP_WORDS

# Signs that browsers and mail programs read as a dot or a slash, and NFKC leaves as they are.
_DOTS_AND_SLASHES = str.maketrans({"\u3002": ".", "\u2044": "/", "\u2215": "/", "\u29f8": "/", "\\": "/"})
_BORDERS = re.compile(r"[\s\"()<>\[\]{},;|`*]+|(?<![\d-])-{2,}+(?=\s)")
_EDGES = "'.:!?…_~-=+"
# A dot before two letters or more, which the last part of a host's name has; "U.S", "e.g" and "4.25" have none there.
_HOST = re.compile(r"\w\.(?:[^\W\d_]{2}|xn--)", re.IGNORECASE)
_NUMBER = re.compile(
    r"[+-]?[$€£]?\d[\d.,/:%-]*"
)  # core.asking.verification.numbers and dates compare these by what they say
_SCHEME = re.compile(r"\A(?:[a-z][a-z0-9+.-]{0,30}:)?/{2,}", re.IGNORECASE)
_DIALLED = re.compile(r"\d[\d()-]*(?:\s[\d()-]+)*")
_DIGITS = re.compile(r"\d+")
LEAST_DIALLED = 7  # digits of a telephone number; what is shorter is rather an amount


def has_unsupported(statement: str, quotes: Iterable[str]) -> bool:
    """Return True if something in a statement that leads somewhere is in none of its quotes, word for word."""
    read = [_make_plain(quote) for quote in quotes]
    words = {part for quote in read for word in _split_words(quote) for part in (word, *_split_link(word))}
    if any(_leads_somewhere(word, words) for word in _split_words(_make_plain(statement))):
        return True
    numbers = [f"-{number}-" for quote in read for number in _find_dialled(quote)]
    said = (number for number in _find_dialled(split_dates(_make_plain(statement))[1]) if _is_telephone(number))
    return any(not any(f"-{number}-" in quoted for quoted in numbers) for number in said)


def _make_plain(text: str) -> str:
    """Return text with one form of each dot, slash and at sign, entities read, and nothing invisible."""
    return fold(html.unescape(text))[0].translate(_DOTS_AND_SLASHES)


def _split_words(text: str) -> Iterator[str]:
    """Yield the words of a text as they would be copied, without the marks around them."""
    for word in _BORDERS.split(text.casefold()):
        bare = word.strip(_EDGES).removesuffix("'s")
        if bare:
            yield bare


def _leads_somewhere(word: str, quoted: set[str]) -> bool:
    """Return True if a word is an address, a host or a path that is not among the words of the quotes."""
    if word in quoted or _NUMBER.fullmatch(word):
        return False
    if "@" in word or "%40" in word or _HOST.search(word):
        return True
    # "Lockout/tagout" of "lockout and tagout", and "and/or", lead nowhere.
    parts = [part.strip(_EDGES) for part in word.split("/")] if "/" in word else []
    return any(part and part not in quoted and part not in STOP_WORDS and not _NUMBER.fullmatch(part) for part in parts)


def _split_link(word: str) -> tuple[str, ...]:
    """Return the allowed forms of a quoted link: the link without its scheme, and its host, with and without www."""
    scheme = _SCHEME.match(word)
    if not scheme and not word.startswith("www."):
        return ()
    rest = word[scheme.end() if scheme else 0 :].rstrip("/")
    bare = rest.removeprefix("www.")
    return rest, rest.partition("/")[0], bare, bare.partition("/")[0]


def _find_dialled(text: str) -> list[str]:
    """Return the numbers of a text as they would be dialled: their groups of digits, joined by hyphens."""
    return ["-".join(_DIGITS.findall(found)) for found in _DIALLED.findall(text)]


def _is_telephone(number: str) -> bool:
    """Return True if groups of digits look like a telephone number; one group, or a range of two, does not."""
    groups = number.split("-")
    if len(groups) < 2 or sum(map(len, groups)) < LEAST_DIALLED:
        return False
    first, last = groups[0], groups[-1]
    is_range = len(groups) == 2 and len(first) == len(last) >= 4 and "0" not in (first[0], last[0]) and first < last
    return not is_range
