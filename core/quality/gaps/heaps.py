"""Sort gaps into heaps: nothing near the question, or found but unsure, by how probably the best passage answers it."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from core.asking.reading.reader import read
from core.asking.reading.readings import OF_PASSAGE, find_most
from core.models import ContentGap, GapQuestion, Query, RetrievedChunk
from core.models.row_security import bypass_row_security

_READING_S = 30.0  # a worker has more time than an asker

# From this probability that a passage answers, something was found. docs/decisions/0090 has how well that sorts.
FOUND_FROM = 0.5


def measure_found(query: Query) -> float | None:
    """Return the probability, 0..1, that the best of the passages that a question had answers it.

    0 for a question that found nothing; None where nothing was read. Only this number is kept of what its asker could
    read.
    """
    rows = RetrievedChunk.objects.filter(query=query).order_by("rank").select_related("chunk__document")
    with bypass_row_security():
        passages = [(_name_place(row), row.chunk.content) for row in rows]
    if not passages:
        return 0.0
    best = find_most(read(query.standalone_question or query.question_text, passages, budget_s=_READING_S))
    return None if best is None else OF_PASSAGE.probability(best)


def _name_place(row: RetrievedChunk) -> str:
    document = row.chunk.document
    place = (document.title, document.document_date, row.chunk.chapter_name, row.chunk.section_title)
    return ", ".join(str(part) for part in place if part)


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
