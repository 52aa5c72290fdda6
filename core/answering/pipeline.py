"""One question's way: checked, embedded, retrieved, drafted, verified, and written down before it is returned."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

from django.db import DatabaseError, transaction
from django.utils import timezone

from core import embedding
from core.answering.clarification import NOTHING_BEFORE, AskBack, which_document, which_month
from core.answering.closest import closest_passages
from core.answering.composition import compose, key_free
from core.answering.conversations import find_continued_conversation, is_asked_again, open_conversation
from core.answering.counting import count_question
from core.answering.follow_ups import Asked, make_self_contained, note_told_before, repeat_asked
from core.answering.query_rewriting import NOT_ENGLISH, reword
from core.answering.record import (
    FIRST_STATEMENT,
    Progress,
    name_citations,
    note_beginning,
    readable_now,
    still_visible,
    visible_now,
    write,
)
from core.answering.requests import (
    check_question,
    check_selection,
    new_request_id,
    new_trace_id,
)
from core.answering.searches import Searching
from core.answering.understanding import understand, understand_selection
from core.confidence.decision import (
    COME_CLOSEST,
    NOTHING_FOUND,
    NOTHING_SELECTED,
    Ending,
    confidence_of_refusal,
    level,
)
from core.errors import (
    EmbeddingError,
    InvalidQuestionError,
    ModelConfigurationError,
    ModelUnavailableError,
    NotFoundError,
    OverBudgetError,
    StoppedError,
)
from core.filters import filters_as_json
from core.generation.draft import Draft
from core.generation.modes import is_extractive
from core.i18n.translation import say, translatable
from core.llm.calls import Surroundings, around, using
from core.llm.client import model_settings
from core.llm.stopping import IsStopped, check_stopped, stoppable
from core.log_context import about
from core.models import Conversation, Query
from core.nlp.sentence_scoring import ignore_meaning
from core.query_understanding.plan import Understood
from core.query_understanding.synonyms import list_synonyms
from core.retrieval.search import search_by_words, search_corpus
from core.spending.meter import BudgetMeter
from core.spending.replies import replies_for
from core.spending.spenders import INSTALLATION, spender_of
from core.spending.telling import say_by_words, say_quoted, say_refused
from core.steps import Step
from core.tracing import spans
from core.types import (
    Answer,
    Asker,
    Audience,
    Citation,
    ConfidenceLevel,
    ContextMode,
    Filters,
    Listener,
    Origin,
    QueryState,
    Refusal,
    RefusalReason,
    RetrievalResult,
    mean_similarity_of,
)
from core.verification.statements import Verified
from core.verified_answers.matching import Match, find_match, still_holds

UNAVAILABLE = translatable(
    "I could not answer just now because the answer model did not respond. Please ask again in a minute."
)
MISCONFIGURED = translatable("I cannot answer because a model is not set up correctly. Please tell an administrator.")

logger = logging.getLogger(__name__)

_Ended = TypeVar("_Ended", Answer, Refusal)


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
    ) -> None:
        model = model_settings()
        self._asker, self._audience, self._filters, self._on_step, self._model = (
            asker,
            audience,
            filters,
            on_step,
            model,
        )
        self._preview = preview
        self._overheard, self._again, self._is_stopped = overheard, again, is_stopped
        self._started = time.perf_counter()
        self._asked = Asked(text="")
        self._understood: Understood | None = None
        self._notes: tuple[str, ...] = ()  # what is said below whatever came of it
        self._outdated: Match | None = None  # a verified answer, for when nothing else is found
        self._progress = Progress(
            request_id=new_request_id(),
            trace_id=new_trace_id(),
            user_id=asker.user_id,
            model=model.model,
            model_provider=model.provider,
            model_settings=model.for_the_log(),
        )

    def run(self, question: str, *, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        """Answer the question or refuse; either way it is written down first."""
        with spans.span("answer", request_id=self._progress.request_id):
            # An answer is found in the traces by the id that is written down with it.
            self._progress.trace_id = spans.current_trace_id() or self._progress.trace_id
            result = self._run_logged(question, conversation, selected_text)
            count_question(self._progress, result, seconds=time.perf_counter() - self._started)
        return result

    def _run_logged(self, question: str, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        with about(self._progress.request_id, self._progress.trace_id):
            logger.info(
                "query_received",
                extra={
                    "question_length": len(question) if isinstance(question, str) else None,
                    "is_follow_up": conversation is not None,
                    "has_selected_text": selected_text is not None,
                },
            )
            try:
                with stoppable(self._is_stopped):
                    return self._run(question, conversation, selected_text)
            except StoppedError:
                self._progress.move_to(QueryState.STOPPED)
                raise

    def _begin_step(self, step: str, count: int = 0) -> None:
        check_stopped()
        self._on_step(Step(step, count))

    def _run(self, question: str, conversation: UUID | None, selected_text: str | None) -> Answer | Refusal:
        try:
            text = check_question(question)
            selection = check_selection(selected_text)
            continued_in = find_continued_conversation(conversation, self._asker) if conversation else None
        except (InvalidQuestionError, NotFoundError) as error:
            return self._refuse(QueryState.FAILED, RefusalReason.INVALID_QUESTION, say(error.message))
        self._begin(text, selection, continued_in)
        with using(self._find_surroundings(text)):
            return self._answer_within_budget(text, selection, continued_in)

    def _find_surroundings(self, text: str) -> Surroundings:
        """For whom models are called, and which replies may be given again: none to who asks the same once more."""
        conversation = self._progress.conversation
        spender = spender_of(self._asker.user_id, conversation)
        is_measured = spender is INSTALLATION  # an evaluation of what the model does
        is_anew = is_measured or is_asked_again(text, conversation, before=self._progress.query)
        replies = None if is_anew else replies_for(self._audience)
        return Surroundings(meter=BudgetMeter(spender), replies=replies)

    def _answer_within_budget(
        self, text: str, selection: str | None, conversation: Conversation | None
    ) -> Answer | Refusal:
        """Answer; where a budget is used up, in the documents' own words, or refuse: as the budget says."""
        try:
            try:
                if not is_extractive(self._model):
                    around().meter.check()
                return self._try_to_answer(text, selection, conversation)
            except OverBudgetError as error:
                if not error.may_quote or is_extractive(self._model):
                    raise
                self._quote_only()
                return self._try_to_answer(text, selection, conversation)
        except OverBudgetError as error:
            if error.may_quote and selection is None and self._understood:
                return self._show_by_words(self._understood)
            return self._refuse(QueryState.FAILED, RefusalReason.OVER_QUOTA, say_refused())

    def _quote_only(self) -> None:
        """Go on with the key-free model, and say so."""
        self._model, self._notes = key_free(), (say_quoted(),)
        self._progress.note_model(self._model)

    def _show_by_words(self, understood: Understood) -> Answer | Refusal:
        """The passages with the question's words, where the budget lets no model embed it: nobody knows how near."""
        with self._time_step("retrieve"):
            found = search_by_words(
                understood.question,
                audience=self._audience,
                filters=understood.filters,
                limit=understood.limit,
                also=list_synonyms(understood.question),
            )
        progress = self._progress
        progress.passages, progress.strategy, progress.embedding_model = found.passages, found.strategy, ""
        closest = closest_passages(understood.bare, found.passages, ignore_meaning)
        if not closest:
            return self._refuse(QueryState.FAILED, RefusalReason.OVER_QUOTA, say_refused())
        self._notes = (say_by_words(),)
        return self._come_close(closest, None)

    def _try_to_answer(self, text: str, selection: str | None, continued_in: Conversation | None) -> Answer | Refusal:
        try:
            asked, understood = self._understand(text, selection, continued_in)
            if asked.lacks:
                return self._ask_back(AskBack(message=say(NOTHING_BEFORE)))
            unclear = which_month(understood)
            return self._ask_back(unclear) if unclear else self._answer(understood, selection)
        except OverBudgetError:
            raise
        except (ModelUnavailableError, ModelConfigurationError, EmbeddingError) as error:
            logger.error("model_failed", extra={"request_id": self._progress.request_id, "error": error.message})
            message = say(UNAVAILABLE if error.retry else MISCONFIGURED)
            return self._refuse(QueryState.FAILED, RefusalReason.MODEL_UNAVAILABLE, message)

    def _begin(self, text: str, selection: str | None, conversation: Conversation | None) -> None:
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

    def _understand(
        self, text: str, selection: str | None, conversation: Conversation | None
    ) -> tuple[Asked, Understood]:
        """The question in words that stand alone, and what it asks for. Filters narrow no selected text."""
        with self._time_step("understand"):
            today = timezone.localdate()
            asked = repeat_asked(text, self._again, audience=self._audience) if self._again else None
            asked = asked or make_self_contained(
                text,
                conversation,
                before=self._progress.query,
                audience=self._audience,
                selection=selection,
                model=self._model,
                today=today,
            )
            if selection is None:
                asked = reword(asked, audience=self._audience, model=self._model)
                understood = understand(asked.text, given=self._filters, audience=self._audience, today=today)
            else:
                understood = understand_selection(asked.text, given=self._filters, today=today)
            self._progress.note_understanding(
                understood.question, understood.filters, asked.named, rewriting=asked.usage
            )
        self._asked, self._understood = asked, understood
        return asked, understood

    def _answer(self, understood: Understood, selection: str | None) -> Answer | Refusal:
        progress = self._progress
        self._begin_step("searching")
        searching = Searching(audience=self._audience, selection=selection, timed=self._time_step)
        progress.embedding_model = searching.embedding_model
        if selection is None and (given := self._give_verified(searching, understood)):
            return given
        found = searching.all_aspects(understood, embedded=lambda: progress.move_to(QueryState.EMBEDDING_GENERATED))
        progress.move_to(QueryState.RETRIEVAL_COMPLETE)
        progress.passages, progress.strategy, progress.is_short = found.passages, found.strategy, found.is_short
        if not found.passages:
            return self._not_found(selection)
        if selection is None:
            unclear = which_document(understood, found.passages, given=self._filters, audience=self._audience)
            if unclear:
                return self._ask_back(unclear)
        self._begin_step("reading", len(found.passages))
        composed = compose(
            understood,
            found.passages,
            search=lambda query: searching.once(query, understood.filters),
            model=self._model,
            timed=self._time_step,
            drafted=self._note_draft,
            preview=self._preview_beginning if self._preview else None,
        )
        progress.is_short = searching.is_short
        progress.note_composition(composed)
        if composed.ending is Ending.CLOSEST:
            return self._come_close(composed.closest, selection)
        if composed.ending is Ending.REFUSAL:
            return self._not_found(selection)
        message = composed.judged.message or note_told_before(self._asked, composed.verified.text)
        return self._finish(composed.verified, message, selection)

    def _give_verified(self, searching: Searching, understood: Understood) -> Answer | None:
        """The verified answer to the question, if there is one that holds; one that is outdated is kept for the end."""
        vector = searching.embed(understood.question)
        with self._time_step("match"):
            match = find_match(
                understood.question,
                vector,
                model=searching.embedding_model,
                audience=self._audience,
                filters=self._filters,
                today=timezone.localdate(),
            )
        if match and match.outdated:
            self._outdated = match
            return None
        return self._tell_verified(match) if match else None

    def _tell_verified(self, match: Match) -> Answer | None:
        """A verified answer, unless it has changed, or somebody may not have it any more, since it was found."""
        with self._time_step("store"), transaction.atomic():
            if not still_holds(match, self._audience):
                return None
            self._progress.note_verified(match)
            common = self._common(QueryState.COMPLETE, level(self._progress.confidence))
            text = match.row.cited_text
            answer = Answer(
                **common,
                text=text,
                citations=name_citations(match.citations),
                message=note_told_before(self._asked, text),
                verified=match.verification,
            )
            write(self._progress, answer)
        return self._prepare_to_tell(answer)

    def _note_draft(self, draft: Draft) -> None:
        self._progress.draft, self._progress.passages = draft, draft.passages
        self._progress.move_to(QueryState.RESPONSE_GENERATED)
        self._begin_step("checking", len(draft.statements))

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

    def _finish(self, verified: Verified, message: str, selection: str | None) -> Answer | Refusal:
        with self._time_step("store"), transaction.atomic():
            # Access may have been taken away since the search: what is cited must still be everyone's to read.
            if not still_visible(verified.citations, self._audience):
                return self._not_found(selection)
            common = self._common(QueryState.COMPLETE, level(self._progress.confidence))
            told = " ".join(part for part in (message, *self._notes) if part)
            answer = Answer(**common, text=verified.text, citations=name_citations(verified.citations), message=told)
            write(self._progress, answer)
        return self._prepare_to_tell(answer)

    def _come_close(self, closest: tuple[Citation, ...], selection: str | None) -> Answer | Refusal:
        """No answer, and the passages that come closest, as far as they are still everyone's to read."""
        if given := self._give_outdated():
            return given
        with self._time_step("store"), transaction.atomic():
            shown = name_citations(readable_now(closest, self._audience))
            if not shown:
                return self._not_found(selection)
            message = f"{say(NOT_ENGLISH)} {say(COME_CLOSEST)}" if self._asked.is_foreign else say(COME_CLOSEST)
            return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.UNSURE, message, closest=shown)

    def _give_outdated(self) -> Answer | None:
        """The outdated verified answer, if there is one, once nothing else was found."""
        return self._tell_verified(self._outdated) if self._outdated else None

    def _not_found(self, selection: str | None) -> Answer | Refusal:
        """The refusal when the documents do not answer; the same whether they are silent or not this audience's."""
        if given := self._give_outdated():
            return given
        if selection is not None:
            return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.INSUFFICIENT, say(NOTHING_SELECTED))
        if self._asked.is_foreign:
            message = f"{say(NOTHING_FOUND)} {say(NOT_ENGLISH)}"
            return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.NOTHING_FOUND, message)
        return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.NOTHING_FOUND, say(NOTHING_FOUND))

    def _ask_back(self, unclear: AskBack) -> Refusal:
        """The refusal that asks which of several is meant. What it names comes from documents of this audience."""
        progress = self._progress
        if progress.query:
            named = [*progress.query.named_editions, *unclear.named]
            progress.note_understanding(progress.asked, progress.filters, named)
        return self._refuse(QueryState.NO_CONTENT_FOUND, RefusalReason.AMBIGUOUS, unclear.message)

    def _refuse(
        self, state: QueryState, reason: RefusalReason, message: str, *, closest: tuple[Citation, ...] = ()
    ) -> Refusal:
        self._progress.confidence = confidence_of_refusal(self._progress.confidence)
        common = self._common(state, ConfidenceLevel.INSUFFICIENT)
        if state is QueryState.NO_CONTENT_FOUND and reason is not RefusalReason.AMBIGUOUS:
            message = " ".join((message, *self._notes))
        refusal = Refusal(**common, reason=reason, message=message, closest=closest)
        write(self._progress, refusal)
        return self._prepare_to_tell(refusal)

    def _common(self, state: QueryState, confidence_level: ConfidenceLevel) -> dict[str, Any]:
        """What an answer and a refusal have in common, as it is stored."""
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
        """What was stored as it is told: without chunks that the audience may not read, with the time of storing."""
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

    @contextmanager
    def _time_step(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with spans.span(f"answer.{step}"):
                yield
        finally:
            spent = (time.perf_counter() - started) * 1000
            self._progress.timings_ms[step] = self._progress.timings_ms.get(step, 0.0) + spent


def search_passages(query: str, *, audience: Audience, filters: Filters, limit: int) -> RetrievalResult:
    """Embed a query and search the corpus for it. InvalidQuestionError for a query that cannot be one."""
    text = check_question(query)
    model = embedding.provider()
    vector = model.embed([text])[0]
    return search_corpus(text, vector, model=model.name, audience=audience, filters=filters, limit=limit)
