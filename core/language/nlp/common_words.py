"""The commonest words of a hundred languages, to tell running text from letters in no order."""

import re
from collections.abc import Iterable
from functools import lru_cache

from core.language.nlp.english_words import load_english_words

_WORD = re.compile(r"[^\W\d_]+")
_LEAST_LENGTH = 3  # letters of a word that is looked up; most shorter strings are a word somewhere
_LEAST_ENGLISH = 4  # letters of one in the large list of English, which has nearly all shorter strings of letters


@lru_cache(maxsize=1)
def load_common_words() -> tuple[frozenset[str], ...]:
    """Return a set of words in lower case for each language. A process that may open no files calls this before."""
    from justext.utils import get_stoplist, get_stoplists

    english = frozenset(word for word in load_english_words() if len(word) >= _LEAST_ENGLISH)
    return tuple(
        get_stoplist(name) | english if name == "English" else get_stoplist(name)
        for name in sorted(get_stoplists(), key=lambda name: (name != "English", name))  # the likeliest first
    )


@lru_cache(maxsize=1)
def _load_all() -> frozenset[str]:
    return frozenset[str]().union(*load_common_words())


def find_words(text: str) -> list[str]:
    """Return the runs of letters of a text in lower case, without short ones."""
    return [word for word in _WORD.findall(text.lower()) if len(word) >= _LEAST_LENGTH]


def measure_known_words(words: Iterable[str], least: float = 0.0, enough: float = 1.0) -> float:
    """Return the share of words, each counted once, that one language has most of as common ones; 0 for no words.

    least: a share that matters; what is surely below it may be returned as 0. enough: a share from which it does not
    matter how large it is, and the first language that has it is taken. Both make it far quicker.
    """
    counted = {*words}
    known = counted & _load_all()
    if not known or len(known) < least * len(counted):
        return 0.0
    most = 0
    for common in load_common_words():
        most = max(most, len(known & common))
        if most >= enough * len(counted):
            break
    return most / len(counted)
