"""Every address of the web process, and what it says: bytes and statements, without what is random in each."""

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLResolver, get_resolver

from core.asking.confidence.threshold_values import forget_thresholds

_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")
# What each answer makes anew: ids, tokens, nonces, moments and what took how long.
_RANDOM = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"\b(?:fn|req|q)[-_][0-9A-Za-z_-]{8,}\b"), "<request>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<trace>"),
    (re.compile(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": )"\w+"'), r'\1"<csrf>"'),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)|\d{8}T\d{6}Z"), "<moment>"),
    (re.compile(r'("(?:\w*(?:_ms|_s|latency\w*)|seconds)\\?": ?)[\d.]+'), r"\1<time>"),
    (re.compile(r'"stages_ms\\?": ?\{[^}]*\}|"\w*_ms\\?": ?\{[^}]*\}'), "<times>"),
    (re.compile(r"data:image/svg\+xml;base64,[\w+/=]+|\b[A-Z2-7]{32}\b"), "<secret>"),
    # The export of the audit trail ends with the line that tells of the export.
    (re.compile(r'(?<="digest": ")[0-9a-f]{64}\b|(?<=,)[0-9a-f]{64}(?=\r?\n)'), "<digest>"),
    (re.compile(r"\b\d+\s(?:second|minute|hour)s?\b"), "<since then>"),
    (re.compile(r"(state|nonce|code_challenge)=[\w-]+"), r"\1=<random>"),
)
_SHORT = 2_000  # characters of a line that is remembered
_NOT_COMPARED = {"Expires", "Content-Length"}  # a moment; and the length of what is compared itself
_LITERALS = (
    (re.compile(r"'(?:[^']|'')*'"), "?"),
    (re.compile(r"\b\d+(?:\.\d+)?\b"), "?"),
    (re.compile(r'"?s\d+_x\d+"?|"_django_curs_\w+"'), "<name>"),
    (re.compile(r"\?(?:, \?)+"), "?, ..."),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A request, by whichever door."""

    path: str
    method: str = "GET"
    query: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None  # sent as JSON; None for none
    headers: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path} {dict(self.query or {})} {json.dumps(self.body)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A response of an address, with its statements."""

    status: int
    headers: dict[str, str]
    body: str
    statements: tuple[str, ...]


def routes() -> Iterator[str]:
    """Yield each route that the resolver knows, as it is written; a repeated route once."""
    return iter(dict.fromkeys(_routes_of(get_resolver(), "")))


def _routes_of(resolver: URLResolver, before: str) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from _routes_of(pattern, route)
        else:
            yield route.removesuffix("$")


def parameters_of(route: str) -> list[str]:
    """Return the names of a route's parameters."""
    return [first or second for first, second in _PARAMETER.findall(route)]


def fill(route: str, values: Mapping[str, Any]) -> str:
    """The address of a route with these values. KeyError for a parameter without one: somebody has to decide."""
    return "/" + _PARAMETER.sub(lambda found: str(values[found.group(1) or found.group(2)]), route)


def say(client: Client, request: Request) -> Said:
    """Return the response to whoever is signed in in a browser, and undo what the request did."""
    forget_thresholds()  # that are kept for some seconds: who asks for them first says one statement more
    cookies = copy.deepcopy(client.cookies)  # as they were before: one address signs out
    connection.queries_log.clear()  # of which Django keeps the last 9,000
    forget_thresholds()  # after some seconds they are read again: one more statement of whichever page comes then
    with transaction.atomic():
        with CaptureQueriesContext(connection) as captured:
            response = client.generic(
                request.method,
                request.path,
                json.dumps(request.body) if request.body is not None else "",
                "application/json",
                query_params=request.query or {},
                headers=request.headers or {},
            )
            body = _read(response)
        transaction.set_rollback(True)
    client.cookies = cookies
    return Said(
        status=response.status_code,
        headers={name: without_random(value) for name, value in response.headers.items() if name not in _NOT_COMPARED},
        body=without_random(body),
        statements=tuple(shape_of(query["sql"]) for query in captured.captured_queries),
    )


def _read(response: HttpResponseBase) -> str:
    if response.streaming:
        return b"".join(response.streaming_content).decode(errors="replace")  # type: ignore[attr-defined]
    return str(response.content.decode(errors="replace"))  # type: ignore[attr-defined]


def without_random(text: str) -> str:
    """A text without what is made anew for each answer. Nothing of that goes over the end of a line."""
    lines = text.splitlines(keepends=True)
    return "".join(_change_line(line) if len(line) < _SHORT else _change(line) for line in lines)


def _change(text: str) -> str:
    for pattern, stand_in in _RANDOM:
        text = pattern.sub(stand_in, text)
    return text


_change_line = lru_cache(maxsize=50_000)(_change)  # most lines of a page are those of other pages, too


@lru_cache(maxsize=10_000)
def shape_of(statement: str) -> str:
    """Return a statement without its values, however many of them a list has."""
    for pattern, stand_in in _LITERALS:
        statement = pattern.sub(stand_in, statement)
    return statement


def differences(one: Mapping[str, Said], other: Mapping[str, Said]) -> list[str]:
    """List the responses that differ between two worlds, each with the first difference."""
    assert one.keys() == other.keys()
    return [f"{asked}: {told}" for asked in one for told in _compare(one[asked], other[asked])]


def _compare(one: Said, other: Said) -> Iterator[str]:
    if one.status != other.status:
        yield f"{one.status} or {other.status}"
    if one.headers != other.headers:
        yield f"headers {set(one.headers.items()) ^ set(other.headers.items())}"
    if one.body != other.body:
        yield f"bodies {first_difference(one.body, other.body)}"
    if one.statements != other.statements:
        counts = f"{len(one.statements)} or {len(other.statements)} statements"
        yield f"{counts}, {first_difference(one.statements, other.statements)}"


def first_difference(one: Any, other: Any) -> str:
    """Return the first difference of two texts or lists."""
    place = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    around = slice(max(0, place - 60), place + 60) if isinstance(one, str) else slice(place, place + 1)
    return f"{one[around]!r} or {other[around]!r}"


def marks_in(said: Mapping[str, Said], marks: Iterable[str]) -> list[str]:
    """List the responses that hold a mark, in any case of letters."""
    return [
        f"{asked}: {mark}"
        for asked, one in said.items()
        for mark in marks
        if mark.casefold() in (one.body + str(one.headers)).casefold()
    ]
