"""Hostile messages to MCP: each gets an error that says what is wrong, and leaves no row behind."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client

from core.models import AuthToken
from core.testing import Cast, fetch_chunks
from tests.integration.hostile import (
    MARK,
    assert_alive,
    assert_not_logged,
    assert_says_nothing_internal,
    nothing_written,
)
from tests.integration.rest.conftest import CANTEEN, CANTEEN_QUESTION, Library, assert_no_canary

UNKNOWN = "00000000-0000-4000-8000-000000000000"
BOTH = "application/json, text/event-stream"
QUESTION = f"What is {MARK}?"
SEARCH_WITH_K = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call",'
    b'"params":{"name":"search","arguments":{"query":"harbour office","k":'
)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A message with Bob's token, and what it has to get."""

    what: str
    body: bytes | Callable[[], bytes]
    status: frozenset[int]
    headers: dict[str, str] = field(default_factory=dict)
    says: str = ""
    is_refused: bool = True  # by an error of the protocol or of the tool


def raw(what: str, body: bytes | Callable[[], bytes], *status: int, **how: Any) -> Sent:
    """A body as it is."""
    return Sent(what=what, body=body, status=frozenset(status), **how)


def said(what: str, message: Any, *status: int, **how: Any) -> Sent:
    """A message as JSON."""
    return raw(what, lambda: json.dumps(message).encode(), *status, **how)


def call(tool: Any, arguments: Any, **more: Any) -> dict[str, Any]:
    """The message that calls a tool."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments} | more}


def refused(what: str, tool: Any, arguments: Any, says: str = "") -> Sent:
    """A call that is refused, as an error of the tool or of the protocol."""
    return said(what, call(tool, arguments), 200, 400, says=says)


def request(method: Any, **more: Any) -> dict[str, Any]:
    """Any message."""
    return {"jsonrpc": "2.0", "id": 1, "method": method} | more


MESSAGES = (
    raw("no body", b"", 400),
    raw("not JSON", b"hello " + MARK.encode(), 400),
    raw("half a JSON", b'{"jsonrpc": "2.0", "id": 1', 400),
    raw("not UTF-8", b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', 400),
    raw("nested 100,000 deep", b"[" * 100_000, 400),
    raw(
        "arguments nested 10,000 deep",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
        400,
    ),
    raw("compressed", b"\x1f\x8b\x08\x00", 400, headers={"Content-Encoding": "gzip"}),
    raw("larger than a message is", lambda: b" " * 600_000 + b"{}", 413, says="larger than 512 KB"),
    said("null", None, 400),
    said("a number", 7, 400),
    said("a text", MARK, 400),
    said("an empty batch", [], 400),
    said("a batch of 1,000 calls", [call("search", {"query": QUESTION})] * 1000, 400),
    said("no version", {"id": 1, "method": "tools/list"}, 400),
    said("another version of JSON-RPC", request("tools/list", jsonrpc="1.0"), 400),
    said("a method that is a number", request(5), 400),
    said("a method that is null", request(None), 400),
    said("a method that there is not", request(f"tools/{MARK}"), 200, 400, 404),
    said("a method of 100,000 characters", request("a" * 100_000), 200, 400, 404),
    said("an id that is a list", request("tools/list", id=[1]), 202, 400),
    said("an id that is an object", request("tools/list", id={"a": 1}), 202, 400),
    said("an id of 400,000 characters", request("tools/nothing", id="i" * 400_000), 200, 400, 404),
    said("params that are text", request("tools/call", params=MARK), 400),
    said("params that are a list", request("tools/call", params=[MARK]), 400),
    said("no params", request("tools/call"), 200, 400),
    said(
        "a progress token that is an object",
        call("search", {"query": QUESTION}, _meta={"progressToken": {"a": 1}}),
        200,
        400,
    ),
    said(
        "a notification where a request is meant",
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "ask", "arguments": {"question": QUESTION}}},
        202,
        400,
        is_refused=False,
    ),
    said(
        "a response to what was never asked",
        {"jsonrpc": "2.0", "id": 99, "result": {"a": MARK}},
        202,
        400,
        is_refused=False,
    ),
    said(
        "a cancellation of what is not",
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}},
        202,
        400,
        is_refused=False,
    ),
    said(
        "an error of ours that is theirs",
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 0, "message": MARK}},
        202,
        400,
        is_refused=False,
    ),
    said(
        "a start in an unknown version",
        request(
            "initialize",
            params={"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": MARK, "version": "0"}},
        ),
        200,
        400,
        is_refused=False,
    ),
    said("a start without anything", request("initialize"), 200, 400),
    said(
        "a start whose client is a number",
        request("initialize", params={"protocolVersion": "2025-06-18", "capabilities": 7, "clientInfo": 7}),
        200,
        400,
    ),
    said(
        "resources, which there are not", request("resources/read", params={"uri": "file:///etc/passwd"}), 200, 400, 404
    ),
    said("prompts, which there are not", request("prompts/get", params={"name": MARK}), 200, 400, 404),
    said("completions, which there are not", request("completion/complete", params={}), 200, 400, 404),
    said(
        "a page of tools that there is not",
        request("tools/list", params={"cursor": "../../x"}),
        200,
        400,
        is_refused=False,
    ),
)
TOOLS = (
    refused("a tool that there is not", "drop_tables", {}, "search, ask, read_passage"),
    refused("a tool without a name", None, {}),
    refused("a tool that is a path", "../../ask", {"question": QUESTION}, "search, ask, read_passage"),
    refused("a tool of 100,000 characters", "a" * 100_000, {}),
    refused("arguments that are text", "ask", MARK),
    refused("arguments that are a list", "ask", [QUESTION]),
    refused("a question that is null", "ask", {"question": None}, "question"),
    refused("a question that is a list", "ask", {"question": [QUESTION]}, "question"),
    refused("a question that is an object", "ask", {"question": {"text": QUESTION}}, "question"),
    refused("10,000 arguments", "ask", {"question": QUESTION} | {f"a{n}": n for n in range(10_000)}),
    refused("an argument of 100,000 characters", "search", {"query": "q" * 100_000}, "1,000"),
    refused("an argument's name of 100,000 characters", "search", {"query": QUESTION, "n" * 100_000: 1}),
    refused("a person", "ask", {"question": QUESTION, "user": "alice@example.com"}, "user"),
    refused("an audience", "search", {"query": QUESTION, "audience": []}, "audience"),
    refused("k of 10^30", "search", {"query": QUESTION, "k": 10**30}, "k"),
    refused("k that is negative", "search", {"query": QUESTION, "k": -5}, "k"),
    refused("k that is true", "search", {"query": QUESTION, "k": True}, "k"),
    refused("max_results of 10^30", "ask", {"question": QUESTION, "max_results": 10**30}, "max_results"),
    refused("a date of year 99999", "search", {"query": QUESTION, "date_from": "99999-01-01"}, "date_from"),
    refused("a filter of 1,000 characters", "search", {"query": QUESTION, "source": "s" * 1000}, "300"),
    refused("a conversation of SQL", "ask", {"question": QUESTION, "conversation_id": "' OR 1=1"}, "conversation_id"),
    refused(
        "a conversation that is not there",
        "ask",
        {"question": QUESTION, "conversation_id": UNKNOWN},
        "no such conversation",
    ),
    refused("a passage that is a path", "read_passage", {"chunk_id": "../../etc/passwd"}, "chunk_id"),
    refused("a passage that is a number", "read_passage", {"chunk_id": 10**40}, "chunk_id"),
    refused("a passage that is not there", "read_passage", {"chunk_id": UNKNOWN}, "you may not read it"),
    refused("a query with half a character alone", "search", {"query": "\ud800"}),
    raw(
        "NaN for k",
        SEARCH_WITH_K + b"NaN}}}",
        200,
        400,
    ),
    raw(
        "a number of 5,000 digits",
        SEARCH_WITH_K + b"9" * 5000 + b"}}}",
        200,
        400,
    ),
)
HEADERS = tuple(
    said(what, request("tools/list"), *status, headers=headers)
    for what, headers, status in (
        ("no token", {"Authorization": ""}, (401,)),
        ("a token of REST's header", {"Authorization": "Token abc"}, (401,)),
        ("a token with NUL", {"Authorization": "Bearer \x00"}, (401,)),
        ("a token of 100,000 characters", {"Authorization": "Bearer " + "a" * 100_000}, (401,)),
        ("an answer as HTML", {"Accept": "text/html"}, (406,)),
        ("a form", {"Content-Type": "application/x-www-form-urlencoded"}, (400, 415)),
        ("a foreign page", {"Origin": "https://evil.example"}, (403,)),
        ("a page of nowhere", {"Origin": "null"}, (403,)),
        ("a foreign host", {"Host": "evil.example"}, (400,)),
        ("a version of the protocol that there is not", {"MCP-Protocol-Version": "1999-01-01"}, (400,)),
        ("a version of 8,000 characters", {"MCP-Protocol-Version": "9" * 8000}, (400,)),
    )
)
CASES = (*MESSAGES, *TOOLS, *HEADERS)


def send(case: Sent, token: str) -> Any:
    """The response to a message."""
    usual = {"Host": "testserver", "Accept": BOTH, "Content-Type": "application/json"}
    headers = usual | {"Authorization": f"Bearer {token}"} | case.headers
    body = case.body() if callable(case.body) else case.body
    return Client().generic("POST", "/mcp", body, headers.pop("Content-Type"), headers=headers)


@pytest.fixture
def token(cast: Cast) -> str:
    """Bob's."""
    return str(AuthToken.objects.create(cast.bob)[1])


