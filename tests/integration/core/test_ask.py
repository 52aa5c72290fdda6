"""The one door: questions in, answers with verified citations or honest refusals out."""

import datetime as dt
import json
from typing import Any
from uuid import uuid4

import pytest

from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, give_feedback, open_conversation, search, stored_result
from core.asking.history.results import stored_citations
from core.errors import NotFoundError
from core.llm.scripted import answers, calls, script_model
from core.models import Answer as AnswerRow
from core.models import Conversation, Document, Feedback, Query, QueryLog
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer, Filters, QueryState, Refusal, RefusalReason

pytestmark = pytest.mark.usefixtures("fast")

VAULT = "The vault in the harbour office opens with the code K7741 on weekdays."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners], section="Opening"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
    }


def ask_as(cast: Cast, name: str, question: str, **options: object) -> Answer | Refusal:
    user = getattr(cast, name)
    return ask(question, asker=asker_for(user), audience=audience_of([user.pk]), **options)


def test_an_answer_quotes_word_for_word(cast: Cast) -> None:
    """The default model's answer carries a citation whose quote is a slice of the chunk."""
    result = ask_as(cast, "alice", "With which code does the vault in the harbour office open?")
    assert isinstance(result, Answer)
    assert "K7741" in result.text
    citation = result.citations[0]
    assert citation.quoted_excerpt == VAULT[citation.start : citation.end]
    assert citation.label == "[Vault rules, section Opening]"
    assert citation.source_reference == "Section Opening"
    assert result.state is QueryState.COMPLETE
    assert 1 <= result.agent_steps <= 5


def test_the_forbidden_answer_looks_like_no_answer(cast: Cast) -> None:
    """Bob's question about Alice's document ends as one about nothing at all: same message, same state, no trace."""
    forbidden = ask_as(cast, "bob", "What is the code of the vault?")
    absent = ask_as(cast, "bob", "Which submarine did the walrus paint yesterday?")
    assert isinstance(forbidden, Refusal)
    assert isinstance(absent, Refusal)
    assert (forbidden.message, forbidden.reason, forbidden.state) == (absent.message, absent.reason, absent.state)
    assert "vault rules" not in json.dumps(as_json(forbidden)).casefold()
    assert "K7741" not in json.dumps(as_json(forbidden))


def test_a_person_without_roles_gets_a_refusal_and_no_retrieval(cast: Cast) -> None:
    """Charlie's question retrieves nothing."""
    result = ask_as(cast, "charlie", "When does the canteen open?")
    assert isinstance(result, Refusal)
    assert result.retrieved == ()


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("", "no question"),
        ("  ", "no question"),
        ("ab", "too short"),
        ("x" * 1001, "1,001 characters"),
        ("???", "no words"),
    ],
)
def test_what_is_no_question_is_refused_with_the_reason(cast: Cast, question: str, says: str) -> None:
    """The message says what is wrong; nothing is stored but the log's figures."""
    result = ask_as(cast, "alice", question)
    assert isinstance(result, Refusal)
    assert result.reason is RefusalReason.INVALID_QUESTION
    assert says in result.message
    assert Query.objects.count() == 0
    assert QueryLog.objects.get().request_id == result.request_id


def test_everything_is_written_down_before_it_is_returned(cast: Cast) -> None:
    """Query, answer, citations and log are in the database; the log holds ids and no text."""
    result = ask_as(cast, "alice", "When does the canteen open?")
    assert isinstance(result, Answer)
    row = AnswerRow.objects.get(query__request_id=result.request_id)
    assert row.answer_text == result.text
    assert row.citations.count() == len(result.citations)
    states = ("NEW", "EMBEDDING_GENERATED", "RETRIEVAL_COMPLETE", "RESPONSE_GENERATED", "COMPLETE")
    assert set(row.query.reached_at) == set(states)
    reached = [dt.datetime.fromisoformat(row.query.reached_at[state]) for state in states]
    assert reached == sorted(reached)
    log = QueryLog.objects.get(request_id=result.request_id)
    assert result.mean_similarity == pytest.approx(log.mean_similarity)
    assert log.chunk_ids == [retrieved.chunk_id for retrieved in result.retrieved]
    assert "canteen" not in str(QueryLog.objects.filter(pk=log.pk).values().get()).casefold()


