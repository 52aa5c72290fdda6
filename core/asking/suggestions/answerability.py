"""Predict whether a question would be answered: search and judge, without a model and without writing anything.

Also whether a person alone would be answered from more than the people they asked it with.
"""

from contextlib import nullcontext
from dataclasses import replace

from django.utils import timezone

from core.access.audiences import readable_among
from core.asking.answering.searches import Searching
from core.asking.answering.understanding import understand
from core.asking.confidence.judgement import judge
from core.asking.confidence.threshold_values import read_thresholds
from core.asking.history.results import stored_result
from core.asking.reading.reader import recall
from core.library.embedding.similarity import similarities
from core.types import Audience, Filters


def would_be_answered(
    question: str,
    *,
    audience: Audience,
    filters: Filters,
    unseen_by: Audience | None = None,
    reading_s: float | None = None,
) -> bool:
    """Return True if the passages would be enough for an answer, were the question asked; no model is called.

    unseen_by: count only passages that this other audience may not read. reading_s: as of `Searching`.
    """
    understood = understand(question, given=filters, audience=audience, today=timezone.localdate())
    searching = Searching(audience=audience, selection=None, timed=lambda step: nullcontext(), reading_s=reading_s)
    passages = searching.all_aspects(understood, embedded=lambda: None).passages
    if unseen_by is not None:
        seen = readable_among((passage.document_id for passage in passages), unseen_by)
        passages = tuple(passage for passage in passages if passage.document_id not in seen)
    if not passages:
        return False
    return judge(understood, passages, similarities, read=recall).confidence >= read_thresholds().answer_from


def may_read_more(request_id: str, *, audience: Audience, than: Audience) -> bool:
    """Return True if passages that `audience` may read and `than` may not would make an answer by themselves.

    The question is searched for anew with the first audience's rights, and judged as every question is. NotFoundError
    when there is no such question, or the audience may not read its answer.
    """
    result = stored_result(request_id, audience=audience)
    wished = replace(result.filters, collections=())  # what the channel keeps to is no wish of the asker
    return would_be_answered(result.asked, audience=audience, filters=wished, unseen_by=than)
