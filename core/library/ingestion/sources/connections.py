"""Connections to addresses that were checked, which end in time however slowly the other side sends."""

import functools
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import httpcore

AddressesOf = Callable[[str, int], list[str]]  # of a host and a port, at least one; raises for what may not be asked
_Connection = TypeVar("_Connection")
_CONNECT_S = 30.0  # where no time is given


@functools.cache
def trust_authorities() -> ssl.SSLContext:
    """Return the context of connections that trust the authorities of the system, the same one for all of a process.

    Reading the authorities takes longer than many a request.
    """
    return httpcore.default_ssl_context()


def open_socket(addresses_of: AddressesOf, host: str, port: int, *, seconds: float) -> socket.socket:
    """Open a TCP connection to an address of a host that was checked; the name is resolved this once.

    seconds: for connecting, and then the socket's timeout. OSError when no address answers, and what addresses_of
    raises for a host that may not be asked.
    """

    def connect(address: str, wait: float) -> socket.socket:
        return socket.create_connection((address, port), timeout=wait)

    opened = _connect_first(addresses_of(host, port), seconds, connect, OSError)
    opened.settimeout(seconds)
    return opened


def _connect_first(
    addresses: Sequence[str],
    seconds: float,
    connect: Callable[[str, float], _Connection],
    *faults: type[Exception],
) -> _Connection:
    """Connect to the first address that answers. Each gets its share of the time that is left."""
    deadline = time.monotonic() + seconds
    for number, address in enumerate(addresses, start=1):
        left = max(deadline - time.monotonic(), 0.001)
        try:
            return connect(address, left / (len(addresses) - number + 1))
        except faults:
            if number == len(addresses):
                raise
    raise OSError("The host has no address.")


class CheckedBackend(httpcore.NetworkBackend):
    """Connects to the address that was checked, whatever the name resolves to a moment later."""

    def __init__(self, addresses_of: AddressesOf, deadline: Callable[[], float]) -> None:
        """deadline: of what is asked at the moment, by the monotonic clock."""
        self._addresses_of = addresses_of
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that answers."""

        def connect(address: str, wait: float) -> httpcore.NetworkStream:
            return self._sockets.connect_tcp(
                address, port, timeout=wait, local_address=local_address, socket_options=socket_options
            )

        seconds = _CONNECT_S if timeout is None else timeout
        faults = httpcore.ConnectError, httpcore.ConnectTimeout
        return _TimedStream(_connect_first(self._addresses_of(host, port), seconds, connect, *faults), self._deadline)


class _TimedStream(httpcore.NetworkStream):
    """A stream with a deadline: a server that sends a byte now and then keeps nobody for longer."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Callable[[], float]) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what has come. ReadTimeout after the deadline."""
        return self._stream.read(max_bytes, self._left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send. WriteTimeout after the deadline."""
        self._stream.write(buffer, self._left(timeout))

    def close(self) -> None:
        """Close."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Return the same stream, encrypted."""
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, self._left(timeout)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return the stream's details of the connection."""
        return self._stream.get_extra_info(info)

    def _left(self, timeout: float | None) -> float:
        left = self._deadline() - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left if timeout is None else min(timeout, left)
