"""Asking and searching over REST: the caller's own audience, the product's results, and clear errors."""

import json
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.settings import api_settings
from rest_framework.throttling import ScopedRateThrottle

from core.access.grants import grant, revoke
from core.api import open_conversation
from core.models import Conversation, Query
from core.testing import Cast
from core.types import Asker
from tests.integration.rest.conftest import (
    CANTEEN,
    CANTEEN_QUESTION,
    VAULT_QUESTION,
    Caller,
    Callers,
    Library,
    assert_no_canary,
)

pytestmark = pytest.mark.usefixtures("library")


def test_an_answer_comes_with_its_citation(callers: Callers, library: Library) -> None:
    """Bob's answer quotes the document that he may read, word for word."""
    result = callers.bob.ask(CANTEEN_QUESTION)
    assert result["message"] is None
    assert [citation["document_id"] for citation in result["citations"]] == [str(library.canteen.pk)]
    assert result["citations"][0]["quoted_excerpt"] in CANTEEN
    assert result["request_id"].startswith("req_")


def test_a_forbidden_document_leaves_no_trace(callers: Callers) -> None:
    """Asked by Bob or Charlie, the vault does not exist; asked by Alice it does."""
    assert "quagmire-7741" in callers.alice.ask(VAULT_QUESTION)["answer"]
    assert_no_canary(callers.bob.post("ask", question=VAULT_QUESTION))
    for caller in (callers.charlie, callers.analyst):
        response = caller.post("ask", question=VAULT_QUESTION)
        assert (response.json()["answer"], response.json()["retrieved"]) == (None, [])
        assert_no_canary(response)


def test_access_follows_the_grants_at_once(callers: Callers, cast: Cast, library: Library) -> None:
    """A grant opens the vault to Bob with his next question, and its revocation closes it."""
    grant(cast.staff, [library.vault], by=None)
    assert "quagmire-7741" in callers.bob.ask(VAULT_QUESTION)["answer"]
    revoke(cast.staff, [library.vault], by=None)
    assert_no_canary(callers.bob.post("ask", question=VAULT_QUESTION))


def test_search_finds_what_the_caller_may_read_and_nothing_else(callers: Callers, library: Library) -> None:
    """The same search finds both documents for Alice, one for Bob and none for Charlie."""

    def found(caller: Caller) -> set[str]:
        response = caller.post("search", query="harbour office", k=10)
        assert response.status_code == 200
        return {passage["document_id"] for passage in response.json()["results"]}

    assert found(callers.alice) == {str(library.vault.pk), str(library.canteen.pk)}
    assert found(callers.bob) == {str(library.canteen.pk)}
    assert found(callers.charlie) == set()
    assert_no_canary(callers.bob.post("search", query="quagmire vault code", k=50))


def test_filters_narrow_a_search(callers: Callers, library: Library) -> None:
    """A collection as filter leaves its documents alone; one that Bob may not read leaves him nothing."""
    narrowed = {"collection": "Zanzibar shelf"}
    alices = callers.alice.post("search", query="harbour office", filters=narrowed).json()["results"]
    assert {passage["document_id"] for passage in alices} == {str(library.vault.pk)}
    assert callers.bob.post("search", query="harbour office", filters=narrowed).json()["results"] == []


@pytest.mark.parametrize(
    ("question", "told"),
    [("", "no question"), ("ab", "too short"), ("x" * 1001, "1,000"), ("?!?!", "no words")],
)
def test_a_question_that_is_none_is_refused_as_a_result(callers: Callers, question: str, told: str) -> None:
    """Wrong length or no words is not an error of the program: a normal result says what is wrong."""
    result = callers.bob.ask(question)
    assert result["answer"] is None
    assert told in result["message"]
    assert result["citations"] == []


def test_small_talk_is_replied_to(callers: Callers) -> None:
    """As it is in Slack."""
    result = callers.bob.ask("thx m8")
    assert (result["answer"], result["state"], result["retrieved"]) == (None, "COMPLETE", [])
    assert result["message"].startswith("You are welcome!")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": None},
        {"question": 42},
        {"question": ["When does the canteen open?"]},
        {"question": "When\x00 does it open?"},
        {"question": CANTEEN_QUESTION, "filters": "minutes"},
        {"question": CANTEEN_QUESTION, "conversation": "not-a-uuid"},
        {"question": CANTEEN_QUESTION, "selected_text": 5},
    ],
)
def test_a_malformed_body_is_a_400_that_names_the_field(callers: Callers, body: dict[str, Any]) -> None:
    """A missing or mistyped field is named, with the same keys as every error."""
    response = callers.bob.post("ask", **body)
    assert response.status_code == 400
    assert response.json().keys() == {"detail", "code", "fields"}
    assert response.json()["fields"].keys() <= {"question", "filters", "conversation", "selected_text"}
    assert Query.objects.count() == 0


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"question": "\\ud800 lone"}', "application/json", 400),
        (b"question=x", "application/x-www-form-urlencoded", 415),
    ],
)
def test_what_is_no_json_object_is_refused(callers: Callers, content: bytes, content_type: str, status: int) -> None:
    """Broken JSON, another value than an object, a lone surrogate and forms are refused, not crashed over."""
    response = callers.bob.client.post("/api/v1/ask", content, content_type=content_type)
    assert response.status_code == status
    assert {"detail", "code"} <= response.json().keys()


