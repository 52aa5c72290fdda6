"""MCP over HTTP: the SDK's client against a running web process."""

import datetime as dt
import json
from typing import Any
from uuid import UUID, uuid4

import anyio
import httpx2
import pytest
from django.db import connection
from django.test import Client as WebClient
from mcp import Client, MCPError
from mcp.types import CallToolResult
from pytest_django import Settings
from rest_framework.throttling import SimpleRateThrottle

from core.access.grants import revoke
from core.asking.answering.requests import LONGEST_SELECTION
from core.asking.research.running import run_research
from core.infrastructure.version import VERSION
from core.mcp import MAX_BODY
from core.mcp.server import make_server
from core.models import AuthToken, Conversation, Query, User
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks
from core.types import Origin
from tests.integration.mcp.conftest import MODES, HttpPerson, given, told
from tests.integration.rest.conftest import CANARIES, CANTEEN, CANTEEN_QUESTION, VAULT, VAULT_QUESTION, Caller, Library

pytestmark = pytest.mark.django_db(transaction=True)
EVERYTHING = "harbour office vault canteen"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def alice(address: str, cast: Cast, library: Library) -> HttpPerson:
    """Alice's client."""
    return HttpPerson(address, cast.alice)


@pytest.fixture
def bob(address: str, cast: Cast, library: Library) -> HttpPerson:
    """Bob's client."""
    return HttpPerson(address, cast.bob)


@pytest.fixture
def charlie(address: str, cast: Cast, library: Library) -> HttpPerson:
    """Charlie's client."""
    return HttpPerson(address, cast.charlie)


def found(result: CallToolResult) -> set[str]:
    """The chunks of a search."""
    return {passage["chunk_id"] for passage in given(result)["results"]}


def ids_of(*documents: Any) -> set[str]:
    """The chunks of some documents."""
    return {str(chunk.pk) for chunk in fetch_chunks(*documents)}


def assert_no_canary(result: CallToolResult) -> None:
    """Nothing of the forbidden document is anywhere in the result."""
    text = result.model_dump_json().casefold()
    assert [canary for canary in CANARIES if canary.casefold() in text] == []


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_these_and_none_has_an_argument_for_a_person(mode: str, bob: HttpPerson) -> None:
    """Whoever the client is, it learns these tools, each with a closed set of arguments."""
    filters = {"source", "document_type", "collection", "chapter", "section", "date_from", "date_to"}
    tools = bob.session(lambda client: client.list_tools(), mode).tools
    assert {tool.name: set(tool.input_schema["properties"]) for tool in tools} == {
        "search": {"query", "k", *filters},
        "ask": {"question", "conversation_id", "selected_text", "max_results", *filters},
        "read_passage": {"chunk_id"},
        "end_conversation": {"conversation_id"},
        "list_contradictions": {"state", "page"},
        "issue_receipt": {"request_id", "left_out"},
        "plan_research": {"topic", *filters},
        "start_research": {"research_id", "most_minutes", "most_usd"},
        "read_research": {"research_id"},
        "stop_research": {"research_id"},
    }
    assert {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint} == {
        "search",
        "read_passage",
        "list_contradictions",
        "read_research",
    }
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)


@pytest.mark.parametrize("mode", MODES)
def test_each_person_finds_exactly_what_they_may_read(
    mode: str, alice: HttpPerson, bob: HttpPerson, charlie: HttpPerson, library: Library
) -> None:
    """Alice both documents, Bob the one that he shares, Charlie nothing."""
    assert found(alice.call("search", mode, query=EVERYTHING, k=50)) == ids_of(library.vault, library.canteen)
    of_bob = bob.call("search", mode, query=EVERYTHING, k=50)
    assert found(of_bob) == ids_of(library.canteen)
    assert_no_canary(of_bob)
    assert given(charlie.call("search", mode, query=EVERYTHING, k=50))["results"] == []


