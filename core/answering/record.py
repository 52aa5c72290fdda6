"""What is written down about a question: its text in Query and Answer alone, figures and ids everywhere else."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core import queue
from core.access.audiences import may_read_all, readable_among, readable_editions
from core.answering.composition import Composed
from core.confidence.decision import confidence_of_verified
from core.filters import filters_as_json
from core.generation.draft import Draft
from core.history.results import renumber
from core.llm.client import ModelSettings
from core.models import AgentStep, AuditEvent, Chunk, CitationWords, Conversation, Query, QueryLog, RetrievedChunk
from core.models import Answer as AnswerRow
from core.models import Citation as CitationRow
from core.models.conversations import make_openable
from core.models.row_security import bypass_row_security
from core.types import (
    Answer,
    Audience,
    Citation,
    Edition,
    Filters,
    Origin,
    Passage,
    QueryState,
    Refusal,
    Retrieved,
    Usage,
    mean_similarity_of,
)
from core.verified_answers.matching import Match

logger = logging.getLogger(__name__)

FIRST_STATEMENT = "first_statement"  # among the timings: from the question to what is told of the answer first
VERIFIED = "verified-answer"  # in the place of a model and its provider, where none was asked


@dataclass(kw_only=True, slots=True)
class Progress:
    """What is known so far about a question on its way."""

    request_id: str
    trace_id: str
    user_id: UUID | None
    model: str
    model_provider: str
    model_settings: dict[str, Any]  # for the log: no key and no address
    query: Query | None = None
    conversation: Conversation | None = None
    passages: tuple[Passage, ...] = ()
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

    def move_to(self, state: QueryState) -> None:
        """Remember how far answering has come."""
        if self.query:
            self.query.state = state
            self.query.reached_at[state.value] = timezone.now().isoformat()
            self.query.save(update_fields=["state", "reached_at"])

    def note_understanding(
        self, asked: str, filters: Filters, named: Sequence[Edition], *, rewriting: Usage | None = None
    ) -> None:
        """Remember in which words and with which filters the question is answered, and whose words may be in it."""
        self.asked, self.filters, self.rewriting = asked, filters, rewriting or self.rewriting
        if self.query:
            self.query.standalone_question = asked
            self.query.name_editions(named)
            self.query.applied_filters = filters_as_json(filters)
            self.query.save(
                update_fields=["standalone_question", "named_documents", "named_versions", "applied_filters"]
            )

    def note_composition(self, composed: Composed) -> None:
        """Remember what came of the passages, and whose words are shown."""
        self.note_model(composed.model)
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

    @property
    def usage(self) -> Usage:
        """What the model consumed: for the draft, for judging it, and for rewriting the question."""
        parts = (self.draft.usage if self.draft else Usage(), self.judging, self.rewriting)
        return Usage(
            prompt_tokens=sum(part.prompt_tokens for part in parts),
            completion_tokens=sum(part.completion_tokens for part in parts),
            cost_usd=sum(part.cost_usd for part in parts),
            saved_tokens=sum(part.saved_tokens for part in parts),
        )

    @property
    def agent_steps(self) -> int:
        """Steps the agent took."""
        return len(self.draft.steps) if self.draft else 0

    @property
    def retrieved(self) -> tuple[Retrieved, ...]:
        """The chunks that the model was shown, by id."""
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


def still_visible(citations: Sequence[Citation], audience: Audience) -> bool:
    """Return True if the audience may read, now, every edition that is cited."""
    return may_read_all((citation.edition for citation in citations), audience)


def note_beginning(progress: Progress, citations: Sequence[Citation], audience: Audience) -> bool:
    """Whether an answer that is not stored yet may be seen to begin with these citations; if so, it is on the record.

    Its readers have to be allowed all that is cited, now. The row of the audit trail is committed before anything is
    shown, since the question may never come to its end.
    """
    if progress.query is None:
        return False
    with transaction.atomic():
        if not still_visible(citations, audience):
            return False
        AuditEvent.objects.create(
            actor_id=progress.user_id,
            action=AuditEvent.Action.ANSWER_BEGUN,
            object_type="query",
            object_id=str(progress.query.pk),
            details={"citations": _list_chunk_ids(citations)},
        )
    return True


def name_citations(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """The citations of an answer about to be stored, each with an id of its own and where it is opened."""
    return tuple(make_openable(citation, uuid4()) for citation in citations)


def readable_now(closest: Sequence[Citation], audience: Audience) -> tuple[Citation, ...]:
    """Those of the closest passages that the audience may read now. Passages of a selected text are its asker's own."""
    readable = readable_editions((citation.edition for citation in closest), audience)
    return renumber(one for one in closest if one.edition is None or one.edition in readable)


def visible_now(retrieved: Sequence[Retrieved], audience: Audience) -> tuple[Retrieved, ...]:
    """Those of the retrieved chunks whose documents the audience may still read."""
    readable = readable_among((r.document_id for r in retrieved), audience)
    return tuple(r for r in retrieved if r.document_id in readable)


