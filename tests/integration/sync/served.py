"""Serve the web on this machine with configured responses, and record the requests."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from core.errors import SourceError
from core.library.ingestion.markup.reader import MARKUP_LIMITS, MarkupReader
from core.library.ingestion.sandbox.process import Sandbox
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Access, Connector, Listed

MARKUP = MarkupReader(
    Sandbox(MARKUP_LIMITS, required=False)
)  # one for all tests: a new process for each would take most of the time
INSIDE = Policy(inside_hosts=frozenset({"127.0.0.1"}), seconds=2)  # this machine, listed by an administrator


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request that came."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    body: bytes


@dataclass(kw_only=True)
class Answer:
    """A response of the server."""

    body: bytes | str | dict[str, Any] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: float = 0  # seconds before anything is sent

    def content(self) -> bytes:
        """The body in bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


def page(text: str, *links: str, title: str = "A page") -> Answer:
    """An HTML page with links."""
    linked = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    body = f"<!doctype html><html><head><title>{title}</title></head><body><p>{text}</p>{linked}</body></html>"
    return Answer(body=body, headers={"Content-Type": "text/html; charset=utf-8"})


class Server:
    """A running server. `answers` maps paths to answers, or to functions that make them of what is asked."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.answers: dict[str, Answer | Callable[[Asked], Answer]] = {}
        self.asked: list[Asked] = []

    def answer(self, asked: Asked) -> Answer:
        """The answer to a request; 404 for any other path."""
        self.asked.append(asked)
        found = self.answers.get(asked.path, Answer(status=404))
        return found(asked) if callable(found) else found

    def paths(self) -> list[str]:
        """Return the requested paths, in their order."""
        return [each.path for each in self.asked]


@contextmanager
def served() -> Iterator[Server]:
    """Run a server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer."""
            parts = urlsplit(self.path)
            answer = known.answer(
                Asked(
                    method=self.command,
                    path=parts.path,
                    query=dict(parse_qsl(parts.query)),
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=self.rfile.read(int(self.headers.get("Content-Length") or 0)),
                )
            )
            time.sleep(answer.hangs)
            content = answer.content()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the name that the library looks for

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def handle(self) -> None:
            """As ever; that the other side has gone is no fault here."""
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.block_on_close = False
        known = Server(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield known
        server.shutdown()
        thread.join()


def access(policy: Policy = INSIDE, *, max_mb: int = 1, **more: Any) -> Access:
    """Build a connector's access in a test."""
    return Access(**{"max_mb": max_mb, "policy": policy, "markup": MARKUP} | more)


def listing(connector: Connector) -> tuple[dict[str, Listed], dict[str, str], SourceError | None]:
    """Everything of a listing: documents by key, why others were left out, and the error at its end."""
    documents: dict[str, Listed] = {}
    left_out: dict[str, str] = {}
    try:
        for found in connector.list():
            if isinstance(found, LeftOut):
                left_out[found.name] = found.reason
            else:
                assert found.key not in documents
                documents[found.key] = found
    except SourceError as error:
        return documents, left_out, error
    return documents, left_out, None
