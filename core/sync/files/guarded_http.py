"""Asking servers of http and https whose address somebody entered."""

import math
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpcore
import httpx

from core.errors import FetchError, SourceError, UnsafeUrlError
from core.ingestion.sources.connections import CheckedBackend
from core.sizes import MEGABYTE
from core.sync.connector import Access
from core.sync.files import store

_LISTING_MB = 64  # of one answer that is no document
_FAULTS = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)


class GuardedTransport(httpx.BaseTransport):
    """Each request, a redirected one too, waits its turn and goes only where it may; each answer has an end."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._pool = httpcore.ConnectionPool(
            ssl_context=access.policy.ssl_context or httpcore.default_ssl_context(),
            network_backend=CheckedBackend(access.policy.addresses_of, math.inf),  # each answer has a deadline below
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, of which nothing but its head is read yet."""
        self._access.check_host(request.url.host)
        self._access.pause()
        url = request.url
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        answer = self._pool.handle_request(asked)
        body = _Body(answer, max(self._access.max_mb, _LISTING_MB) * MEGABYTE)
        response = httpx.Response(status_code=answer.status, headers=answer.headers, stream=body)
        if response.headers.get("content-encoding", "identity") != "identity":
            body.close()
            raise SourceError(f"{url.host} sends its answers compressed although asked not to.")
        return response

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """What a server sends, up to a number of bytes and of seconds."""

    def __init__(self, answer: httpcore.Response, most: int) -> None:
        self._answer = answer
        self._most = most
        self._deadline = time.monotonic() + store.LOADING_S

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        for piece in self._answer.iter_stream():
            received += len(piece)
            if received > self._most or time.monotonic() > self._deadline:
                raise SourceError("The server's answer has no end. Check the address.")
            yield piece

    def close(self) -> None:
        self._answer.close()


def build_client(
    owner: object,
    access: Access,
    *,
    auth: tuple[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    most_redirects: int = 0,
) -> httpx.Client:
    """What asks a server, until its owner is no more. auth: a user name and a password."""
    client = httpx.Client(
        transport=GuardedTransport(access),
        auth=auth,
        headers={"User-Agent": "Footnote", "Accept-Encoding": "identity"} | dict(headers or {}),
        timeout=store.ANSWER_S,
        trust_env=False,  # a proxy would resolve the name again
        follow_redirects=most_redirects > 0,
        max_redirects=most_redirects,
    )
    weakref.finalize(owner, client.close)
    return client


@contextmanager
def translate_faults(server: str) -> Iterator[None]:
    """SourceError for whatever keeps a server from answering. server: for people."""
    try:
        yield
    except (UnsafeUrlError, FetchError) as error:
        raise SourceError(error.message) from None
    except _FAULTS:  # their text may hold addresses with what is secret in them
        raise SourceError(
            f"{server} does not answer, or not as it should. Check its address, and that it can be reached from here."
        ) from None