def write(progress: Progress, result: Answer | Refusal) -> None:
    """Store the end of a question: answer, citations, steps, log, audit and the evaluation job, or nothing of them.

    The caller holds the transaction, in which it has checked that what is cited may still be read. result: with all
    chunks that the model was shown, whoever may read them.
    """
    with transaction.atomic():
        row = _write_answer(progress, progress.query, result) if progress.query else None
        log = _write_log(progress, result, row)
        progress.move_to(result.state)
        AuditEvent.objects.create(
            actor_id=progress.user_id,
            action=AuditEvent.Action.ANSWER if isinstance(result, Answer) else AuditEvent.Action.REFUSAL,
            object_type="query_log",
            object_id=str(log.pk),
            details={
                "citations": _list_chunk_ids(_get_citations(result)),
                **({"closest": _list_chunk_ids(_get_closest(result))} if _get_closest(result) else {}),
            },
        )
        if row and settings.EVALUATION_ENABLED and _is_scored(progress):
            queue.enqueue(queue.EVALUATE, query_id=str(row.query_id))
    logger.info(
        "answer_generated",
        extra={
            "request_id": result.request_id,
            "trace_id": result.trace_id,
            "state": result.state.value,
            "reason": _get_reason(result) or None,
            "chunks_retrieved": len(progress.passages),
            "citations": len(_get_citations(result)),
            "closest": len(_get_closest(result)),
            "dropped_statements": progress.dropped,
            "dropped_reasons": progress.dropped_reasons,
            "agent_mode": progress.draft.mode.mode.value if progress.draft else "",
            "agent_mode_reason": progress.draft.mode.reason if progress.draft else "",
            "confidence": round(result.confidence, 4),
            "agent_steps": result.agent_steps,
            "processing_time_ms": result.processing_time_ms,
            "timings_ms": {step: round(ms, 1) for step, ms in result.timings_ms.items()},
        },
    )


def _is_scored(progress: Progress) -> bool:
    """Not what a person has judged, nor what nobody asked a second time."""
    is_recheck = progress.conversation is not None and progress.conversation.origin == Origin.RECHECK
    return progress.verified is None and not is_recheck


def _get_citations(result: Answer | Refusal) -> tuple[Citation, ...]:
    return result.citations if isinstance(result, Answer) else ()


def _get_closest(result: Answer | Refusal) -> tuple[Citation, ...]:
    return result.closest if isinstance(result, Refusal) else ()


def _get_reason(result: Answer | Refusal) -> str:
    return result.reason.value if isinstance(result, Refusal) else ""


def _list_chunk_ids(citations: Iterable[Citation]) -> list[str]:
    return [str(citation.chunk_id) for citation in citations if citation.chunk_id]


def _write_answer(progress: Progress, query: Query, result: Answer | Refusal) -> AnswerRow:
    answer = AnswerRow.from_value(result, query=query, model=progress.model, usage=progress.usage)
    if progress.verified:
        verified = progress.verified.row
        answer.verified_answer, answer.verified_by, answer.verified_at = (
            verified,
            verified.verified_by,
            verified.verified_at,
        )
        answer.outdated = progress.verified.outdated or ""
    answer.save(force_insert=True)
    # A document may have been replaced meanwhile: only chunks that still exist can be pointed at.
    with bypass_row_security():
        alive = set(Chunk.objects.filter(pk__in=[r.chunk_id for r in result.retrieved]).values_list("pk", flat=True))
    RetrievedChunk.objects.bulk_create(
        RetrievedChunk.from_value(r, query=query) for r in result.retrieved if r.chunk_id in alive
    )
    _write_citations(answer, (*_get_citations(result), *_get_closest(result)), alive)
    AgentStep.objects.bulk_create(
        AgentStep(
            answer=answer,
            number=step.number,
            tool=step.tool,
            chunk_ids=list(step.chunk_ids),
            error=step.error,
            took_ms=step.took_ms,
        )
        for step in (progress.draft.steps if progress.draft else ())
    )
    return answer


def _write_citations(answer: AnswerRow, citations: Iterable[Citation], alive: Collection[UUID]) -> None:
    """Store citations with their words. alive: the chunks that are still there."""
    quoted = [
        (CitationRow.from_value(one if one.chunk_id in alive else replace(one, chunk_id=None), answer=answer), one)
        for one in citations
    ]
    with bypass_row_security():
        CitationRow.objects.bulk_create(row for row, _ in quoted)
        CitationWords.objects.bulk_create(CitationWords.from_value(one, citation=row) for row, one in quoted)


def _write_log(progress: Progress, result: Answer | Refusal, answer: AnswerRow | None) -> QueryLog:
    similarities = [passage.similarity for passage in progress.passages]
    return QueryLog.objects.create(
        query=progress.query,
        response_id=answer.pk if answer else None,
        request_id=result.request_id,
        user_id=progress.user_id,
        chunk_ids=[passage.chunk_id for passage in progress.passages],
        similarity_scores=similarities,
        mean_similarity=mean_similarity_of(similarities),
        confidence=result.confidence,
        estimate=progress.estimate,
        has_sufficient_context=isinstance(result, Answer),
        refusal_reason=_get_reason(result),
        citation_count=len(_get_citations(result)),
        dropped_statements=progress.dropped,
        dropped_reasons=progress.dropped_reasons,
        agent_mode=progress.draft.mode.mode.value if progress.draft else "",
        agent_mode_reason=progress.draft.mode.reason if progress.draft else "",
        model_provider=result.model_provider,
        model=progress.model,
        model_settings=progress.model_settings,
        prompt_hash=progress.draft.prompt_hash if progress.draft else "",
        embedding_model=progress.embedding_model,
        retrieval_strategy=progress.strategy,
        retrieval_is_short=progress.is_short,
        agent_steps=result.agent_steps,
        response_time_ms=result.processing_time_ms,
        timings_ms={step: round(ms, 2) for step, ms in result.timings_ms.items()},
        trace_id=result.trace_id,
    )