def test_the_json_is_that_of_rest(bob: HttpPerson, library: Library) -> None:
    """A search and an answer have the same parts and, times and ids aside, the same values."""
    rest = Caller(bob.user)
    searched, by_rest = given(bob.call("search", query=EVERYTHING)), rest.post("search", query=EVERYTHING).json()
    assert {**searched, "took_ms": 0} == {**by_rest, "took_ms": 0}
    asked, by_rest = given(bob.call("ask", question=CANTEEN_QUESTION)), rest.ask(CANTEEN_QUESTION)
    own = {"request_id", "conversation_id", "trace_id", "processing_time_ms", "timings_ms"}
    assert asked.keys() == by_rest.keys()
    assert {name: asked[name] for name in asked.keys() - own} == {name: by_rest[name] for name in asked.keys() - own}
    assert asked["answer"] == f"{CANTEEN} [1]"


def test_the_text_of_a_result_is_its_json(bob: HttpPerson) -> None:
    """A client that does not know structured results reads the same."""
    result = bob.call("search", query=EVERYTHING)
    assert [json.loads(block.text) for block in result.content] == [result.structured_content]


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_uses_only_what_the_person_may_read(
    mode: str, alice: HttpPerson, bob: HttpPerson, charlie: HttpPerson, library: Library
) -> None:
    """Alice is answered from the vault's document; what Bob and Charlie get is as if it did not exist."""
    answered = given(alice.call("ask", mode, question=VAULT_QUESTION))
    assert {citation["document_id"] for citation in answered["citations"]} == {str(library.vault.pk)}
    assert VAULT in answered["answer"]
    of_bob = bob.call("ask", mode, question=VAULT_QUESTION)
    assert {retrieved["chunk_id"] for retrieved in given(of_bob)["retrieved"]} == ids_of(library.canteen)
    assert_no_canary(of_bob)
    of_charlie = charlie.call("ask", mode, question=VAULT_QUESTION)
    assert (given(of_charlie)["answer"], given(of_charlie)["retrieved"]) == (None, [])
    assert_no_canary(of_charlie)


def test_a_follow_up_continues_the_conversation_of_its_person_alone(
    alice: HttpPerson, bob: HttpPerson, library: Library
) -> None:
    """Bob can go on with his own, Alice cannot go on with Bob's, nor either with one that is not of MCP."""
    first = given(bob.call("ask", question=CANTEEN_QUESTION))["conversation_id"]
    assert Conversation.objects.get(pk=first).origin == Origin.MCP
    assert given(bob.call("ask", question="And on Fridays?", conversation_id=first))["conversation_id"] == first
    rest = Caller(bob.user).ask(CANTEEN_QUESTION)["conversation_id"]
    before = Query.objects.count()
    refused = {
        told(alice.call("ask", question=CANTEEN_QUESTION, conversation_id=first)),
        told(bob.call("ask", question=CANTEEN_QUESTION, conversation_id=rest)),
        told(bob.call("ask", question=CANTEEN_QUESTION, conversation_id=UNKNOWN)),
    }
    assert len(refused) == 1
    assert Query.objects.count() == before


def test_selected_text_alone_is_searched(alice: HttpPerson) -> None:
    """The library's text is not used, though Alice may read it."""
    shop = "The shop on the pier closes at six."
    answered = given(alice.call("ask", question="When does the shop close?", selected_text=shop))
    assert answered["answer"] == f"{shop} [1]"
    assert answered["retrieved"] == []
    assert given(alice.call("ask", question=VAULT_QUESTION, selected_text=shop))["answer"] is None


def test_a_research_is_planned_started_and_read_by_its_person_alone(
    alice: HttpPerson, bob: HttpPerson, library: Library
) -> None:
    """The page has each sentence with its citations, as parts and as text; it is that of REST."""
    planned = given(alice.call("plan_research", topic=EVERYTHING))
    assert (planned["state"], planned["estimate"]["questions"]) == ("planned", len(planned["questions"]))
    research = {"research_id": planned["research_id"]}
    assert given(alice.call("start_research", **research, most_minutes=5, most_usd=0.5))["budget"] == {
        "most_minutes": 5,
        "most_usd": 0.5,
    }
    run_research(UUID(planned["research_id"]))
    read = given(alice.call("read_research", **research))
    stated = [one for citation in read["page"]["citations"] for one in citation["statements"]]
    assert (read["state"], {VAULT, CANTEEN} <= set(stated)) == ("done", True)
    assert VAULT in read.pop("markdown")
    assert read == Caller(alice.user).get(f"research/{planned['research_id']}").json()
    assert given(alice.call("stop_research", **research))["is_stopped"]
    for tool in ("start_research", "read_research", "stop_research"):
        assert told(bob.call(tool, **research)) == "This does not exist, or you may not read it."
    assert_no_canary(bob.call("plan_research", topic="the vault in the harbour office"))
    assert "most_minutes" in told(alice.call("start_research", **research, most_minutes=0))


