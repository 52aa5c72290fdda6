"""Answer one question: store it, have it decided, and write down how it ended before anybody is told."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from django.db import DatabaseError, transaction
from django.utils import timezone

from core.asking.answering.conversations import end as end_conversation
from core.asking.answering.conversations import find_continued_conversation, is_asked_again, open_conversation
from core.asking.answering.decision import End, decide
from core.asking.answering.preparation import Asking
from core.asking.answering.record import (
    FIRST_STATEMENT,
    StoredProgress,
    count_question,
    name_citations,
    note_beginning,
    readable_now,
    still_visible,
    visible_now,
    write,
)
from core.asking.answering.requests import (
    check_question,
    check_selection,
    new_request_id,
    new_trace_id,
)
from core.asking.confidence.endings import confidence_of_refusal, level
from core.asking.history.contradictions import show_contradiction
from core.asking.history.results import mean_similarity_of
from core.asking.spending.meter import INSTALLATION, BudgetMeter, spender_of
from core.asking.spending.replies import replies_for
from core.asking.verification.statements import Verified
from core.asking.verified_answers.matching import Match, still_holds
from core.errors import InvalidQuestionError, NotFoundError, StoppedError
from core.filters import filters_as_json
from core.infrastructure.log_context import about
from core.infrastructure.tracing import spans
from core.language.i18n.translation import say
from core.language.query_understanding.courtesies import SmallTalk, recognise, reply_to
from core.library import embedding
from core.library.retrieval.search import search_corpus
from core.llm.calls import CallContext, call_context
from core.llm.client import model_settings
from core.llm.stopping import IsStopped, stoppable
from core.models import Conversation, Query
from core.types import (
    Answer,
    Asker,
    Audience,
    Citation,
    ConfidenceLevel,
    ContextMode,
    Edition,
    Filters,
    Listener,
    Origin,
    QueryState,
    Refusal,
    RefusalReason,
    RetrievalResult,
)

logger = logging.getLogger(__name__)

_Ended = TypeVar("_Ended", Answer, Refusal)


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """Holds a question of a plan, whose words may be those of documents: what was typed is the topic of the plan."""

    text: str | None  # in the place of what was typed; None: that is asked
    filters: Filters  # in the place of those that were given
    made_of: tuple[Edition, ...]  # whose words may be in the text and the filters
    decide: Callable[..., Iterator[End]]  # called as core.asking.answering.decision.decide is


class Answering:
    """The answering of one question. Used once."""

    def __init__(
        self,
        *,
        asker: Asker,
        audience: Audience,
        filters: Filters,
        on_step: Listener,
        preview: Listener | None = None,
        overheard: bool = False,
        again: UUID | None = None,
        is_stopped: IsStopped | None = None,
        planned: Planned | None = None,
    ) -> None:
        """planned: what is asked in the place of the words that were typed."""
        model = model_settings()
        self._planned = planned
        self._asker, self._audience, self._filters, self._on_step = asker, audience, filters, on_step
        self._preview = preview
        self._overheard, self._again, self._is_stopped = overheard, again, is_stopped
        self._started = time.perf_counter()
        self._progress = StoredProgress(
            request_id=new_request_id(),
            trace_id=new_trace_id(),
            user_id=asker.user_id,
            model=model.model,
            model_provider=model.provider,
            model_settings=model.for_the_log(),
        )

    def run(self, question: str, *, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        """Answer the question or refuse; either way it is written down first. Small talk is replied to."""
        if selected_text is None and isinstance(question, str) and (reply := reply_to(question)):
            return self._reply_to_small_talk(reply, conversation, is_over=recognise(question) is SmallTalk.NEW_TOPIC)
        with spans.span("answer", request_id=self._progress.request_id):
            # An answer is found in the traces by the id that is written down with it.
            self._progress.trace_id = spans.current_trace_id() or self._progress.trace_id
            result = self._run_logged(question, conversation, selected_text)
            count_question(self._progress, result, seconds=time.perf_counter() - self._started)
        return result

    def _reply_to_small_talk(self, said: str, conversation: UUID | None, *, is_over: bool) -> Refusal:
        """Reply to what is no question. A wish for a new topic ends the conversation, if it is the asker's own."""
        if is_over and conversation:
            with suppress(NotFoundError):
                end_conversation(conversation, self._asker)
        common = self._list_common_fields(QueryState.COMPLETE, ConfidenceLevel.INSUFFICIENT)
        left = None if is_over else conversation
        return Refusal(**common | {"conversation_id": left}, reason=RefusalReason.SMALL_TALK, message=said)

    def _run_logged(self, question: str, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        with about(self._progress.request_id, self._progress.trace_id):
            logger.info(
                "query_received",
                extra={
                    "question_length": len(question) if isinstance(question, str) else None,
                    "is_follow_up": conversation is not None
                    and Query.objects.filter(conversation=conversation).exists(),
                    "has_selected_text": selected_text is not None,
                },
            )
            try:
                with stoppable(self._is_stopped):
                    return self._answer_question(question, conversation, selected_text)
            except StoppedError:
                self._progress.move_to(QueryState.STOPPED)
                raise

    def _answer_question(self, question: str, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        try:
            text = check_question(question)
            selection = check_selection(selected_text)
            continued_in = find_continued_conversation(conversation, self._asker) if conversation else None
        except (InvalidQuestionError, NotFoundError) as error:
            return self._store_refusal(
                End(state=QueryState.FAILED, reason=RefusalReason.INVALID_QUESTION, message=say(error.message))
            )
        self._store_question(text, selection, continued_in)
        asking = Asking(
            text=text,
            audience=self._audience,
            filters=self._planned.filters if self._planned else self._filters,
            selection=selection,
            conversation=continued_in,
            row=self._progress.query,
            again=self._again,
            standing_alone=self._planned.text if self._planned else None,
            made_of=self._planned.made_of if self._planned else (),
        )
        with call_context(self._make_call_context(text)):
            return self._store_first_end(asking)

    def _store_first_end(self, asking: Asking) -> Answer | Refusal:
        """Store the first end of which everything may still be shown, and return it."""
        ends = (self._planned.decide if self._planned else decide)(
            asking,
            progress=self._progress,
            on_step=self._on_step,
            preview=self._preview_beginning if self._preview else None,
        )
        for end in ends:
            told = self._store_end(end)
            if told is not None:
                return told
        raise AssertionError("a question has an end that shows nothing")

    def _store_end(self, end: End) -> Answer | Refusal | None:
        """Write an end down, unless something of it may not be shown any more: access may have been taken away."""
        if end.match:
            return self._store_verified(end, end.match)
        if end.verified:
            return self._store_answer(end, end.verified)
        if end.closest:
            return self._store_closest(end)
        self._progress.note_named(end.named)
        return self._store_refusal(end)

    def _make_call_context(self, text: str) -> CallContext:
        """For whom models are called, and which replies may be given again: none to who asks the same once more."""
        conversation = self._progress.conversation
        spender = spender_of(self._asker.user_id, conversation)
        is_measured = spender is INSTALLATION  # an evaluation of what the model does
        is_anew = is_measured or is_asked_again(text, conversation, before=self._progress.query)
        replies = None if is_anew else replies_for(self._audience)
        return CallContext(meter=BudgetMeter(spender), replies=replies)

    def _store_question(self, text: str, selection: str | None, conversation: Conversation | None) -> None:
        """Store the question."""
        with transaction.atomic():
            if conversation is None:
                opened = open_conversation(origin=Origin.COMMAND, asker=self._asker)
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
                is_overheard=self._overheard,
                filters=filters_as_json(self._filters),
                reached_at={QueryState.NEW.value: timezone.now().isoformat()},
            )

    def _store_verified(self, end: End, match: Match) -> Answer | None:
        """Store a verified answer, unless it has changed, or somebody may not have it any more, since it was found."""
        with self._progress.time_step("store"), transaction.atomic():
            if not still_holds(match, self._audience):
                return None
            self._progress.note_verified(match)
            answer = Answer(
                **self._list_common_fields(end.state, level(self._progress.confidence)),
                text=match.row.cited_text,
                citations=name_citations(match.citations),
                message=end.message,
                verified=match.verification,
            )
            write(self._progress, answer, audience=self._audience)
        return self._prepare_to_tell(answer)

    def _store_answer(self, end: End, verified: Verified) -> Answer | None:
        with self._progress.time_step("store"), transaction.atomic():
            if not still_visible(verified.citations, self._audience):
                return None
            citations = name_citations(verified.citations)
            answer = Answer(
                **self._list_common_fields(end.state, level(self._progress.confidence)),
                text=verified.text,
                citations=citations,
                message=end.message,
                contradiction=show_contradiction(end.contradiction, citations, audience=self._audience),
            )
            write(self._progress, answer, audience=self._audience)
        return self._prepare_to_tell(answer)

    def _store_closest(self, end: End) -> Refusal | None:
        """Store a refusal with the passages that come closest, as far as they are still everyone's to read."""
        with self._progress.time_step("store"), transaction.atomic():
            shown = name_citations(readable_now(end.closest, self._audience))
            return self._store_refusal(end, closest=shown) if shown else None

    def _store_refusal(self, end: End, *, closest: tuple[Citation, ...] = ()) -> Refusal:
        self._progress.confidence = confidence_of_refusal(self._progress.confidence)
        refusal = Refusal(
            **self._list_common_fields(end.state, ConfidenceLevel.INSUFFICIENT),
            reason=end.reason or RefusalReason.NOTHING_FOUND,
            message=end.message,
            closest=closest,
        )
        write(self._progress, refusal, audience=self._audience)
        return self._prepare_to_tell(refusal)

    def _preview_beginning(self, verified: Verified) -> None:
        """Tell how the answer begins, where all that it cites is still everyone's to read."""
        try:
            may_be_shown = note_beginning(self._progress, verified.citations, self._audience)
        except DatabaseError as error:  # the end of the question will say so; here it would be the model's failure
            logger.warning("not_previewed", extra={"error": type(error).__name__})
            return
        if self._preview and may_be_shown:
            self._progress.timings_ms.setdefault(FIRST_STATEMENT, float(self._measure_elapsed_ms()))
            self._preview(verified.text)

    def _list_common_fields(self, state: QueryState, confidence_level: ConfidenceLevel) -> dict[str, Any]:
        """Return the stored fields that answers and refusals share."""
        progress = self._progress
        return {
            "request_id": progress.request_id,
            "query_id": progress.query.pk if progress.query else None,
            "conversation_id": progress.conversation.pk if progress.conversation else None,
            "confidence": progress.confidence,
            "confidence_level": confidence_level,
            "retrieved": progress.retrieved,
            "context_mode": ContextMode(progress.query.context_mode) if progress.query else ContextMode.FULL_CORPUS,
            "state": state,
            "agent_steps": progress.agent_steps,
            "model_provider": progress.model_provider,
            "processing_time_ms": self._measure_elapsed_ms(),
            "trace_id": progress.trace_id,
            "timings_ms": dict(progress.timings_ms),
            "asked": progress.asked,
            "filters": progress.filters,
        }

    def _prepare_to_tell(self, stored: _Ended) -> _Ended:
        """Return a stored result as it is shown: without chunks that the audience may not read, and dated."""
        retrieved = visible_now(stored.retrieved, self._audience)
        is_selection = stored.context_mode is ContextMode.SELECTED_TEXT
        similarities = [one.similarity for one in (self._progress.passages if is_selection else retrieved)]
        return replace(
            stored,
            retrieved=retrieved,
            mean_similarity=mean_similarity_of(similarities),
            processing_time_ms=self._measure_elapsed_ms(),
            timings_ms=dict(self._progress.timings_ms),
        )

    def _measure_elapsed_ms(self) -> int:
        return round((time.perf_counter() - self._started) * 1000)


def search_passages(query: str, *, audience: Audience, filters: Filters, limit: int) -> RetrievalResult:
    """Embed a query and search the corpus for it. InvalidQuestionError for a query that cannot be one."""
    text = check_question(query)
    model = embedding.provider()
    vector = model.embed([text])[0]
    return search_corpus(text, vector, model=model.name, audience=audience, filters=filters, limit=limit)
