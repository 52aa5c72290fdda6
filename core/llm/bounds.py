"""Bound the replies of model servers: in time, in size, and in the wait for the first word.

A timeout of httpx bounds the wait for one piece, so a server that sends a byte now and then, or pieces without an end,
would never time out. These bounds hold for a call with all its retries: a server that hung is not waited for again. A
reply that comes whole shows no first word before its last: its time alone bounds it.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx

LARGEST_REPLY = 2_000_000  # bytes of a reply that comes whole
LARGEST_STREAM = 16_000_000  # bytes of one that comes in events, each of which has some 300 for a few letters
LARGEST_PACKED = 256_000  # bytes of one that is compressed: unpacked it may be a thousand times as long
_STREAMS = ("text/event-stream", "application/x-ndjson")
# How a stream says that it has ended: of OpenAI, Gemini, Anthropic, Cohere and Ollama. A server that dies closes the
# connection, which by itself looks like an end, behind half a sentence.
_END = re.compile(
    rb'\[DONE\]|"(?:finish_?reason|stop_reason)" ?: ?"|message_stop|message-end|"done" ?: ?true', re.IGNORECASE
)
_TAIL = 8_000  # bytes at the end of a stream in which it says so


@dataclass
class Bound:
    """Holds what one call of a model may take."""

    until: float  # of time.monotonic()
    first_words_until: float = float("inf")  # while it is streamed
    has_words: bool = False  # the first word has come
    is_over: bool = False  # it was too long: it is not asked for again

    def check(self, request: httpx.Request) -> None:
        """Raise what httpx raises when a server is too slow, once the time is over."""
        if self.is_over or time.monotonic() > self.ends_at:
            raise httpx.ReadTimeout("The model took too long, or its reply was too long.", request=request)

    @property
    def ends_at(self) -> float:
        """When the server must have sent more."""
        return self.until if self.has_words else min(self.until, self.first_words_until)


_current: ContextVar[Bound | None] = ContextVar("footnote_bound_of_a_call", default=None)


@contextmanager
def bounded(within_s: float) -> Iterator[Bound]:
    """Bound the calls of the block, which are one call and its retries, to so many seconds together."""
    bound = Bound(until=time.monotonic() + within_s)
    token = _current.set(bound)
    try:
        yield bound
    finally:
        _current.reset(token)


def bound_replies(litellm: Any) -> None:
    """Have LiteLLM call servers through clients that keep to the bound of a call. Embeddings have none."""
    from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_ssl_configuration

    litellm.client_session = _watch_client(httpx.Client(verify=get_ssl_configuration(), follow_redirects=True))
    create: Callable[[Any], httpx.Client] = HTTPHandler.create_client

    # A transport of our own, which LiteLLM would take, would turn off the proxies that the environment names.
    def create_watched(handler: Any) -> httpx.Client:
        return _watch_client(create(handler))

    setattr(HTTPHandler, "create_client", create_watched)  # noqa: B010 - mypy takes no other assignment to a method


def _watch_client(client: httpx.Client) -> httpx.Client:
    hooks = client.event_hooks
    client.event_hooks = {
        "request": [*hooks["request"], _shorten_wait],
        "response": [*hooks["response"], _bound_body],
    }
    return client


def _shorten_wait(request: httpx.Request) -> None:
    """Wait for the server no longer than the call has time."""
    if (bound := _current.get()) is None:
        return
    bound.check(request)
    left = bound.ends_at - time.monotonic()
    waits = request.extensions.get("timeout", {})
    request.extensions["timeout"] = {
        name: left if waits.get(name) is None else min(waits[name], left)
        for name in ("connect", "read", "write", "pool")
    }


def _bound_body(response: httpx.Response) -> None:
    if (bound := _current.get()) is None or not isinstance(response.stream, httpx.SyncByteStream):
        return
    is_packed = response.headers.get("Content-Encoding", "identity").lower() != "identity"
    is_stream = response.headers.get("Content-Type", "").startswith(_STREAMS)
    most = LARGEST_PACKED if is_packed else LARGEST_STREAM if is_stream else LARGEST_REPLY
    response.stream = _BoundedStream(
        response.stream, response.request, bound, most=most, has_end=is_stream and not is_packed
    )


class _BoundedStream(httpx.SyncByteStream):
    """The body of a reply, which ends with an error where it is too long or takes too long."""

    def __init__(
        self, body: httpx.SyncByteStream, request: httpx.Request, bound: Bound, *, most: int, has_end: bool
    ) -> None:
        """has_end: the protocol says where a reply ends, so that one that was broken off can be told."""
        self._body, self._request, self._bound, self._most, self._has_end = body, request, bound, most, has_end

    def __iter__(self) -> Iterator[bytes]:
        read, tail = 0, b""
        for piece in self._body:
            read += len(piece)
            self._bound.is_over = self._bound.is_over or read > self._most
            self._bound.check(self._request)
            tail = (tail + piece)[-_TAIL:]
            yield piece
        if self._has_end and not _END.search(tail):
            raise httpx.RemoteProtocolError("The model's server ended its reply in the middle.", request=self._request)

    def close(self) -> None:
        """Close the connection."""
        self._body.close()
