"""The door to Footnote: asking, searching, earlier results, feedback, what may be read, and the erasing of texts.

For these, Slack, REST, MCP, the admin and the command line come in here and nowhere else: none of them imports what
answers, retrieves, generates, verifies or keeps the history. Who asks, and who will read, `core.access` says; documents
are handed in through `core.library.ingestion`; the values that pass are in `core.types`, their JSON in
`core.serialization`.

The tables of `core.models` are open to those who look after them or count in them: the admin, reports and figures, the
lists of REST, and the commands that grant, ingest and measure. Everybody else finds there only people, their accounts,
roles and tokens, and what an administrator has set up. The bot's rows point at questions, whose own words it may read;
what came of them it asks for here.

Importing it is cheap: models, LiteLLM and smolagents are loaded by the first call that needs them.
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from typing import Any
from uuid import UUID

from core.asking.answering import conversations, requests
from core.asking.history import deleted_documents, listing, results, retention
from core.errors import InvalidFilterError
from core.filters import parse_filters as checked_filters
from core.infrastructure.database_errors import translate_database_errors
from core.models import User
from core.types import (
    MOST_INSTEAD,
    Answer,
    Asker,
    Audience,
    Filters,
    Guidance,
    Listener,
    Opinion,
    Origin,
    PassageInPlace,
    QuoteInPlace,
    ReadableCollection,
    Refusal,
    Replay,
    RetrievalResult,
    Run,
    Trace,
    Trial,
)
from core.values.document_views import OpenedDocument, OriginalFile
from core.values.lists import DocumentList, NewDocument, RecentQuestion

MOST_SEARCH_RESULTS = 50


def ask(
    question: str,
    *,
    asker: Asker,
    audience: Audience,
    conversation: UUID | None = None,
    filters: Filters | None = None,
    selected_text: str | None = None,
    on_step: Listener | None = None,
    preview: Listener | None = None,
    overheard: bool = False,
    again: UUID | None = None,
    is_stopped: Callable[[], bool] | None = None,
) -> Answer | Refusal:
    """Answer a question from what the whole audience may read, or say honestly that it cannot be answered.

    conversation: the one that this question continues, or a new one. selected_text: searched in place of the corpus.
    on_step: called with the `Step` "searching", "reading" and "checking" as each begins.
    preview: called with the beginning of the answer, longer each time, while a model writes it: sentences whose quotes
    were checked and that the whole audience may read at that moment. What is returned counts, and may be something
    else. Without it, and with the key-free model, which is done at once, the model's reply is not streamed.
    overheard: nobody put the question to Footnote. Until `note_told` it is not among the asker's recent questions.
    again: the id of an earlier question, typed so, that is asked once more, and understood as then where all may.
    is_stopped: asked in this thread, also while a model is waited for; once true, the question ends by a StoppedError.

    All else becomes an Answer or a Refusal, stored before it is returned; only DatabaseUnavailableError and faults of
    the caller (a TypeError for a wrong audience) are raised.
    """
    _check(audience)
    from core.asking.answering.pipeline import Answering

    with translate_database_errors():
        return Answering(
            asker=asker,
            audience=audience,
            filters=filters or Filters(),
            on_step=on_step or (lambda step: None),
            preview=preview,
            overheard=overheard,
            again=again,
            is_stopped=is_stopped,
        ).run(question, conversation=conversation, selected_text=selected_text)


def take_budget_notice(request_id: str) -> str:
    """Return the notice of a nearly used up budget for a question's asker alone, once a month; else ""."""
    from core.asking.spending.messages import take_notice
    from core.asking.spending.spenders import spender_of_query
    from core.models import Query

    with translate_database_errors():
        query = Query.objects.filter(request_id=request_id).select_related("conversation").first()
        return take_notice(spender_of_query(query)) if query else ""


def note_told(request_id: str) -> None:
    """Treat an overheard question as any other, once its answer was shown to the asker."""
    with translate_database_errors():
        results.note_told(request_id)


def search(query: str, *, audience: Audience, filters: Filters | None = None, k: int = 5) -> RetrievalResult:
    """The k passages (1..50) that fit the query best among those the whole audience may read.

    InvalidQuestionError for a query of less than 3 or more than 1,000 characters, InvalidFilterError for another k.
    """
    _check(audience)
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MOST_SEARCH_RESULTS:
        raise InvalidFilterError(f"k must be a whole number from 1 to {MOST_SEARCH_RESULTS}.")
    from core.asking.answering.pipeline import search_passages

    with translate_database_errors():
        return search_passages(query, audience=audience, filters=filters or Filters(), limit=k)


