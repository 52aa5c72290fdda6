"""Tell which questions mean the same: by their embeddings, by rules for details, and by reading each beside the other.

The reader says how probably one question supports the other, both ways. Embeddings alone put "how do I
book a room" beside "how do I book a flight"; read so, the two are told apart. docs/decisions/0090 has the figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from core.asking.reading import reader
from core.asking.verification.same_question import differ_in_detail

# Cosine similarity from which questions are read against each other, and from which they mean the same where nothing
# can be read.
NEAR_ENOUGH = 0.45
SAME_MEANING = 0.62
SAME_READING = 0.0  # mean of both logits
_MOST_READ = 4  # groups that a question is read against, the nearest first
_READING_S = 30.0  # a worker has more time than an asker


@dataclass(slots=True)
class Groups:
    """Groups of questions, each with its middle, a vector of unit length, and the words of one of its questions.

    Words are empty where they are erased: then the middle alone tells.
    """

    ids: list[UUID] = field(default_factory=list)
    middles: list[np.ndarray] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def add(self, group: UUID, middle: np.ndarray, words: str) -> None:
        """Add a group."""
        self.ids.append(group)
        self.middles.append(middle)
        self.words.append(words)

    def find(self, question: str, vector: np.ndarray) -> UUID | None:
        """Return the group of a question: of those that mean the same the nearest; None without one."""
        if not self.ids:
            return None
        similarities = np.array(self.middles) @ vector
        nearest = np.argsort(-similarities)[:_MOST_READ]
        return next(
            (
                self.ids[place]
                for place in map(int, nearest)
                if means_the_same(question, self.words[place], float(similarities[place]))
            ),
            None,
        )


def means_the_same(one: str, other: str, similarity: float) -> bool:
    """Return True if two questions mean the same. similarity: the cosine of their embeddings."""
    if similarity < NEAR_ENOUGH:
        return False
    if not one or not other:
        return similarity >= SAME_MEANING
    if differ_in_detail(one, other):
        return False
    read = measure_reading(one, other)
    return similarity >= SAME_MEANING if read is None else read >= SAME_READING


def measure_reading(one: str, other: str) -> float | None:
    """Return the mean logit that each of two questions supports the other; None where nothing was read."""
    logits = [reader.supports(asked, [text], budget_s=_READING_S)[0] for asked, text in ((one, other), (other, one))]
    return None if None in logits else sum(logit for logit in logits if logit is not None) / len(logits)


def middle_of(vectors: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """Return the middle of a group as a vector of unit length."""
    middle = np.asarray(vectors).mean(axis=0)
    return np.asarray(middle / max(float(np.linalg.norm(middle)), 1e-12), dtype=np.float32)
