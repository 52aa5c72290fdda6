"""Trace how a question would be decided for some readers, step by step, with nothing of it stored."""

from uuid import UUID

from core.asking.answering.preparation import Asking
from core.asking.answering.requests import check_question
from core.asking.dry_runs.running import DryRun, run_dry
from core.asking.spending.meter import BudgetMeter
from core.asking.spending.spenders import INSTALLATION, spender_of
from core.llm.calls import CallContext, call_context
from core.types import Audience, Filters, RefusalReason, RetrievalResult, Trace

_NOT_SEARCHED = RetrievalResult(passages=(), strategy="none", reason="", took_ms=0.0)


def trace_question(question: str, *, audience: Audience, filters: Filters, person: UUID | None) -> Trace:
    """Return the way of a question; see core.api.trace."""
    asking = Asking(text=check_question(question), audience=audience, filters=filters)
    # Their budget decides, and stays as it is: nobody has asked.
    meter = BudgetMeter(spender_of(person, None), charged=INSTALLATION)
    with call_context(CallContext(meter=meter)):
        return _build(asking, run_dry(asking))


def _build(asking: Asking, dry: DryRun) -> Trace:
    progress, end = dry.progress, dry.end
    understood = progress.prepared.understood if progress.prepared else None
    # A verified answer is given before anything is searched for, unless it is outdated.
    found = progress.found or _NOT_SEARCHED
    composed = progress.composed
    dropped = set(composed.left_out.places) if composed else set()
    return Trace(
        question=understood.bare if understood else asking.text,
        filters=understood.filters if understood else asking.filters,
        searches=tuple(search.query for search in understood.sub_queries) if understood else (),
        strategy=found.strategy,
        reason=found.reason,
        passages=found.passages,
        by_colleague=end.match.verification.verified_by if end.match else "",
        asks_back=end.message if end.reason is RefusalReason.AMBIGUOUS else "",
        message="" if end.reason is RefusalReason.AMBIGUOUS else end.message,
        written=tuple(
            (statement.text, place not in dropped) for place, statement in enumerate(composed.draft.statements)
        )
        if composed
        else (),
        dropped_reasons=tuple(composed.left_out.reasons.items()) if composed else (),
        run=dry.run,
    )
