"""Joining lines into running text, and deciding which hyphens at their ends are parts of the words.

A typesetter breaks a word anywhere between its syllables; a writer puts a hyphen between words. The document's own
words decide, then the words of English: "com-pany" is one word, and "price-determining" is two.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from core.language.nlp.known_words import is_english_word
from core.language.nlp.written_numbers import ORDINALS, SMALL, TENS

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_PART = re.compile(r"(?<![^\W\d_])([^\W\d_]++)-$")
_HYPHEN = re.compile(r"\S-$")
_FIRST_PART = re.compile(r"([^\W\d_]++)(-?)")
_IN_CHAIN = re.compile(r"[^\W\d_]-[^\W\d_]++-$")
_TENS = frozenset(TENS)
_ONES = frozenset([*list(SMALL)[1:10], *list(ORDINALS)[:9]])
# Behind a hyphen these begin a second word of a pair: "pre- and post-war", "Ein- und Ausgang".
_CONNECTS = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o"})
# Short words that stand before a hyphen. Others of up to three letters are syllables as often: con, per, ter.
_SHORT_WORDS = frozenset(
    """air all bow box bus by car cut day dry due end eye far gas hot ice ill in job key law low man mid new no non of
    off oil old on one out own pay pop raw red sea set six so sun tax ten to top two up war web wet""".split()  # noqa: SIM905
)
# Beginnings of more letters that are written in one with what follows.
_BEGINNINGS = frozenset(
    """auto electro fore hydro hyper infra inter intro macro meta micro mono over para photo poly super tele thermo
    trans under""".split()  # noqa: SIM905
)
# Beginnings that a hyphen nearly always follows, whatever word comes behind.
_APART = frozenset({"non", "quasi", "self", "well"})
# Endings that the list has as words.
_ENDS = frozenset(
    """able age ally ance ant ate ding dom ence ent er ford ham hood ible ical ing ion ious ism ist ity ive
    king land ling ment most nes ness ning ring ship sing sion ting tion tions tive tore tors ture ville ward
    wards wise""".split()  # noqa: SIM905
)
_SHORT_BEHIND = frozenset(
    "ago air by day do end fee go in ins it off old on out run set tax up ups use way".split()  # noqa: SIM905
)
_LEAST_BEHIND = 4  # letters of other words behind a hyphen
_LEAST_ENGLISH = 0.5  # share of the words that are English in a document that is
_LEAST_LETTERS = 4  # of the words that this is told by


class Joiner:
    """Joins lines into running text and undoes the hyphens that only end a line."""

    def __init__(self, lines: Iterable[str]) -> None:
        """lines: all of the document, in order."""
        self._words = set(_whole_words(lines))

    def join(self, lines: Iterable[str]) -> str:
        """Return the lines as one line of text."""
        text = ""
        for line in lines:
            text = self.append(text, line) if text else line
        return text

    def append(self, text: str, line: str) -> str:
        """Text with one more line."""
        before, after = _LAST_PART.search(text), _FIRST_PART.match(line)
        if not before or not after:
            goes_on = _HYPHEN.search(text) and after and after[1][0].islower()
            return text + ("" if goes_on else " ") + line
        if after[1].casefold() in _CONNECTS and not after[2]:
            return f"{text} {line}"
        in_capitals = before[1].isupper() and after[1].isupper()
        if after[1][0].isupper() and not in_capitals:
            return text + line
        in_chain = bool(after[2]) or bool(_IN_CHAIN.search(text))
        keeps = self._keeps_hyphen(before[1].casefold(), after[1].casefold(), in_chain=in_chain)
        return (text if keeps else text[:-1]) + line

    def _keeps_hyphen(self, before: str, after: str, *, in_chain: bool) -> bool:
        """Return True if the hyphen is a part of the word. in_chain: another hyphen is near, as in "up-to-date"."""
        if before + after in self._words:
            return False
        if f"{before}-{after}" in self._words:
            return True
        if not self._is_english or is_english_word(before + after):
            return in_chain and before in self._words and after in self._words
        if before in _TENS:
            return after in _ONES
        if in_chain:
            return is_english_word(before, self._words) and is_english_word(after, self._words)
        if before in _APART:
            return len(after) >= _LEAST_BEHIND and after.removesuffix("s") not in _ENDS
        return self._stands_before(before) and self._stands_behind(after)

    def _stands_before(self, part: str) -> bool:
        """Return True if a part is a word that another may follow behind a hyphen."""
        if len(part) <= 3:
            return part in _SHORT_WORDS
        return part not in _BEGINNINGS and is_english_word(part, self._words)

    def _stands_behind(self, part: str) -> bool:
        """Return True if a part is a word that may follow another behind a hyphen."""
        if len(part) < _LEAST_BEHIND:
            return part in _SHORT_BEHIND
        return part.removesuffix("s") not in _ENDS and is_english_word(part, self._words)

    @cached_property
    def _is_english(self) -> bool:
        words = [word for word in self._words if len(word) >= _LEAST_LETTERS and "-" not in word]
        return sum(is_english_word(word) for word in words) >= _LEAST_ENGLISH * len(words)


def _whole_words(lines: Iterable[str]) -> Iterator[str]:
    """Yield the words of lines but for those that may be parts, at the end of one and the beginning of the next."""
    is_broken = False
    for line in lines:
        found = [word.casefold() for word in _WORD.findall(line)]
        ended = bool(_LAST_PART.search(line))
        yield from found[1 if is_broken else 0 : len(found) - ended]
        is_broken = ended
