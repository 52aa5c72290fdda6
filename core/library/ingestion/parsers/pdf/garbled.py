"""The pages of a PDF whose fonts do not say which letters they draw, or say wrong ones.

A page shows the right letters while its text is "7KH RIILFH" for "The office", or characters that mean nothing. Each
sign holds in any language: characters without a meaning, codes that the file gives no letters for, words that become
those of a language when all their letters move by the same distance, letters of several scripts in a word, and vowels
that are rare. Whatever has common words of a language in it is read as it is.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from string import ascii_lowercase, ascii_uppercase
from sys import maxunicode
from typing import TYPE_CHECKING

from core.language.nlp.known_words import find_words, measure_known_words

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

_WINDOW = 800  # characters that are judged together, about 140 words
_MOST_WINDOWS = 20  # of a page, which has two to ten
_LEAST = 15  # characters; fewer say nothing
_GARBLED_SHARE = 0.25  # of a page's characters, from which the page is not read as it is
_READABLE = 0.15  # of the words; the least in a window of 700 real pages was 0.27, in a table of names of processors
_MOST_KNOWN = 0.25  # of the words, from which no letters are moved
_DECODED = 0.3  # of the words, known once the letters are moved,
_TIMES_MORE = 2.5  # and so many times as many as before
_MOVED = 400  # characters of a window whose letters are moved
_MOST_IN_VAIN = 200  # windows of a document, one after the other: a long one in a language without a list
_LEAST_WORDS = 8  # to move letters, or to look for scripts
_WORDS_OF_PROSE = 30  # to look for letters that were exchanged one by one
_MEANINGLESS = 0.3  # of the characters; bullets and signs in formulas may be such ones
_UNMAPPED = 0.3
_FIGURES = 0.3  # of the characters, from which a window is a table of numbers
_FEW_LETTERS = 0.3
_MIXED = 0.3  # of the words, with letters of several scripts
_ACCENTED = 0.6  # of the Latin letters: Vietnamese has a third
_REPEATED = 0.1  # of the words, which come again in running text, and in lists of codes do not
_DIFFERENT = 0.3  # of the words in running text; code has fewer
_UNEVEN = 0.05  # chance that two letters of a text are the same: 0.065 in English, 0.04 in letters drawn by lot
_FEWEST_LETTERS = 15  # that running text uses; the code of proteins has 20, that of genes 4
_FREQUENT, _FEWEST_VOWELS = 7, 3  # among so many commonest letters of a language are so many vowels
_HYPHENS = "\x02\ufffe"  # by which pdfium says that a word goes on in the next line
_COMMONEST = 5  # characters of a window, which may be the commonest of a language
_COMMON_LETTERS = " eaniоеаиαο"
_VOWELS = frozenset("aeiou")
_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "DEVANAGARI", "THAI", "GEORGIAN", "ETHIOPIC")
_LEAST_LETTERS = 3
_WORD = re.compile(r"[^\W\d_]{3,}")


class Moves:
    """Tries to move the letters of a document, until that was in vain often: a try takes hundredths of a second."""

    def __init__(self) -> None:
        self._left = _MOST_IN_VAIN

    def find(self, text: str, known: float) -> bool:
        """Return True if words are known once all letters are moved by one distance, in Unicode or in the alphabet."""
        if not self._left:
            return False
        least = max(_DECODED, _TIMES_MORE * known)
        is_found = any(
            len({*(found := find_words(moved))}) >= _LEAST_WORDS and measure_known_words(found, least) >= least
            for moved in _move_letters(text[:_MOVED])
        )
        self._left = _MOST_IN_VAIN if is_found else self._left - 1
        return is_found


def is_garbled(text: str, measure_unmapped: Callable[[], float] = lambda: 0.0, moves: Moves | None = None) -> bool:
    """Return True if a text of some words is not in any language, and not figures, code or formulas either.

    measure_unmapped: returns the share of its characters that the file gives no letters for. moves: of its document.
    """
    visible = Counter({one: count for one, count in Counter(text).items() if not one.isspace() and one not in _HYPHENS})
    total = visible.total()
    if total < _LEAST:
        return False
    if sum(count for one, count in visible.items() if _is_meaningless(one)) >= _MEANINGLESS * total:
        return True
    moves = moves or Moves()
    words = find_words(text)
    known = measure_known_words(words, enough=_MOST_KNOWN)
    if known >= _READABLE:
        return known < _MOST_KNOWN and moves.find(text, known)
    return (
        (measure_unmapped() >= _UNMAPPED and not _is_figures(visible))
        or moves.find(text, known)
        or _is_mixed(text)
        or _is_exchanged(text, total)
    )


def is_page_garbled(page: "PdfTextPage", moves: Moves) -> bool:
    """Return True if the text of a page is not what it shows. moves: of its document."""
    from pypdfium2.raw import FPDFText_HasUnicodeMapError

    def measure_unmapped() -> float:
        count: int = page.count_chars()
        unmapped = sum(1 for place in range(count) if FPDFText_HasUnicodeMapError(page, place) == 1)
        return unmapped / max(count, 1)

    windows = [*islice(_cut_lines(page.get_text_bounded()), _MOST_WINDOWS)]
    garbled = sum(len(window) for window in windows if is_garbled(window, measure_unmapped, moves))
    return bool(garbled) and garbled >= _GARBLED_SHARE * sum(map(len, windows))


def _cut_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text some at a time."""
    window: list[str] = []
    for line in text.splitlines():
        for first in range(0, len(line), _WINDOW):
            window.append(line[first : first + _WINDOW])
            if sum(map(len, window)) >= _WINDOW:
                yield "\n".join(window)
                window = []
    if window:
        yield "\n".join(window)


