"""The values that reading gives."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.asking.reading.calibration import OF_SENTENCE
from core.asking.reading.spans import Span, Spans


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Holds what a reader says of one passage."""

    answers: float  # logit: above 0 it rather answers the question than not
    spans: Spans  # of the passage's text, given that it answers

    @property
    def probability(self) -> float:
        """The probability, 0..1, that the passage answers, before any calibration."""
        return 1 / (1 + math.exp(-max(min(self.answers, 30.0), -30.0)))

    @property
    def best(self) -> tuple[Span, ...]:
        """The most probable answers, best first."""
        return self.spans.find_best()

    def rate(self, start: int, end: int) -> float:
        """Rate, 0..1, how well the passage answers within these characters of its text, beside other passages."""
        return OF_SENTENCE.probability(self.answers) * self.spans.probability_within(start, end)


def find_most(readings: Sequence[Reading | None]) -> float | None:
    """Return the logit of the passage that answers best; None where nothing was read."""
    return max((reading.answers for reading in readings if reading), default=None)


def hold(readings: Sequence[Reading | None]) -> Callable[[int, int, int], float]:
    """Return a function of a passage's index and two offsets: how surely the answer stands between them.

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
