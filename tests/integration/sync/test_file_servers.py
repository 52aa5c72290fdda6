"""What is peculiar to a kind of server."""

import os
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from core.errors import ChangedMeanwhileError, SourceError, SourceRefusedError
from core.ingestion.sources.source import LeftOut
from core.sync.connector import Listed
from tests.integration.sync.servers import gcs, sftp, smb, webdav
from tests.integration.sync.servers.served import Served, left_out, listed, serving


def test_a_server_with_another_key_is_not_asked(tmp_path: Path) -> None:
    """It gets no password, and its fingerprint is told."""
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
    """Whose passphrase is the password."""
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
    """What lies beside it is listed, and two such names are not one."""
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
    """Nobody could tell which of the files it opens; nor for a name that would open a stream of another file."""
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
    """What would be dropped from one without a word might make it the name of another file."""

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


@pytest.mark.parametrize("target", ["http://127.0.0.2:1/", "http://localhost:1/"])
def test_a_redirect_leads_only_where_asking_is_allowed(target: str) -> None:
    """And each host is asked about."""

    def elsewhere(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("307 Temporary Redirect", [("Location", target)])
        return [b""]

    asked: list[str] = []
    with serving(elsewhere) as port:
        settings = {"address": f"http://127.0.0.1:{port}/dav", "user": "footnote"}
        served = Served(kind="webdav", settings=settings, secrets={"password": "right"}, put=print, remove=print)
        with pytest.raises(SourceError):
            list(served.connect(access=served.access(check_host=asked.append)).list())
    assert asked == ["127.0.0.1", target.split("/")[2].split(":")[0]]


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
