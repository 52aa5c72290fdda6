"""Answered and refused questions, as answering leaves them."""

import uuid
from collections.abc import Callable, Sequence

import pytest

from core.errors import EvaluationError
from core.models import Answer, Chunk, Conversation, Document, Query, QueryLog, RetrievedChunk
from core.quality.evaluation.triad import metrics
from core.quality.evaluation.triad.judge import PREFIX
from core.testing import Cast, make_document
from core.types import Origin

QUESTION = "How often are the brakes of the crane inspected?"
INSPECTION = "The brakes of the crane are inspected every six weeks by a qualified engineer."
REPORT = "Each inspection ends with a signed report."

Asked = Callable[..., Query]


class Scripted:
    """A judge with fixed scores; an error in place of a score is raised."""

    method = f"{PREFIX}scripted"

    def __init__(self) -> None:
        self.scores: dict[str, float | EvaluationError] = {
            metrics.RELEVANCE: 0.95,
            metrics.GROUNDEDNESS: 1.0,
            metrics.ANSWER_RELEVANCE: 0.9,
        }
        self.questions: list[str] = []  # as they were scored

    def measures(self, question: str) -> tuple[str, ...]:
        """All three."""
        return metrics.NAMES

    def relevance(self, question: str, passages: Sequence[str]) -> float:
        """As scripted."""
        return self._give(metrics.RELEVANCE)

    def groundedness(self, question: str, answer: str, passages: Sequence[str]) -> float:
        """As scripted."""
        return self._give(metrics.GROUNDEDNESS)

    def answer_relevance(self, question: str, answer: str) -> float:
        """As scripted."""
        self.questions.append(question)
        return self._give(metrics.ANSWER_RELEVANCE)

    def _give(self, name: str) -> float:
        score = self.scores[name]
        if isinstance(score, EvaluationError):
            raise score
        return score


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """Every evaluation is made by the scripted judge."""
    scorer = Scripted()
    monkeypatch.setattr("core.quality.evaluation.triad.evaluate.choose_scorer", lambda: scorer)
    return scorer


@pytest.fixture
def manual(cast: Cast, fast: None) -> Document:
    """A document of two chunks that Alice and Bob may read."""
    return make_document("Crane manual", INSPECTION, REPORT, roles=[cast.staff], section="Maintenance")


@pytest.fixture
def asked(cast: Cast) -> Asked:
    """Stores a question of Alice's with its end, as answering does, and without asking a model."""

    def store(
        *,
        chunks: Sequence[Chunk] = (),
        answer: str | None,
        question: str = QUESTION,
        selected_text: str | None = None,
    ) -> Query:
        conversation = Conversation.objects.create(user=cast.alice, origin=Origin.COMMAND)
        query = Query.objects.create(
            request_id=f"req_20260101_{uuid.uuid4().hex[:8]}",
            user=cast.alice,
            conversation=conversation,
            question_text=question,
            context_mode="full_corpus" if selected_text is None else "selected_text",
            selected_text=selected_text,
        )
        figures = {
            "confidence": 0.9 if answer else 0.1,
            "model_provider": "extractive",
            "model": "extractive/sentences",
            "agent_steps": 1,
            "has_sufficient_context": answer is not None,
            "refusal_reason": "" if answer else "nothing_found",
            "trace_id": uuid.uuid4().hex,
        }
        row = Answer.objects.create(
            query=query,
            answer_text=answer,
            message="" if answer else "I could not find this.",
            confidence_level="high" if answer else "insufficient",
            processing_time_ms=5,
            **figures,
        )
        RetrievedChunk.objects.bulk_create(
            RetrievedChunk(query=query, chunk=chunk, rank=rank, similarity=0.5) for rank, chunk in enumerate(chunks, 1)
        )
        QueryLog.objects.create(
            query=query,
            response_id=row.pk,
            request_id=query.request_id,
            user=cast.alice,
            chunk_ids=[chunk.pk for chunk in chunks],
            similarity_scores=[0.5 for _ in chunks],
            response_time_ms=5,
            **figures,
        )
        return query

    return store
