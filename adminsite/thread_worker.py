"""Gunicorn's threads, of which none waits for ever for what a client does not send."""

import contextlib
import socket
import time
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from adminsite.gunicorn import receive_s

SLOWEST = 16 * 1024  # bytes in a second: a larger body has longer


class PunctualWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads that read requests which come in time.

    A request that trickles in byte by byte would else keep a thread for as long as its client likes, and a few of them
    every thread, before anybody has signed in.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._due: dict[TConn, float] = {}  # until when what is being read has to be there, by the monotonic clock

    def handle(self, conn: TConn) -> Any:
        """Read and answer one request; its head comes first."""
        self._due[conn] = time.monotonic() + receive_s
        try:
            return super().handle(conn)
        finally:
            self._due.pop(conn, None)

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Answer a request whose head has come; its body is read meanwhile."""
        length = next((value for name, value in req.headers if name == "CONTENT-LENGTH"), "0")
        self._due[conn] = time.monotonic() + receive_s + int(length) / SLOWEST
        return bool(super().handle_request(req, conn))

    def murder_pending(self) -> None:
        """Stop reading overdue requests, besides the main loop's own work about once a second.

        Nothing more is read then: a thread that waits goes on with what it has, and one that answers is not disturbed.
        """
        super().murder_pending()
        now = time.monotonic()
        for conn in [conn for conn, due in list(self._due.items()) if due < now]:
            self._due.pop(conn, None)
            with contextlib.suppress(OSError):  # gone already
                conn.sock.shutdown(socket.SHUT_RD)