@pytest.mark.parametrize("filters", [{"colour": "red"}, {"date_from": "yesterday"}, {"max_results": 99}])
def test_an_unusable_filter_is_named(callers: Callers, filters: dict[str, Any]) -> None:
    """The error says which filter cannot be used."""
    for path, body in (("ask", {"question": CANTEEN_QUESTION}), ("search", {"query": "canteen"})):
        response = callers.bob.post(path, filters=filters, **body)
        assert response.status_code == 400
        assert response.json()["code"] == "invalid_filter"
        assert next(iter(filters)) in response.json()["detail"]


@pytest.mark.parametrize("k", [0, 51, "many"])
def test_k_is_between_1_and_50(callers: Callers, k: Any) -> None:
    """Any other number of passages is refused."""
    response = callers.bob.post("search", query="canteen", k=k)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["k"]


def test_a_search_too_short_is_refused(callers: Callers) -> None:
    """A search has no results to be refused in: it is an error with the product's words."""
    response = callers.bob.post("search", query="a")
    assert response.status_code == 400
    assert response.json()["code"] == "invalid_question"


def test_selected_text_is_all_that_is_read(callers: Callers) -> None:
    """With selected text the answer comes from it, even though the library knows another."""
    selected = "The canteen in the harbour office opens at seven in summer."
    result = callers.bob.ask(CANTEEN_QUESTION, selected_text=selected)
    assert "seven" in result["answer"]
    assert "noon" not in json.dumps(result)
    assert [citation["document_id"] for citation in result["citations"]] == [None]


def test_a_conversation_goes_on_for_the_one_who_began_it(callers: Callers) -> None:
    """The id of a result continues its conversation."""
    first = callers.bob.ask(CANTEEN_QUESTION)
    second = callers.bob.ask("And when does it close?", conversation=first["conversation_id"])
    assert second["conversation_id"] == first["conversation_id"]


def test_a_conversation_ends_when_its_person_says_so(callers: Callers) -> None:
    """No question continues it then, ending it again is no error, and another person cannot end it."""
    first = callers.bob.ask(CANTEEN_QUESTION)["conversation_id"]
    path = f"conversations/{first}/end"
    refused = {callers.alice.post(path).content, callers.bob.post(f"conversations/{uuid4()}/end").content}
    assert len(refused) == 1
    assert callers.alice.post(path).status_code == 404
    assert Conversation.objects.get(pk=first).is_active
    for _ in range(2):
        ended = callers.bob.post(path)
        assert (ended.status_code, ended.json()) == (200, {"conversation_id": first, "is_active": False})
    result = callers.bob.ask("And when does it close?", conversation=first)
    assert (result["answer"], result["state"]) == (None, "FAILED")
    assert "it has ended" in result["message"]
    assert not Conversation.objects.get(pk=first).is_active


def test_anyone_elses_conversation_is_not_there(callers: Callers, cast: Cast) -> None:
    """Another person's conversation, one from Slack and one that never was give the same 404."""
    alices = callers.alice.ask(VAULT_QUESTION)["conversation_id"]
    slack = open_conversation(
        origin="slack",
        asker=Asker(user_id=cast.bob.pk),
        slack_team="T1",
        slack_channel="C1",
        slack_thread="1.0",
    )
    asked = Query.objects.count()
    answers = [
        callers.bob.post("ask", question=CANTEEN_QUESTION, conversation=str(conversation))
        for conversation in (alices, slack, uuid4())
    ]
    assert {(response.status_code, response.content) for response in answers} == {(404, answers[0].content)}
    assert Query.objects.count() == asked


def test_a_conversation_begun_over_rest_says_so(callers: Callers, cast: Cast) -> None:
    """Its origin is REST and its person the caller."""
    callers.bob.ask(CANTEEN_QUESTION)
    conversation = Conversation.objects.get()
    assert (conversation.origin, conversation.user) == ("rest", cast.bob)


def test_too_many_questions_are_told_to_wait(callers: Callers) -> None:
    """Past the rate, the answer is a 429 in the common form; other callers are not affected."""
    rates = {**api_settings.DEFAULT_THROTTLE_RATES, "ask": "1/minute"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScopedRateThrottle, "THROTTLE_RATES", rates)
        callers.bob.ask(CANTEEN_QUESTION)
        response = callers.bob.post("ask", question=CANTEEN_QUESTION)
        assert response.status_code == 429
        assert response.json()["code"] == "throttled"
        assert int(response.headers["Retry-After"]) > 0
        callers.alice.ask(CANTEEN_QUESTION)
