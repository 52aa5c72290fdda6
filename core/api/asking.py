"""Ask a question, search, and what helps to ask. Re-exported by `core.api`."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from core import filters as filter_forms
from core.api.audiences import require_audience
from core.asking.answering import requests
from core.asking.history import results
from core.errors import InvalidFilterError
from core.infrastructure.database_errors import translate_database_errors
from core.types import MOST_INSTEAD, Answer, Asker, Audience, Filters, Guidance, Listener, Refusal, RetrievalResult

MOST_SEARCH_RESULTS = 50


@translate_database_errors()
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
    require_audience(audience)
    from core.asking.answering.pipeline import Answering

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


@translate_database_errors()
def search(query: str, *, audience: Audience, filters: Filters | None = None, k: int = 5) -> RetrievalResult:
    """Return the k passages (1..50) that fit the query best among those the whole audience may read.

    InvalidQuestionError for a query of less than 3 or more than 1,000 characters, InvalidFilterError for another k.
    """
    require_audience(audience)
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MOST_SEARCH_RESULTS:
        raise InvalidFilterError(f"k must be a whole number from 1 to {MOST_SEARCH_RESULTS}.")
    from core.asking.answering.pipeline import search_passages

    return search_passages(query, audience=audience, filters=filters or Filters(), limit=k)


def check_question(question: str) -> None:
    """Raise InvalidQuestionError, saying why, for what can be no question."""
    requests.check_question(question)


def check_selection(selected_text: str) -> None:
    """Raise InvalidQuestionError, saying why, for what can be no selected text."""
    requests.check_selection(selected_text)


def parse_filters(raw: dict[str, Any] | None) -> Filters:
    """Read filters from their JSON form. InvalidFilterError names the part that cannot be used."""
    return filter_forms.parse_filters(raw)


@translate_database_errors()
def guidance(request_id: str, *, audience: Audience, most_questions: int = MOST_INSTEAD) -> Guidance:
    """Return help for an earlier refused question: the whole audience's collections, and questions near it.

    Each question is made from passages found for the refused one, and left out unless it would be answered: this loads
    the embedding model. NotFoundError when there is no such result, or the audience may not see it.
    """
    require_audience(audience)
    from core.asking.suggestions import guidance as help_instead

    return help_instead.guidance(request_id, audience=audience, most_questions=most_questions)


@translate_database_errors()
def guidance_beside(
    result: Answer | Refusal, *, audience: Audience, most_questions: int = MOST_INSTEAD
) -> Guidance | None:
    """Return help beside a result that `ask` gave just now, for an audience as it is now.

    None beside an answer, and beside a refusal that says nothing about the library: no question was asked, it is asked
    back, it was about selected text, or no model was available. None also when guidance fails: a refusal is complete
    without it.
    """
    require_audience(audience)
    from core.asking.suggestions import guidance as help_instead

    return help_instead.guidance_beside(result, audience=audience, most_questions=most_questions)


@translate_database_errors()
def suggested_questions(audience: Audience, *, limit: int = 4) -> tuple[str, ...]:
    """Return questions to begin with, made of the titles, dates and headings of what the whole audience may read.

    Each is searched for, and left out unless it would be answered: this loads the embedding model.
    """
    require_audience(audience)
    from core.asking.suggestions import suggesting

    return suggesting.suggested_questions(audience, limit=limit)


@translate_database_errors()
def take_budget_notice(request_id: str) -> str:
    """Return the notice of a nearly used up budget for a question's asker alone, once a month; else ""."""
    from core.asking.spending.messages import take_notice
    from core.asking.spending.meter import spender_of_query
    from core.models import Query

    query = Query.objects.filter(request_id=request_id).select_related("conversation").first()
    return take_notice(spender_of_query(query)) if query else ""


@translate_database_errors()
def note_told(request_id: str) -> None:
    """Treat an overheard question as any other, once its answer was shown to the asker."""
    results.note_told(request_id)
