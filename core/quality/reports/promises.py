"""List which share of answers is right from which estimate on, for those who choose ANSWERS_RIGHT."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.asking.confidence.threshold import KEY_FREE, answer_from, count_known, in_hundredths
from core.asking.confidence.threshold_values import Thresholds, read_thresholds

__all__ = ["KEY_FREE", "Promise", "Thresholds", "answer_from", "in_hundredths", "list_promises", "read_thresholds"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Promise:
    """Holds a share of right answers, and where it is kept."""

    share: float  # 0..1
    threshold: float  # the lowest estimate from which it is; 1 where it never is
    right: int  # known answers from there on that are right
    count: int  # known answers from there on


def list_promises(shares: Iterable[float]) -> list[Promise]:
    """Return a promise for each share, by the datasets and the votes of the last half year."""
    known = count_known()
    thresholds = [(share, known.find_threshold(share)) for share in shares]
    counts = [known.count_from(threshold) for _, threshold in thresholds]
    return [
        Promise(share=share, threshold=threshold, right=right, count=count)
        for (share, threshold), (right, count) in zip(thresholds, counts, strict=True)
    ]