def passage(chunk_id: UUID, *, audience: Audience) -> PassageInPlace:
    """Return a passage in its document. NotFoundError unless it exists and the whole audience may read it."""
    _check(audience)
    from core.library.retrieval.chunk_lookup import passage_in_place

    with translate_database_errors():
        return passage_in_place(chunk_id, audience=audience)


def open_conversation(
    *, origin: Origin, asker: Asker, slack_team: str = "", slack_channel: str = "", slack_thread: str = ""
) -> UUID:
    """The conversation of a Slack thread while it is active, or else a new one."""
    with translate_database_errors():
        return conversations.open_conversation(
            origin=origin,
            asker=asker,
            slack_team=slack_team,
            slack_channel=slack_channel,
            slack_thread=slack_thread,
        )


def continue_or_open_conversation(conversation: UUID | None, *, origin: Origin, asker: Asker) -> UUID:
    """The conversation that a request names, which may be over by now, or a new one where it names none.

    NotFoundError unless the asker has opened it at the same place.
    """
    with translate_database_errors():
        return conversations.continue_or_open(conversation, origin=origin, asker=asker)


def end_conversation(conversation: UUID, *, asker: Asker) -> None:
    """End a conversation before it times out: no question can continue it. Ending it again changes nothing.

    NotFoundError unless the asker has opened it, outside of Slack.
    """
    with translate_database_errors():
        conversations.end(conversation, asker)


def end_slack_thread(*, slack_team: str, slack_channel: str, slack_thread: str) -> bool:
    """End the conversation of a Slack thread: what is asked there next begins a new one. False where none was active.

    For somebody who writes in the thread, which the caller has seen.
    """
    with translate_database_errors():
        return conversations.end_thread(slack_team=slack_team, slack_channel=slack_channel, slack_thread=slack_thread)


