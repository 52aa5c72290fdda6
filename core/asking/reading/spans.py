"""Find the answer in what a reader puts out: a probability for each token to begin and to end it.

Extractive question answering as of Devlin et al., "BERT" (2019), section 4.2: the score of a span is the sum of the
logits of its first and its last token, and the best span is the one with the highest score.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LONGEST = 30  # tokens of a span; nearly every answer of SQuAD is shorter
_Offsets = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Span:
    """Marks a part of a text that may be the answer."""

    start: int  # in characters of the text
    end: int
    probability: float  # among all spans of the text, given that it answers at all


class Spans:
    """Holds all spans of a text with their probabilities."""

    def __init__(self, begins: np.ndarray, ends: np.ndarray, offsets: _Offsets) -> None:
        """Compute the probabilities. begins, ends: logits of each token. offsets: the characters of each."""
        longest = min(LONGEST, len(offsets))
        # scores[d, k]: the span from token k to token k + d
        scores = np.full((longest, len(offsets)), -np.inf)
        for further in range(longest):
            width = len(offsets) - further
            scores[further, :width] = begins[:width] + ends[further:]
        total = _log_sum(scores)
        self._probabilities = np.exp(scores - total) if np.isfinite(total) else np.zeros_like(scores)
        self._offsets = offsets

    def find_best(self, most: int = 3) -> tuple[Span, ...]:
        """Return the most probable spans that do not overlap, best first."""
        found: list[Span] = []
        left = self._probabilities.copy()
        while len(found) < most and left.size and left.max() > 0:
            further, first = (int(place) for place in np.unravel_index(int(left.argmax()), left.shape))
            last = first + further
            start, end = self._offsets[first][0], self._offsets[last][1]
            found.append(Span(start, end, float(left[further, first])))
            for other in range(left.shape[0]):  # no span that shares a token with it
                left[other, max(0, first - other) : last + 1] = 0
        return tuple(found)

    def probability_within(self, start: int, end: int) -> float:
        """Return how probable it is that the answer stands within these characters."""
        tokens = [number for number, (begin, stop) in enumerate(self._offsets) if begin >= start and stop <= end]
        if not tokens:
            return 0.0
        first, last = tokens[0], tokens[-1]
        return float(
            sum(
                self._probabilities[further, first : last - further + 1].sum()
                for further in range(min(self._probabilities.shape[0], last - first + 1))
            )
        )


def _log_sum(scores: np.ndarray) -> float:
    if not scores.size:
        return -np.inf
    highest = float(scores.max())
    return highest + float(np.log(np.exp(scores - highest).sum())) if np.isfinite(highest) else -np.inf
