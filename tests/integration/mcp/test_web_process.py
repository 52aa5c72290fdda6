"""A stream of MCP under the real web server: it keeps no other request waiting, and ends with its client."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.models import AuthToken, Query
from core.testing import Cast
from tests.integration.bot.test_progress import wait_until
from tests.integration.mcp.conftest import make_library
from tests.integration.rest.conftest import CANTEEN_QUESTION
from tests.integration.test_raw_requests import ALIVE, Server, serving

pytestmark = pytest.mark.django_db(transaction=True)
PINGS = 2  # as many as take longer than the tests' web server waits for what a client sends


class SilentModel:
    """A model's server that takes questions, and answers none until it may."""

    def __init__(self) -> None:
        self.is_called, self.may_end = threading.Event(), threading.Event()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                """Keep the caller waiting."""
                model.is_called.set()
                model.may_end.wait(120)
                self.send_error(503)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def model() -> Iterator[SilentModel]:
    """A model that is silent to the end of the test."""
    model = SilentModel()
    yield model
    model.may_end.set()
    model.server.shutdown()
    model.server.server_close()


@pytest.fixture
def server(transactional_db: None, tmp_path: Path, model: SilentModel) -> Iterator[Server]:
    """The web process, which asks that model, and reads no passages."""
    own = {
        "READER": "none",
        "LLM_MODEL": "openai/silent",
        "LLM_API_BASE": model.address,
        "OPENAI_API_KEY": "of-the-tests",
    }
    with serving(tmp_path, WEB_THREADS="2", **own) as started:
        yield started


def ask_in_stream(server: Server, token: str) -> socket.socket:
    """Send a question with a progress token, and return the connection on which its events come."""
    params = {"name": "ask", "arguments": {"question": CANTEEN_QUESTION}, "_meta": {"progressToken": 1}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    client = server.connect()
    client.sendall(
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Accept: application/json, text/event-stream\r\nAuthorization: Bearer "
        + token.encode()
        + b"\r\nContent-Length: "
        + str(len(body)).encode()
        + b"\r\n\r\n"
        + body
    )
    return client


def read_until(client: socket.socket, words: bytes, times: int = 1) -> bytes:
    """Return what comes until these words have come so often. Fails where the connection ends before."""
    said = b""
    while said.count(words) < times:
        received = client.recv(65536)
        assert received, said
        said += received
    return said


def test_a_stream_stays_open_beside_others_and_is_stopped_with_its_client(
    server: Server, model: SilentModel, cast: Cast
) -> None:
    """The model is silent throughout; nothing but the client's going ends the question."""
    make_library(cast)
    _row, token = AuthToken.objects.create(cast.bob)
    with ask_in_stream(server, token) as client:
        head = read_until(client, b"Reading what was found")
        assert head.startswith(b"HTTP/1.1 200")
        assert b"Content-Type: text/event-stream" in head
        assert model.is_called.wait(180)  # the first question loads the libraries of models
        assert server.status(ALIVE) == 200
        read_until(client, b": ping", PINGS)
        assert server.status(ALIVE) == 200
        assert Query.objects.get().state not in ("STOPPED", "FAILED")
    wait_until(lambda: Query.objects.get().state == "STOPPED")
    assert not model.may_end.is_set()
