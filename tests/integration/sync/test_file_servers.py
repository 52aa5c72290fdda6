"""Test behaviour that only one kind of server has."""

import json
import os
import threading
from base64 import b64encode
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cryptography.hazmat.primitives import serialization

from core.errors import ChangedMeanwhileError, SourceError, SourceRefusedError
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Access, Listed
from core.library.sync.files.guarded_http import GuardedClient
from tests.integration.sync.servers import gcs, sftp, smb, webdav
from tests.integration.sync.servers.names import needs_inside
from tests.integration.sync.servers.served import Served, left_out, listed, serving


def test_a_server_with_another_key_is_not_asked(tmp_path: Path) -> None:
    """It gets no password, and the message has its fingerprint."""
    with sftp.serve(tmp_path) as served:
        right = served.settings["host_key"]
        wrong = f"SHA256:{'A' * 43}"
        with pytest.raises(SourceError, match="which is not the one entered") as error:
            list(served.connect(host_key=wrong).list())
        assert not isinstance(error.value, SourceRefusedError)
        assert right in str(error.value)
        served.put("a.md", b"one")
        assert set(listed(served.connect(host_key=f"{wrong}\n{right}"))) == {"a.md"}


def test_a_user_is_known_by_a_private_key(tmp_path: Path) -> None:
    """The password is the key's passphrase."""
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH)
    key = sftp.USERS_KEY.private_bytes(*form, serialization.BestAvailableEncryption(b"passphrase")).decode()
    with sftp.serve(tmp_path) as served:
        served.put("a.md", b"one")
        found = listed(served.connect(secrets={"private_key": key, "password": "passphrase"}))
        assert set(found) == {"a.md"}
        for secrets in ({"private_key": key}, {"private_key": key, "password": "no"}, {"private_key": "no key"}):
            with pytest.raises(SourceRefusedError, match="cannot be read"):
                list(served.connect(secrets=secrets).list())


def test_links_on_a_server_are_not_followed(tmp_path: Path) -> None:
    """They may lead out of the folder."""
    with sftp.serve(tmp_path) as served:
        served.put("a.md", b"one")
        (tmp_path / "secret.md").write_text("secret")
        (tmp_path / "hand book" / "b.md").symlink_to(tmp_path / "secret.md")
        (tmp_path / "hand book" / "around").symlink_to(tmp_path / "hand book")
        assert set(listed(served.connect())) == {"a.md"}


@pytest.mark.parametrize("kind", ["folder", "sftp"])
def test_a_name_that_is_no_text_costs_only_its_file(tmp_path: Path, kind: str) -> None:
    """The files beside it are listed, and two such names are not one."""
    with import_module(f"tests.integration.sync.servers.{kind}").serve(tmp_path) as served:
        served.put("a.md", b"one")
        [root] = [folder for folder in tmp_path.iterdir() if folder.is_dir()]
        for name in (b"\xfe.md", b"\xff.md"):
            (root / os.fsdecode(name)).write_bytes(name)
        found = list(served.connect().list())
        assert [one.key for one in found if isinstance(one, Listed)] == ["a.md"]
        assert [one.reason for one in found if isinstance(one, LeftOut)] == [
            "its name holds a control character, or is not written in UTF-8"
        ] * 2


def test_names_that_windows_takes_for_the_same_are_left_out(tmp_path: Path) -> None:
    """It would be unknown which of the files it opens; nor for a name that would open a stream of another file."""
    with smb.serve(tmp_path) as served:
        for path in ("plan.md", "Plan.md", "other.md", "Board/a.md", "board/b.md", "other.md:secret.md"):
            served.put(path, path.encode())
        assert set(listed(served.connect())) == {"other.md"}
        assert left_out(served.connect()) == {
            "other.md:secret.md": "its name is none on Windows",
        } | dict.fromkeys(
            ("plan.md", "Plan.md", "Board", "board"),
            "another name differs from its own in capital letters alone, which the server takes for the same",
        )


