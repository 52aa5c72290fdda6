"""Words that are spelt wrongly, and what may have been meant. Pure: which of it exists is for the caller to say.

Most slips are one letter too few, too many, another, or two in each other's place (Damerau 1964). Two slips are only
looked for where they are of the common kind: doubled letters, vowels and letters in each other's place.
"""

import re
from dataclasses import dataclass

SHORTEST = 4  # letters of a word that is looked at; shorter ones are abbreviations as often as slips
SHORTEST_OTHER_LETTER = 5  # letters from which one letter may stand for another: "wifi" is no "wife"
SHORTEST_TWICE = 7  # letters from which two slips are looked for
LONGEST = 24

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TOKEN = re.compile(r"\S+")
_CODE = re.compile(r"[\d@/\\_#]|\w[-.:]\w")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VOWELS = "aeiou"
_SAME_SOUND = {"c": "ksz", "k": "c", "s": "cz", "z": "s", "g": "j", "j": "g", "y": "i", "i": "y", "f": "v", "v": "f"}
# What the endings of English add to a word that is known.
_ENDINGS: tuple[tuple[str, str], ...] = (
    *(("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("er", "e"), ("er", "")),
    *(("ers", ""), ("ly", ""), ("less", ""), ("ness", ""), ("al", ""), ("ity", "al")),
    # Both spellings of English.
    *(("ise", "ize"), ("ises", "ize"), ("ised", "ized"), ("ised", "ize"), ("ising", "izing"), ("ising", "ize")),
    *(("isation", "ization"), ("isations", "ization"), ("our", "or"), ("ours", "or"), ("tre", "ter")),
    *(("lled", "led"), ("lled", "l"), ("lling", "ling"), ("lling", "l")),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspect:
    """A word of a text that no one knows."""

    start: int  # offsets into the text, in characters
    end: int
    word: str  # lower case


def find_suspects(text: str, known: frozenset[str]) -> list[Suspect]:
    """Return the words that may be spelt wrongly: none that is known, in capitals, or part of a code or an address."""
    return [
        Suspect(start=token.start() + found.start(), end=token.start() + found.end(), word=found.group().casefold())
        for token in _TOKEN.finditer(text)
        if not _CODE.search(token.group())
        for found in _WORD.finditer(token.group())
        if _may_be_wrong(found.group(), known)
    ]


def _may_be_wrong(word: str, known: frozenset[str]) -> bool:
    if not (SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha() and not word[1:].isupper()):
        return False
    folded = word.casefold()
    endings = (folded.removesuffix(end) + instead for end, instead in _ENDINGS if folded.endswith(end))
    return folded not in known and not any(bare in known for bare in endings)


def find_meant(word: str) -> dict[str, float]:
    """Return the words that are one slip away from a word in lower case, each with how unlikely the slip is.

    The first letter is taken for right, but for two letters in each other's place.
    """
    found: dict[str, float] = {}
    for other, cost in (*_add_or_drop_letter(word), *_swap_letters(word), *_change_letter(word)):
        if other != word and cost < found.get(other, 9.0):
            found[other] = cost
    return found


def find_meant_twice(word: str) -> dict[str, float]:
    """Return the words that are two slips of the common kind away from a long word; none for a short one."""
    if len(word) < SHORTEST_TWICE:
        return {}
    found: dict[str, float] = {}
    for once, cost in _slip_commonly(word):
        for other, more in _slip_commonly(once):
            if other != word and cost + more < found.get(other, 9.0):
                found[other] = cost + more
    return found


def _add_or_drop_letter(word: str) -> list[tuple[str, float]]:
    """Return what is meant where a letter was left out, or typed twice or for nothing."""
    more = [
        (word[:at] + letter + word[at:], 0.9 if letter in word[at - 1 : at + 1] else 1.0)
        for at in range(1, len(word) + 1)
        for letter in _LETTERS
    ]
    fewer = [(word[:at] + word[at + 1 :], 0.9 if word[at] == word[at - 1] else 1.1) for at in range(1, len(word))]
    return more + fewer


def _swap_letters(word: str) -> list[tuple[str, float]]:
    return [(word[:at] + word[at + 1] + word[at] + word[at + 2 :], 0.8) for at in range(len(word) - 1)]


def _change_letter(word: str) -> list[tuple[str, float]]:
    if len(word) < SHORTEST_OTHER_LETTER:
        return []
    return [
        (word[:at] + letter + word[at + 1 :], 0.9 if letter in _list_alike(word[at]) else 1.2)
        for at in range(1, len(word))
        for letter in _LETTERS
    ]


def _list_alike(letter: str) -> str:
    return _VOWELS if letter in _VOWELS else _SAME_SOUND.get(letter, "")


def _slip_commonly(word: str) -> list[tuple[str, float]]:
    """Return what one common slip makes: letters swapped, doubled or not, a vowel left out, a letter for a like one."""
    doubled = [(word[:at] + word[at] + word[at:], 0.9) for at in range(1, len(word))]
    fewer = [
        (word[:at] + word[at + 1 :], 0.9)
        for at in range(1, len(word))
        if word[at] == word[at - 1] or word[at] in _VOWELS
    ]
    vowels = [(word[:at] + vowel + word[at:], 1.0) for at in range(1, len(word)) for vowel in _VOWELS]
    alike = [
        (word[:at] + letter + word[at + 1 :], 0.9) for at in range(1, len(word)) for letter in _list_alike(word[at])
    ]
    return [*_swap_letters(word)[1:], *doubled, *fewer, *vowels, *alike]


def respell(text: str, corrections: dict[Suspect, str]) -> str:
    """Return the text with some of its words as they were meant; a capital at the beginning stays one."""
    for suspect, word in sorted(corrections.items(), key=lambda one: -one[0].start):
        written = word.capitalize() if text[suspect.start].isupper() else word
        text = text[: suspect.start] + written + text[suspect.end :]
    return text
