"""Hostile requests to REST: each is refused in JSON that a person can read, and leaves no row behind."""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client

from core.models import AuthToken, Conversation
from tests.integration.hostile import (
    MARK,
    assert_alive,
    assert_not_logged,
    assert_says_nothing_internal,
    nothing_written,
)
from tests.integration.rest.conftest import CANTEEN_QUESTION, Callers, Library, assert_no_canary

JSON = "application/json"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
QUESTION = f"What is {MARK}?"
# A question that is none gets a result that says so, and counts; none of these tables holds its text.
FIGURES = ("core_auditevent", "core_conversation", "core_querylog")


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request with Bob's token, and what it has to get."""

    what: str
    path: str
    status: frozenset[int]
    method: str = "POST"
    body: bytes | Callable[[], bytes] = b""
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    says: str = ""
    besides: tuple[str, ...] = ()  # tables that may change


def posted(what: str, path: str, body: Any, *status: int, **how: Any) -> Sent:
    """A POST: of bytes as they are, of anything else as JSON."""
    raw = body if isinstance(body, bytes) or callable(body) else json.dumps(body).encode()
    return Sent(what=what, path=path, body=raw, status=frozenset(status), **how)


def got(what: str, path: str, *status: int, **how: Any) -> Sent:
    """A GET."""
    return Sent(what=what, path=path, method="GET", status=frozenset(status), **how)


def nested(depth: int) -> bytes:
    """A body with so many lists in each other."""
    return b'{"question": ' + b"[" * depth + b"]" * depth + b"}"


