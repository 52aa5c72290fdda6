"""Stands before local-slack's Web API and adds what Slack says of each account and local-slack does not.

That is whether the e-mail address of a person is confirmed: without it nobody is known.
"""

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.acceptance.slack import local_slack

PORT = 3001
_FORWARDED = ("Authorization", "Content-Type")


@contextmanager
def confirming() -> Iterator[None]:
    """The Web API is at PORT, too, within the block."""
    server = _Server(("127.0.0.1", PORT), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # callers that connect at once


class _Handler(BaseHTTPRequestHandler):
    """Passes a call on, and its answer back."""

    def do_POST(self) -> None:
        """A call of a method."""
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        headers = {name: self.headers[name] for name in _FORWARDED if self.headers[name]}
        request = urllib.request.Request(f"http://127.0.0.1:{local_slack.PORT}{self.path}", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - our own address
            said = json.dumps(_confirmed(json.load(response))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


def _confirmed(said: dict[str, Any]) -> dict[str, Any]:
    accounts = [said.get("user"), *(said.get("members") or [])]
    for account in accounts:
        if isinstance(account, dict) and not account.get("is_bot"):
            account["is_email_confirmed"] = True
    return said
