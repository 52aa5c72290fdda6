"""Decide how a question ends: with an answer, the closest passages or a refusal; and the confidence that is shown.

With the key-free model the estimate decides, because that model cannot say that nothing answers. With a real model its
statements do: where they stand there is an answer, and the estimate is only a part of the confidence that is shown.
Decision 0029 says why.
"""

from enum import StrEnum

from core.asking.confidence.estimate import LOW_FROM, level_of
from core.asking.confidence.threshold import answer_from
from core.asking.confidence.threshold_values import read_thresholds
from core.language.i18n.translation import translatable
from core.types import ConfidenceLevel

NOTHING_FOUND = translatable("I could not find this in the documents that I may use for this answer.")
NOTHING_SELECTED = translatable("I could not find this in the selected text.")
COME_CLOSEST = translatable("I am not sure that this answers it. These come closest:")

_NEXT_BELOW = 0.01  # by which the confidence of a refusal stays under that of an answer


class Ending(StrEnum):
    """An end of a question."""

    ANSWER = "answer"
    CLOSEST = "closest"
    REFUSAL = "refusal"


def is_sure(estimate: float) -> bool:
    """Return True if passages are sure enough for an answer of the key-free model."""
    return estimate >= answer_from()


def is_close(estimate: float) -> bool:
    """Return True if passages are near enough to be shown as the closest."""
    return estimate >= read_thresholds().closest_from


def confidence_of_answer(estimate: float) -> float:
    """Return the confidence shown of an answer with verified statements: the estimate, but more than a refusal's."""
    return max(estimate, _least_of_answer())


def confidence_of_verified(*, is_outdated: bool) -> float:
    """Return the confidence shown of an answer that a person verified: 1, or as little as an answer may have."""
    return _least_of_answer() if is_outdated else 1.0


def confidence_of_refusal(estimate: float) -> float:
    """Return the confidence shown where there is no answer: the estimate, and never so much as an answer's."""
    return min(estimate, max(_least_of_answer() - _NEXT_BELOW, 0.0))


def level(confidence: float) -> ConfidenceLevel:
    """Return the confidence of an answer in words."""
    return level_of(confidence, low_from=_least_of_answer())


def _least_of_answer() -> float:
    """Return where "low" begins: who asks more of the key-free model means no other words by it."""
    return min(answer_from(), LOW_FROM)
