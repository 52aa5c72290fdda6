"""Ask one question of a model by the way of every question, and store nothing of it."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from uuid import UUID

from core.asking.answering.preparation import Asking
from core.asking.answering.searches import Searching
from core.asking.dry_runs.running import run_dry
from core.asking.generation.modes import is_extractive, key_free
from core.asking.spending.meter import INSTALLATION, BudgetMeter
from core.language.query_understanding.values import Understood
from core.llm.calls import CallContext, call_context
from core.llm.client import ModelSettings
from core.quality.evaluation.datasets.verdict import contains
from core.quality.examination.judging import Ended, list_forms
from core.quality.examination.questions import Question
from core.types import Audience, Filters, Passage, RetrievalResult


class TakenAway(Searching):
    """Searches as ever, of whose results the passages that hold an answer are taken away."""

    def __init__(self, *, audience: Audience, chunks: frozenset[UUID | None], words: str) -> None:
        """chunks: whose passages are taken away. words: and those of passages that hold these."""
        super().__init__(audience=audience, selection=None, timed=lambda step: nullcontext())
        self._chunks, self._words = chunks, words

    def all_aspects(self, understood: Understood, *, embedded: Callable[[], None]) -> RetrievalResult:
        """Return what is found for a question, without the answer."""
        found = super().all_aspects(understood, embedded=embedded)
        return replace(found, passages=self._take_away(found.passages))

    def once(self, query: str, filters: Filters) -> tuple[Passage, ...]:
        """Return what is found for a further query, without the answer."""
        return self._take_away(super().once(query, filters))

    def _take_away(self, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        kept = (
            passage
            for passage in passages
            if passage.chunk_id not in self._chunks and not contains(passage.content, (list_forms(self._words),))
        )
        return tuple(replace(passage, rank=rank) for rank, passage in enumerate(kept, 1))


def ask(question: Question, model: ModelSettings | None) -> Ended:
    """Ask a question of a model, or of the key-free road where it is None.

    Its calls count as the installation's. OverBudgetError is no end here: the documents' own words are, as for people.
    """
    searching = None
    if not question.is_answerable:
        chunks = frozenset(place.chunk_id for place in question.places)
        searching = TakenAway(audience=question.audience, chunks=chunks, words=question.words)
    asked = Asking(text=question.text, audience=question.audience, standing_alone=question.text)
    started = time.perf_counter()
    with call_context(CallContext(meter=BudgetMeter(INSTALLATION))):
        dry = run_dry(asked, searching=searching, examined=model or key_free())
    progress, draft = dry.progress, dry.progress.draft
    is_model = model is not None and not is_extractive(model)
    used = progress.usage
    return Ended(
        text=dry.run.text,
        citations=dry.run.citations or dry.run.closest,
        ms=(time.perf_counter() - started) * 1000,
        tokens=used.prompt_tokens + used.completion_tokens if is_model else 0,
        has_failed=progress.has_model_failed,
        in_own_words=is_model and model is not None and dry.run.text is not None and progress.model == model.model,
        keeps_format=draft is not None
        and not progress.has_model_failed
        and not any(step.error for step in draft.steps),
    )
