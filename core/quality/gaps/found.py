"""Read once more what was found for a question that got no answer: how probably the best passage answers it."""

from core.asking.reading.calibration import OF_PASSAGE
from core.asking.reading.reader import read
from core.asking.reading.readings import find_most
from core.models import Query, RetrievedChunk
from core.models.row_security import bypass_row_security

_READING_S = 30.0  # a worker has more time than an asker


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