@pytest.mark.parametrize("case", CASES, ids=[case.what.replace(" ", "-") for case in CASES])
def test_a_hostile_message_to_mcp_changes_nothing(
    case: Sent, token: str, fast: None, caplog: pytest.LogCaptureFixture
) -> None:
    """It has the status of its kind and an error, and nothing of it stays."""
    with nothing_written():
        response = send(case, token)
    text = response.content.decode()
    assert response.status_code in case.status, text[:300]
    if response.status_code == 200 and case.is_refused:
        answer = response.json()
        assert "error" in answer or answer["result"]["isError"]
    assert case.says in text
    assert_says_nothing_internal(text)
    assert_not_logged(caplog)
    assert_alive()


def test_a_session_and_a_passage_of_somebody_else_are_of_no_use(token: str, library: Library) -> None:
    """There are no sessions to take over, and Alice's passage looks like one that is not there."""
    (chunk,) = fetch_chunks(library.vault)
    for arguments in ({"chunk_id": str(chunk.pk)}, {"chunk_id": UNKNOWN}):
        case = said("x", call("read_passage", arguments), 200, headers={"Mcp-Session-Id": "of-alice"})
        response = send(case, token)
        assert "you may not read it" in response.content.decode()
        assert_no_canary(response)


def test_after_all_of_them_a_question_is_answered(token: str, library: Library) -> None:
    """One process hears them all, and then somebody asks."""
    for case in CASES:
        assert send(case, token).status_code in {*case.status, 429}
    asked = said("a question", call("ask", {"question": CANTEEN_QUESTION}), 200)
    assert CANTEEN in send(asked, token).content.decode()
