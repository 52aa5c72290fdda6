"""Find passages that nearly answer a question and do not, for sets whose questions all have answers.

A reader that saw only answers, and passages about something else, learns which words go together. What it is for is to
tell the passage that answers from the one beside it.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from readers.documents import split_words
from readers.material import NEAR, NEAREST, Material, Question

_LACKING = 0.1  # a set with a smaller share of unanswerable questions lacks them
_MOST_POOLED = 3000  # passages of the pool in which the nearest are found
_MOST_OF_DOCUMENT = 200  # passages of a document that are compared
_LEAST = 0.05  # cosine similarity; passages that share less with the question are no near miss
_AT_ONCE = 500  # questions


def find_negatives(
    material: Material, documents: Sequence[int], check: set[int], *, near: float, nearest: float, seed: int
) -> list[Question]:
    """Return questions of the sets that lack unanswerable ones, each with a passage that does not answer it.

    documents, check: the document of each passage, and those that are held out; a question gets no passage of the
    other half. near, nearest: for which shares of a set's answerable questions another passage of the same document is
    taken, and the nearest of a pool of other documents. A passage that holds the answer's words is never taken, so
    another passage of the same document only for questions of which these are known.
    """
    asked = [question for question in material.questions if question.answers and not question.is_statement]
    lacking = _find_lacking(material.questions)
    asked = [question for question in asked if question.set in lacking]
    if not asked or not (near or nearest):
        return []
    chance = random.Random(seed)
    search = _Search(material, documents, check, chance)
    found: list[Question] = []
    for kind, share in ((NEAR, near), (NEAREST, nearest)):
        chosen = chance.sample(asked, round(min(share, 1.0) * len(asked)))
        chosen = [question for question in chosen if kind == NEAREST or question.span]
        for first in range(0, len(chosen), _AT_ONCE):
            found += search.find(chosen[first : first + _AT_ONCE], kind)
    return found


def _find_lacking(questions: Sequence[Question]) -> set[str]:
    answerable = Counter(question.set for question in questions if question.answers)
    unanswerable = Counter(question.set for question in questions if not question.answers)
    return {name for name, count in answerable.items() if unanswerable[name] < _LACKING * count}


class _Search:
    """Ranks passages for a question by the words that both have, rare ones first (cosine similarity of TF-IDF)."""

    def __init__(self, material: Material, documents: Sequence[int], check: set[int], chance: random.Random) -> None:
        self._material, self._documents, self._check = material, documents, check
        self._words = TfidfVectorizer(analyzer=split_words, sublinear_tf=True, dtype=np.float32)
        self._vectors = self._words.fit_transform(passage.text for passage in material.passages)
        self._of_document: dict[int, list[int]] = defaultdict(list)
        for place, document in enumerate(documents):
            self._of_document[document].append(place)
        halves = (
            [place for place, document in enumerate(documents) if (document in check) is held_out]
            for held_out in (False, True)
        )
        self._pools = tuple(chance.sample(half, min(_MOST_POOLED, len(half))) for half in halves)

    def find(self, questions: Sequence[Question], kind: str) -> list[Question]:
        """Return the questions for which there is such a passage, with it."""
        vectors = self._words.transform([question.text for question in questions])
        found = []
        for number, question in enumerate(questions):
            document = self._documents[question.passage]
            if kind == NEAR:
                places = self._of_document[document][:_MOST_OF_DOCUMENT]
            else:
                pool = self._pools[document in self._check]
                places = [place for place in pool if self._documents[place] != document]
            place = self._choose(question, vectors[number], places)
            if place is not None:
                found.append(
                    replace(
                        question, id=f"{question.id}-{kind}", passage=place, answers=False, span=None, negative=kind
                    )
                )
        return found

    def _choose(self, question: Question, vector: Any, places: Sequence[int]) -> int | None:
        """Return the nearest of these passages that does not hold the answer."""
        if not places:
            return None
        likeness = (self._vectors[places] @ vector.T).toarray().ravel()
        own = self._material.passages[question.passage].text
        answer = " ".join(split_words(own[slice(*question.span)])) if question.span else ""
        for rank in np.argsort(-likeness, kind="stable"):
            place = places[int(rank)]
            if likeness[rank] < _LEAST:
                return None
            text = self._material.passages[place].text
            if place != question.passage and text != own and not (answer and _holds(text, answer)):
                return place
        return None


def _holds(text: str, answer: str) -> bool:
    return f" {answer} " in f" {' '.join(split_words(text))} "
