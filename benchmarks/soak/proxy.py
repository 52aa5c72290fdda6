"""A door in front of a server on the loopback address, that can be shut, be slow, and cut what goes through it."""

import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

_PIECE = 65536
_SLOW_S = 1.0  # for each piece, when it is slow
_HARD = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # struct linger: on, 0 s; the other end gets a reset


class Proxy:
    """Forwards TCP. to: the port behind it, which may change while it runs."""

    def __init__(self, to: Callable[[], int], chance: random.Random) -> None:
        self._to, self._chance = to, chance
        self.slow = False
        self.cut_after = 0  # bytes of an answer after which a connection is cut, at the most; 0: never
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = int(self._server.getsockname()[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut_all()

    def cut_all(self) -> int:
        """Reset every open connection, in the middle of whatever it was at. Returns how many ends there were."""
        with self._lock:
            ends = list(self._open)
        for end in ends:
            _cut(end)
        return len(ends)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._to()), timeout=5)
        except OSError:
            _cut(client)
            client.close()
            return
        server.settimeout(None)
        with self._lock:
            self._open |= {client, server}
        limit = self._chance.randint(1, self.cut_after) if self.cut_after else 0
        back = threading.Thread(target=self._pump, args=(server, client, limit), daemon=True)
        back.start()
        self._pump(client, server, 0)
        back.join()
        with self._lock:
            self._open -= {client, server}
        for end in (client, server):
            end.close()

    def _pump(self, source: socket.socket, sink: socket.socket, limit: int) -> None:
        """Pass on what comes until the end, or until the limit, where both ends are cut."""
        passed = 0
        with suppress(OSError):
            while piece := source.recv(_PIECE):
                if self.slow:
                    time.sleep(_SLOW_S)
                if limit and passed + len(piece) >= limit:
                    sink.sendall(piece[: limit - passed])
                    _cut(source)
                    _cut(sink)
                    return
                sink.sendall(piece)
                passed += len(piece)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


def _cut(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _HARD)
        end.shutdown(socket.SHUT_RDWR)
