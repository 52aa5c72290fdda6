"""The three metrics as TruLens calls them: with references, never with text.

TruLens stores the arguments of every metric with the record. So the application that it records returns references
(`query:...`, `chunk:...`, `answer:...`), and these functions look the texts up in the scoring that is under way. It is
found through a context variable, which TruLens hands on to the threads it computes in.
"""

import time
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import EvaluationError, FootnoteError
from core.quality.evaluation.triad.exchange import Exchange

RELEVANCE, GROUNDEDNESS, ANSWER_RELEVANCE = "relevance", "groundedness", "answer_relevance"
NAMES = (RELEVANCE, GROUNDEDNESS, ANSWER_RELEVANCE)


class Scorer(Protocol):
    """A way to score. Scores are 0..1; a FootnoteError, whose message holds no text, when one cannot be had."""

    @property
    def method(self) -> str:
        """The name under which its scores are stored; another one when scores are no longer comparable."""

    def measures(self, question: str) -> tuple[str, ...]:
        """Return those of NAMES that it can measure for a question; the others are no figures here, and no failures."""

    def relevance(self, question: str, passages: Sequence[str]) -> float:
        """Question against the passages."""

    def groundedness(self, question: str, answer: str, passages: Sequence[str]) -> float:
        """Score the answer against the passages; the question gives the subject of the answer."""

    def answer_relevance(self, question: str, answer: str) -> float:
        """Question against the answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """The scoring of one exchange. Metrics leave their failures here: TruLens only logs them."""

    exchange: Exchange
    scorer: Scorer
    deadline: float  # by time.monotonic()
    failures: dict[str, str] = field(default_factory=dict)

    def text(self, reference: str) -> str:
        """Return the text of a reference."""
        texts = (self.exchange.question, self.exchange.answer, *self.exchange.passages)
        return next(text.content for text in texts if text.reference == reference)

    def texts(self, references: Sequence[str]) -> list[str]:
        """Return the texts of references, in their order."""
        return [self.text(reference) for reference in references]


current: ContextVar[Scoring] = ContextVar("scoring")


def relevance(question: str, passages: list[str]) -> float:
    """Question against the passages, all given by reference. FootnoteError when it cannot be had."""
    scoring = _in_time(RELEVANCE)
    try:
        return _check_score(scoring.scorer.relevance(scoring.text(question), scoring.texts(passages)))
    except FootnoteError as error:
        scoring.failures[RELEVANCE] = error.message
        raise


def groundedness(question: str, answer: str, passages: list[str]) -> float:
    """Answer to a question against the passages, all given by reference. FootnoteError when it cannot be had."""
    scoring = _in_time(GROUNDEDNESS)
    try:
        asked, said, read = scoring.text(question), scoring.text(answer), scoring.texts(passages)
        return _check_score(scoring.scorer.groundedness(asked, said, read))
    except FootnoteError as error:
        scoring.failures[GROUNDEDNESS] = error.message
        raise


def answer_relevance(question: str, answer: str) -> float:
    """Question against answer, both given by reference. FootnoteError when it cannot be had."""
    scoring = _in_time(ANSWER_RELEVANCE)
    try:
        return _check_score(scoring.scorer.answer_relevance(scoring.text(question), scoring.text(answer)))
    except FootnoteError as error:
        scoring.failures[ANSWER_RELEVANCE] = error.message
        raise


def _in_time(metric: str) -> Scoring:
    scoring = current.get()
    if time.monotonic() > scoring.deadline:
        scoring.failures[metric] = "There was no time left for this score (TRULENS_FEEDBACK_TIMEOUT)."
        raise EvaluationError(scoring.failures[metric])
    return scoring


def _check_score(score: float) -> float:
    if not 0.0 <= score <= 1.0:
        raise EvaluationError("The returned score is not between 0 and 1.")
    return score
