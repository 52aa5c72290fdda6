"""Find which passages are of one document, so that none is fitted on in one half and judged in the other.

Sets overlap: several are of the same articles, under titles that are written differently, without a title, or cut
elsewhere. So passages are of one document that have the same title, share a run of words, or were offered to one
question as the passage that answers and one beside it.
"""

import hashlib
import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from readers.material import NEAREST, Material

_RUN = 12  # words; shorter runs are phrases that many documents have
_KEPT_OF = 4  # one of so many runs is compared, chosen by its hash: the same ones in each passage
_BOILERPLATE = 12  # passages; a run that more of them have says nothing about the document
_LARGEST = 500  # passages; more are no document but several that repeat one another, and stay in the half for fitting
_RANDOM = "random"  # what published material calls NEAREST
_WORD = re.compile(r"\w+")


def find_documents(material: Material) -> list[int]:
    """Return for each passage the number of its document, counted from 0 in the order of the passages."""
    sets = _Sets(len(material.passages))
    for places in _group_places(material):
        for place in places[1:]:
            sets.unite(places[0], place)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(sets.find(place), len(numbers)) for place in range(len(material.passages))]


def choose_check(material: Material, documents: Sequence[int], *, share: float, sets: frozenset[str]) -> set[int]:
    """Return the documents that are held out: about such a share of them, and all in which these sets have questions.

    The share is chosen by the texts, so that further material moves no document unless it belongs to it.
    """
    held_out = {documents[question.passage] for question in material.questions if question.set in sets}
    first: dict[int, str] = {}
    for place, passage in enumerate(material.passages):
        digest = hashlib.sha256(" ".join(split_words(passage.text)).encode()).hexdigest()
        first[documents[place]] = min(digest, first.get(documents[place], digest))
    sizes = Counter(documents)
    return held_out | {
        document
        for document, digest in first.items()
        # The smallest of many digests is small: hashed again it is as likely to be anything.
        if int(hashlib.sha256(digest.encode()).hexdigest()[:8], 16) < share * 16**8 and sizes[document] <= _LARGEST
    }


def split_words(text: str) -> list[str]:
    """Return the words of a text, without regard to case and to how letters with accents are written."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("_", " "))


def _group_places(material: Material) -> Iterator[Sequence[int]]:
    """Yield places of passages that are of one document."""
    titles: dict[str, list[int]] = defaultdict(list)
    for place, passage in enumerate(material.passages):
        if title := " ".join(split_words(passage.title)):
            titles[title].append(place)
    yield from titles.values()
    yield from _find_shared_runs([passage.text for passage in material.passages])
    asked: dict[tuple[str, str], list[int]] = defaultdict(list)
    for question in material.questions:
        if question.negative not in (NEAREST, _RANDOM):
            asked[question.set, question.text].append(question.passage)
    for places in asked.values():
        if not all(material.passages[place].title for place in places):  # else the titles tell
            yield places


def _find_shared_runs(texts: Iterable[str]) -> Iterator[Sequence[int]]:
    """Yield the places of texts that share a run of words, or that are the same but for what is no word."""
    found: list[np.ndarray] = []
    places: list[np.ndarray] = []
    for place, text in enumerate(texts):
        runs = _hash_runs(split_words(text))
        found.append(runs)
        places.append(np.full(len(runs), place))
    if not found:
        return
    runs, owners = np.concatenate(found), np.concatenate(places)
    order = np.argsort(runs, kind="stable")
    runs, owners = runs[order], owners[order]
    for group in np.split(owners, np.flatnonzero(np.diff(runs)) + 1):
        if 1 < len(group) <= _BOILERPLATE:
            yield group.tolist()


def _hash_runs(words: Sequence[str]) -> np.ndarray:
    """Return the hashes of the runs that are compared; of a short text the hash of all of it."""
    hashes = np.array([_hash_word(word) for word in words], dtype=np.uint64)
    length = min(_RUN, len(words))
    if not length:
        return np.empty(0, dtype=np.uint64)
    runs = np.zeros(len(words) - length + 1, dtype=np.uint64)
    for offset in range(length):
        runs = runs * np.uint64(0x9E3779B97F4A7C15) + hashes[offset : len(runs) + offset]
    if len(words) <= _RUN:
        return runs
    mixed = (runs ^ (runs >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    chosen: np.ndarray = np.unique(runs[(mixed >> np.uint64(40)) % np.uint64(_KEPT_OF) == 0])
    return chosen


@lru_cache(maxsize=200_000)
def _hash_word(word: str) -> int:
    return zlib.crc32(word.encode(errors="replace"))


class _Sets:
    """Disjoint sets of numbers (Tarjan, 1975), with halved paths."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def find(self, number: int) -> int:
        """Return the number that stands for the set."""
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def unite(self, one: int, other: int) -> None:
        """Make one set of two; the smaller number stands for it."""
        first, second = sorted((self.find(one), self.find(other)))
        self._above[second] = first
