"""A client hears of the steps of an answer, and one that goes away stops it: over HTTP and over standard input."""

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from asgiref.sync import async_to_sync
from mcp import Client

from adminsite.mcp import streams
from core.llm.scripted import answers, script_model
from core.mcp.server import STEPS, Progress, Steps, make_server
from core.models import Query
from core.testing import Cast
from tests.integration.bot.test_progress import wait_until
from tests.integration.mcp.conftest import MODES, HttpPerson, given
from tests.integration.rest.conftest import CANARIES, CANTEEN, CANTEEN_QUESTION, VAULT_QUESTION, Library

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = list(STEPS.values())


@pytest.fixture
def bob(address: str, cast: Cast, library: Library) -> HttpPerson:
    """Bob's client."""
    return HttpPerson(address, cast.bob)


class SlowModel:
    """A model that says nothing until it may."""

    def __init__(self) -> None:
        self.is_called, self.may_end = threading.Event(), threading.Event()

    def __call__(self, _messages: Any) -> Any:
        """Wait, and draft nothing."""
        self.is_called.set()
        assert self.may_end.wait(60)
        return answers()


@contextlib.contextmanager
def slow_model() -> Iterator[SlowModel]:
    """Within the block the answer model waits; after it, what still waits may end."""
    model = SlowModel()
    with script_model(*[model] * 4):
        try:
            yield model
        finally:
            model.may_end.set()


async def heard_while_asking(client: Client, question: str) -> tuple[list[tuple[float, float | None, str | None]], Any]:
    """Return the progress that a client hears of, and the result."""
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    result = await client.call_tool("ask", {"question": question}, progress_callback=hear)
    return heard, result


@pytest.mark.parametrize("mode", MODES)
def test_a_client_hears_of_the_steps_and_then_gets_the_answer(mode: str, bob: HttpPerson) -> None:
    """By the protocol of before and of today, each step once and in order."""
    heard, result = bob.session(lambda client: heard_while_asking(client, CANTEEN_QUESTION), mode)
    assert heard == [(number, 3, message) for number, message in enumerate(WORDS, 1)]
    assert given(result)["answer"] == f"{CANTEEN} [1]"


@pytest.mark.parametrize("mode", MODES)
def test_progress_tells_nothing_of_what_may_not_be_read(mode: str, bob: HttpPerson) -> None:
    """Its words are ours, whatever is asked or found."""
    heard, result = bob.session(lambda client: heard_while_asking(client, VAULT_QUESTION), mode)
    assert {message for _, _, message in heard} <= set(WORDS)
    said = (repr(heard) + result.model_dump_json()).casefold()
    assert [canary for canary in CANARIES if canary.casefold() in said] == []


def test_progress_only_grows() -> None:
    """An answer that is mended is read and checked twice."""
    told: list[Progress] = []
    steps = Steps(told.append)
    for step in ("searching", "reading", "checking", "reading", "checking"):
        steps.note(step)
    assert [(each.done, each.total) for each in told] == [(1, 3), (2, 3), (3, 3)]