def _is_meaningless(character: str) -> bool:
    return character == "\N{REPLACEMENT CHARACTER}" or unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs")


def _is_figures(visible: Counter[str]) -> bool:
    total = visible.total()
    letters, digits = (
        sum(count for one, count in visible.items() if test(one)) / total for test in (str.isalpha, str.isdigit)
    )
    return digits >= _FIGURES and letters < _FEW_LETTERS


def _move_letters(text: str) -> Iterator[str]:
    common = Counter(one for one in text if not one.isspace()).most_common(_COMMONEST)
    for distance in {ord(likely) - ord(one) for one, _ in common for likely in _COMMON_LETTERS} - {0}:
        places = {ord(one): ord(one) + distance for one in {*text} if not one.isspace()}
        yield text.translate({place: moved if 0 <= moved <= maxunicode else None for place, moved in places.items()})
    lower, upper = ascii_lowercase, ascii_uppercase
    for distance in range(1, len(lower)):
        turned = lower[distance:] + lower[:distance], upper[distance:] + upper[:distance]
        yield text.translate(str.maketrans(lower + upper, "".join(turned)))


def _is_mixed(text: str) -> bool:
    """Return True if many words have letters of several scripts, or most Latin letters are ones with accents."""
    words = _WORD.findall(text)
    if len(words) < _LEAST_WORDS:
        return False
    scripts = [{name.partition(" ")[0] for one in word if (name := unicodedata.name(one, ""))} for word in words]
    if sum(len(found.intersection(_SCRIPTS)) > 1 for found in scripts) >= _MIXED * len(words):
        return True
    latin = [one for word in words for one in word if unicodedata.name(one, "").startswith("LATIN")]
    return len(latin) >= _LEAST and sum(not one.isascii() for one in latin) >= _ACCENTED * len(latin)


def _is_exchanged(text: str, characters: int) -> bool:
    """Return True if words come again as in running text, but the commonest Latin letters are the wrong ones."""
    words = [word for word in text.split() if len(word) >= _LEAST_LETTERS]
    letters = Counter(one for one in unicodedata.normalize("NFD", text).lower() if one in ascii_lowercase)
    total = letters.total()
    if len(words) < _WORDS_OF_PROSE or total < 2 * _FEW_LETTERS * characters or len(letters) < _FEWEST_LETTERS:
        return False
    times = Counter(words)
    if len(times) < _DIFFERENT * len(words) or len(words) - len(times) < _REPEATED * len(words):
        return False
    frequent = {letter for letter, _ in letters.most_common(_FREQUENT)}
    return (
        len(frequent & _VOWELS) < _FEWEST_VOWELS
        and sum(count * count for count in letters.values()) >= _UNEVEN * total * total
    )
