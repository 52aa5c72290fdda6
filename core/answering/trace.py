"""How a question would be decided for some readers: every step of its way, with nothing of it stored."""

from contextlib import nullcontext
from dataclasses import replace

from django.utils import timezone

from core.answering.clarification import AskBack, which_document, which_month
from core.answering.requests import check_question
from core.answering.searches import Searching
from core.answering.understanding import understand
from core.answering.unstored import (
    build_refused_run,
    build_run,
    build_verified_run,
    compose_unstored,
    find_verified,
)
from core.llm.client import model_settings
from core.query_understanding.plan import Understood
from core.types import Audience, Filters, RefusalReason, RetrievalResult, Run, Trace


def trace_question(question: str, *, audience: Audience, filters: Filters) -> Trace:
    """The way of a question; see core.api.trace."""
    understood = understand(check_question(question), given=filters, audience=audience, today=timezone.localdate())
    unclear = which_month(understood)
    nothing = RetrievalResult(passages=(), strategy="none", reason="", took_ms=0.0)
    if unclear:
        return _build(understood, nothing, unclear=unclear)
    match = find_verified(understood, audience, filters)
    if match and not match.outdated:
        return _build(understood, nothing, run=build_verified_run(match), by_colleague=match.verification.verified_by)
    trace = _trace_search(understood, audience, filters)
    if match and trace.run.text is None and not trace.asks_back:
        return replace(trace, run=build_verified_run(match), by_colleague=match.verification.verified_by)
    return trace


def _trace_search(understood: Understood, audience: Audience, filters: Filters) -> Trace:
    searching = Searching(audience=audience, selection=None, timed=lambda step: nullcontext())
    found = searching.all_aspects(understood, embedded=lambda: None)
    if not found.passages:
        return _build(understood, found)
    unclear = which_document(understood, found.passages, given=filters, audience=audience)
    if unclear:
        return _build(understood, found, unclear=unclear)
    composed = compose_unstored(understood, found.passages, model_settings())
    if composed is None:
        return _build(understood, found, run=build_refused_run(RefusalReason.MODEL_UNAVAILABLE))
    dropped = set(composed.left_out.places)
    return _build(
        understood,
        found,
        run=build_run(composed, audience, of_selection=False),
        written=tuple(
            (statement.text, place not in dropped) for place, statement in enumerate(composed.draft.statements)
        ),
        dropped_reasons=tuple(composed.left_out.reasons.items()),
    )


def _build(
    understood: Understood,
    found: RetrievalResult,
    *,
    run: Run | None = None,
    unclear: AskBack | None = None,
    by_colleague: str = "",
    written: tuple[tuple[str, bool], ...] = (),
    dropped_reasons: tuple[tuple[str, int], ...] = (),
) -> Trace:
    refused = RefusalReason.AMBIGUOUS if unclear else RefusalReason.NOTHING_FOUND
    return Trace(
        question=understood.bare,
        filters=understood.filters,
        searches=tuple(search.query for search in understood.sub_queries),
        strategy=found.strategy,
        reason=found.reason,
        passages=found.passages,
        by_colleague=by_colleague,
        asks_back=unclear.message if unclear else "",
        written=written,
        dropped_reasons=dropped_reasons,
        run=run or build_refused_run(refused),
    )