def test_an_invented_quote_is_not_shown(cast: Cast) -> None:
    """Whatever the model claims, invented words are not shown; the documents' own words are."""
    with script_model(answers(("The vault opens with 0000.", 1, "opens with the code 0000"))):
        result = ask_as(cast, "alice", "With which code does the vault open?")
    assert isinstance(result, Answer)
    assert (result.text, result.model_provider) == (f"{VAULT} [1]", "extractive")
    assert QueryLog.objects.get(request_id=result.request_id).dropped_statements == 1


def test_the_agent_searches_with_the_same_eyes(cast: Cast) -> None:
    """A further search of the model finds nothing that the audience may not read."""
    with script_model(calls("pgvector_retriever", query="vault code"), answers()) as script:
        result = ask_as(cast, "bob", "When does the canteen open?")
    assert "K7741" not in f"{script.asked} {result}"
    assert result.agent_steps == 2


def test_the_model_cannot_choose_the_audience(cast: Cast) -> None:
    """A call with an argument that the tool does not have is refused and uses up a step."""
    with script_model(calls("pgvector_retriever", query="vault", audience="alice"), answers(("x", 1, "y"))) as script:
        ask_as(cast, "bob", "When does the canteen open?")
    assert "K7741" not in str(script.asked)


def test_the_step_limit_ends_without_words_of_the_model(cast: Cast) -> None:
    """Five steps without an end, and no sixth call forces an answer: the documents' own words are all that is left."""
    with script_model(*[calls("pgvector_retriever", query="canteen") for _ in range(5)]) as script:
        result = ask_as(cast, "alice", "When does the canteen open?")
    assert isinstance(result, Answer)
    assert (result.text, result.model_provider) == (f"{CANTEEN} [1]", "extractive")
    assert len(script.asked) == 5


def test_a_model_that_is_away_leaves_the_documents_own_words_without_internals(cast: Cast) -> None:
    """The person gets what the key-free model says, and is told why."""
    with script_model(RuntimeError("secret stack trace")):
        result = ask_as(cast, "alice", "When does the canteen open?")
    assert isinstance(result, Answer)
    assert (result.text, result.model_provider) == (f"{CANTEEN} [1]", "extractive")
    assert "did not respond" in result.message
    assert "secret" not in result.message
    assert QueryLog.objects.get().model_settings["model"] == "scripted/model"


@pytest.mark.parametrize(
    ("model", "hint"),
    [("openai/gpt-4.1-mini", "OPENAI_API_KEY"), ("nonsense", "Check the model's name and its key")],
    ids=["without a key", "of no provider"],
)
def test_a_model_that_is_not_set_up_is_for_the_administrator(
    cast: Cast, settings: Any, caplog: pytest.LogCaptureFixture, model: str, hint: str
) -> None:
    """The asker gets the documents' own words and is sent to an administrator; the log names the settings."""
    settings.LLM_MODEL, settings.LLM_RETRIES = model, 0
    result = ask_as(cast, "alice", "When does the canteen open?")
    assert isinstance(result, Answer)
    assert (result.text, result.model_provider) == (f"{CANTEEN} [1]", "extractive")
    assert "administrator" in result.message
    assert hint in " ".join(str(vars(record)) for record in caplog.records)


def test_a_revocation_between_search_and_answer_counts(cast: Cast, library: dict[str, Document]) -> None:
    """A document revoked before the answer is written does not leave."""

    def revoke_when_checking(step: str) -> None:
        if step == "checking":
            revoke(cast.owners, [library["vault"]], by=None)

    result = ask_as(cast, "alice", "With which code does the vault open?", on_step=revoke_when_checking)
    assert isinstance(result, Refusal)


def test_selected_text_is_the_whole_corpus(cast: Cast) -> None:
    """The answer comes from the selection although the library says otherwise; what it lacks is refused."""
    text = "In the tower the canteen opens at nine and serves porridge."
    result = ask_as(cast, "alice", "When does the canteen open?", selected_text=text)
    assert isinstance(result, Answer)
    assert "nine" in result.text
    assert "noon" not in result.text
    assert result.retrieved == ()
    shown = stored_result(result.request_id, audience=cast.audience(cast.alice), viewer=cast.alice.pk)
    assert isinstance(shown, Answer)
    for viewer in (cast.bob.pk, None):
        with pytest.raises(NotFoundError):
            stored_result(result.request_id, audience=cast.audience(cast.alice), viewer=viewer)
    missing = ask_as(cast, "alice", "With which code does the vault open?", selected_text=text)
    assert isinstance(missing, Refusal)


