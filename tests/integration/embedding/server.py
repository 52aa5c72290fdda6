"""A server of embeddings on the loopback address, in OpenAI's form. The model's name says the dimension: hash-24."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

from core.testing import HashingProvider


class Hashing(HashingProvider):
    """Hashes words into vectors of any length."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension


@dataclass
class Embeddings:
    """The requests to the server, and its configured replies."""

    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    status: int = 200
    change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows  # what it does to its answer

    @property
    def texts(self) -> list[str]:
        """All texts that it was asked to embed."""
        return [text for request in self.requests for text in request["input"]]


@contextmanager
def serving() -> Iterator[Embeddings]:
    """A running server."""
    known = Embeddings()

    class Handler(_Handler):
        embeddings: ClassVar = known

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        known.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield known
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    embeddings: ClassVar[Embeddings]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = self.embeddings
        if self.path != "/v1/embeddings" or known.status != 200:
            self._reply(known.status if known.status != 200 else 404, {"error": {"message": "no", "type": "x"}})
            return
        known.requests.append(request)
        known.keys.add(self.headers["Authorization"])
        vectors = Hashing(int(request["model"].rpartition("-")[2])).embed(request["input"]) * 3.0
        rows = [{"object": "embedding", "index": i, "embedding": v.tolist()} for i, v in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._reply(200, {"object": "list", "data": known.change(rows), "model": request["model"], "usage": usage})

    def _reply(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""