@pytest.mark.parametrize(
    ("hrefs", "keys"),
    [
        (["a.md", "a%20b.md", "%C3%A9.md", "ö.md"], {"a.md", "a b.md", "é.md", "ö.md"}),
        (["%FF.md", "%FE.md"], set()),
        (["a.md?1", "a.md#2", "a&#9;.md", "a%2Fb.md", "//[a.md"], set()),
        (["a.md", "a.md/", "%61.md"], {"a.md"}),  # one file that is told three times
        (["a.md&#160;", "b.md "], set()),
        (["\n    a.md\n  "], {"a.md"}),
    ],
)
def test_addresses_on_webdav_are_names_or_nothing(hrefs: list[str], keys: set[str]) -> None:
    """A part silently dropped from one might make it the name of another file."""

    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("207 Multi-Status", [("Content-Type", "application/xml")])
        files = "".join(f"<response><href>{href}</href></response>" for href in hrefs)
        return [f'<multistatus xmlns="DAV:">{files}</multistatus>'.encode()]

    with serving(answer) as port:
        settings = {"address": f"http://127.0.0.1:{port}/dav", "readers": "*: staff"}
        assert set(listed(Served(kind="webdav", settings=settings, put=print, remove=print).connect())) == keys


def test_files_of_one_name_are_left_out() -> None:
    """Whichever is given out under it."""

    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("207 Multi-Status", [("Content-Type", "application/xml")])
        files = "".join(
            f"<response><href>/dav/{path}</href><propstat><prop><getetag>{tag}</getetag></prop></propstat></response>"
            for path, tag in (("a.md", 1), ("board/a.md", 2), ("b.md", 3))  # as if it had been asked for all below
        )
        return [f'<multistatus xmlns="DAV:">{files}</multistatus>'.encode()]

    with serving(answer) as port:
        settings = {"address": f"http://127.0.0.1:{port}/dav", "readers": "*: staff"}
        connector = Served(kind="webdav", settings=settings, put=print, remove=print).connect()
        assert set(listed(connector)) == {"b.md"}
        assert left_out(connector) == {"a.md": "there are two files or folders of that name"}


class Redirecting:
    """A WebDAV server that leads elsewhere, or says that its folder is empty, and remembers who asked for what."""

    def __init__(self, target: str = "", status: str = "307 Temporary Redirect") -> None:
        self.target = target
        self.status = status
        self.asked: list[tuple[str, str]] = []  # the method, and the credentials

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        """Answer."""
        credentials = environ.get("HTTP_AUTHORIZATION", "")
        self.asked.append((environ["REQUEST_METHOD"], credentials))
        if self.target and environ["PATH_INFO"].startswith("/dav"):
            start(self.status, [("Location", self.target)])
            return [b""]
        if not credentials:
            start("401 Unauthorized", [])
            return [b""]
        found = environ["REQUEST_METHOD"] == "PROPFIND"
        start("207 Multi-Status" if found else "404 Not Found", [])
        return [b'<multistatus xmlns="DAV:"/>' if found else b""]


RIGHT = "Basic " + b64encode(b"footnote:right").decode()


def ask_webdav(address: str, policy: Policy) -> list[object]:
    """List a folder of a server, as a user with a password."""
    settings = {"address": address, "user": "footnote"}
    served = Served(kind="webdav", settings=settings, secrets={"password": "right"}, put=print, remove=print)
    return list(served.connect(access=served.access(policy=policy)).list())


@needs_inside
@pytest.mark.parametrize("listed_hosts", [frozenset[str](), frozenset({"localhost"})])
def test_a_host_outside_leads_to_none_inside(listed_hosts: frozenset[str]) -> None:
    """Not even to one that an administrator listed, because nobody outside knows what may be read inside."""
    names = {"files.example": "::1", "localhost": "127.0.0.1"}
    policy = Policy(
        resolver=lambda host, _: [names[host]],
        allowed=lambda address: str(address) == "::1",
        inside_hosts=listed_hosts,
    )
    inside, outside = Redirecting(), Redirecting()
    with serving(inside) as inner, serving(outside, host="::1") as port:
        outside.target = f"http://localhost:{inner}/elsewhere"
        with pytest.raises(SourceError, match="localhost is not on the public Internet"):
            ask_webdav(f"http://files.example:{port}/dav", policy)
    assert outside.asked == [("GET", RIGHT)]
    assert inside.asked == []


