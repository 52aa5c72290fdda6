"""Run a question without storing a row of it, and report how it would end."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from core.asking.answering.decision import End, decide
from core.asking.answering.preparation import Asking
from core.asking.answering.progress import Progress
from core.asking.answering.record import readable_now, still_visible
from core.asking.answering.searches import Searching
from core.asking.confidence.decision import confidence_of_refusal
from core.asking.verified_answers.matching import still_holds
from core.language.query_understanding.plan import Understood
from core.llm.client import ModelSettings, model_settings
from core.types import Audience, Citation, Filters, Passage, RetrievalResult, Run


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
    )
