"""One question's way: checked, embedded, retrieved, drafted, verified, and written down before it is returned."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core import embedding
from core.agent.drafting import draft_answer
from core.answering import confidence as confidences
from core.answering.conversations import continued, open_conversation, self_contained
from core.answering.entailment import Entailment
from core.answering.record import Outcome, Progress, still_visible, visible_now, write
from core.answering.requests import (
    checked_question,
    checked_selection,
    filters_as_json,
    new_request_id,
    new_trace_id,
)
from core.citations.verification import complaints, verify
from core.errors import (
    EmbeddingError,
    InvalidQuestionError,
    ModelConfigurationError,
    ModelUnavailableError,
    NotFoundError,
)
from core.llm.client import model_settings
from core.models import Conversation, Query
from core.retrieval.search import search_corpus
from core.retrieval.selected import search_selected
from core.types import (
    Answer,
    Asker,
    Audience,
    ConfidenceLevel,
    ContextMode,
    Filters,
    QueryState,
    Refusal,
    RefusalReason,
    RetrievalResult,
)

NOTHING_FOUND = (
    "I could not find this in the documents that everyone here may read. "
    "Try other words, or ask for one thing at a time."
)
NOTHING_SELECTED = "I could not find this in the selected text."
UNAVAILABLE = "I could not answer just now because the answer model did not respond. Please ask again in a minute."
MISCONFIGURED = "I cannot answer because a model is not set up correctly. Please tell an administrator."

logger = logging.getLogger(__name__)

Tell = Callable[[str], None]


class Answering:
    """The answering of one question. Used once."""

    def __init__(self, *, asker: Asker, audience: Audience, filters: Filters, tell: Tell) -> None:
        model = model_settings()
        self._asker, self._audience, self._filters, self._tell, self._model = asker, audience, filters, tell, model
        self._started = time.perf_counter()
        self._progress = Progress(
            request_id=new_request_id(),
            trace_id=new_trace_id(),
            user_id=asker.user_id,
            model=model.model,
            model_provider=model.provider,
        )

    def run(self, question: str, *, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        """Answer the question or refuse; either way it is written down first."""
        try:
            text = checked_question(question)
            selection = checked_selection(selected_text)
            continued_in = continued(conversation, self._asker) if conversation else None
        except (InvalidQuestionError, NotFoundError) as error:
            return self._refuse(QueryState.FAILED, RefusalReason.INVALID_QUESTION, error.message)
        asked = self._begin(text, selection, continued_in)
        try:
            return self._answer(asked, selection)
        except (ModelUnavailableError, ModelConfigurationError, EmbeddingError) as error:
            logger.error("model_failed", extra={"request_id": self._progress.request_id, "error": error.message})
            message = UNAVAILABLE if error.retry else MISCONFIGURED
            return self._refuse(QueryState.FAILED, RefusalReason.MODEL_UNAVAILABLE, message)

    def _begin(self, text: str, selection: str | None, conversation: Conversation | None) -> str:
        """Store the question. Returns it in a form that stands alone."""
        with transaction.atomic():
            if conversation is None:
                opened = open_conversation(origin=Conversation.Origin.COMMAND, asker=self._asker)
                conversation = Conversation.objects.get(pk=opened)
            self._progress.conversation = conversation
            mode = ContextMode.FULL_CORPUS if selection is None else ContextMode.SELECTED_TEXT
            self._progress.query = Query.objects.create(
                request_id=self._progress.request_id,
                user_id=self._asker.user_id,
                conversation=conversation,
                question_text=text,
                context_mode=mode.value,
                selected_text=selection,
                filters=filters_as_json(self._filters),
            )
        return text if selection is not None else self_contained(text, conversation)

    def _answer(self, asked: str, selection: str | None) -> Answer | Refusal:
        progress = self._progress
        self._tell("searching")
        found = self._search(asked, selection)
        progress.moved_to(QueryState.RETRIEVAL_COMPLETE)
        progress.passages, progress.strategy = found.passages, found.strategy
        if not found.passages:
            return self._not_found(selection)
        self._tell("reading")
        entails = Entailment()
        with self._timed("agent"):
            progress.draft = draft_answer(
                asked,
                found.passages,
                search=lambda query: self._search(query, selection).passages,
                model=self._model,
                max_steps=settings.AGENT_MAX_STEPS,
                check=partial(complaints, entails=entails),
            )
        progress.passages = progress.draft.passages
        progress.moved_to(QueryState.RESPONSE_GENERATED)
        self._tell("checking")
        with self._timed("verify"):
            verified = verify(progress.draft.statements, progress.passages, entails=entails)
            progress.dropped, progress.dropped_reasons = verified.dropped, verified.reasons
            evidence = confidences.evidence_of(asked, progress.passages, verified.citations)
            progress.confidence = confidences.probability(evidence) if verified.citations else 0.0
        if progress.confidence < confidences.REFUSE_BELOW:
            return self._not_found(selection)
        outcome = Outcome(
            state=QueryState.COMPLETE,
            level=confidences.level_of(progress.confidence),
            text=verified.text,
            citations=verified.citations,
        )
        return self._finish(outcome, selection)

    def _search(self, query: str, selection: str | None) -> RetrievalResult:
        """Search what this question may be answered from; the audience never changes on the way."""
        with self._timed("embed"):
            model = embedding.provider()
            vector = model.embed([query])[0]
        if self._progress.query and self._progress.query.state == QueryState.NEW:
            self._progress.moved_to(QueryState.EMBEDDING_GENERATED)
        with self._timed("retrieve"):
            if selection is not None:
                return search_selected(selection, vector, limit=self._filters.max_results)
            found = search_corpus(
                query,
                vector,
                model=model.name,
                audience=self._audience,
                filters=self._filters,
                limit=self._filters.max_results,
            )
        self._progress.is_short |= found.is_short
        return found

    def _finish(self, outcome: Outcome, selection: str | None) -> Answer | Refusal:
        with self._timed("store"), transaction.atomic():
            # Access may have been taken away since the search: what is cited must still be everyone's to read.
            if not still_visible(outcome.citations, self._audience):
                return self._not_found(selection)
            write(self._progress, outcome, took_ms=self._elapsed_ms())
        return Answer(**self._common(outcome), text=outcome.text or "", citations=outcome.citations)

    def _not_found(self, selection: str | None) -> Refusal:
        """The refusal when the documents do not answer; the same whether they are silent or not this audience's."""
        if selection is not None:
            return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.INSUFFICIENT, NOTHING_SELECTED)
        return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.NOTHING_FOUND, NOTHING_FOUND)

    def _refuse(self, state: QueryState, reason: RefusalReason, message: str) -> Refusal:
        outcome = Outcome(state=state, level=ConfidenceLevel.INSUFFICIENT, reason=reason, message=message)
        self._progress.confidence = min(self._progress.confidence, confidences.REFUSE_BELOW)
        write(self._progress, outcome, took_ms=self._elapsed_ms())
        return Refusal(**self._common(outcome), reason=reason, message=message)

    def _common(self, outcome: Outcome) -> dict[str, Any]:
        progress = self._progress
        return {
            "request_id": progress.request_id,
            "query_id": progress.query.pk if progress.query else None,
            "conversation_id": progress.conversation.pk if progress.conversation else None,
            "confidence": progress.confidence,
            "confidence_level": outcome.level,
            "retrieved": visible_now(progress.retrieved, self._audience),
            "state": outcome.state,
            "agent_steps": progress.agent_steps,
            "model_provider": progress.model_provider,
            "processing_time_ms": self._elapsed_ms(),
            "trace_id": progress.trace_id,
            "timings_ms": dict(progress.timings_ms),
        }

    def _elapsed_ms(self) -> int:
        return round((time.perf_counter() - self._started) * 1000)

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self._progress.timings_ms[step] = self._progress.timings_ms.get(step, 0.0) + spent


def search_passages(query: str, *, audience: Audience, filters: Filters, limit: int) -> RetrievalResult:
    """Embed a query and search the corpus for it. InvalidQuestionError for a query that cannot be one."""
    text = checked_question(query)
    model = embedding.provider()
    vector = model.embed([text])[0]
    return search_corpus(text, vector, model=model.name, audience=audience, filters=filters, limit=limit)