def test_a_conversation_is_ended_by_who_began_it(alice: HttpPerson, bob: HttpPerson, library: Library) -> None:
    """Nothing continues it then; for anybody else it is not there."""
    first = given(bob.call("ask", question=CANTEEN_QUESTION))["conversation_id"]
    assert "no such conversation" in told(alice.call("end_conversation", conversation_id=first))
    assert given(bob.call("ask", question=CANTEEN_QUESTION, conversation_id=first))["answer"]
    assert given(bob.call("end_conversation", conversation_id=first)) == {"conversation_id": first, "is_active": False}
    assert given(bob.call("ask", question=CANTEEN_QUESTION, conversation_id=first))["answer"] is None


def test_filters_narrow(alice: HttpPerson, library: Library) -> None:
    """They are flat arguments with the names that REST has."""
    assert found(alice.call("search", query=EVERYTHING, collection="zanzibar shelf")) == ids_of(library.vault)
    assert found(alice.call("search", query=EVERYTHING, source="Canteen", k=1)) <= ids_of(library.canteen)
    assert found(alice.call("search", query=EVERYTHING, document_type="minutes")) == set()


def test_a_passage_is_read_with_its_neighbours(bob: HttpPerson, library: Library) -> None:
    """From one chunk_id to the next, to the end of the document."""
    first, second = (str(chunk.pk) for chunk in fetch_chunks(library.canteen))
    passage = given(bob.call("read_passage", chunk_id=first))
    assert passage == {
        "chunk_id": first,
        "document_id": str(library.canteen.pk),
        "document_name": "Canteen rules",
        "document_type": "page",
        "document_date": None,
        "source_url": "https://library.example/canteen-rules",
        "page_number": None,
        "chapter": None,
        "section": None,
        "content": CANTEEN,
        "position": 1,
        "chunk_count": 2,
        "previous_chunk_id": None,
        "next_chunk_id": second,
        "audience": {"kind": "person", "label": None, "problem": None},
    }
    following = given(bob.call("read_passage", chunk_id=second))
    assert (following["previous_chunk_id"], following["next_chunk_id"]) == (first, None)