def post(address: str, token: str, accept: str, meta: dict[str, Any] | None, tool: str = "ask") -> httpx2.Response:
    """Return the response to a call of a tool, as a client of the protocol 2025-11-25 posts it."""
    arguments = {"question": CANTEEN_QUESTION} if tool == "ask" else {"query": CANTEEN_QUESTION}
    params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return httpx2.post(
        address,
        json={"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params},
        headers={"Accept": accept, "Authorization": f"Bearer {token}"},
        timeout=60,
    )


BOTH = "application/json, text/event-stream"


def test_only_who_asks_for_progress_gets_a_stream(bob: HttpPerson) -> None:
    """Without a token, or where no event stream is accepted, it is JSON as before; so is what has no steps."""
    token = {"progressToken": "p1"}
    for accept, meta, tool in ((BOTH, None, "ask"), (BOTH, {"other": 1}, "ask"), (BOTH, token, "search")):
        response = post(bob.address, bob.token, accept, meta, tool)
        assert response.headers["Content-Type"] == "application/json"
        assert response.json()["result"]["structuredContent"]
    streamed = post(bob.address, bob.token, BOTH, token)
    assert streamed.headers["Content-Type"].startswith("text/event-stream")
    events = [json.loads(line.removeprefix("data: ")) for line in streamed.text.splitlines() if line.startswith("data")]
    assert [event.get("method") for event in events] == ["notifications/progress"] * 3 + [None]
    assert {event["params"]["progressToken"] for event in events[:3]} == {"p1"}
    assert events[3]["id"] == 7
    refused = post(bob.address, "wrong", BOTH, token)
    assert refused.status_code == 401


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_gives_up_stops_the_answer(mode: str, bob: HttpPerson, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a model is waited for: the question ends as stopped, the model's reply is not waited for."""
    monkeypatch.setattr(streams, "PING_EVERY_S", 0.2)

    async def give_up(client: Client) -> None:
        with anyio.move_on_after(20) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(heard_while_asking, client, CANTEEN_QUESTION)
                await anyio.to_thread.run_sync(model.is_called.wait)
                group.cancel_scope.cancel()
        assert not scope.cancelled_caught

    with slow_model() as model:
        with contextlib.suppress(httpx2.HTTPError):
            bob.session(give_up, mode)
        wait_until(lambda: Query.objects.get().state == "STOPPED")
        assert not model.may_end.is_set()


@pytest.mark.parametrize("mode", MODES)
def test_a_cancelled_call_over_an_open_connection_is_stopped(mode: str, cast: Cast, library: Library) -> None:
    """As over standard input: by `notifications/cancelled`. The session goes on, and the next call is answered."""

    async def talk() -> Any:
        async with Client(make_server(cast.bob.pk), mode=mode) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(heard_while_asking, client, CANTEEN_QUESTION)
                await anyio.to_thread.run_sync(model.is_called.wait)
                group.cancel_scope.cancel()
            return await client.call_tool("search", {"query": CANTEEN_QUESTION})

    with slow_model() as model:
        found = async_to_sync(talk)()
        assert not model.may_end.is_set()
        assert given(found)["results"]
        assert Query.objects.get().state == "STOPPED"


def test_other_requests_are_answered_while_a_stream_is_open(bob: HttpPerson) -> None:
    """The stream keeps its own thread, and no other."""

    async def ask_beside(client: Client) -> Any:
        async with anyio.create_task_group() as group:
            group.start_soon(heard_while_asking, client, CANTEEN_QUESTION)
            await anyio.to_thread.run_sync(model.is_called.wait)
            found = await client.call_tool("search", {"query": CANTEEN_QUESTION})
            assert not model.may_end.is_set()
            model.may_end.set()
        return found

    with slow_model() as model:
        assert given(bob.session(ask_beside))["results"]


@pytest.mark.parametrize("mode", MODES)
def test_results_are_as_their_schemas_say_and_tools_say_what_they_do(mode: str, bob: HttpPerson) -> None:
    """Every tool has a title, hints and a schema of what it gives, which what it gives fits."""

    async def call_each(client: Client) -> Any:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        asked = await client.call_tool("ask", {"question": CANTEEN_QUESTION})
        refused = await client.call_tool("ask", {"question": "Who painted the lighthouse in 1871?"})
        chunk, begun = given(asked)["citations"][0]["chunk_id"], given(asked)["conversation_id"]
        planned = await client.call_tool("plan_research", {"topic": "the harbour office"})
        research = {"research_id": given(planned)["research_id"]}
        return tools, [
            ("plan_research", planned),
            ("start_research", await client.call_tool("start_research", research)),
            ("read_research", await client.call_tool("read_research", research)),
            ("stop_research", await client.call_tool("stop_research", research)),
            ("ask", asked),
            ("ask", refused),
            ("search", await client.call_tool("search", {"query": CANTEEN_QUESTION})),
            ("read_passage", await client.call_tool("read_passage", {"chunk_id": chunk})),
            ("list_contradictions", await client.call_tool("list_contradictions", {})),
            ("issue_receipt", await client.call_tool("issue_receipt", {"request_id": given(asked)["request_id"]})),
            ("end_conversation", await client.call_tool("end_conversation", {"conversation_id": begun})),
        ]

    tools, results = bob.session(call_each, mode)
    assert {name for name, _ in results} == set(tools)
    for name, result in results:
        jsonschema.validate(given(result), tools[name].output_schema)
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert {name for name, hint in hints.items() if hint.read_only_hint} == {
        "search",
        "read_passage",
        "list_contradictions",
        "read_research",
    }
    assert {name for name, hint in hints.items() if hint.idempotent_hint} == set(tools) - {
        "ask",
        "issue_receipt",
        "plan_research",
    }
    assert not any(hint.destructive_hint or hint.open_world_hint for hint in hints.values())
    assert all(tool.title and tool.annotations.title == tool.title for tool in tools.values())


def test_a_citation_says_which_statement_it_carries_and_where_it_stands(bob: HttpPerson, library: Library) -> None:
    """With the words of the quote, the document, its part, and the passage to read on from."""
    (citation,) = given(bob.call("ask", question=CANTEEN_QUESTION))["citations"]
    assert citation["statements"] == [CANTEEN]
    assert citation["quoted_excerpt"] in CANTEEN
    assert citation["document_name"] == "Canteen rules"
    assert citation["source_url"] == "https://library.example/canteen-rules"
    assert {"section", "page_number", "document_date", "chunk_id"} <= citation.keys()
