"""Asking servers of http and https whose address somebody entered."""

import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import httpcore
import httpx

from core.errors import FetchError, SourceError, UnsafeUrlError
from core.library.ingestion.sources.connections import CheckedBackend, trust_authorities
from core.library.ingestion.sources.policy import MOST_REDIRECTS, REDIRECTS, Policy, follow
from core.library.sync.connector import Access
from core.library.sync.files import store
from core.values.sizes import MEGABYTE

_HEADERS = {"User-Agent": "Footnote", "Accept-Encoding": "identity"}
_FAULTS = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)


class GuardedClient:
    """Asks one server, and where wanted those to which it redirects."""

    def __init__(
        self,
        owner: object,
        access: Access,
        *,
        credentials: Callable[[], Mapping[str, str]] = dict,
        follows_redirects: bool = False,
    ) -> None:
        """The connections are closed with the owner.

        credentials: the headers that say who asks. They go to the server that is asked, and not to another origin to
        which it redirects. follows_redirects: by the rule of `core.library.ingestion.sources.policy`; otherwise a
        redirect is an answer like any other.
        """
        self._access = access
        self._credentials = credentials
        self._follows_redirects = follows_redirects
        self._clients: dict[Policy, httpx.Client] = {}
        self._open = ExitStack()
        weakref.finalize(owner, self._open.close)

    def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        """Ask, and read the answer to its end."""
        with self.stream(method, url, params=params, headers=headers, content=content) as response:
            response.read()
        return response

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> Iterator[httpx.Response]:
        """Ask, and yield the answer, of which nothing but its head is read yet.

        Redirects keep the method, because all that is asked of a source is only read. SourceError for a host that may
        not be asked.
        """
        policy, credentials = self._access.policy, dict(self._credentials())
        asked = httpx.URL(url, params=params) if params else httpx.URL(url)
        for _ in range(MOST_REDIRECTS + 1):
            client = self._client_under(policy)
            sent = _HEADERS | dict(headers or {}) | credentials
            request = client.build_request(method, asked, headers=sent, content=content)
            response = client.send(request, stream=True)
            try:
                location = response.headers.get("location")
                if not (self._follows_redirects and location and response.status_code in REDIRECTS):
                    yield response
                    return
            finally:
                response.close()
            hop = follow(policy, str(asked), location)
            asked, policy = httpx.URL(hop.url), hop.policy
            credentials = credentials if hop.keeps_credentials else {}
        raise SourceError(f"{url} redirects more than {MOST_REDIRECTS} times.")

    def _client_under(self, policy: Policy) -> httpx.Client:
        """One for each policy, so that no connection is used by whom it would not have been opened for."""
        if policy not in self._clients:
            transport = _GuardedTransport(replace(self._access, policy=policy))
            client = httpx.Client(transport=transport, timeout=store.ANSWER_S, trust_env=False)
            self._clients[policy] = self._open.enter_context(client)
        return self._clients[policy]


class _GuardedTransport(httpx.BaseTransport):
    """Each request waits its turn and goes only where it may; each answer has an end."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._pool = httpcore.ConnectionPool(
            ssl_context=access.policy.ssl_context or trust_authorities(),
            network_backend=CheckedBackend(access.addresses_of, lambda: self._deadline),
        )
        self._deadline = 0.0  # of the answer that is awaited, with its head

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, of which nothing but its head is read yet."""
        self._access.pause()
        self._deadline = time.monotonic() + store.LOADING_S + store.ANSWER_S
        url = request.url
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        answer = self._pool.handle_request(asked)
        body = _Body(answer, (self._access.max_mb + store.LISTING_MB) * MEGABYTE)
        response = httpx.Response(status_code=answer.status, headers=answer.headers, stream=body)
        if response.headers.get("content-encoding", "identity") != "identity":
            body.close()
            raise SourceError(f"{url.host} sends its answers compressed although asked not to.")
        return response

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """Read a server's answer up to a number of bytes; the connection has a deadline."""

    def __init__(self, answer: httpcore.Response, most: int) -> None:
        self._answer = answer
        self._most = most

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        for piece in self._answer.iter_stream():
            received += len(piece)
            if received > self._most:
                raise SourceError("The server's answer has no end. Check the address.")
            yield piece

    def close(self) -> None:
        self._answer.close()


@contextmanager
def translate_faults(server: str) -> Iterator[None]:
    """SourceError for whatever keeps a server from answering. server: for people."""
    try:
        yield
    except (UnsafeUrlError, FetchError) as error:
        raise SourceError(error.message) from None
    except (httpx.TimeoutException, httpcore.TimeoutException):
        raise SourceError(f"{server} does not answer in time, or its answer has no end. Check its address.") from None
    except _FAULTS:  # their text may hold addresses with what is secret in them
        raise SourceError(
            f"{server} does not answer, or not as it should. Check its address, and that it can be reached from here."
        ) from None
