"""Answers that have no end: a server that sends a byte now and then, or more and more, holds no worker."""

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from smbprotocol.transport import Tcp

from core.errors import SourceError, SourceRefusedError
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Access, Connector
from core.library.sync.files import store
from core.library.sync.files.guarded_smb import _GuardedTcp
from core.library.sync.kinds import kind_of
from tests.integration.sync.served import MARKUP
from tests.integration.sync.servers import sftp

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n"
HEADS = {
    "webdav": b"HTTP/1.1 207 Multi-Status\r\n",
    "git": b"HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n",
}
REF = b"003a" + b"0a" * 20 + b" refs/heads/a\n"
BODIES = {"git": (b"001e# service=git-upload-pack\n0000" + REF, REF * 1000)}
LONGEST_S = 20  # that a test waits for what should take a second or two
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "webdav": ({"address": "http://127.0.0.1:{port}/dav"}, {}),
    "s3": (
        {"bucket": "handbook", "endpoint": "http://127.0.0.1:{port}", "access_key": "key"},
        {"secret_key": "secret"},
    ),
    "azure": (
        {"account": "handbook", "container": "handbook", "endpoint": "http://127.0.0.1:{port}"},
        {"account_key": base64.b64encode(b"secret").decode()},
    ),
    "git": ({"address": "http://127.0.0.1:{port}/handbook.git", "max_repository_mb": "1"}, {}),
    "smb": ({"host": "127.0.0.1", "port": "{port}", "share": "handbook", "user": "footnote"}, {"password": "secret"}),
}


@contextmanager
def sending(first: bytes, again: bytes, pause: float) -> Iterator[int]:
    """The port of a server that answers whatever it is asked with the first bytes, and then with others without end."""
    over = threading.Event()

    def send(asking: socket.socket) -> None:
        with asking, suppress(OSError):
            asking.recv(64 * 1024)
            asking.sendall(first)
            while not over.wait(pause):
                asking.sendall(again)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=send, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        over.set()
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def connect(kind: str, port: int) -> Connector:
    """A source of a kind on a port of this machine, whose documents may have a megabyte."""
    given, secrets = SETTINGS[kind]
    filled = {name: value.replace("{port}", str(port)) for name, value in given.items()}
    filled["readers"] = "*: staff"  # so that no file is asked for them
    found = kind_of(kind)
    access = Access(max_mb=1, policy=Policy(allowed=lambda address: address.is_loopback), markup=MARKUP)
    return found.connect(found.settings.model_validate(filled), secrets, access)


def fails_in_time(connector: Connector) -> str:
    """List a source that cannot be listed, in a thread, since it may be that it never ends. Returns the message."""
    errors: list[Exception] = []

    def ask() -> None:
        try:
            list(connector.list())
        except Exception as error:  # noqa: BLE001 - looked at below, in the thread of the test
            errors.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(LONGEST_S)
    assert not asking.is_alive()
    [error] = errors
    assert isinstance(error, SourceError)
    assert not isinstance(error, SourceRefusedError)
    return error.message


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ANSWER_S", 0.5)
    monkeypatch.setattr(store, "LOADING_S", 0.5)


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ("head", "webdav"),
        ("body", "s3"),
        ("head", "azure"),
        ("body", "git"),
        *(pytest.param("body", kind, marks=pytest.mark.slow) for kind in ("webdav", "azure")),
        *(pytest.param("head", kind, marks=pytest.mark.slow) for kind in ("s3", "git")),
    ],
)
def test_a_server_that_drips_is_left(kind: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and the answer never does."""
    monkeypatch.setattr("core.library.sync.services.git_repository._FETCHING_S", 1)
    first = HEADS.get(kind, HEAD) + (b"X-Long: a" if where == "head" else b"Content-Length: 100000\r\n\r\n0")
    with sending(first, b"f", 0.05) as port:
        fails_in_time(connect(kind, port))


@pytest.mark.usefixtures("_soon")
def test_a_share_that_drips_is_left() -> None:
    """As above: the head of a message says how long it is to be."""
    with sending(b"\0\0\xff\xff", b"a", 0.05) as port:
        fails_in_time(connect("smb", port))


def test_a_share_that_announces_gigabytes_is_left() -> None:
    """No room is made for them."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        tcp = _GuardedTcp(lambda *_: [], Tcp("h.example", 445, 1))
        tcp._sock, tcp.connected = ours, True
        theirs.sendall(b"\x7f\xff\xff\xffabc")
        assert not tcp.recv(2)
        assert not tcp.connected


@pytest.mark.parametrize("kind", ["webdav", "s3", "azure", "git"])
def test_an_answer_that_grows_and_grows_is_not_read_on(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the size that an answer may have it is left, whatever it says of its size."""
    monkeypatch.setattr(store, "LISTING_MB", 1)
    first, again = BODIES.get(kind, (b"<a>", b"<a>aaa" * 10_000))
    with sending(HEADS.get(kind, HEAD) + b"Connection: close\r\n\r\n" + first, again, 0) as port:
        assert "has no end" in fails_in_time(connect(kind, port))


def test_a_listing_that_comes_packed_is_refused() -> None:
    """Nothing says how much it unpacks to."""
    with sending(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", b"", 60) as port:
        assert "compressed" in fails_in_time(connect("azure", port))


@pytest.mark.usefixtures("_soon")
def test_an_sftp_server_that_says_nothing_in_the_middle_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library waits without an end for the answer to a channel's request."""
    monkeypatch.setattr(store, "ANSWER_S", 2)  # for the handshake
    over = threading.Event()
    monkeypatch.setattr(sftp._User, "check_channel_subsystem_request", lambda *_: over.wait(60))
    with sftp.serve(tmp_path) as served:
        assert "did not answer within 4 seconds" in fails_in_time(served.connect())
        over.set()


def test_a_folder_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may name more and more."""
    monkeypatch.setattr(store, "MOST_ENTRIES", 2)
    with sftp.serve(tmp_path) as served:
        for name in ("a.md", "b.md", "c.md"):
            served.put(name, b"one")
        assert "/hand book holds more than 2 files" in fails_in_time(served.connect())


def test_what_is_late_is_told_as_such() -> None:
    """And an error that came in time stays what it is."""
    closed = threading.Event()

    def wait(seconds: float) -> None:
        with store.within(seconds, closed.set, "h.example"):
            closed.wait(LONGEST_S if seconds < 1 else 0)
            raise EOFError

    with pytest.raises(EOFError):
        wait(60)
    assert not closed.is_set()
    with pytest.raises(SourceError, match=r"h\.example did not answer within 0\.05 seconds"):
        wait(0.05)
    assert closed.is_set()