@pytest.mark.parametrize("mode", MODES)
def test_a_forbidden_passage_looks_like_a_missing_one(mode: str, bob: HttpPerson, library: Library) -> None:
    """The same result, to the last character."""
    (forbidden,) = ids_of(library.vault)
    refused = bob.call("read_passage", mode, chunk_id=forbidden)
    assert refused.content == bob.call("read_passage", mode, chunk_id=UNKNOWN).content
    assert told(refused) == "There is no such passage, or you may not read it."
    assert_no_canary(refused)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("search", {}, "query"),
        ("search", {"query": EVERYTHING, "as": "alice@example.com"}, "as"),
        ("search", {"query": EVERYTHING, "audience": "everyone"}, "audience"),
        ("search", {"query": EVERYTHING, "k": 51}, "k"),
        ("search", {"query": EVERYTHING, "k": "5"}, "k"),
        ("search", {"query": "?"}, "question"),
        ("search", {"query": EVERYTHING, "date_from": "yesterday"}, "date_from"),
        ("search", {"query": 7}, "query"),
        ("ask", {"question": CANTEEN_QUESTION, "max_results": 11}, "max_results"),
        ("ask", {"question": CANTEEN_QUESTION, "conversation_id": "mine"}, "conversation_id"),
        ("read_passage", {"chunk_id": "first"}, "chunk_id"),
        ("issue_receipt", {"request_id": "x" * 31}, "request_id"),
        ("forget", {}, "search, ask, read_passage"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(
    mode: str, tool: str, arguments: dict[str, Any], named: str, bob: HttpPerson
) -> None:
    """As an error of the tool, which a model can read; no internals, no address of an explanation."""
    message = told(bob.call(tool, mode, **arguments))
    assert named in message
    assert [word for word in ("Traceback", "http", "core.", "pydantic") if word in message] == []


def statuses(address: str, authorization: str | None) -> tuple[int, str]:
    """Send a message with this header; return its status, and a 401's challenge."""
    headers = {"Accept": "application/json, text/event-stream"}
    if authorization is not None:
        headers["Authorization"] = authorization
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    response = httpx2.post(address, json=body, headers=headers)
    return response.status_code, response.headers.get("WWW-Authenticate", "")


def challenged(address: str, *, is_token: bool = True) -> str:
    """Build a 401's challenge: where a program learns how to sign in, and that a token does not work."""
    error = 'error="invalid_token",error_description="The token does not work here.",' if is_token else ""
    metadata = address.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    return f'Bearer {error}scope="ask",resource_metadata="{metadata}"'


def test_nobody_gets_in_without_a_valid_token(bob: HttpPerson, cast: Cast) -> None:
    """No token, a wrong one, an expired one, one that was deleted; with a valid one there are tools."""
    _row, expired = AuthToken.objects.create(cast.bob, expiry=-dt.timedelta(seconds=1))
    assert statuses(bob.address, f"Bearer {bob.token}") == (200, "")
    wrong = ("Bearer", "Bearer x", f"Bearer {'0' * 64}", f"Bearer {expired}", f"Basic {bob.token}", "Bearer fnp_x")
    for each in (None, "", *wrong):
        assert statuses(bob.address, each) == (401, challenged(bob.address, is_token=bool(each)))
    bob.row.delete()
    assert statuses(bob.address, f"Bearer {bob.token}") == (401, challenged(bob.address))


def test_a_session_of_the_browser_does_not_count(cast: Cast, library: Library) -> None:
    """So no page can call in the name of whoever is signed in and looks at it."""
    browser = WebClient()
    browser.force_login(cast.alice)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert browser.post("/mcp", body, content_type="application/json").status_code == 401


def test_who_is_deactivated_in_the_middle_of_a_session_is_out(bob: HttpPerson, library: Library) -> None:
    """The next message is refused, though the client is still connected."""

    async def talk(client: Client) -> tuple[CallToolResult, str]:
        before = await client.call_tool("search", {"query": EVERYTHING})
        await anyio.to_thread.run_sync(deactivate, bob.user.pk)
        with pytest.raises(MCPError) as refused:
            await client.call_tool("search", {"query": EVERYTHING})
        return before, str(refused.value)

    before, refused = bob.session(talk)
    assert found(before) == ids_of(library.canteen)
    assert "harbour" not in refused
    assert statuses(bob.address, f"Bearer {bob.token}") == (401, challenged(bob.address))


def test_a_token_that_is_taken_back_in_the_middle_of_a_session_ends(bob: HttpPerson, library: Library) -> None:
    """The next message is refused, though the client is still connected."""

    async def talk(client: Client) -> CallToolResult:
        before = await client.call_tool("search", {"query": EVERYTHING})
        await anyio.to_thread.run_sync(take_back, bob.row.pk)
        with pytest.raises(MCPError):
            await client.call_tool("search", {"query": EVERYTHING})
        return before

    assert found(bob.session(talk)) == ids_of(library.canteen)
    assert statuses(bob.address, f"Bearer {bob.token}") == (401, challenged(bob.address))


def test_a_token_without_the_scope_calls_no_tool(bob: HttpPerson, library: Library) -> None:
    """The tools can be listed; each call is refused in words, and does not use up the allowance."""
    AuthToken.objects.filter(pk=bob.row.pk).update(scopes=["reports"])
    assert "scope ask" in told(bob.call("search", query=EVERYTHING))
    assert "scope ask" in told(bob.call("ask", question=CANTEEN_QUESTION))
    assert not Query.objects.exists()


def test_what_is_revoked_in_the_middle_of_a_session_is_gone(bob: HttpPerson, cast: Cast, library: Library) -> None:
    """The passage that was just found cannot be read any more."""
    (first, _second) = sorted(found(bob.call("search", query=EVERYTHING)))
    assert given(bob.call("read_passage", chunk_id=first))["chunk_id"] == first
    revoke(cast.staff, [library.canteen], by=None)
    assert "you may not read it" in told(bob.call("read_passage", chunk_id=first))
    assert found(bob.call("search", query=EVERYTHING)) == set()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
        ({}, 200),
    ],
)
def test_requests_that_a_foreign_page_could_make_are_refused(
    headers: dict[str, str], status: int, bob: HttpPerson
) -> None:
    """A name that was bound to this address anew, a page of another origin, a form; without any of it it works."""
    usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    own = {"Authorization": f"Bearer {bob.token}"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert httpx2.post(bob.address, content=body, headers=usual | own | headers).status_code == status


def test_its_own_origin_and_a_trusted_one_may_call(bob: HttpPerson, settings: Settings) -> None:
    """A page that Footnote serves itself, and those of CSRF_TRUSTED_ORIGINS."""
    settings.CSRF_TRUSTED_ORIGINS = ["https://tools.example.com"]
    for origin in (bob.address.removesuffix("/mcp"), "https://tools.example.com"):
        tools = bob.session(lambda client: client.list_tools(), Origin=origin).tools
        assert "ask" in {tool.name for tool in tools}


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_are_no_streams_and_no_sessions(method: str, bob: HttpPerson) -> None:
    """A stream would hold a thread of the web process for as long as a client likes."""
    headers = {"Authorization": f"Bearer {bob.token}", "Accept": "application/json, text/event-stream"}
    assert httpx2.request(method, bob.address, headers=headers).status_code == 405


def test_a_message_has_a_largest_size(bob: HttpPerson) -> None:
    """A message longer than any needs to be is not read."""
    headers = {"Authorization": f"Bearer {bob.token}", "Accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * MAX_BODY}}
    assert httpx2.post(bob.address, json=body, headers=headers).status_code == 413
    longest = bob.call("ask", question="When does the shop close?", selected_text="\u00e9" * LONGEST_SELECTION)
    assert not longest.is_error


@pytest.mark.parametrize("body", ["", "{", "[]", "7", '{"jsonrpc": "2.0"}', '{"jsonrpc": "2.0", "id": 1, "method": 5}'])
def test_what_is_no_message_is_refused(body: str, bob: HttpPerson) -> None:
    """With an error that holds nothing internal."""
    headers = {
        "Authorization": f"Bearer {bob.token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    response = httpx2.post(bob.address, content=body, headers=headers)
    assert response.status_code == 400
    assert "Traceback" not in response.text


def test_rest_and_mcp_use_up_one_allowance(bob: HttpPerson, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person asks as often as REST_ASK_RATE says, by whichever way, and reads on meanwhile."""
    rates = SimpleRateThrottle.THROTTLE_RATES
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {**rates, "ask": "3/minute"})
    assert Caller(bob.user).post("ask", question=CANTEEN_QUESTION).status_code == 200
    assert not bob.call("ask", question=CANTEEN_QUESTION).is_error
    assert not bob.call("plan_research", topic="the canteen").is_error
    assert "Wait a minute" in told(bob.call("plan_research", topic="the canteen"))
    assert "Wait a minute" in told(bob.call("ask", question=CANTEEN_QUESTION))
    assert Caller(bob.user).post("ask", question=CANTEEN_QUESTION).status_code == 429
    assert not bob.call("search", query=EVERYTHING).is_error


def test_a_crash_tells_nothing(bob: HttpPerson, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever goes wrong inside, the client hears that something did; the log has the rest."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE core_chunk RENAME TO core_chunk_away")
    try:
        messages = {told(bob.call("search", mode, query=EVERYTHING)) for mode in MODES}
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE core_chunk_away RENAME TO core_chunk")
    assert messages == {"Something went wrong in Footnote. Tell an administrator if it happens again."}
    assert "tool_crashed" in caplog.messages


def take_back(token_id: Any) -> None:
    """Delete a token, on a connection of this thread's own."""
    AuthToken.objects.filter(pk=token_id).delete()
    connection.close()


def deactivate(user_id: Any) -> None:
    """Deactivate a person, on a connection of this thread's own."""
    User.objects.filter(pk=user_id).update(is_active=False)
    connection.close()


def test_the_server_has_the_version_of_the_product() -> None:
    """Clients show it beside the name."""
    assert make_server(uuid4()).version == VERSION