def stored_result(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> Answer | Refusal:
    """An earlier result as this audience may see it now. NotFoundError unless it may read every document cited.

    Closest passages that it may not read are left out; where none is left, it is a refusal without any.

    viewer: the one person who looks, where there is one. An answer from selected text is shown only to its asker.
    """
    _check(audience)
    with translate_database_errors():
        return results.stored_result(request_id, audience=audience, viewer=viewer)


def stored_results(
    request_ids: Collection[str], *, audience: Audience, viewer: UUID | None = None
) -> dict[str, Answer | Refusal]:
    """Many earlier results as this audience may see them now, by request id; one that it may not see is left out.

    By the rule of stored_result, in as many queries for many as for one. What was retrieved is not among it.
    """
    _check(audience)
    with translate_database_errors():
        return results.stored_results(request_ids, audience=audience, viewer=viewer)


def why_dropped(reason: str) -> str:
    """In words, why verification dropped a statement, given a name that the log counts; an unknown name as it is."""
    from core.asking.verification.reasons import IN_WORDS, Reason

    return IN_WORDS[Reason(reason)] if reason in set(Reason) else reason.replace("_", " ")


def own_result(request_id: str, *, user_id: UUID, audience: Audience) -> Answer | Refusal:
    """An earlier result of a person's own question, as they may see it now; else as stored_result.

    NotFoundError for everybody else's. audience: that person alone.
    """
    _check(audience)
    with translate_database_errors():
        return results.own_result(request_id, user_id=user_id, audience=audience)


def own_question(request_id: str, *, user_id: UUID | None) -> UUID | None:
    """The id of an earlier question that this person asked, while its text is kept; None for any other."""
    with translate_database_errors():
        return results.own_question(request_id, user_id=user_id)


def may_read_more(request_id: str, *, audience: Audience, than: Audience) -> bool:
    """Return True if the audience could learn more about an earlier question than `than`, another audience.

    For offering an asker a private answer. NotFoundError when the audience may not see the earlier result.
    """
    _check(audience)
    _check(than)
    from core.asking.suggestions.private_answers import may_read_more as judged

    with translate_database_errors():
        return judged(request_id, audience=audience, than=than)


def stored_quotes(request_id: str, *, audience: Audience, viewer: UUID | None = None) -> tuple[QuoteInPlace, ...]:
    """Those citations of an earlier answer that this audience may read now, each with the words around its quote.

    Where there was no answer: of the passages that came closest. Empty also when there is neither. viewer: as for
    stored_result.
    """
    _check(audience)
    with translate_database_errors():
        return results.stored_quotes(request_id, audience=audience, viewer=viewer)


def open_citation(citation_id: UUID, *, audience: Audience, viewer: UUID | None = None) -> OpenedDocument:
    """Return the document that a citation of an earlier answer quotes, as it is now, with the quote in its place.

    NotFoundError unless the audience may read the document now and see the citation. viewer: as for stored_result.
    """
    _check(audience)
    from core.asking.history.opening import open_citation as opened

    with translate_database_errors():
        return opened(citation_id, audience=audience, viewer=viewer)


def open_document(document_id: UUID, *, audience: Audience) -> OpenedDocument:
    """A document with its whole text. NotFoundError unless it is there and the whole audience may read it."""
    _check(audience)
    from core.asking.history.opening import open_document as opened

    with translate_database_errors():
        return opened(document_id, audience=audience)


def find_original(document_id: UUID, *, audience: Audience) -> OriginalFile:
    """The file that a document came as. NotFoundError unless it is kept and the whole audience may read the document.

    Its bytes are in the storage of core.library.originals, for whoever has just been given this.
    """
    _check(audience)
    from core.asking.history.opening import find_original as found

    with translate_database_errors():
        return found(document_id, audience=audience)


def replay(request_id: str, *, by: UUID | None = None) -> Replay:
    """Answer a logged question again, with the eyes of its asker as they are now. Nothing of it is stored but an audit.

    by: who wants it, for the audit trail; None: the command line. What they may see of it, `readable_run` says.

    NotFoundError for an unknown id; NotReplayableError, saying why, when its text or its end is missing.
    """
    from core.asking.dry_runs.replay import replay_question

    with translate_database_errors():
        return replay_question(request_id, by=by)


def ask_as(request_id: str, *, audience: Audience, viewer: UUID, details: dict[str, Any] | None = None) -> Trial:
    """Ask a logged question now, for an audience, and return each decision on the way. Only an audit row is stored.

    audience: who is shown all of it, which whoever calls this makes sure of. viewer: who tries it; a question about a
    selected text can be tried by its asker alone. details: for the audit trail, whose eyes it were; ids, no text.

    NotFoundError for an unknown id; NotReplayableError, saying why, when its text or its end is missing.
    """
    _check(audience)
    from core.asking.dry_runs.trials import try_as

    with translate_database_errors():
        return try_as(request_id, audience=audience, viewer=viewer, details=details or {})


def readable_run(run: Run, *, reads: Audience, is_asker: bool) -> tuple[Run, bool]:
    """Of how a question ended, what somebody may see, and whether anything is left out.

    is_asker: whether they asked it, which is who may see what is quoted from a selected text.
    """
    _check(reads)
    from core.asking.dry_runs.trials import readable_run as cut

    with translate_database_errors():
        return cut(run, reads=reads, is_asker=is_asker)


def answer_now(request_id: str) -> Run:
    """Answer a logged question again, with its asker's access of today. Nothing is stored.

    NotFoundError for an unknown id; NotReplayableError, saying why, when its text or its end is missing.
    """
    from core.asking.dry_runs.replay import answer_now as answered

    with translate_database_errors():
        return answered(request_id)


def trace(question: str, *, audience: Audience, filters: Filters | None = None, person: UUID | None = None) -> Trace:
    """Return how a question is decided for an audience, step by step. Nothing of it is stored.

    person: whose budgets count, besides those of the installation. The caller has to add to the audience whoever will
    see the trace, unless they may see others' texts. InvalidQuestionError for a question that cannot be one.
    """
    from core.asking.dry_runs.trace import trace_question

    _check(audience)
    with translate_database_errors():
        return trace_question(question, audience=audience, filters=filters or Filters(), person=person)


def give_feedback(
    request_id: str,
    *,
    user_id: UUID,
    verdict: str,
    reasons: Iterable[str] | None = None,
    comment: str | None = None,
) -> Opinion:
    """Store a person's verdict ("up" or "down") on an answer, replacing an earlier one of theirs; returns it whole.

    reasons: values of FeedbackReason. comment: at most LONGEST_COMMENT characters. Without them (None) stays what the
    person said before with the same verdict.

    NotFoundError when there is no such request, ValueError for another verdict or reason or a longer comment; the
    caller has checked that the person could see the answer.
    """
    with translate_database_errors():
        return results.give_feedback(request_id, user_id=user_id, verdict=verdict, reasons=reasons, comment=comment)


def check_question(question: str) -> None:
    """InvalidQuestionError, saying why, for what can be no question."""
    requests.check_question(question)


def check_selection(selected_text: str) -> None:
    """InvalidQuestionError, saying why, for what can be no selected text."""
    requests.check_selection(selected_text)


def readable_collections(audience: Audience) -> tuple[ReadableCollection, ...]:
    """The collections of which the whole audience may read something, by name, with no count of anything else."""
    _check(audience)
    with translate_database_errors():
        return listing.collections(audience, Filters())


def readable_documents(audience: Audience, *, filters: Filters | None = None, limit: int = 20) -> DocumentList:
    """The documents that the whole audience may read, the newest of each collection first, and how many there are.

    filters: only those parts that speak of documents narrow the list.
    """
    _check(audience)
    with translate_database_errors():
        return listing.documents(audience, filters or Filters(), limit=limit)


def new_documents(audience: Audience, *, since: dt.datetime, limit: int = 5) -> tuple[NewDocument, ...]:
    """The documents that the whole audience may read and whose text was ingested since then, newest first."""
    _check(audience)
    with translate_database_errors():
        return listing.new_documents(audience, since=since, limit=limit)


def recent_questions(user_id: UUID, *, audience: Audience, limit: int = 5) -> tuple[RecentQuestion, ...]:
    """A person's own last questions, newest first. audience: that person alone, as they may read now.

    Empty for somebody whose account is not active.
    """
    _check(audience)
    with translate_database_errors():
        return listing.recent_questions(user_id, audience=audience, limit=limit)


def suggested_questions(audience: Audience, *, limit: int = 4) -> tuple[str, ...]:
    """Questions to begin with, made of the titles, dates and headings of what the whole audience may read.

    Each is searched for, and left out unless it would be answered: this loads the embedding model.
    """
    _check(audience)
    from core.asking.suggestions.suggesting import suggested_questions as suggested

    with translate_database_errors():
        return suggested(audience, limit=limit)


def guidance(request_id: str, *, audience: Audience, most_questions: int = MOST_INSTEAD) -> Guidance:
    """Return help for an earlier refused question: the whole audience's collections, and questions near it.

    Each question is made from passages found for the refused one, and left out unless it would be answered: this loads
    the embedding model. NotFoundError when there is no such result, or the audience may not see it.
    """
    _check(audience)
    from core.asking.suggestions.guidance import guidance as made

    with translate_database_errors():
        return made(request_id, audience=audience, most_questions=most_questions)


def guidance_beside(
    result: Answer | Refusal, *, audience: Audience, most_questions: int = MOST_INSTEAD
) -> Guidance | None:
    """Return help beside a result that `ask` gave just now, for an audience as it is now.

    None beside an answer, and beside a refusal that says nothing about the library: no question was asked, it is asked
    back, it was about selected text, or no model was available. None also when guidance fails: a refusal is complete
    without it.
    """
    _check(audience)
    from core.asking.suggestions.guidance import guidance_beside as made

    with translate_database_errors():
        return made(result, audience=audience, most_questions=most_questions)


def count_erasable_texts(*, before: dt.datetime, of: User | None = None) -> int:
    """Count the questions whose text `erase_texts` would erase."""
    with translate_database_errors():
        return retention.count_erasable_texts(before=before, of=of)


def erase_texts(*, before: dt.datetime, of: User | None = None, by: User | None = None) -> int:
    """Erase the text of questions from before that time, and of all that came of them; how many there were.

    of: the person who asked; None: everybody. by: who wants it so, for the audit trail. Figures and ids stay.
    """
    with translate_database_errors():
        return retention.erase_texts(before=before, of=of, by=by)


def count_answers_with_words_of(document_ids: Iterable[UUID]) -> int:
    """Count the answers that lose their text when these documents are deleted."""
    with translate_database_errors():
        return deleted_documents.answers_with_words_of(document_ids).count()


def parse_filters(raw: dict[str, Any] | None) -> Filters:
    """Filters from their JSON form. InvalidFilterError names the part that cannot be used."""
    return checked_filters(raw)


def _check(audience: Audience) -> None:
    if not isinstance(audience, Audience):
        raise TypeError("an audience is needed; unknown readers are Audience.nobody()")
