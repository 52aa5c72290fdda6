"""A small WebSocket server that plays Slack's end of Socket Mode: it answers pings as configured, and sends events."""

import base64
import hashlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
_TEXT, _PING, _PONG = 0x1, 0x9, 0xA
_SMALL, _LARGE = 126, 1 << 16  # from these lengths on, a frame states its length in more bytes


class SocketServer:
    """Accepts connections one after the other or beside each other.

    answering: for each connection in turn whether its pings are answered; the last one holds for all that follow.
    """

    def __init__(self, *answering: bool) -> None:
        self._answering = list(answering)
        self.connections = 0
        self._sockets: list[socket.socket] = []
        self._greeted: list[socket.socket] = []  # those that events can be sent to, the newest last
        self._awaited: dict[str, threading.Event] = {}  # by envelope, until it is acknowledged
        self._sending = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The address on which the server listens."""
        return f"ws://127.0.0.1:{self._server.getsockname()[1]}/link/?ticket=1"

    def deliver(self, payload: dict[str, Any], *, within_s: float) -> bool:
        """Send an event on the newest connection. Whether it was acknowledged in time."""
        envelope, acknowledged = uuid4().hex, threading.Event()
        self._awaited[envelope] = acknowledged
        told = {"type": "events_api", "envelope_id": envelope, "accepts_response_payload": False, "payload": payload}
        try:
            self._send(self._greeted[-1], _TEXT, json.dumps(told).encode())
            return acknowledged.wait(within_s)
        except (OSError, IndexError):
            return False
        finally:
            del self._awaited[envelope]

    def close(self) -> None:
        """Hang up on everybody."""
        for one in (self._server, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                answers = self._answering[min(self.connections, len(self._answering) - 1)]
                self.connections += 1
                self._sockets.append(connection)
                threading.Thread(target=self._serve, args=(connection, answers), daemon=True).start()

    def _serve(self, connection: socket.socket, answers: bool) -> None:
        with suppress(OSError, EOFError), connection.makefile("rb") as stream:
            lines = [line.partition(b":") for line in iter(stream.readline, b"\r\n")]
            key = next(value.strip() for name, _, value in lines if name.lower() == b"sec-websocket-key")
            accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())  # noqa: S324 - the RFC's
            connection.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
            self._greeted.append(connection)
            try:
                while True:
                    opcode, payload = _frame(stream.read)
                    if opcode == _PING and answers:
                        self._send(connection, _PONG, payload)
                    elif opcode == _TEXT:
                        self._take(payload)
            finally:
                self._greeted.remove(connection)

    def _send(self, connection: socket.socket, opcode: int, payload: bytes) -> None:
        size = len(payload)
        if size < _SMALL:
            head = bytes([0x80 | opcode, size])
        elif size < _LARGE:
            head = struct.pack("!BBH", 0x80 | opcode, 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 127, size)
        with self._sending:
            connection.sendall(head + payload)

    def _take(self, payload: bytes) -> None:
        """An acknowledgement."""
        awaited = self._awaited.get(json.loads(payload).get("envelope_id", ""))
        if awaited:
            awaited.set()


def _frame(read: Callable[[int], bytes]) -> tuple[int, bytes]:
    head = _exactly(read, 2)
    length = head[1] & 0x7F
    if length == 126:
        (length,) = struct.unpack("!H", _exactly(read, 2))
    mask = _exactly(read, 4)
    masked = _exactly(read, length)
    return head[0] & 0x0F, bytes(byte ^ mask[place % 4] for place, byte in enumerate(masked))


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    found = read(size)
    if len(found) < size:
        raise EOFError
    return found


@contextmanager
def socket_server(*answering: bool) -> Iterator[SocketServer]:
    """A server within the block."""
    server = SocketServer(*answering)
    try:
        yield server
    finally:
        server.close()
