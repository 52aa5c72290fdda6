"""Answer programs, over REST and MCP: for their person, and for everyone else whom their token names.

Both ask here, so that no interface can forget who else will read the answer. The readers are found anew at each call.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from uuid import UUID

from core import api
from core.access.token_audiences import Readers, asked_for, asker_on_behalf, find_readers
from core.asking.explanations import explain_own
from core.errors import NotFoundError
from core.models import Query, User
from core.serialization import (
    ExplanationJson,
    PassageInPlaceJson,
    ResultJson,
    SearchJson,
    as_json,
    explanation_as_json,
    passage_as_json,
    search_as_json,
)
from core.types import Asker, Filters, Listener, Origin
from core.values.receipts import IssuedReceipt
from core.values.token_audience import TokenAudience

READERS_CHANGED = "Who may read the answer changed while it was written. Please ask again."


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A calling program with a person's token."""

    person: User
    asks_for: TokenAudience = field(default_factory=TokenAudience)
    origin: Origin

    @property
    def asker(self) -> Asker:
        """Return the person, and on whose behalf the program asks."""
        return asker_on_behalf(self.person, self.asks_for)

    def find_readers(self) -> Readers:
        """Return who is shown what it gets, as they are now."""
        return find_readers(self.person.pk, self.asks_for)


def ask(
    program: Program,
    question: str,
    *,
    conversation: UUID | None,
    filters: Filters,
    selected_text: str | None,
    on_step: Listener | None = None,
    is_stopped: Callable[[], bool] | None = None,
) -> ResultJson:
    """Answer a question from what everyone may read who is shown the answer; see core.api.ask.

    NotFoundError for a conversation that is another's or was begun for others, and where the readers are not the same
    any more when the answer is there. StoppedError once is_stopped says so.
    """
    readers = program.find_readers()
    result = api.ask(
        question,
        asker=program.asker,
        audience=readers.audience,
        conversation=api.continue_or_open_conversation(conversation, origin=program.origin, asker=program.asker),
        filters=readers.narrow(filters),
        selected_text=selected_text,
        on_step=on_step,
        is_stopped=is_stopped,
    )
    if program.asks_for and program.find_readers().audience != readers.audience:
        raise NotFoundError(READERS_CHANGED)
    return as_json(
        result,
        guidance=api.guidance_beside(result, audience=readers.audience),
        # It speaks of the person's own budget, and is shown once: not where others read along.
        notice="" if program.asks_for else api.take_budget_notice(result.request_id),
        audience=readers.as_json(),
    )


def search(program: Program, query: str, *, filters: Filters, k: int) -> SearchJson:
    """Return the passages that fit best among those that everyone may read who is shown them; see core.api.search."""
    readers = program.find_readers()
    found = api.search(query, audience=readers.audience, filters=readers.narrow(filters), k=k)
    return search_as_json(query, found, audience=readers.as_json())


def read_passage(program: Program, chunk_id: UUID) -> PassageInPlaceJson:
    """Return a passage in its document; see core.api.passage. NotFoundError unless all who are shown it may read it."""
    readers = find_known_readers(program)
    return passage_as_json(api.passage(chunk_id, audience=readers.audience), audience=readers.as_json())


def earlier_result(program: Program, request_id: str) -> ResultJson:
    """Return a result of a question of the person's own, as all who are shown it may see it now.

    NotFoundError for every other, and for what the program asked for others than it asks for now.
    """
    readers = find_known_readers(program)
    _check_asked_for(program, request_id)
    result = api.own_result(request_id, user_id=program.person.pk, audience=readers.audience)
    return as_json(result, audience=readers.as_json())


def explain(program: Program, request_id: str) -> ExplanationJson:
    """Return how a question of the person's own was decided, as far as all who are shown it may see it now.

    NotFoundError as for earlier_result.
    """
    readers = find_known_readers(program)
    _check_asked_for(program, request_id)
    told = explain_own(request_id, user_id=program.person.pk, audience=readers.audience)
    return explanation_as_json(told)


def issue_receipt(program: Program, request_id: str, *, left_out: Collection[str] = ()) -> IssuedReceipt:
    """Issue the signed receipt of a question of the person's own, for all who are shown it; see core.api.issue_receipt.

    NotFoundError as for earlier_result. The person's rights do not count: no program gets roles.
    """
    readers = find_known_readers(program)
    _check_asked_for(program, request_id)
    return api.issue_receipt(request_id, audience=readers.audience, viewer=program.person, left_out=left_out)


def end_conversation(program: Program, conversation: UUID) -> None:
    """End a conversation that the person began for the same others. NotFoundError for any other."""
    api.end_conversation(conversation, asker=program.asker)


def find_known_readers(program: Program) -> Readers:
    """Return who is shown what the program gets. NotFoundError that says why where nothing can be shown to them."""
    readers = program.find_readers()
    if readers.problem:
        raise NotFoundError(readers.problem)
    return readers


def _check_asked_for(program: Program, request_id: str) -> None:
    """Raise NotFoundError unless the person asked a question for the same others as the program asks for now.

    Another's is looked for as one that does not exist, statement by statement.
    """
    if "\0" in request_id:  # from an address; PostgreSQL refuses to look for it
        raise NotFoundError
    own = Query.objects.filter(asked_for(program.asks_for), request_id=request_id, user_id=program.person.pk)
    if not own.exists():
        raise NotFoundError
