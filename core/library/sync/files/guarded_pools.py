"""Guard connections of urllib3, which several libraries use: to checked addresses, for answers with an end."""

import io
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from core.errors import SourceError
from core.library.ingestion.sources.connections import AddressesOf, open_socket
from core.library.sync.files import store
from core.values.sizes import MEGABYTE

_PACKED = {"gzip", "deflate", "br", "zstd", "x-gzip"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerBounds:
    """Limits on one answer with its head; larger than those on a document, which has an error of its own."""

    most_mb: int
    seconds: float

    @classmethod
    def beyond(cls, max_mb: int) -> "AnswerBounds":
        """Return those of a source whose documents may have so many megabytes."""
        return cls(most_mb=max_mb + store.LISTING_MB, seconds=store.LOADING_S + store.ANSWER_S)


def guard(manager: urllib3.PoolManager, addresses_of: AddressesOf, bounds: AnswerBounds) -> None:
    """Let a manager of pools connect to no address but those that were checked, and end each answer.

    An answer that is too large raises SourceError while it is read, one that takes too long TimeoutError.

    Its own classes of pools are kept for the rest. The name that is asked for stays in the Host header, in the name
    that is sent for TLS, and in the certificate's check. ValueError for a manager that asks a proxy, which would
    resolve the name again.
    """
    if manager.proxy is not None:
        raise ValueError("A proxy would resolve the name again.")
    manager.pool_classes_by_scheme = {
        scheme: _guarded(pool, addresses_of, bounds) for scheme, pool in manager.pool_classes_by_scheme.items()
    }


def build_session(addresses_of: AddressesOf, bounds: AnswerBounds) -> requests.Session:
    """Build a session of requests that is guarded as by `guard`, and reads no environment.

    Listings that come packed are refused: nothing says how much they unpack to.
    """
    session = requests.Session()
    session.trust_env = False  # no proxy, and no passwords of a .netrc
    for scheme in ("http://", "https://"):
        session.mount(scheme, _GuardedAdapter(addresses_of, bounds))
    return session


class _GuardedAdapter(HTTPAdapter):
    def __init__(self, addresses_of: AddressesOf, bounds: AnswerBounds) -> None:
        super().__init__()
        guard(self.poolmanager, addresses_of, bounds)

    def send(self, request: requests.PreparedRequest, *more: Any, **options: Any) -> requests.Response:
        """Return the answer, of which the content may not be read yet."""
        response = super().send(request, *more, **options)
        is_listing = "comp=list" in urlsplit(request.url or "").query
        if is_listing and response.headers.get("Content-Encoding", "").lower() in _PACKED:
            response.close()
            raise SourceError("The service sends its listing compressed although it was not asked to.")
        return response

    def proxy_manager_for(self, proxy: str, **_: Any) -> Any:
        raise ValueError("A proxy would resolve the name again.")


class _Bounded(io.RawIOBase):
    """Read from a socket, up to a number of bytes and a deadline."""

    def __init__(self, stream: io.RawIOBase, opened: socket.socket, bounds: AnswerBounds) -> None:
        self._stream = stream
        self._socket = opened
        self._wait = opened.gettimeout()
        self._left = bounds.most_mb * MEGABYTE
        self._deadline = time.monotonic() + bounds.seconds

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        """Read what has come. TimeoutError after the deadline, SourceError when there is too much."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("The answer has no end.")
        self._socket.settimeout(left if self._wait is None else min(self._wait, left))
        count = self._stream.readinto(buffer)
        self._left -= count or 0
        if self._left < 0:
            raise SourceError("The server's answer has no end. Check the address.")
        return count

    def close(self) -> None:
        """Close the stream; the socket is the connection's."""
        self._stream.close()
        super().close()


def _guarded(
    pool: type[HTTPConnectionPool], addresses_of: AddressesOf, bounds: AnswerBounds
) -> type[HTTPConnectionPool]:
    connection: Any = pool.ConnectionCls
    answer: Any = connection.response_class

    class Answer(answer):  # type: ignore[misc]  # as below
        fp: Any

        def __init__(self, opened: socket.socket, *more: Any, **options: Any) -> None:
            super().__init__(opened, *more, **options)
            self.fp = io.BufferedReader(_Bounded(self.fp.detach(), opened, bounds))

    class Connection(connection):  # type: ignore[misc]  # a class that is known only here
        response_class = Answer

        def _new_conn(self) -> socket.socket:
            """As urllib3's own, which resolves the name by itself."""
            seconds = store.ANSWER_S if self.timeout is None else self.timeout
            try:
                opened = open_socket(addresses_of, self.host.strip("[]"), self.port, seconds=seconds)
            except TimeoutError as error:
                raise ConnectTimeoutError(self, f"Connecting to {self.host} took too long.") from error
            except OSError as error:
                raise NewConnectionError(self, f"{self.host} cannot be connected to.") from error
            for option in self.socket_options or ():
                opened.setsockopt(*option)
            sys.audit("http.client.connect", self, self.host, self.port)
            return opened

    return type(f"Guarded{pool.__name__}", (pool,), {"ConnectionCls": Connection})
