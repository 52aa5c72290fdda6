"""Store a question, its text in Query and Answer alone, figures and ids everywhere else. Report it to Prometheus."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.access.audiences import may_read_all, readable_among, readable_editions
from core.asking.answering.preparation import Prepared
from core.asking.answering.progress import Progress
from core.asking.history.contradictions import write_contradiction
from core.asking.history.results import mean_similarity_of, renumber
from core.asking.receipts.sealing import seal_answer
from core.filters import filters_as_json
from core.infrastructure import queue
from core.infrastructure.measures import families
from core.infrastructure.tracing import spans
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
    Origin,
    QueryState,
    Refusal,
    Retrieved,
)

logger = logging.getLogger(__name__)

FIRST_STATEMENT = "first_statement"  # among the timings: from the question to what is told of the answer first

_NOWHERE = "none"  # a question that was refused before it had a conversation


@dataclass(kw_only=True)
class StoredProgress(Progress):
    """Collects what is known about a stored question, and writes it down with the question as it goes."""

    request_id: str
    trace_id: str
    user_id: UUID | None
    query: Query | None = None  # None while nothing of the question is stored, as of one that can be none
    conversation: Conversation | None = None

    def move_to(self, state: QueryState) -> None:
        """Store how far answering has come."""
        if self.query:
            self.query.state = state
            self.query.reached_at[state.value] = timezone.now().isoformat()
            self.query.save(update_fields=["state", "reached_at"])

    def note_prepared(self, prepared: Prepared) -> None:
        """Store in which words and with which filters the question is answered, and whose words may be in it."""
        super().note_prepared(prepared)
        if self.query:
            self.query.standalone_question = self.asked
            self.query.applied_filters = filters_as_json(self.filters)
            self.query.name_editions(prepared.asked.named)
            self.query.save(
                update_fields=["standalone_question", "named_documents", "named_versions", "applied_filters"]
            )

    def note_named(self, editions: Sequence[Edition]) -> None:
        """Store that words of these editions too may stand in what is told."""
        if self.query and editions:
            self.query.name_editions([*self.query.named_editions, *editions])
            self.query.save(update_fields=["named_documents", "named_versions"])


def still_visible(citations: Sequence[Citation], audience: Audience) -> bool:
    """Return True if the audience may read, now, every edition that is cited."""
    return may_read_all((citation.edition for citation in citations), audience)


def note_beginning(progress: StoredProgress, citations: Sequence[Citation], audience: Audience) -> bool:
    """Return True if an answer that is not stored yet may show these citations, and record that.

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
    """Return the citations of an answer about to be stored, each with an id of its own and where it is opened."""
    return tuple(make_openable(citation, uuid4()) for citation in citations)


def readable_now(closest: Sequence[Citation], audience: Audience) -> tuple[Citation, ...]:
    """Return those of the closest passages that the audience may read now.

    Passages of a selected text are its asker's own.
    """
    readable = readable_editions((citation.edition for citation in closest), audience)
    return renumber(one for one in closest if one.edition is None or one.edition in readable)


def visible_now(retrieved: Sequence[Retrieved], audience: Audience) -> tuple[Retrieved, ...]:
    """Return those of the retrieved chunks whose documents the audience may still read."""
    readable = readable_among((r.document_id for r in retrieved), audience)
    return tuple(r for r in retrieved if r.document_id in readable)


def write(progress: StoredProgress, result: Answer | Refusal, *, audience: Audience) -> None:
    """Store the end of a question: answer, citations, seal, steps, log, audit and the evaluation job, or none of them.

    The caller holds the transaction, in which it has checked that what is cited may still be read. result: with all
    chunks that the model was shown, whoever may read them. audience: whom it is given to.
    """
    with transaction.atomic():
        row, sealed = _write_answer(progress, progress.query, result, audience) if progress.query else (None, "")
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
                **({"sealed": sealed} if sealed else {}),
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


def _is_scored(progress: StoredProgress) -> bool:
    """Return False for what a person has judged, and for what nobody asked a second time."""
    origin = progress.conversation.origin if progress.conversation else None
    return progress.verified is None and origin not in (Origin.RECHECK, Origin.RESEARCH)


