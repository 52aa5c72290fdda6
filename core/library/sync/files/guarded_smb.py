"""A connection of smbprotocol to an address that was checked."""

import uuid
from typing import Any

from smbprotocol.connection import Connection
from smbprotocol.transport import Tcp

from core.library.ingestion.sources.connections import AddressesOf, open_socket


class GuardedConnection(Connection):  # type: ignore[misc]  # the library has no types
    """A connection that keeps the server's name for its messages, for Kerberos and for the share.

    smbprotocol makes its transport of the name in the middle of `connect`. What is made there is replaced as it is set.
    """

    def __init__(self, addresses_of: AddressesOf, host: str, port: int) -> None:
        self._addresses_of = addresses_of
        super().__init__(uuid.uuid4(), host, port, require_signing=True)

    @property
    def transport(self) -> Any:
        """The transport; None before the connection is opened."""
        return self._transport

    @transport.setter
    def transport(self, made: Tcp | None) -> None:
        self._transport = None if made is None else _GuardedTcp(self._addresses_of, made)


class _GuardedTcp(Tcp):  # type: ignore[misc]  # as above
    """A transport that resolves the name by the rule of data sources, and not by itself."""

    connected: bool
    _sock: Any

    def __init__(self, addresses_of: AddressesOf, made: Tcp) -> None:
        super().__init__(made.server, made.port, made.timeout)
        self._addresses_of = addresses_of

    def connect(self) -> None:
        """Open the socket. OSError when no address answers, SourceError when the server may not be asked."""
        with self._sock_lock:
            if not self.connected:
                self._sock = open_socket(self._addresses_of, self.server, self.port, seconds=self.timeout)
                self._sock.settimeout(None)  # the other thread waits for messages without an end
                self.connected = True

    def _recv(self, length: int, timeout: float) -> Any:
        """As the library's, which makes room at once for as many bytes as the server announces."""
        if length > self.MAX_SIZE:
            self.close()
            return None, timeout
        return super()._recv(length, timeout)
