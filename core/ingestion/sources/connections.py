"""Connections to addresses that were checked, which end in time however slowly the other side sends."""

import ssl
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore


class CheckedBackend(httpcore.NetworkBackend):
    """Connects to the address that was checked, whatever the name resolves to a moment later."""

    def __init__(self, addresses_of: Callable[[str, int], list[str]], deadline: float) -> None:
        self._addresses_of = addresses_of  # of a host and a port: at least one; raises for what may not be fetched
        self._deadline = deadline  # by the monotonic clock
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address."""
        stream = self._sockets.connect_tcp(
            self._addresses_of(host, port)[0],
            port,
            timeout=timeout,
            local_address=local_address,
            socket_options=socket_options,
        )
        return _TimedStream(stream, self._deadline)


class _TimedStream(httpcore.NetworkStream):
    """A stream with a deadline: a server that sends a byte now and then keeps nobody for longer."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
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
        """The same stream, encrypted."""
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, self._left(timeout)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection."""
        return self._stream.get_extra_info(info)

    def _left(self, timeout: float | None) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left if timeout is None else min(timeout, left)