def test_a_listed_host_leads_to_another_listed_one_without_the_password() -> None:
    """And says which address to enter; from there on, nothing outside leads back in."""
    policy = Policy(allowed=lambda _: False, inside_hosts=frozenset({"localhost", "127.0.0.1"}))
    first, second = Redirecting(), Redirecting()
    with serving(second) as there, serving(first) as port:
        first.target = f"http://localhost:{there}/elsewhere"
        with pytest.raises(SourceError, match=f"leads to http://localhost:{there}, to which the password is not sent"):
            ask_webdav(f"http://127.0.0.1:{port}/dav", policy)
    assert first.asked == [("GET", RIGHT)]
    assert second.asked == [("GET", "")]


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "308 Permanent Redirect"])
def test_a_redirect_on_the_same_server_is_followed_with_all_that_was_asked(status: str) -> None:
    """With its password and its method, and not for ever."""
    policy = Policy(inside_hosts=frozenset({"127.0.0.1"}))
    server = Redirecting("/elsewhere", status)
    with serving(server) as port:
        assert ask_webdav(f"http://127.0.0.1:{port}/dav", policy) == []
        assert set(server.asked) == {("GET", RIGHT), ("PROPFIND", RIGHT)}
        for target, match in (("/dav/again", "redirects more than 5 times"), ("file:///etc/passwd", "Only http")):
            server.target = target
            with pytest.raises(SourceError, match=match):
                ask_webdav(f"http://127.0.0.1:{port}/dav", policy)


