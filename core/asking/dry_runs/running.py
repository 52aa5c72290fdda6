"""Run a question without storing a row of it: report how it would end, or trace how it gets there."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from uuid import UUID

from core.asking.answering.decision import End, decide
from core.asking.answering.preparation import Asking
from core.asking.answering.progress import Progress
from core.asking.answering.record import readable_now, still_visible
from core.asking.answering.requests import check_question
from core.asking.answering.searches import Searching
from core.asking.confidence.endings import confidence_of_refusal
from core.asking.history.contradictions import show_contradiction
from core.asking.spending.meter import INSTALLATION, BudgetMeter, spender_of
from core.asking.verified_answers.matching import still_holds
from core.language.query_understanding.values import Understood
from core.llm.calls import CallContext, call_context
from core.llm.client import ModelSettings, model_settings
from core.types import Audience, Citation, Filters, Passage, RefusalReason, RetrievalResult, Run, Trace

_NOT_SEARCHED = RetrievalResult(passages=(), strategy="none", reason="", took_ms=0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRun:
    """Holds how a question would end, and what was known on the way to there."""

    end: End
    run: Run
    progress: Progress


def run_dry(asking: Asking, *, searching: Searching | None = None, examined: ModelSettings | None = None) -> DryRun:
    """Decide a question by the audience's rights of this moment, as asking does, and store nothing.

    searching: searches in the place of the library's own searches. examined: a model that is tried; see `decide`.
    A model that cannot be called is an end, too.
    """
    progress = Progress.of_model(examined or model_settings())
    for end in decide(asking, progress=progress, searching=searching, examined=examined):
        run = _build_run(end, progress, asking.audience)
        if run is not None:
            return DryRun(end=end, run=run, progress=progress)
    raise AssertionError("a question has an end that shows nothing")


class RecordedPassages(Searching):
    """Passages that were kept of an earlier run, in the place of what a search finds."""

    def __init__(self, passages: Sequence[Passage], *, audience: Audience, found: RetrievalResult) -> None:
        """found: a search's result of today, which is reported but for its passages."""
        super().__init__(audience=audience, selection=None, timed=lambda step: nullcontext())
        self._passages, self._found = tuple(passages), found
        self._limit = len(self._passages)

    def all_aspects(self, understood: Understood, *, embedded: Callable[[], None]) -> RetrievalResult:
        """Return the passages of the first search of then."""
        self._limit = understood.limit
        embedded()
        first = tuple(passage for passage in self._passages if passage.rank <= self._limit)
        self.read_in_place(understood, first or self._passages)
        return replace(self._found, passages=first or self._passages, is_short=self.is_short)

    def once(self, query: str, filters: Filters) -> tuple[Passage, ...]:
        """Return the passages that later searches of then added, whatever the query."""
        return tuple(passage for passage in self._passages if passage.rank > self._limit)


def _build_run(end: End, progress: Progress, audience: Audience) -> Run | None:
    """Return how a question ended; None where something of it may not be shown any more."""
    text: str | None = None
    citations: tuple[Citation, ...] = ()
    closest = readable_now(end.closest, audience)
    if end.match:
        if not still_holds(end.match, audience):
            return None
        progress.note_verified(end.match)
        text, citations = end.match.row.cited_text, end.match.citations
    elif end.verified:
        if not still_visible(end.verified.citations, audience):
            return None
        text, citations = end.verified.text, end.verified.citations
    elif end.closest and not closest:
        return None
    return Run(
        text=text,
        refusal="" if end.reason is None else end.reason.value,
        confidence=progress.confidence if text is not None else confidence_of_refusal(progress.confidence),
        citations=citations,
        closest=closest,
        steps=tuple(step.tool for step in progress.draft.steps) if progress.draft else (),
        dropped=progress.dropped,
        reasons=dict(progress.dropped_reasons),
        contradiction=show_contradiction(end.contradiction, citations, audience=audience),
    )


def trace_question(question: str, *, audience: Audience, filters: Filters, person: UUID | None) -> Trace:
    """Return the way of a question; see core.api.trace."""
    asking = Asking(text=check_question(question), audience=audience, filters=filters)
    # Their budget decides, and stays as it is: nobody has asked.
    meter = BudgetMeter(spender_of(person, None), charged=INSTALLATION)
    with call_context(CallContext(meter=meter)):
        return _build_trace(asking, run_dry(asking))


def _build_trace(asking: Asking, dry: DryRun) -> Trace:
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
