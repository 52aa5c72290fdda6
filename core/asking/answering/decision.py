"""Decide how a question ends, and store nothing of it: the one way of every question.

Asking, previews, replays and trials come here. They differ in what they do with an end: `pipeline.py` stores it,
`core.asking.dry_runs` shows it.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.asking.answering.admission import choose_model
from core.asking.answering.clarification import (
    NOTHING_BEFORE,
    AskBack,
    find_rivals,
    narrow_to,
    which_document,
    which_month,
    which_source,
)
from core.asking.answering.closest import closest_passages
from core.asking.answering.composition import Composed, Preview, compose
from core.asking.answering.contradictions import find_contradiction
from core.asking.answering.follow_ups import Asked, note_told_before
from core.asking.answering.preparation import Asking, Prepared, choose_meaning, prepare
from core.asking.answering.progress import Progress
from core.asking.answering.query_rewriting import NOT_ENGLISH, tell_corrected
from core.asking.answering.searches import Searching
from core.asking.answering.understanding import widen
from core.asking.confidence.endings import COME_CLOSEST, NOTHING_FOUND, NOTHING_SELECTED, Ending
from core.asking.generation.draft import Draft
from core.asking.generation.modes import is_extractive, key_free
from core.asking.reading.reader import recall
from core.asking.spending.messages import say_by_words, say_quoted, say_refused
from core.asking.verification.statements import Verified
from core.asking.verified_answers.matching import Match, find_match
from core.errors import EmbeddingError, ModelConfigurationError, ModelUnavailableError, OverBudgetError
from core.language.i18n.translation import say, translatable
from core.language.nlp.answer_types import states_count
from core.language.nlp.sentence_scoring import ignore_meaning
from core.language.query_understanding.asking import asks_for_count
from core.language.query_understanding.courtesies import reply_to
from core.language.query_understanding.synonyms import list_synonyms
from core.language.query_understanding.values import Understood
from core.library.retrieval.search import search_by_words
from core.llm.calls import current_call_context
from core.llm.client import ModelSettings
from core.llm.stopping import check_stopped
from core.types import Citation, Contradiction, Edition, Listener, Passage, QueryState, RefusalReason
from core.values.steps import Step

UNAVAILABLE = translatable(
    "I could not answer just now because the answer model did not respond. Please ask again in a minute."
)
MISCONFIGURED = translatable("I cannot answer because a model is not set up correctly. Please tell an administrator.")
QUOTED_INSTEAD = translatable("The language model did not respond, so the answer is in the documents' own words.")
QUOTED_UNTIL_SET_UP = translatable(
    "The language model is not set up correctly, so the answer is in the documents' own words. Please tell an "
    "administrator."
)
NOT_COUNTED = translatable("I can only quote a number that a document states: I do not count or add up.")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """One way in which a question can end. One of match, verified and reason says which."""

    state: QueryState
    message: str = ""  # for the person: below an answer, or in its place
    match: Match | None = None  # the verified answer that is given
    verified: Verified | None = None  # what is shown of a draft
    reason: RefusalReason | None = None
    closest: tuple[Citation, ...] = ()  # of a refusal
    named: tuple[Edition, ...] = ()  # whose words stand in the message
    contradiction: Contradiction | None = None  # of a cited document


def decide(
    asking: Asking,
    *,
    progress: Progress,
    searching: Searching | None = None,
    on_step: Listener = lambda step: None,
    preview: Preview | None = None,
    examined: ModelSettings | None = None,
) -> Iterator[End]:
    """Yield the ends of a question, best first: take the first of which everything may still be shown.

    Whether an end may be shown is for the caller to ask at that moment, since rights may have changed on the way; what
    is decided after it takes its time only if it is asked for. The last end is a refusal that shows nothing.

    progress: learns everything on the way. searching: searches in the place of the library's own searches.
    on_step: called with each `Step` as it begins. preview: called with how the answer begins while it is written.
    examined: a model that is tried in the place of the one that answers, with no verified answer before it.
    What is consumed counts, and stops, by the context of the caller (core.llm.calls.call_context).
    """
    return _Deciding(asking, progress, searching, on_step, preview, examined).list_ends()


class _Deciding:
    """The way of one question. Used once."""

    def __init__(
        self,
        asking: Asking,
        progress: Progress,
        searching: Searching | None,
        on_step: Listener,
        preview: Preview | None,
        examined: ModelSettings | None,
    ) -> None:
        self._asking, self._progress, self._on_step, self._preview = asking, progress, on_step, preview
        self._searching = searching
        self._is_examined = examined is not None
        self._model = examined or choose_model()
        progress.note_model(self._model)
        self._prepared: Prepared | None = None
        self._notes: tuple[str, ...] = ()  # what is said below whatever came of it
        self._outdated: Match | None = None  # a verified answer, for when nothing else is found

    def list_ends(self) -> Iterator[End]:
        """Decide; where a budget is used up, in the documents' own words, or refuse: as the budget says."""
        if self._asking.selection is None and (reply := reply_to(self._asking.text)):
            yield End(state=QueryState.COMPLETE, reason=RefusalReason.SMALL_TALK, message=reply)
            return
        try:
            try:
                if not is_extractive(self._model):
                    current_call_context().meter.check()
                yield from self._decide_with_model()
            except OverBudgetError as error:
                if not error.may_quote or is_extractive(self._model):
                    raise
                self._go_key_free(say_quoted())
                yield from self._decide_with_model()
        except OverBudgetError as error:
            if error.may_quote and self._asking.selection is None and self._prepared:
                yield from self._show_by_words(self._prepared)
            else:
                yield _make_refusal(RefusalReason.OVER_QUOTA, say_refused())

    def _go_key_free(self, *notes: str) -> None:
        """Go on with the key-free model. notes: what is said of that."""
        self._model, self._notes = key_free(), notes
        self._progress.note_model(self._model)

    def _show_by_words(self, prepared: Prepared) -> Iterator[End]:
        """End with the passages that hold the question's words, where the budget lets no model embed it."""
        understood = prepared.understood
        with self._progress.time_step("retrieve"):
            found = search_by_words(
                understood.question,
                audience=self._asking.audience,
                filters=understood.filters,
                limit=understood.limit,
                also=list_synonyms(understood.question),
            )
        self._progress.note_found(found)
        self._progress.embedding_model = ""
        closest = closest_passages(understood.bare, found.passages, ignore_meaning)
        if not closest:
            yield _make_refusal(RefusalReason.OVER_QUOTA, say_refused())
            return
        self._notes = (say_by_words(),)
        yield from self._come_close(prepared.asked, closest)

    def _decide_with_model(self) -> Iterator[End]:
        try:
            with self._progress.time_step("understand"):
                self._prepared = prepared = prepare(self._asking, self._model)
                self._progress.note_prepared(prepared)
            if prepared.asked.lacks:
                yield _ask_back(AskBack(message=say(NOTHING_BEFORE)))
            else:
                yield from self._answer_prepared(prepared)
        except OverBudgetError:
            raise
        except EmbeddingError as error:
            logger.error("model_failed", extra={"error": error.message})
            yield _make_refusal(RefusalReason.MODEL_UNAVAILABLE, say(UNAVAILABLE if error.retry else MISCONFIGURED))
        except (ModelUnavailableError, ModelConfigurationError) as error:
            logger.error("model_failed", extra={"error": error.message})
            if is_extractive(self._model):
                yield _make_refusal(RefusalReason.MODEL_UNAVAILABLE, say(UNAVAILABLE if error.retry else MISCONFIGURED))
            else:
                self._progress.has_model_failed = True
                is_named = bool(self._model.last_resort)  # among the fallbacks: then nothing has to be said of it
                self._go_key_free(*() if is_named else (say(QUOTED_INSTEAD if error.retry else QUOTED_UNTIL_SET_UP),))
                yield from self._decide_with_model()

    def _answer_prepared(self, prepared: Prepared) -> Iterator[End]:
        progress, asking = self._progress, self._asking
        searching = self._searching or Searching(
            audience=asking.audience, selection=asking.selection, timed=progress.time_step
        )
        progress.embedding_model = searching.embedding_model
        if prepared.others:  # a follow-up, taken in the meaning that the library answers best
            self._prepared = prepared = choose_meaning(prepared, searching, typed=asking.text)
            progress.note_prepared(prepared)
        understood = prepared.understood
        if unclear := which_month(understood):
            yield _ask_back(unclear)
            return
        self._begin_step("searching")
        if asking.selection is None and not self._is_examined:
            yield from self._give_verified(searching, prepared)
        found = searching.all_aspects(understood, embedded=lambda: progress.move_to(QueryState.EMBEDDING_GENERATED))
        progress.move_to(QueryState.RETRIEVAL_COMPLETE)
        progress.note_found(found)
        if not found.passages:
            yield from self._not_found(prepared.asked)
            return
        if asking.selection is None:
            unclear = which_document(understood, found.passages, given=asking.filters, audience=asking.audience)
            if unclear:
                yield _ask_back(unclear)
                return
        yield from self._compose_answer(searching, prepared)

    def _give_verified(self, searching: Searching, prepared: Prepared) -> Iterator[End]:
        """End with the verified answer to the question, if there is one; one that is outdated is kept for later."""
        question = prepared.understood.question
        vector = searching.embed(question)
        with self._progress.time_step("match"):
            match = find_match(
                question,
                vector,
                model=searching.embedding_model,
                audience=self._asking.audience,
                filters=self._asking.filters,
                today=self._asking.today,
            )
        if match and match.outdated:
            self._outdated = match
        elif match:
            yield self._tell_verified(match, prepared.asked)

    def _compose_answer(self, searching: Searching, prepared: Prepared) -> Iterator[End]:
        progress, understood = self._progress, prepared.understood
        self._begin_step("reading", len(progress.passages))
        rivals = self._find_rivals(searching, prepared)
        composed = self._compose_from(searching, understood)
        if composed.ending is not Ending.ANSWER and (wide := widen(understood, self._asking.filters)):
            second = self._compose_widely(searching, prepared, wide, instead_of=composed)
            if second is not composed:
                composed, understood, rivals = second, wide, ()
        progress.is_short = searching.is_short
        progress.note_composition(composed)
        contradiction = self._find_contradiction(understood, composed) if composed.ending is Ending.ANSWER else None
        is_unclear = composed.ending is Ending.ANSWER and rivals and not contradiction
        if is_unclear and (unclear := which_source(rivals, self._asking.audience)):
            yield _ask_back(unclear)
            return
        if composed.ending is Ending.ANSWER:
            message = composed.judged.message or note_told_before(prepared.asked, composed.verified.text)
            yield End(
                state=QueryState.COMPLETE,
                verified=composed.verified,
                message=self._add_notes(message, prepared.asked),
                contradiction=contradiction,
            )
        if composed.ending is Ending.CLOSEST:
            yield from self._come_close(prepared.asked, composed.closest)
        else:
            yield from self._not_found(prepared.asked)

    def _compose_from(self, searching: Searching, understood: Understood) -> Composed:
        return compose(
            understood,
            self._progress.passages,
            search=lambda query: searching.once(query, understood.filters),
            model=self._model,
            timed=self._progress.time_step,
            drafted=self._note_draft,
            preview=self._preview,
        )

    def _compose_widely(
        self, searching: Searching, prepared: Prepared, wide: Understood, *, instead_of: Composed
    ) -> Composed:
        """Compose from a wider search; where nothing better comes of it, return what came of the first search."""
        progress, found = self._progress, self._progress.found
        progress.note_prepared(replace(prepared, understood=wide))
        progress.note_found(searching.all_aspects(wide, embedded=lambda: None))
        composed = self._compose_from(searching, wide)
        better = (Ending.ANSWER,) if instead_of.ending is Ending.CLOSEST else (Ending.ANSWER, Ending.CLOSEST)
        if composed.ending in better or found is None:
            return composed
        progress.note_prepared(prepared)
        progress.note_found(found)
        progress.note_draft(instead_of.draft)
        return instead_of

    def _find_rivals(self, searching: Searching, prepared: Prepared) -> tuple[Passage, ...]:
        """Find the passages that answer of different things; if the last answer cites one of them, search it alone."""
        if self._asking.selection is not None:
            return ()
        typed, understood = self._asking.text, prepared.understood
        rivals = find_rivals(typed, understood, self._progress.passages, read=recall)
        by_edition = {one.edition: one for one in rivals}
        spoken_of = next(
            (by_edition[edition] for edition in prepared.asked.cited_before if edition in by_edition), None
        )
        if not spoken_of:
            return rivals if prepared.asked.text == typed else ()  # what it was made of a conversation says more
        narrowed = narrow_to(spoken_of, understood, self._asking.audience)
        self._progress.note_found(searching.all_aspects(narrowed, embedded=lambda: None))
        return ()

    def _find_contradiction(self, understood: Understood, composed: Composed) -> Contradiction | None:
        """Look for a document that says otherwise. A question for several things has several answers anyway."""
        if self._asking.selection is not None or understood.whole or understood.reading.sub_questions:
            return None
        with self._progress.time_step("judge"):
            return find_contradiction(understood.bare, composed.verified.citations, composed.draft.passages)

    def _note_draft(self, draft: Draft) -> None:
        self._progress.note_draft(draft)
        self._progress.move_to(QueryState.RESPONSE_GENERATED)
        self._begin_step("checking", len(draft.statements))

    def _begin_step(self, step: str, count: int = 0) -> None:
        check_stopped()
        self._on_step(Step(step, count))

    def _come_close(self, asked: Asked, closest: tuple[Citation, ...]) -> Iterator[End]:
        """End with the passages that come closest, or with an outdated verified answer in their place."""
        yield from self._give_outdated(asked)
        uncounted = (
            "" if any(states_count(asked.text, one.quoted_excerpt) for one in closest) else _say_uncounted(asked)
        )
        notes = self._add_notes(_join_sentences(_say_foreign(asked), uncounted), asked)
        yield End(
            state=QueryState.NO_CONTENT_FOUND,
            reason=RefusalReason.UNSURE,
            message=_join_sentences(notes, say(COME_CLOSEST)),  # which ends in a colon
            closest=closest,
        )
        yield from self._refuse_silently(asked)

    def _not_found(self, asked: Asked) -> Iterator[End]:
        yield from self._give_outdated(asked)
        yield from self._refuse_silently(asked)

    def _give_outdated(self, asked: Asked) -> Iterator[End]:
        """End with the outdated verified answer, if there is one, once nothing else was found."""
        if self._outdated:
            yield self._tell_verified(self._outdated, asked)

    def _refuse_silently(self, asked: Asked) -> Iterator[End]:
        """Refuse alike whether the documents are silent or are not this audience's."""
        if self._asking.selection is not None:
            message, reason = say(NOTHING_SELECTED), RefusalReason.INSUFFICIENT
        else:
            message, reason = say(NOTHING_FOUND), RefusalReason.NOTHING_FOUND
            message = _join_sentences(_say_foreign(asked), message, _say_uncounted(asked))
        yield End(state=QueryState.NO_CONTENT_FOUND, reason=reason, message=self._add_notes(message, asked))

    def _tell_verified(self, match: Match, asked: Asked) -> End:
        message = note_told_before(asked, match.row.cited_text)
        return End(state=QueryState.COMPLETE, match=match, message=self._add_notes(message, asked))

    def _add_notes(self, message: str, asked: Asked) -> str:
        return _join_sentences(message, *tell_corrected(asked), *self._notes)


def _say_foreign(asked: Asked) -> str:
    return say(NOT_ENGLISH) if asked.is_foreign else ""


def _say_uncounted(asked: Asked) -> str:
    return say(NOT_COUNTED) if asks_for_count(asked.text) else ""


def _join_sentences(*said: str) -> str:
    return " ".join(one for one in said if one)


def _ask_back(unclear: AskBack) -> End:
    """Ask which of several is meant. What is named comes from documents of this audience."""
    return End(
        state=QueryState.NO_CONTENT_FOUND,
        reason=RefusalReason.AMBIGUOUS,
        message=unclear.message,
        named=unclear.named,
    )


def _make_refusal(reason: RefusalReason, message: str) -> End:
    return End(state=QueryState.FAILED, reason=reason, message=message)
