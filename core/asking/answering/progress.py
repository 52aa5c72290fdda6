"""Collect what is known about a question while it is decided: in memory alone, whoever may write it down."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from core.asking.answering.composition import Composed
from core.asking.answering.preparation import Prepared
from core.asking.confidence.endings import confidence_of_verified
from core.asking.generation.draft import Draft
from core.asking.verified_answers.matching import Match
from core.infrastructure.tracing import spans
from core.llm.client import ModelSettings
from core.types import Filters, Passage, QueryState, RetrievalResult, Retrieved, Usage

VERIFIED = "verified-answer"  # in the place of a model and its provider, where none was asked


@dataclass(kw_only=True)
class Progress:
    """Collects what is known about a question while it is decided."""

    model: str
    model_provider: str
    model_settings: dict[str, Any]  # for the log: no key and no address
    prepared: Prepared | None = None
    found: RetrievalResult | None = None  # what was searched for found
    composed: Composed | None = None  # what came of the passages
    passages: tuple[Passage, ...] = ()  # that the model was shown
    embedding_model: str = ""  # that embedded the question
    strategy: str = ""
    is_short: bool = False  # any of its searches was
    asked: str = ""  # the question as it stands alone
    filters: Filters = field(default_factory=Filters)  # as applied
    rewriting: Usage = field(default_factory=Usage)  # of the model that rewrote the question
    judging: Usage = field(default_factory=Usage)  # of the model that judged its own statements
    draft: Draft | None = None
    dropped: int = 0
    dropped_reasons: dict[str, int] = field(default_factory=dict)
    doubts: dict[str, int] = field(default_factory=dict)  # how many statements rules doubted, by reason
    confidence: float = 0.0
    estimate: float | None = None  # how sure the passages make an answer; None before they were judged
    timings_ms: dict[str, float] = field(default_factory=dict)
    verified: Match | None = None  # the verified answer that is given
    has_model_failed: bool = False  # it did not respond, and the key-free one answered in its place

    def move_to(self, state: QueryState) -> None:
        """Take note of how far answering has come."""

    def note_prepared(self, prepared: Prepared) -> None:
        """Remember in which words and with which filters the question is answered."""
        asked, understood = prepared.asked, prepared.understood
        self.prepared, self.asked, self.filters = prepared, understood.question, understood.filters
        self.rewriting = asked.usage or self.rewriting

    def note_found(self, found: RetrievalResult) -> None:
        """Remember what was found."""
        self.found, self.passages, self.strategy, self.is_short = found, found.passages, found.strategy, found.is_short

    def note_draft(self, draft: Draft) -> None:
        """Remember what the model wrote, and the passages that it was shown in the end."""
        self.draft, self.passages = draft, draft.passages

    def note_composition(self, composed: Composed) -> None:
        """Remember what came of the passages, and whose words are shown."""
        self.note_model(composed.model)
        self.composed = composed
        self.confidence, self.estimate = composed.confidence, composed.judged.confidence
        self.judging = composed.judging
        self.dropped, self.dropped_reasons = composed.left_out.dropped, composed.left_out.reasons
        self.doubts = composed.left_out.doubts

    def note_model(self, model: ModelSettings) -> None:
        """Remember whose words are shown: the model's that is set, or the key-free one's in its place."""
        if model.model != self.model:
            self.model_settings = {"model": self.model, **self.model_settings}
            self.model, self.model_provider = model.model, model.provider

    def note_verified(self, match: Match) -> None:
        """Remember that a verified answer is given, for which no model is asked."""
        self.verified = match
        self.model_settings = {"model": self.model, **self.model_settings}
        self.model = self.model_provider = VERIFIED
        self.draft, self.passages, self.strategy, self.is_short = None, (), "", False
        self.confidence, self.estimate = confidence_of_verified(is_outdated=match.outdated is not None), None
        self.dropped, self.dropped_reasons, self.doubts, self.judging = 0, {}, {}, Usage()

    @classmethod
    def of_model(cls, model: ModelSettings) -> "Progress":
        """Begin with a model that is to answer."""
        return cls(model=model.model, model_provider=model.provider, model_settings=model.for_the_log())

    @contextmanager
    def time_step(self, step: str) -> Iterator[None]:
        """Add the time of the block to that of a step, and make it a span of the trace."""
        started = time.perf_counter()
        try:
            with spans.span(f"answer.{step}"):
                yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self.timings_ms[step] = self.timings_ms.get(step, 0.0) + spent

    @property
    def usage(self) -> Usage:
        """Sum up what the model consumed: for the draft, for judging it, and for rewriting the question."""
        parts = (self.draft.usage if self.draft else Usage(), self.judging, self.rewriting)
        return Usage(
            prompt_tokens=sum(part.prompt_tokens for part in parts),
            completion_tokens=sum(part.completion_tokens for part in parts),
            cost_usd=sum(part.cost_usd for part in parts),
            saved_tokens=sum(part.saved_tokens for part in parts),
        )

    @property
    def agent_steps(self) -> int:
        """Count the steps that the agent took."""
        return len(self.draft.steps) if self.draft else 0

    @property
    def retrieved(self) -> tuple[Retrieved, ...]:
        """Return the chunks that the model was shown, by id."""
        return tuple(
            Retrieved(
                chunk_id=p.chunk_id,
                document_id=p.document_id,
                rank=rank,
                similarity=p.similarity,
                rerank_score=p.rerank_score,
            )
            for rank, p in enumerate(self.passages, 1)
            if p.chunk_id and p.document_id
        )
