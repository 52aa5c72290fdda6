"""Whether somebody may read more about a question than those with whom they asked it."""

from contextlib import nullcontext
from dataclasses import replace

from django.utils import timezone

from core.access import readable_among
from core.answering.confidence import REFUSE_BELOW
from core.answering.history import stored_result
from core.answering.judging import judge
from core.answering.searching import Searching
from core.answering.understanding import understand
from core.embedding.similarity import similarities
from core.types import Audience


def may_read_more(request_id: str, *, audience: Audience, than: Audience) -> bool:
    """Whether passages that `audience` may read and `than` may not would make an answer by themselves.

    The question is searched for anew with the first audience's rights, and judged as every question is; no model is
    called and nothing is written. NotFoundError when there is no such question, or its answer is not theirs to read.
    """
    result = stored_result(request_id, audience=audience)
    wished = replace(result.filters, collections=())  # what the channel keeps to is no wish of the asker
    understood = understand(result.asked, given=wished, audience=audience, today=timezone.localdate())
    searching = Searching(audience=audience, selection=None, timed=lambda step: nullcontext())
    passages = searching.all_aspects(understood, embedded=lambda: None).passages
    shared = readable_among((passage.document_id for passage in passages), than)
    hidden = [passage for passage in passages if passage.document_id not in shared]
    return bool(hidden) and judge(understood, hidden, similarities).confidence >= REFUSE_BELOW
