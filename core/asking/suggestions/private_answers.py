"""Find out whether a person may read more about a question than the people they asked it with."""

from dataclasses import replace

from core.asking.history.results import stored_result
from core.asking.suggestions.answerability import would_be_answered
from core.types import Audience


def may_read_more(request_id: str, *, audience: Audience, than: Audience) -> bool:
    """Return True if passages that `audience` may read and `than` may not would make an answer by themselves.

    The question is searched for anew with the first audience's rights, and judged as every question is. NotFoundError
    when there is no such question, or the audience may not read its answer.
    """
    result = stored_result(request_id, audience=audience)
    wished = replace(result.filters, collections=())  # what the channel keeps to is no wish of the asker
    return would_be_answered(result.asked, audience=audience, filters=wished, unseen_by=than)
