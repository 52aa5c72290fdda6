"""Hold the values that reading gives: logits, calibrated probabilities, and where in a passage the answer is. Pure.

The calibrations were fitted by `python -m benchmarks.fit_evaluation` to public questions that the packaged reader was
not fitted on; docs/decisions/0089 has the figures. A reader puts out a logit for each token to begin and to end the
answer. Extractive question answering as of Devlin et al., "BERT" (2019), section 4.2: the score of a span is the sum
of the logits of its first and its last token, and the best span is the one with the highest score.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LONGEST_SPAN = 30  # tokens of a span; nearly every answer of SQuAD is shorter
_Offsets = Sequence[tuple[int, int]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A logistic regression over the logit that a text answers a question."""

    slope: float
    intercept: float

    def probability(self, logit: float) -> float:
        """Return the probability, 0..1."""
        weighted = self.slope * logit + self.intercept
        return 1.0 / (1.0 + math.exp(-max(min(weighted, 30.0), -30.0)))


OF_PASSAGE = Calibration(slope=0.564, intercept=0.472)
OF_ANSWER = Calibration(slope=0.684, intercept=0.466)  # of texts as short as answers, which stand alone
# Of the passage whose sentence is to be chosen, beside others. By the reader's own probability (.50 for 0, .88 for 2,
# .98 for 4; here .12, .40 and .77) a sentence of a passage that hardly answers, and has more of the question's words,
# goes before one of a passage that surely does. Not fitted: of 566 answerable questions in ten sets 432 are then
# answered rightly where it was 423, and 43 wrongly where it was 44.
OF_SENTENCE = Calibration(slope=0.8, intercept=-2.0)


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
        longest = min(LONGEST_SPAN, len(offsets))
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
        """Return how probable it is that the answer is within these characters."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Holds what a reader says of one passage."""

    answers: float  # logit: above 0 it rather answers the question than not
    spans: Spans  # of the passage's text, given that it answers

    @property
    def probability(self) -> float:
        """Return the probability, 0..1, that the passage answers, before any calibration."""
        return 1 / (1 + math.exp(-max(min(self.answers, 30.0), -30.0)))

    @property
    def best(self) -> tuple[Span, ...]:
        """Return the most probable answers, best first."""
        return self.spans.find_best()

    def rate(self, start: int, end: int) -> float:
        """Rate, 0..1, how well the passage answers within these characters of its text, beside other passages."""
        return OF_SENTENCE.probability(self.answers) * self.spans.probability_within(start, end)


def find_most(readings: Sequence[Reading | None]) -> float | None:
    """Return the logit of the passage that answers best; None where nothing was read."""
    return max((reading.answers for reading in readings if reading), default=None)


def hold(readings: Sequence[Reading | None]) -> Callable[[int, int, int], float]:
    """Return a function of a passage's index and two offsets: how surely the answer is between them.

    It gives 0..1 as of `Reading.rate`, and 0 for a passage that was not read.
    """

    def held(passage: int, start: int, end: int) -> float:
        reading = readings[passage]
        return reading.rate(start, end) if reading else 0.0

    return held


# Takes a question and passages, each as (heading, text); gives what was read of each, None for what was not read.
Read = Callable[[str, Sequence[tuple[str, str]]], Sequence[Reading | None]]


def read_nothing(_question: str, passages: Sequence[tuple[str, str]]) -> list[Reading | None]:
    """Return no reading for each passage, as without a reader."""
    return [None] * len(passages)
