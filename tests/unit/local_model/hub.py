"""A server of model files on the loopback address, and a program in the place of llama.cpp's."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

CONTENT = bytes(range(256)) * 4096  # a megabyte
SHA256 = hashlib.sha256(CONTENT).hexdigest()
# A folder with a module `xllamacpp`: it replies as the server program does, and knows no architecture but "llama".
SERVER_PROGRAM = Path(__file__).parent / "server_program"


@dataclass
class Hub:
    """A server with one file."""

    address: str = ""
    stated: str | None = SHA256
    content: bytes = CONTENT
    breaks_after: int | None = None  # bytes of a reply
    knows_ranges: bool = True
    status: int = 200
    pauses_after: int | None = None  # bytes of a reply, until `goes_on` is set
    goes_on: Event = field(default_factory=Event)
    ranges: list[str | None] = field(default_factory=list)


@contextmanager
def hub() -> Iterator[Hub]:
    known = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(known.status if known.status != 200 else 302)
            if known.stated:
                self.send_header("X-Linked-ETag", f'"{known.stated}"')
            self.send_header("Location", "https://elsewhere.example/")
            self.end_headers()

        def do_GET(self) -> None:
            given = self.headers.get("Range")
            known.ranges.append(given)
            start = int(given.removeprefix("bytes=").rstrip("-")) if given and known.knows_ranges else 0
            if known.status != 200:
                self.send_response(known.status)
                self.end_headers()
                return
            if start >= len(known.content):
                self.send_response(416)
                self.end_headers()
                return
            rest = known.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            if known.pauses_after is not None:
                self.wfile.write(rest[: known.pauses_after])
                self.wfile.flush()
                known.goes_on.wait(60)
                rest = rest[known.pauses_after :]
            self.wfile.write(rest[: known.breaks_after])

        def log_message(self, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        known.address = f"http://127.0.0.1:{server.server_port}/model.gguf"
        yield known
        server.shutdown()