def _get_citations(result: Answer | Refusal) -> tuple[Citation, ...]:
    return result.citations if isinstance(result, Answer) else ()


def _get_closest(result: Answer | Refusal) -> tuple[Citation, ...]:
    return result.closest if isinstance(result, Refusal) else ()


def _get_reason(result: Answer | Refusal) -> str:
    return result.reason.value if isinstance(result, Refusal) else ""


def _list_chunk_ids(citations: Iterable[Citation]) -> list[str]:
    return [str(citation.chunk_id) for citation in citations if citation.chunk_id]


def _write_answer(
    progress: StoredProgress, query: Query, result: Answer | Refusal, audience: Audience
) -> tuple[AnswerRow, str]:
    """Store an answer with what belongs to it. Returns its row and its seal."""
    answer = AnswerRow.from_value(result, query=query, model=progress.model, usage=progress.usage)
    if progress.verified:
        verified = progress.verified.row
        answer.verified_answer, answer.verified_by, answer.verified_at = (
            verified,
            verified.verified_by,
            verified.verified_at,
        )
        answer.outdated = progress.verified.outdated or ""
    if isinstance(result, Answer) and result.contradiction:
        answer.contradiction = write_contradiction(result.contradiction)
    answer.save(force_insert=True)
    # A document may have been replaced meanwhile: only chunks that still exist can be pointed at.
    with bypass_row_security():
        alive = set(Chunk.objects.filter(pk__in=[r.chunk_id for r in result.retrieved]).values_list("pk", flat=True))
    RetrievedChunk.objects.bulk_create(
        RetrievedChunk.from_value(r, query=query) for r in result.retrieved if r.chunk_id in alive
    )
    cited = _write_citations(answer, _get_citations(result), alive)
    _write_citations(answer, _get_closest(result), alive)
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
    origin = progress.conversation.origin if progress.conversation else ""
    return answer, seal_answer(query, answer, cited, origin=origin, audience=audience).sealed


def _write_citations(
    answer: AnswerRow, citations: Collection[Citation], alive: Collection[UUID]
) -> list[tuple[CitationRow, CitationWords]]:
    """Store citations with their words, and return their rows. alive: the chunks that are still there."""
    if not citations:
        return []
    quoted = [
        (CitationRow.from_value(one if one.chunk_id in alive else replace(one, chunk_id=None), answer=answer), one)
        for one in citations
    ]
    with bypass_row_security():
        CitationRow.objects.bulk_create(row for row, _ in quoted)
        words = CitationWords.objects.bulk_create(CitationWords.from_value(one, citation=row) for row, one in quoted)
    return [(row, own) for (row, _), own in zip(quoted, words, strict=True)]


def _write_log(progress: StoredProgress, result: Answer | Refusal, answer: AnswerRow | None) -> QueryLog:
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


def count_question(progress: StoredProgress, result: Answer | Refusal, *, seconds: float) -> None:
    """Count a question that has come to its end, after it was stored."""
    surface = str(progress.conversation.origin) if progress.conversation else _NOWHERE
    unanswered = "failed" if result.state is QueryState.FAILED else "refused"
    outcome = "answered" if isinstance(result, Answer) else unanswered
    reason = result.reason.value if isinstance(result, Refusal) else None
    families.answer_seconds.labels(surface, outcome).observe(seconds)
    for step, took_ms in progress.timings_ms.items():
        if step == FIRST_STATEMENT:
            families.first_statement_seconds.observe(took_ms / 1000)
        else:
            families.step_seconds.labels(step).observe(took_ms / 1000)
    if reason:
        families.refusals.labels(reason).inc()
    for counter, counts in (
        (families.dropped_statements, progress.dropped_reasons),
        (families.doubted_statements, progress.doubts),
    ):
        for why, count in counts.items():
            counter.labels(why).inc(count)
    spans.note(
        surface=surface,
        outcome=outcome,
        reason=reason,
        model=progress.model,
        strategy=progress.strategy or None,
        passages=len(progress.passages),
        citations=len(result.citations) if isinstance(result, Answer) else 0,
        dropped=progress.dropped,
    )
