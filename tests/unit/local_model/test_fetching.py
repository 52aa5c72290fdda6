"""A file is fetched from where it was broken off, and counts only with its hash."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from core.local_model.fetching import FetchError, fetch, find_stated

pytestmark = pytest.mark.enable_socket
CONTENT = bytes(range(256)) * 4096  # a megabyte
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Hub:
    """A server with one file."""

    address: str = ""
    stated: str | None = SHA256
    content: bytes = CONTENT
    breaks_after: int | None = None  # bytes of a reply
    knows_ranges: bool = True
    status: int = 200
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
            if start >= len(known.content):
                self.send_response(416)
                self.end_headers()
                return
            rest = known.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: known.breaks_after])

        def log_message(self, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        known.address = f"http://127.0.0.1:{server.server_port}/model.gguf"
        yield known
        server.shutdown()


def test_a_file_is_fetched_by_the_hash_that_the_hub_states(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with hub() as at:
        assert fetch(at.address, tmp_path / "m.gguf", progress=lambda *both: told.append(both)) == SHA256
    assert (tmp_path / "m.gguf").read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert [path.name for path in tmp_path.iterdir()] == ["m.gguf"]


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_broken_fetch_goes_on_where_it_was(tmp_path: Path, knows_ranges: bool) -> None:
    """Or begins anew, where the server knows no ranges."""
    with hub() as at:
        at.breaks_after, at.knows_ranges = 300_000, knows_ranges
        with pytest.raises(FetchError, match="bytes are kept"):
            fetch(at.address, tmp_path / "m.gguf")
        assert not (tmp_path / "m.gguf").exists()
        kept = (tmp_path / "m.gguf.part").stat().st_size
        at.breaks_after = None
        fetch(at.address, tmp_path / "m.gguf")
    assert (tmp_path / "m.gguf").read_bytes() == CONTENT
    assert at.ranges == [None, f"bytes={kept}-"] if kept else [None, None]


def test_what_is_there_already_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(CONTENT)
    with hub() as at:
        assert fetch(at.address, tmp_path / "m.gguf", sha256=SHA256) == SHA256
    assert at.ranges == []


def test_another_file_than_was_announced_is_deleted(tmp_path: Path) -> None:
    with hub() as at:
        at.content = CONTENT[:-1] + b"!"
        with pytest.raises(FetchError, match="not the one that was announced"):
            fetch(at.address, tmp_path / "m.gguf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", [404, 403, 500])
def test_a_refusal_of_the_hub_is_told(tmp_path: Path, status: int) -> None:
    with hub() as at:
        at.status = status
        with pytest.raises(FetchError, match=str(status)):
            find_stated(at.address)


def test_without_a_stated_hash_nothing_is_fetched(tmp_path: Path) -> None:
    with hub() as at:
        at.stated = None
        with pytest.raises(FetchError, match="states no SHA-256"):
            fetch(at.address, tmp_path / "m.gguf")
    assert at.ranges == []


def test_nothing_is_fetched_over_plain_http_from_elsewhere(tmp_path: Path) -> None:
    for address in ("http://models.example/x.gguf", "ftp://models.example/x", "file:///etc/passwd", "x"):
        with pytest.raises(FetchError, match="https only"):
            fetch(address, tmp_path / "m.gguf", sha256=SHA256)


def test_a_hub_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="could not be reached"):
        find_stated("http://127.0.0.1:1/model.gguf")
