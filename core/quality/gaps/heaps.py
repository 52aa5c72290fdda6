"""The heap of a gap: nothing near it, or found but unsure."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from core.models import ContentGap, GapQuestion

# From this probability that a passage answers, something was found. docs/decisions/0090 has how well that sorts.
FOUND_FROM = 0.5


def choose_heaps(gaps: Iterable[ContentGap]) -> None:
    """Set the heap of gaps, and save nothing: unsure where something was found for half of their questions or more."""
    gaps = list(gaps)
    asked: Counter[UUID] = Counter()
    found: Counter[UUID] = Counter()
    questions = GapQuestion.objects.filter(gap__in=[gap.pk for gap in gaps]).exclude(
        outcome=GapQuestion.Outcome.ANSWERED
    )
    for gap_id, outcome, probability in questions.values_list("gap_id", "outcome", "found"):
        asked[gap_id] += 1
        found[gap_id] += is_found(outcome, probability)
    for gap in gaps:
        is_unsure = found[gap.pk] * 2 >= max(asked[gap.pk], 1)
        gap.heap = ContentGap.Heap.UNSURE if is_unsure else ContentGap.Heap.NOTHING


def is_found(outcome: str, probability: float | None) -> bool:
    """Return True if something was found that may answer a question.

    An answer that was voted down had its passages. Without a reader the estimate decides, by which the closest passages
    were shown or not.
    """
    if outcome == GapQuestion.Outcome.VOTED_DOWN:
        return True
    return outcome == GapQuestion.Outcome.UNSURE if probability is None else probability >= FOUND_FROM
