"""Correct misspelt words of a question by the words of what its audience may read.

A word that stands there, or that an English dictionary has, is never replaced, and no word that stands elsewhere has
any influence.
"""

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from functools import cache

from core.language.nlp.english_words import load_frequencies
from core.language.query_understanding.plain import SHORTHAND
from core.language.query_understanding.spelling import find_meant, find_meant_twice, find_suspects, respell
from core.library.embedding.local import load_packaged_tokenizer
from core.library.retrieval.vocabulary import find_standing_words
from core.types import Audience, Edition

MOST_SUSPECTS = 4  # of one question; more are another language, or no language
UNUSUAL = 0.25  # what counts against a word that English texts seldom have


@dataclass(frozen=True, kw_only=True, slots=True)
class Spelt:
    """Holds a question with its words as they were meant."""

    text: str
    corrected: tuple[tuple[str, str], ...] = ()  # each replaced word as it was typed, and what stands for it now
    named: tuple[Edition, ...] = ()  # that hold the words which were put in


def correct_spelling(question: str, audience: Audience) -> Spelt:
    """Return the question with misspelt words as the documents spell them; as it is where none is known to be meant.

    A question without unusual words costs no query.
    """
    found = find_suspects(question, read_common_words())
    suspects = [suspect for suspect in found if suspect.word not in load_frequencies()] if found else []
    if not suspects or len(suspects) > MOST_SUSPECTS:
        return Spelt(text=question)
    once = {suspect: find_meant(suspect.word) for suspect in suspects}
    known = {suspect.word for suspect in suspects}
    standing = _find_standing(known.union(*once.values()), known, audience)
    unknown = [suspect for suspect in suspects if suspect.word not in standing]
    corrections = {suspect: _choose_likeliest(once[suspect], standing) for suspect in unknown}
    # Two slips are many words; of them only the common ones are asked for, and only where one slip leads to nothing.
    twice = {
        suspect: {word: cost for word, cost in find_meant_twice(suspect.word).items() if _is_common(word)}
        for suspect in unknown
        if not corrections[suspect]
    }
    standing |= _find_standing(set().union(*twice.values()), known, audience)
    corrections |= {suspect: _choose_likeliest(words, standing) for suspect, words in twice.items()}
    corrections = {suspect: word for suspect, word in corrections.items() if word}
    named = {standing[word] for word in corrections.values()}
    corrected = ((question[suspect.start : suspect.end], word) for suspect, word in corrections.items())
    return Spelt(text=respell(question, corrections), corrected=tuple(corrected), named=tuple(sorted(named)))


def _find_standing(words: Set[str], known: Set[str], audience: Audience) -> dict[str, Edition]:
    """Those of the words that the documents hold; what is neither written by the person nor common, just as it is."""
    return find_standing_words(words, audience, as_written={w for w in words - known if not _is_common(w)})


def _choose_likeliest(meant: Mapping[str, float], standing: Collection[str]) -> str:
    """The likeliest of the words that stand in the documents; nothing where none does."""
    fitting = {word: cost + _weigh_unusual(word) for word, cost in meant.items() if word in standing}
    return min(fitting, key=lambda word: (fitting[word], word), default="")


def _is_common(word: str) -> bool:
    return word in read_common_words()


def _weigh_unusual(word: str) -> float:
    return 0.0 if _is_common(word) else UNUSUAL


@cache
def read_common_words() -> frozenset[str]:
    """About 20,000 common words of English: those the packaged model reads in one piece, and "cant" and its like."""
    words = frozenset(word for word in load_packaged_tokenizer().get_vocab() if word.isalpha() and word.isascii())
    return words | SHORTHAND