def test_a_follow_up_is_understood_from_the_question_before(cast: Cast) -> None:
    """ "And when does it close?" is about the canteen within its conversation, and about nothing without."""
    conversation = open_conversation(origin="rest", asker=asker_for(cast.bob))
    ask_as(cast, "bob", "When does the canteen open?", conversation=conversation)
    result = ask_as(cast, "bob", "And when does it close?", conversation=conversation)
    assert isinstance(result, Answer)
    assert "closes at three" in result.text


def test_a_conversation_belongs_to_who_opened_it(cast: Cast) -> None:
    """Somebody else's conversation is as absent as one that never was."""
    conversation = open_conversation(origin="rest", asker=asker_for(cast.alice))
    theirs = ask_as(cast, "bob", "When does the canteen open?", conversation=conversation)
    absent = ask_as(cast, "bob", "When does the canteen open?", conversation=uuid4())
    assert isinstance(theirs, Refusal)
    assert isinstance(absent, Refusal)
    assert theirs.message == absent.message


def test_a_thread_keeps_its_conversation_while_active(cast: Cast) -> None:
    """The same thread finds the same conversation, another thread another."""
    thread = {"slack_team": "T", "slack_channel": "C", "slack_thread": "1.0"}
    first = open_conversation(origin="slack", asker=asker_for(cast.alice), **thread)
    assert open_conversation(origin="slack", asker=asker_for(cast.bob), **thread) == first
    assert open_conversation(origin="slack", asker=asker_for(cast.bob), **thread | {"slack_thread": "2.0"}) != first
    assert Conversation.objects.count() == 2


def test_an_earlier_answer_is_shown_by_the_access_of_now(cast: Cast, library: dict[str, Document]) -> None:
    """Alice may see her answer again, Bob never, and Alice no more once her grant is gone."""
    result = ask_as(cast, "alice", "With which code does the vault open?")
    assert isinstance(result, Answer)
    shown = stored_result(result.request_id, audience=cast.audience(cast.alice))
    assert isinstance(shown, Answer)
    assert shown.text == result.text
    with pytest.raises(NotFoundError):
        stored_result(result.request_id, audience=cast.audience(cast.bob))
    assert stored_citations(result.request_id, audience=cast.audience(cast.bob)) == ()
    revoke(cast.owners, [library["vault"]], by=None)
    with pytest.raises(NotFoundError):
        stored_result(result.request_id, audience=cast.audience(cast.alice))


def test_a_deleted_document_is_gone_from_old_answers_too(cast: Cast, library: dict[str, Document]) -> None:
    """An answer that cites a deleted document can be shown to nobody."""
    result = ask_as(cast, "alice", "With which code does the vault open?")
    library["vault"].delete()
    with pytest.raises(NotFoundError):
        stored_result(result.request_id, audience=cast.audience(cast.alice))


def test_one_vote_per_person_and_answer(cast: Cast) -> None:
    """A second vote changes the first."""
    result = ask_as(cast, "bob", "When does the canteen open?")
    for verdict in ("up", "down"):
        give_feedback(result.request_id, user_id=cast.bob.pk, verdict=verdict)
    assert list(Feedback.objects.values_list("user_id", "verdict")) == [(cast.bob.pk, "down")]


def test_search_finds_exactly_what_may_be_read(cast: Cast) -> None:
    """The same query finds both documents for Alice, one for Bob, none for Charlie."""
    found = {
        name: {passage.document_name for passage in search("harbour office", audience=cast.audience(person)).passages}
        for name, person in (("alice", cast.alice), ("bob", cast.bob), ("charlie", cast.charlie))
    }
    assert found == {"alice": {"Vault rules", "Canteen rules"}, "bob": {"Canteen rules"}, "charlie": set()}


def test_filters_narrow_the_search(cast: Cast) -> None:
    """A source filter leaves that source alone."""
    found = search("harbour office", audience=cast.audience(cast.alice), filters=Filters(source="canteen"))
    assert {passage.document_name for passage in found.passages} == {"Canteen rules"}
