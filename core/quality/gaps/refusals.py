"""Refusals of what is there: a question that got no answer, and whose own passages answer it.

The reader says so when the question comes into a gap. Later two things show it: the question, asked again, is answered,
or somebody asked the same in other words and was answered. Either of these counts only if the answer quotes a passage
that the search had found for the refused question, so that its asker could read it at that time, and nothing that was
added or granted later explains the answer.
"""

from collections.abc import Collection, Iterable
from uuid import UUID

from core.asking.alerts import READ_FROM, raise_read_refusal, raise_refusal
from core.asking.verification.same_question import asks_the_same
from core.models import Citation, GapQuestion, Query, QueryLog, RetrievedChunk
from core.quality.gaps.candidates import text_to_embed

_REFUSED = (GapQuestion.Outcome.REFUSED, GapQuestion.Outcome.UNSURE)


def note_read(questions: Iterable[GapQuestion]) -> None:
    """Raise the alerts about questions of which the reader is sure that a passage found for them answers."""
    sure = {one.query_id: one.found for one in questions if one.outcome in _REFUSED and one.found is not None}
    logs = QueryLog.objects.filter(query__in=[pk for pk, found in sure.items() if found >= READ_FROM])
    for log in logs.select_related("query"):
        if log.query:
            raise_read_refusal(log, sure[log.query.pk])


def note_answered_again(question: GapQuestion, quoted: Collection[UUID]) -> bool:
    """Raise the alert about a question of a gap that is answered from these chunks now; return True if it applies."""
    return question.outcome in _REFUSED and _raise_if_found(question.query, quoted)


def note_asked_otherwise(answered: Iterable[GapQuestion]) -> int:
    """Raise alerts about the refused questions of gaps that ask exactly what these answered ones ask; how many."""
    raised = 0
    for one in answered:
        quoted = set(Citation.objects.filter(answer__query=one.query).values_list("chunk", flat=True))
        refused = GapQuestion.objects.filter(gap=one.gap_id, outcome__in=_REFUSED, query__erased_at=None)
        raised += sum(
            _raise_if_found(other.query, quoted)
            for other in refused.select_related("query")
            if asks_the_same(text_to_embed(one.query), text_to_embed(other.query))
        )
    return raised


def _raise_if_found(query: Query, quoted: Collection[UUID]) -> bool:
    log = QueryLog.objects.filter(query=query).first()
    if log is None or not RetrievedChunk.objects.filter(query=query, chunk__in=quoted).exists():
        return False
    raise_refusal(log)
    return True