class _KeptOpen(BaseHTTPRequestHandler):
    """Keeps its connections open, as werkzeug's server does not."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@needs_inside
def test_a_connection_inside_is_not_used_for_who_leads_in_from_outside() -> None:
    """A listed host led there before, and its connection is still open."""
    names = {"files.example": "::1", "wiki.example": "::1", "localhost": "127.0.0.1"}
    policy = Policy(
        resolver=lambda host, _: [names[host]],
        allowed=lambda address: str(address) == "::1",
        inside_hosts=frozenset({"localhost", "wiki.example"}),
    )
    _KeptOpen.asked.clear()
    outside = Redirecting()
    with ThreadingHTTPServer(("127.0.0.1", 0), _KeptOpen) as inside, serving(outside, host="::1") as port:
        inside.daemon_threads = True
        inside.block_on_close = False
        threading.Thread(target=inside.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        client = GuardedClient(outside, Access(max_mb=1, policy=policy), follows_redirects=True)
        outside.target = f"http://localhost:{inside.server_address[1]}/page"
        for _ in range(2):
            assert client.request("GET", f"http://wiki.example:{port}/dav").status_code == 200
        with pytest.raises(SourceError, match="localhost is not on the public Internet"):
            client.request("GET", f"http://files.example:{port}/dav")
        inside.shutdown()
    assert _KeptOpen.asked == ["/page", "/page"]


def test_the_machines_own_role_is_asked_for_only_where_there_is_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By boto3 itself, in the instance's metadata; the bucket of Amazon is then asked at a checked address."""
    told: list[str] = []
    named: list[str] = []

    def metadata(environ: dict[str, Any], start: Any) -> list[bytes]:
        told.append(environ["PATH_INFO"])
        role = {
            "Code": "Success",
            "AccessKeyId": "A",
            "SecretAccessKey": "S",
            "Token": "T",
            "Expiration": "2999-01-01T00:00:00Z",
        }
        start("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(role).encode() if environ["PATH_INFO"].endswith("/reader") else b"reader"]

    def resolver(host: str, _: int) -> list[str]:
        named.append(host)
        return ["10.0.0.7"]

    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    for variable in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(variable)
    for variable in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(variable, str(tmp_path / "none"))
    with serving(metadata) as port:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")  # for other uses of boto3
        for keys, secrets in (({"access_key": "AKIAFOOTNOTE"}, {"secret_key": "right"}), ({}, {})):
            served = Served(kind="s3", settings={"bucket": "handbook"} | keys, secrets=secrets, put=print, remove=print)
            with pytest.raises(SourceError, match="is not on the public Internet"):
                list(served.connect(access=served.access(policy=Policy(resolver=resolver))).list())
            assert bool(told) == (not keys)
    assert set(told) == {
        "/latest/api/token",
        "/latest/meta-data/iam/security-credentials/",
        "/latest/meta-data/iam/security-credentials/reader",
    }
    assert set(named) == {"handbook.s3.amazonaws.com"}


@pytest.mark.parametrize("answer", [b"", b"<html>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', b"<a/>" * 2, b"\x00"])
def test_what_is_no_webdav_is_no_empty_folder(answer: bytes) -> None:
    """Else all of it would count as gone."""

    def wrong(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("404 Not Found" if environ["REQUEST_METHOD"] == "GET" else "207 Multi-Status", [])
        return [answer]

    with serving(wrong) as port:
        settings = {"address": f"http://127.0.0.1:{port}/dav"}
        with pytest.raises(SourceError):
            list(Served(kind="webdav", settings=settings, put=print, remove=print).connect().list())


class _Tagged:
    """A WebDAV server with one file, whose entity tag depends on how it is asked."""

    def __init__(self) -> None:
        self.tags = {"PROPFIND": '"1"', "GET": '"1pub"', "HEAD": '"1pub"'}

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        method = environ["REQUEST_METHOD"]
        if method == "PROPFIND":
            start("207 Multi-Status", [("Content-Type", "application/xml")])
            about = f"<href>/dav/a.md</href><propstat><prop><getetag>{self.tags[method]}</getetag></prop></propstat>"
            return [f'<multistatus xmlns="DAV:"><response>{about}</response></multistatus>'.encode()]
        is_there = environ["PATH_INFO"] == "/dav/a.md"
        start("200 OK" if is_there else "404 Not Found", [("ETag", self.tags[method])])
        return [b"one"] if is_there and method == "GET" else []


@pytest.mark.parametrize(
    ("tags", "is_loaded"),
    [
        ({}, True),
        ({"GET": 'W/"1"'}, True),  # a weak tag is the same as a strong one
        ({"GET": '"2pub"'}, False),  # another content came, though the old one is back
        ({"PROPFIND": '"2"'}, False),
    ],
)
def test_a_server_may_call_a_file_otherwise_when_it_sends_it(tags: dict[str, str], *, is_loaded: bool) -> None:
    """As long as it calls what was listed so again."""
    server = _Tagged()
    with serving(server) as port:
        settings = {"address": f"http://127.0.0.1:{port}/dav"}
        connector = Served(kind="webdav", settings=settings, put=print, remove=print).connect()
        found = listed(connector)["a.md"]
        server.tags |= tags
        with nullcontext() if is_loaded else pytest.raises(ChangedMeanwhileError):
            assert connector.load(found, "") is not None


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    """Without a word of it."""
    with gcs.serve(tmp_path) as served:
        for key in ("no JSON", "{}", '{"type": "service_account", "private_key": "secret"}'):
            with pytest.raises(SourceRefusedError) as error:
                served.connect(secrets={"key": key})
            assert "secret" not in str(error.value)


def test_secrets_stand_in_no_representation(tmp_path: Path) -> None:
    """Of a connector, which may be logged."""
    with webdav.serve(tmp_path) as served:
        connector = served.connect(secrets={"password": "hunter22"})
        assert "hunter22" not in repr(connector) + repr(vars(connector))