BODIES = (
    posted("no body", "ask", b"", 400, says="question"),
    posted("not JSON", "ask", b"question=" + MARK.encode(), 400, says="JSON"),
    posted("half a JSON", "ask", b'{"question": "' + MARK.encode(), 400, says="JSON"),
    posted("two values", "ask", b'{"question": "x"} {"question": "y"}', 400, says="JSON"),
    posted("null", "ask", None, 400),
    posted("a list", "ask", [QUESTION], 400),
    posted("a text", "ask", QUESTION, 400),
    posted("a number", "ask", 7, 400),
    posted("NaN", "search", b'{"query": "harbour office", "k": NaN}', 400, says="JSON"),
    posted("Infinity", "search", b'{"query": "harbour office", "k": Infinity}', 400, says="JSON"),
    posted("a number of 5,000 digits", "search", b'{"query": "harbour office", "k": ' + b"9" * 5000 + b"}", 400),
    posted("a number of 1e400", "search", b'{"query": "harbour office", "k": 1e400}', 400),
    posted("nested 10,000 deep", "ask", nested(10_000), 400, says="nested too deeply"),
    posted("nested 500 deep", "ask", nested(500), 400, says="question"),
    posted("an object nested 10,000 deep", "ask", b'{"a":' * 10_000 + b"1" + b"}" * 10_000, 400),
    posted("an UTF-8 that is none", "ask", b'{"question": "\xc3\x28\xa0\xa1"}', 400, says="JSON"),
    posted("UTF-16", "ask", json.dumps({"question": QUESTION}).encode("utf-16"), 400, says="JSON"),
    posted("a byte order mark", "ask", b"\xef\xbb\xbf" + json.dumps({"question": "??"}).encode(), 400),
    posted("an unknown charset", "ask", b"{}", 400, content_type="application/json; charset=klingon"),
    posted("a charset that is a path", "ask", b"{}", 400, content_type="application/json; charset=../../etc/passwd"),
    posted("bytes instead of text", "ask", b"\x80\x81", 400, content_type="application/json; charset=base64"),
    posted("compressed", "ask", b"\x1f\x8b\x08\x00", 400, headers={"Content-Encoding": "gzip"}),
    posted(
        "XML with an entity",
        "ask",
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        415,
        content_type="application/xml",
    ),
    posted("a form", "ask", b"question=" + MARK.encode(), 415, content_type="application/x-www-form-urlencoded"),
    posted("a file", "ask", b"--b\r\n\r\n--b--", 415, content_type="multipart/form-data; boundary=b"),
    posted("a content type that is none", "ask", b"{}", 415, content_type="\u00e9/;;;=,"),
    posted("a content type of 8,000 characters", "ask", b"{}", 415, content_type="a/" + "b" * 8_000),
    posted(
        "10 MB of one field", "ask", lambda: b'{"question": "' + b"a" * 10_000_000 + b'"}', 413, says="larger than 1 MB"
    ),
    posted(
        "900 KB of one field",
        "ask",
        lambda: b'{"question": "' + b"a" * 900_000 + b'"}',
        200,
        says="900,000 characters; the limit is 1,000",
        besides=FIGURES,
    ),
    posted("100,000 keys", "feedback", lambda: json.dumps({f"k{n}": n for n in range(60_000)}).encode(), 400),
)
FIELDS = (
    posted("a question that is null", "ask", {"question": None}, 400, says="question"),
    posted("a question that is a list", "ask", {"question": [MARK]}, 400, says="question"),
    posted("a question that is an object", "ask", {"question": {"$ne": MARK}}, 400, says="question"),
    posted("a question that is true", "ask", {"question": True}, 400, says="question"),
    posted(
        "a question of white space",
        "ask",
        {"question": "\u00a0\u2003\u200b\ufeff \n\t"},
        200,
        says='"answer":null',
        besides=FIGURES,
    ),
    posted(
        "a question of 1,001 characters",
        "ask",
        {"question": f"{MARK} " + "ä" * 1001},
        200,
        says="the limit is 1,000",
        besides=FIGURES,
    ),
    posted("a question with NUL", "ask", {"question": f"What is \x00 {MARK}?"}, 400),
    posted("a question with half a character", "ask", b'{"question": "What is \\ud800 it?"}', 400),
    posted(
        "selected text with half a character", "ask", b'{"question": "What is it?", "selected_text": "x\\udfff y"}', 400
    ),
    posted(
        "selected text that is a number", "ask", {"question": QUESTION, "selected_text": 7}, 400, says="selected_text"
    ),
    posted("selected text with NUL", "ask", {"question": QUESTION, "selected_text": "a\x00b"}, 400),
    posted(
        "a conversation that is no id", "ask", {"question": QUESTION, "conversation": "../1"}, 400, says="conversation"
    ),
    posted(
        "a conversation that is a list", "ask", {"question": QUESTION, "conversation": []}, 400, says="conversation"
    ),
    posted(
        "a conversation with a huge number",
        "ask",
        {"question": QUESTION, "conversation": 10**50},
        400,
        says="conversation",
    ),
    posted("a conversation that is not there", "ask", {"question": QUESTION, "conversation": UNKNOWN}, 404),
    posted("filters that are text", "ask", {"question": QUESTION, "filters": MARK}, 400, says="filters"),
    posted("filters that are a list", "search", {"query": QUESTION, "filters": [1]}, 400, says="filters"),
    posted("a filter that is an object", "search", {"query": QUESTION, "filters": {"source": {"a": 1}}}, 400),
    posted(
        "a filter with half a character",
        "search",
        b'{"query": "harbour office", "filters": {"source": "\\ud800"}}',
        200,
        400,
    ),
    posted("a filter with NUL", "search", {"query": QUESTION, "filters": {"collection": "a\x00"}}, 200, 400),
    posted(
        "a date of year 99999",
        "search",
        {"query": QUESTION, "filters": {"date_from": "99999-01-01"}},
        400,
        says="date_from",
    ),
    posted(
        "a date of the 31st of February",
        "search",
        {"query": QUESTION, "filters": {"date_to": "2024-02-31"}},
        400,
        says="date_to",
    ),
    posted("k that is negative", "search", {"query": QUESTION, "k": -1}, 400, says="k"),
    posted("k of 10^30", "search", {"query": QUESTION, "k": 10**30}, 400, says="k"),
    posted("k that is half a one", "search", {"query": QUESTION, "k": 1.5}, 400, says="k"),
    posted("k that is a list", "search", {"query": QUESTION, "k": [5]}, 400, says="k"),
    posted("a query with half a character", "search", b'{"query": "What is \\ud800 it?"}', 400),
    posted("a query with NUL", "search", {"query": "harbour \x00 office"}, 400),
    posted("a verdict on nobody's answer", "feedback", {"request_id": "req_20990101_00000000", "verdict": "up"}, 404),
    posted("a verdict on an answer with NUL", "feedback", {"request_id": "req_\x00", "verdict": "up"}, 400, 404),
    posted("a verdict on half a character", "feedback", b'{"request_id": "req_\\ud800", "verdict": "up"}', 400, 404),
    posted("a verdict that is a list", "feedback", {"request_id": "req_x", "verdict": ["up"]}, 400, says="verdict"),
    posted(
        "a verdict that is an object", "feedback", {"request_id": "req_x", "verdict": {"up": 1}}, 400, says="verdict"
    ),
    posted(
        "reasons that are an object",
        "feedback",
        {"request_id": "req_x", "verdict": "up", "reasons": {"a": 1}},
        400,
        says="reasons",
    ),
    posted(
        "reasons of lists", "feedback", {"request_id": "req_x", "verdict": "up", "reasons": [[]]}, 400, says="reasons"
    ),
    posted(
        "1,000 reasons",
        "feedback",
        {"request_id": "req_x", "verdict": "up", "reasons": ["wrong"] * 1000},
        400,
        says="reasons",
    ),
    posted(
        "a comment of 2,001 characters",
        "feedback",
        {"request_id": "req_x", "verdict": "up", "comment": "ü" * 2001},
        400,
        says="comment",
    ),
    posted(
        "a comment with NUL",
        "feedback",
        {"request_id": "req_x", "verdict": "up", "comment": f"\x00{MARK}"},
        400,
        says="comment",
    ),
    posted(
        "a comment with half a character",
        "feedback",
        b'{"request_id": "req_x", "verdict": "up", "comment": "\\ud800"}',
        400,
    ),
)
ADDRESSES = (
    got("page 0", "queries?page=0", 404),
    got("page -1", "documents?page=-1", 404),
    got("page 10^30", "documents?page=1000000000000000000000000000000", 404),
    got("page of text", "queries?page=%00", 404),
    got("a page of so many digits that none counts them", "queries?page=" + "9" * 5000, 404),
    got("a page size of 10^30", "queries?page_size=" + "9" * 30, 200),
    got("a page size that is negative", "queries?page_size=-5", 200),
    got("a date of year 99999", "queries?since=99999-01-01", 400, says="since"),
    got("a date of year 0", "queries?until=0000-00-00", 400, says="until"),
    got("a date that is text", "documents?date_from=%27%20OR%201=1", 400, says="date_from"),
    got("a title with NUL", "documents?title=%00", 400),
    got("a title that is no UTF-8", "documents?title=%ff%fe", 200),
    got("a title of 60,000 characters", "documents?title=" + "a" * 60_000, 200),
    got("a collection with NUL", "documents?collection=x%00y", 400),
    got("a request id with NUL", "evaluations?request_id=%00", 400),
    got("a usage report of ten thousand years", "reports/usage?since=0001-01-01&until=9999-12-31", 400, 403),
    got("a path above", "../../admin/", 404),
    got("an encoded path above", "%2e%2e/%2e%2e/etc/passwd", 404),
    got("an id that is a path above", "queries/..%2f..%2fetc%2fpasswd", 404),
    got("an id with NUL", "queries/%00", 404),
    got("an id with a line break", "queries/req%0d%0aSet-Cookie:%20a=b", 404),
    got("an id that is no UTF-8", "queries/%ff%fe", 404),
    got("an id of 60,000 characters", "queries/" + "a" * 60_000, 404),
    got("a conversation that is no id", "conversations/..%2f/end", 404),
    posted("the end of a conversation that is not there", f"conversations/{UNKNOWN}/end", {}, 404),
    got("a format that there is not", "queries?format=../../x", 400),
    got("the schema in a format that there is not", "schema?format=%00", 400),
    got("a language that is none", "queries", 200, headers={"Accept-Language": "x" * 10_000}),
    got("an Accept that is none", "queries", 200, 406, headers={"Accept": "\x00;q=a,/,*"}),
    got("a foreign host", "queries", 400, headers={"Host": "evil.example"}, says="host name"),
    got("a host with a path", "queries", 400, headers={"Host": "testserver/../x"}, says="host name"),
    got(
        "a forwarded address",
        "queries",
        200,
        headers={"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "evil.example"},
    ),
)
METHODS = (
    *(
        Sent(what=f"{method} of {path}", path=path, method=method, status=frozenset({405}), body=b"{}")
        for method, path in (
            ("GET", "ask"),
            ("PUT", "ask"),
            ("PATCH", "feedback"),
            ("DELETE", "queries"),
            ("DELETE", "documents"),
            ("TRACE", "ask"),
            ("PROPFIND", "queries"),
            ("POST", "queries"),
            ("POST", "evaluations"),
            ("BREW\u00e9", "ask"),
        )
    ),
    posted("a method behind another", "documents", {}, 405, headers={"X-HTTP-Method-Override": "DELETE"}),
    posted("a method in a field", "documents?_method=DELETE", {}, 405),
)
STRANGERS = (
    got("no token", "queries", 401, headers={"Authorization": ""}),
    got("two words for a token", "queries", 401, headers={"Authorization": "Token a b"}),
    got("an empty token", "queries", 401, headers={"Authorization": "Token "}),
    got("a token of another kind", "queries", 401, headers={"Authorization": "Basic YTpi"}),
    got("a token with NUL", "queries", 401, headers={"Authorization": "Token \x00"}),
    got("a token beyond ASCII", "queries", 401, headers={"Authorization": "Token " + "é" * 64}),
    got("a token of 100,000 characters", "queries", 401, headers={"Authorization": "Token " + "a" * 100_000}),
    got("a token that is SQL", "queries", 401, headers={"Authorization": "Token ' OR '1'='1"}),
    got("a token that is %", "queries", 401, headers={"Authorization": "Token %%%%%%%%%%%%%%%"}),
    posted("a question without a token", "ask", {"question": QUESTION}, 401, headers={"Authorization": ""}),
    posted("a body that cannot be read without a token", "ask", b"{", 401, headers={"Authorization": ""}),
)
CASES = (*BODIES, *FIELDS, *ADDRESSES, *METHODS, *STRANGERS)


def send(case: Sent, token: str) -> Any:
    """The response to the request, sent by Bob unless it says otherwise."""
    body = case.body() if callable(case.body) else case.body
    headers = {"Authorization": f"Token {token}"} | case.headers
    return Client().generic(case.method, f"/api/v1/{case.path}", body, case.content_type, headers=headers)


@pytest.mark.parametrize("case", CASES, ids=[case.what.replace(" ", "-") for case in CASES])
def test_a_hostile_request_to_rest_changes_nothing(
    case: Sent, callers: Callers, fast: None, caplog: pytest.LogCaptureFixture
) -> None:
    """It has the status of its kind and says what is wrong, in JSON, and nothing of it stays."""
    with nothing_written(*case.besides):
        response = send(case, callers.bob.token)
    said = response.content.decode()
    assert response.status_code in case.status, said[:300]
    if response.status_code >= 400:
        assert [name for name in ("detail", "code") if name not in said] == []
    assert case.says in said
    assert len(said) < 20_000
    assert_says_nothing_internal(said)
    assert_not_logged(caplog)
    assert_alive()


def test_nobody_reads_or_ends_what_is_anothers(callers: Callers, library: Library) -> None:
    """An answer, a verdict, a conversation of Alice's: to Bob each is as if it were not there."""
    asked = callers.alice.ask(CANTEEN_QUESTION)
    of_bob, request, conversation = callers.bob, asked["request_id"], asked["conversation_id"]
    with nothing_written():
        tried = [
            of_bob.get(f"queries/{request}"),
            of_bob.post("feedback", request_id=request, verdict="up"),
            of_bob.post("ask", question=CANTEEN_QUESTION, conversation=conversation),
            of_bob.post(f"conversations/{conversation}/end"),
        ]
    assert {(response.status_code, response.json()["code"]) for response in tried} == {(404, "not_found")}
    assert Conversation.objects.get(pk=conversation).is_active
    for response in tried:
        assert_no_canary(response)


def test_a_token_that_has_expired_is_none(callers: Callers) -> None:
    """As one that never was."""
    _row, expired = AuthToken.objects.create(callers.bob.user, expiry=-dt.timedelta(seconds=1))
    assert send(got("expired", "queries", 401), expired).status_code == 401


def test_after_all_of_them_a_question_is_answered(callers: Callers, library: Library, settings: Any) -> None:
    """One process hears them all, and then somebody asks."""
    for case in CASES:
        assert send(case, callers.bob.token).status_code in {*case.status, 429}
    response = callers.alice.post("ask", question=CANTEEN_QUESTION)
    assert response.json()["answer"].startswith("The canteen in the harbour office opens at noon")
