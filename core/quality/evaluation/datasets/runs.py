"""A run over a dataset: its questions asked one after the other, judged, and kept."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import DatabaseError
from django.utils import timezone

from core.access.audiences import asker_for, audience_of
from core.api import ask, open_conversation
from core.asking.generation.modes import prompts_of
from core.errors import EvaluationError, FootnoteError
from core.library import embedding
from core.llm.client import model_settings
from core.models import Document, EvaluationResult, EvaluationRun, EvaluationRunLine, User
from core.quality.evaluation.datasets.dataset import Dataset, Item
from core.quality.evaluation.datasets.metrics import LineFigures, figures
from core.quality.evaluation.datasets.observation import Observed, observe
from core.quality.evaluation.datasets.verdict import Outcome, Verdict, judge
from core.quality.evaluation.triad.evaluate import evaluate
from core.quality.evaluation.triad.metrics import NAMES
from core.types import Answer, Origin, Refusal

_MOST_IDENTIFIER, _MOST_KIND = 100, 50  # characters that a line's row holds


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedItem:
    """One question of a run with its result."""

    item: Item
    number: int  # its place in the dataset, from 1
    verdict: Verdict
    observed: Observed
    latency_ms: float
    result: Answer | Refusal | None = None  # None when it could not even be asked
    evaluation: EvaluationResult | None = None
    error: str = ""  # why it failed, or why scores are missing

    @property
    def scores(self) -> dict[str, float | None]:
        """The three scores; None where missing."""
        found = {name: getattr(self.evaluation, f"{name}_score", None) for name in NAMES}
        return {name: None if score is None else float(score) for name, score in found.items()}

    @property
    def is_answered(self) -> bool:
        """True if there is an answer, right or wrong."""
        return isinstance(self.result, Answer)

    @property
    def line(self) -> LineFigures:
        """The figures that are counted for this question."""
        return LineFigures(
            kind=self.item.kind,
            verdict=self.verdict,
            refusal_expected=self.item.refusal_expected,
            refusal_too=self.item.refusal_too,
            answered=self.is_answered,
            latency_ms=self.latency_ms,
            quotes=self.observed.quotes,
            unsupported=self.observed.unsupported,
            dropped=self.observed.dropped,
            timings_ms=self.observed.timings_ms,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A run that has ended."""

    run: EvaluationRun
    asked: tuple[AskedItem, ...]


@dataclass(slots=True)
class _Conversations:
    """The conversations of a run, by label and person; a question without a label has one of its own."""

    known: dict[tuple[str, UUID], UUID] = field(default_factory=dict)

    def of(self, item: Item, person: User) -> UUID:
        """Return the conversation that a question begins or continues."""
        key = item.conversation, person.pk
        if item.conversation and key in self.known:
            return self.known[key]
        opened = self.known[key] = open_conversation(origin=Origin.EVALUATION, asker=asker_for(person))
        return opened


def run(
    dataset: Dataset,
    people: Mapping[str, User],
    *,
    scores: bool = True,
    stream: bool = False,
    done: Callable[[int], None] = lambda count: None,
) -> Finished:
    """Ask every question of a dataset in its order and keep what came of it.

    people: who asks, by the address of each line. scores: whether answers get the scores of the RAG triad, too, which
    takes most of the time. stream: whether models stream their replies, as they do where the beginning of an answer can
    be shown; when it could have been is among the times. done: called with 1 after each question. A question that fails
    is counted as failed, and the rest goes on.
    """
    started = time.perf_counter()
    row = _begin_run(dataset)
    conversations = _Conversations()
    asked = []
    for number, item in enumerate(dataset.items, 1):
        one = _ask_item(item, number, people[item.email or ""], conversations, scores=scores, stream=stream)
        _keep_line(row, one)
        asked.append(one)
        done(1)
    row.figures = {
        **figures([one.line for one in asked]),
        **(_score_figures(asked) if scores else {}),
        "seconds": round(time.perf_counter() - started, 2),
    }
    row.finished_at = timezone.now()
    row.save(update_fields=["figures", "finished_at"])
    return Finished(run=row, asked=tuple(asked))


def _begin_run(dataset: Dataset) -> EvaluationRun:
    model = model_settings()
    chunks = sum(Document.objects.values_list("chunk_count", flat=True))
    return EvaluationRun.objects.create(
        dataset=dataset.name[:200],
        dataset_hash=dataset.content_hash,
        model_provider=model.provider,
        model=model.model,
        prompt_hash=prompts_of(model),
        embedding_model=embedding.provider().name,
        chunks=chunks,
    )


def _ask_item(
    item: Item, number: int, person: User, conversations: _Conversations, *, scores: bool, stream: bool
) -> AskedItem:
    started = time.perf_counter()
    try:
        result = ask(
            item.question,
            asker=asker_for(person),
            audience=audience_of([person.pk]),
            conversation=conversations.of(item, person),
            filters=item.filters,
            selected_text=item.selected_text,
            preview=(lambda words: None) if stream else None,
        )
        latency_ms = (time.perf_counter() - started) * 1000
        observed = observe(result, user_id=person.pk)
    except (FootnoteError, DatabaseError) as error:
        came = Outcome(text=None, failed=True)
        return AskedItem(
            item=item,
            number=number,
            verdict=judge(item, came),
            observed=Observed(outcome=came),
            latency_ms=(time.perf_counter() - started) * 1000,
            error=error.message if isinstance(error, FootnoteError) else "The database failed on this question.",
        )
    evaluation, reason = _score_result(result) if scores else (None, "")
    return AskedItem(
        item=item,
        number=number,
        verdict=judge(item, observed.outcome),
        observed=observed,
        latency_ms=latency_ms,
        result=result,
        evaluation=evaluation,
        error=reason,
    )


def _score_result(result: Answer | Refusal) -> tuple[EvaluationResult | None, str]:
    """Return the scores of a result, and why they are missing."""
    if result.query_id is None:
        return None, ""
    try:
        evaluation = evaluate(result.query_id)
    except EvaluationError as failure:
        return EvaluationResult.objects.filter(query_log__query=result.query_id).first(), failure.message
    return evaluation, evaluation.error if evaluation else ""


def _keep_line(row: EvaluationRun, one: AskedItem) -> None:
    EvaluationRunLine.objects.create(
        run=row,
        number=one.number,
        identifier=one.item.identifier[:_MOST_IDENTIFIER],
        kind=one.item.kind[:_MOST_KIND],
        query_log=one.observed.log,
        outcome=one.verdict.outcome,
        cites_source=one.verdict.cites_source,
        contains=one.verdict.contains,
        page_right=one.verdict.page_right,
        forbidden_shown=one.verdict.forbidden_shown,
        quotes=one.observed.quotes,
        unsupported=one.observed.unsupported,
        statements_dropped=one.observed.dropped,
        confidence=one.result.confidence if one.result else None,
        latency_ms=round(one.latency_ms, 1),
    )


def _score_figures(asked: list[AskedItem]) -> dict[str, Any]:
    """Averages of the scores over the answers that have them; None when none has."""
    answered = [one for one in asked if one.is_answered]
    return {
        "averages": {name: _average([one.scores[name] for one in answered]) for name in NAMES},
        "methods": sorted({one.evaluation.method for one in answered if one.evaluation}),
        "unscored": sum(bool(one.error) for one in asked if one.result),
    }


def _average(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None
