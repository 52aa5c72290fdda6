"""Find a question's word that a text lacks, where the text has another that is spelt nearly the same. Pure.

Readers and embedding models take such words for one: of 24 invented questions with one word exchanged for another
("rivet gate" for "river gate") the packaged reader took the passage for the answer to 12.
"""

from collections.abc import Iterable, Set

from symspellpy.editdistance import DistanceAlgorithm, EditDistance

from core.language.nlp.known_words import is_seldom
from core.language.nlp.text import stem, words_of

_SHORTEST = 4  # letters of a stem that is looked at
_SHORTEST_ASKED = 5  # letters of a word of the question: with four, every text has words like it
# Of stems that differ in nothing but their last letters: "decis" and "decid", "sent" and "send", "evok" and "evoc".
_FORMS = (set("dst"), set("ck"))
_VOWELS = str.maketrans("", "", "aeiouy")  # "choose" and "chose", "write" and "wrote"
_distance = EditDistance(DistanceAlgorithm.DAMERAU_OSA)


def find_look_alike(question: str, held: Set[str], *, same: Iterable[str] = ()) -> tuple[str, str] | None:
    """Return a rare word's stem of a question that is not held, and one that is held and looks like it; or None.

    held: the stems of a text and its heading. same: stems that mean the same as those of the question.
    Common words are left out, for people say "share" where no shape is meant; so are words of no dictionary, which are
    slips that are put right elsewhere, or names.
    """
    known = set(same)
    for word in words_of(question):
        asked = stem(word)
        if asked in held or len(word) < _SHORTEST_ASKED or not (word.isalpha() and is_seldom(word.casefold())):
            continue
        for other in held:
            if other not in known and _look_alike(asked, other):
                return asked, other
    return None


def _look_alike(one: str, other: str) -> bool:
    """Return True if two stems differ in one consonant, and are no forms of one word."""
    if min(len(one), len(other)) < _SHORTEST or one[0] != other[0] or not other.isalpha():
        return False
    if one.startswith(other) or other.startswith(one) or one.translate(_VOWELS) == other.translate(_VOWELS):
        return False
    if one[:-1] == other[:-1] and any({one[-1], other[-1]} <= letters for letters in _FORMS):
        return False
    return bool(_distance.compare(one, other, 1) == 1)
