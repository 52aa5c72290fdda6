"""Test bytes that no client sends, on the real web server: they are refused, and others are answered."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from adminsite.launcher.alive import is_alive

ROOT = Path(__file__).parents[2]
MEGABYTE = 1024 * 1024
START_TIMEOUT_S = 120
SECRET = "c4ZmV8sQnB2xT7kLw9RjY3hGd6PfU1eAoI5vNbMzXqKtWyHsDg"
LOGIN = (
    b"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    b"Content-Type: multipart/form-data; boundary=b\r\n"
)
ALIVE = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Server:
    """A running gunicorn with four threads, and the folder where it may write temporary files."""

    def __init__(self, port: int, temporary: Path) -> None:
        self.port, self.temporary = port, temporary

    def connect(self) -> socket.socket:
        """A connection, on which nothing is waited for longer than a test may take."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def answer(self, *pieces: bytes) -> bytes:
        """All that comes back for these bytes; the server may close before it has read them all."""
        with self.connect() as client:
            said = b""
            try:
                for piece in pieces:
                    client.sendall(piece)
                while received := client.recv(65536):
                    said += received
            except (BrokenPipeError, ConnectionResetError):
                pass
            return said

    def status(self, *pieces: bytes) -> int:
        """The status of the answer; 0 where the connection was closed without one."""
        said = self.answer(*pieces)
        return int(said.split(b" ", 2)[1]) if said.startswith(b"HTTP/") else 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The web process as production starts it, on the tests' database."""
    with serving(tmp_path_factory.mktemp("temporary")) as started:
        yield started


@contextmanager
def serving(temporary: Path, **own: str) -> Iterator[Server]:
    """Run the web process as production starts it, on the tests' database.

    temporary: where it may write temporary files. own: settings of its environment besides, or in place of, the usual.
    """
    port = _free_port()
    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}")
    given = {
        "DATABASE_URL": urlunsplit(database),
        "SECRET_KEY": SECRET,
        "SECURE_SSL_REDIRECT": "false",
        "PORT": str(port),
        "SLACK_BOT_TOKEN": "xoxb-of-the-tests",
        "SLACK_SIGNING_SECRET": "signing-secret-of-the-tests",
        "WEB_THREADS": "4",
        "WEB_RECEIVE_S": "3",
        "TMPDIR": str(temporary),
    }
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "FOOTNOTE_HOME") if name in os.environ}
    command = [sys.executable, "-m", "gunicorn", "--config", "python:adminsite.gunicorn", "adminsite.wsgi"]
    with (temporary.parent / f"{temporary.name}.log").open("w+") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=kept | given | own, stdout=output, stderr=subprocess.STDOUT)
        try:
            server, deadline = Server(port, temporary), time.monotonic() + START_TIMEOUT_S
            while not _listens(server):
                output.seek(0)
                assert process.poll() is None, output.read()
                assert time.monotonic() < deadline, output.read()
                time.sleep(0.1)
            yield server
        finally:
            process.terminate()
            process.wait(60)


def _listens(server: Server) -> bool:
    try:
        return server.status(ALIVE) == 200
    except OSError:
        return False


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", {0, 400}),
        (b"\x00" * 1000 + b"\r\n\r\n", {0, 400}),
        (b"GET /livez\r\n\r\n", {0, 400}),
        (b"GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n", {400, 505}),
        (b"GET  /livez  HTTP/1.1\r\nHost: localhost\r\n\r\n", {400}),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {400, 414}),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", {400, 431}),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 100 + b"\r\n", {400, 431}),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX Y: b\r\n\r\n", {400}),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", {400}),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n folded: b\r\n\r\n", {400}),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n", {400}),
        (b"GET http://evil.example/livez HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", {200, 400}),
        (LOGIN + b"Content-Length: -1\r\n\r\n", {400}),
        (LOGIN + b"Content-Length: many\r\n\r\n", {400}),
        (LOGIN + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", {400}),
        (LOGIN + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {400, 411}),
        (LOGIN + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n", {411}),
        (LOGIN + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", {400, 411}),
        (LOGIN + b"Transfer-Encoding: identity, chunked, chunked\r\n\r\n", {400, 411, 501}),
        (LOGIN + b"Content-Length: 99999999999999999999999999\r\n\r\n", {413}),
        (LOGIN.replace(b"/admin/login/", b"/slack/events") + b"Content-Length: 2000000\r\n\r\n", {413}),
        (LOGIN.replace(b"/admin/login/", b"/api/v1/ask") + b"Content-Length: 2000000\r\n\r\n", {413}),
        (LOGIN.replace(b"/admin/login/", b"/mcp") + b"Content-Length: 2000000\r\n\r\n", {413}),
    ],
    ids=range(24),
)
def test_bytes_that_are_no_request_are_refused(server: Server, sent: bytes, statuses: set[int]) -> None:
    """The connection is closed with a status of the client's fault, or without one, and nothing internal is said."""
    said = server.answer(sent)
    assert (int(said.split(b" ", 2)[1]) if said.startswith(b"HTTP/") else 0) in statuses, said[:300]
    assert b"Traceback" not in said
    assert server.status(ALIVE) == 200


def test_an_upload_before_sign_in_is_refused_by_its_length_and_nothing_is_written(server: Server) -> None:
    """150 MB for the sign-in page: the answer comes though no more than the head was sent, and no file is there."""
    with server.connect() as client:
        part = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n'
        client.sendall(LOGIN + f"Content-Length: {150 * MEGABYTE}\r\n\r\n".encode() + part)
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
        assert list(server.temporary.rglob("*.upload*")) == []
    assert server.status(ALIVE) == 200


def test_a_body_that_breaks_off_is_refused_and_not_taken_for_the_whole(server: Server) -> None:
    """The incomplete body is not examined: not even its signature."""
    with server.connect() as client:
        client.sendall(LOGIN.replace(b"/admin/login/", b"/slack/events") + b"Content-Length: 500\r\n\r\n{}")
        client.shutdown(socket.SHUT_WR)
        said = b"".join(iter(lambda: client.recv(65536), b""))
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"arrived incomplete" in said


def test_requests_that_trickle_in_keep_nobody_waiting_for_long(server: Server) -> None:
    """More of them than there are threads: each is closed after its time, and somebody else is answered."""
    heads = [b"GET /livez HTTP/1.1\r\nHost: loc", LOGIN + b"Content-Length: 5000\r\n\r\n--b\r\n"] * 4
    slow = [server.connect() for _ in heads]
    try:
        for client, head in zip(slow, heads, strict=True):
            client.sendall(head)
        assert server.status(ALIVE) == 200
        for client in slow:
            while client.recv(65536):  # to its end, for which connect() waits long enough
                pass
    finally:
        for client in slow:
            client.close()
    assert list(server.temporary.rglob("*.upload*")) == []


def test_a_health_check_tells_a_web_process_that_lives(server: Server) -> None:
    """It asks for a host that the process answers to; for another, and where nobody listens, it says no."""
    assert is_alive(str(server.port), "localhost,footnote.example.com")
    assert is_alive(str(server.port), "*,localhost")
    assert not is_alive(str(server.port), "footnote.example.com")
    assert not is_alive(str(_free_port()), "localhost")
