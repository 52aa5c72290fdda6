"""Report a question to Prometheus and the traces: where, how long, with which end; no text and no name."""

from core.asking.answering.record import FIRST_STATEMENT, StoredProgress
from core.infrastructure.measures import families
from core.infrastructure.tracing import spans
from core.types import Answer, QueryState, Refusal

_NOWHERE = "none"  # a question that was refused before it had a conversation


def count_question(progress: StoredProgress, result: Answer | Refusal, *, seconds: float) -> None:
    """Count a question that has come to its end, after it was stored."""
    surface = str(progress.conversation.origin) if progress.conversation else _NOWHERE
    outcome = _name_outcome(result)
    reason = result.reason.value if isinstance(result, Refusal) else None
    families.answer_seconds.labels(surface, outcome).observe(seconds)
    for step, took_ms in progress.timings_ms.items():
        if step == FIRST_STATEMENT:
            families.first_statement_seconds.observe(took_ms / 1000)
        else:
            families.step_seconds.labels(step).observe(took_ms / 1000)
    if reason:
        families.refusals.labels(reason).inc()
    for counter, counts in (
        (families.dropped_statements, progress.dropped_reasons),
        (families.doubted_statements, progress.doubts),
    ):
        for why, count in counts.items():
            counter.labels(why).inc(count)
    spans.note(
        surface=surface,
        outcome=outcome,
        reason=reason,
        model=progress.model,
        strategy=progress.strategy or None,
        passages=len(progress.passages),
        citations=len(result.citations) if isinstance(result, Answer) else 0,
        dropped=progress.dropped,
    )


def _name_outcome(result: Answer | Refusal) -> str:
    if isinstance(result, Answer):
        return "answered"
    return "failed" if result.state is QueryState.FAILED else "refused"
