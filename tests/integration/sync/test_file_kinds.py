"""Test the common behaviour of all sources of files, on a real server of each kind."""

import json
import socket
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.errors import ChangedMeanwhileError, FileTooLargeError, GoneError, SourceError, SourceRefusedError
from core.library.ingestion.sources.policy import Policy
from core.library.sync.files import store
from core.library.sync.kinds import MODULES, kind_of
from tests.integration.sync.servers.served import Served, left_out, listed

KINDS = ("azure", "folder", "gcs", "git", "github", "s3", "sftp", "smb", "webdav")
SERVERS = tuple(kind for kind in KINDS if kind != "folder")
NAMES = ("a b.md", "50% off & more.md", "ünïcode.md", "what?#1.md", "plus+and;semi.md")


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """An empty source of each kind."""
    with import_module(f"tests.integration.sync.servers.{request.param}").serve(tmp_path) as found:
        yield found


def test_what_is_there_is_listed_and_loaded(served: Served) -> None:
    """Documents in all folders, under their paths from the root; not what is hidden, excluded or no document."""
    served.put("handbook.md", b"# Leave")
    served.put("board/minutes/2024 january.md", b"# Minutes")
    served.put("board/photo.svg", b"picture")
    served.put("drafts/new.md", b"draft")
    served.put(".hidden/secret.md", b"hidden")
    connector = served.connect(exclude="drafts/")
    found = listed(connector)
    assert set(found) == {"handbook.md", "board/minutes/2024 january.md"}
    assert found["board/minutes/2024 january.md"].document_type == "minutes"
    assert {one.groups for one in found.values()} == {None}
    assert left_out(connector) == {"board/photo.svg": "a file of type .svg, not a document"}
    loaded = {key: connector.load(one, "") for key, one in found.items()}
    assert {key: one and (one.file.name, one.file.content, one.validator) for key, one in loaded.items()} == {
        "handbook.md": ("handbook.md", b"# Leave", ""),
        "board/minutes/2024 january.md": ("board/minutes/2024 january.md", b"# Minutes", ""),
    }


def test_names_are_only_names(served: Served) -> None:
    """Characters that mean something in addresses and patterns."""
    names = [name for name in NAMES if served.kind != "smb" or "?" not in name]  # no name on Windows
    for name in names:
        served.put(name, name.encode())
    connector = served.connect()
    found = listed(connector)
    assert set(found) == set(names)
    for name, one in found.items():
        loaded = connector.load(one, "")
        assert loaded is not None
        assert loaded.file.content == name.encode()


def test_another_content_has_another_fingerprint(served: Served) -> None:
    """And the same content has the same."""
    served.put("a.md", b"one")
    served.put("b.md", b"unchanged")
    before = listed(served.connect())
    served.put("a.md", b"another")
    after = listed(served.connect())
    assert before["a.md"].fingerprint != after["a.md"].fingerprint
    assert before["b.md"].fingerprint == after["b.md"].fingerprint != ""
    loaded = served.connect().load(after["a.md"], "")
    assert loaded is not None
    assert loaded.file.content == b"another"


def test_another_content_is_not_loaded_as_the_one_that_was_listed(served: Served) -> None:
    """Its readers may be others. GitHub still gives out what was listed."""
    served.put("a.md", b"as listed")
    found = listed(served.connect())["a.md"]
    served.put("b.md", b"as listed")  # by which the scripted GitHub keeps it
    served.put("a.md", b"rewritten since")
    if served.kind == "github":
        loaded = served.connect().load(found, "")
        assert loaded is not None
        assert loaded.file.content == b"as listed"
    else:
        with pytest.raises(ChangedMeanwhileError):
            served.connect().load(found, "")


def test_what_went_after_the_listing_is_gone(served: Served) -> None:
    """And is listed no more."""
    served.put("a.md", b"one")
    served.put("b.md", b"stays")
    found = listed(served.connect())
    served.remove("a.md")
    with pytest.raises(GoneError):
        served.connect().load(found["a.md"], "")
    assert set(listed(served.connect())) == {"b.md"}


def test_an_empty_file_is_loaded_as_it_is(served: Served) -> None:
    """Judging it is not the source's business."""
    served.put("a.md", b"")
    connector = served.connect()
    loaded = connector.load(listed(connector)["a.md"], "")
    assert loaded is not None
    assert loaded.file.content == b""


def test_no_more_is_read_than_is_allowed(served: Served) -> None:
    """A file of exactly a megabyte is, one of a byte more is not."""
    served.put("fits.md", b"x" * 1024 * 1024)
    served.put("larger.md", b"x" * (1024 * 1024 + 1))
    connector = served.connect()
    found = listed(connector)
    loaded = connector.load(found["fits.md"], "")
    assert loaded is not None
    assert len(loaded.file.content) == 1024 * 1024
    with pytest.raises(FileTooLargeError):
        connector.load(found["larger.md"], "")


def test_the_source_says_who_reads(served: Served) -> None:
    """By a file in its root, which is no document itself; in its settings it is said otherwise."""
    served.put("board/minutes.md", b"secret")
    served.put("handbook.md", b"for staff")
    served.put("other.txt", b"for nobody")
    served.put(".footnote-readers.txt", b"*.md: staff\nboard/: directors, company secretary\n")
    assert {key: one.groups for key, one in listed(served.connect()).items()} == {
        "board/minutes.md": ("directors", "company secretary"),
        "handbook.md": ("staff",),
        "other.txt": (),
    }
    assert {key: one.groups for key, one in listed(served.connect(readers="*.txt: everyone")).items()} == {
        "board/minutes.md": (),
        "handbook.md": (),
        "other.txt": ("everyone",),
    }


@pytest.mark.parametrize("content", [b"*.md: staff\nboard directors\n", b"\xff\xfe", b"x" * (1024 * 1024 + 1)])
def test_nothing_is_listed_by_rules_that_cannot_be_read(served: Served, content: bytes) -> None:
    """Broken, not text, too long: nobody is guessed, least of all everybody."""
    served.put("handbook.md", b"for staff")
    served.put(".footnote-readers.txt", content)
    with pytest.raises(SourceError, match=r"footnote-readers"):
        list(served.connect().list())


@pytest.mark.parametrize("served", SERVERS, indirect=True)
def test_refused_credentials_are_told_as_such(served: Served) -> None:
    """Not as a source without documents, and without the secret."""
    assert served.refused is not None
    served.put("a.md", b"one")
    with pytest.raises(SourceRefusedError) as refused:
        list(served.connect(secrets=served.refused).list())
    assert not any(secret in str(refused.value) for secret in served.refused.values())


def test_it_waits_its_turn_and_asks_only_hosts_that_it_may(served: Served) -> None:
    """Before each listing and each loading, and before anything is sent."""
    served.put("a.md", b"one")
    asked: list[str] = []
    connector = served.connect(access=served.access(pause=lambda: asked.append("pause")))
    found = listed(connector)
    first = len(asked)
    connector.load(found["a.md"], "")
    assert 0 < first < len(asked) or (served.kind == "git" and first)  # a clone holds all
    if served.at is None:
        return

    with pytest.raises(SourceError, match=r"127\.0\.0\.1 is not on the public Internet"):
        list(served.connect(access=served.access(policy=Policy())).list())


@pytest.mark.parametrize("served", SERVERS, indirect=True)
def test_a_server_that_hangs_is_left(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a time, as a source that cannot be asked; so is one that is not there."""
    assert served.at is not None
    monkeypatch.setattr(store, "ANSWER_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        began = time.monotonic()
        with pytest.raises(SourceError) as error:
            list(served.connect(**served.at(port)).list())
        assert not isinstance(error.value, SourceRefusedError)
        assert time.monotonic() - began < 10
    with pytest.raises(SourceError):
        list(served.connect(**served.at(port)).list())


@pytest.mark.parametrize("served", SERVERS, indirect=True)
def test_another_port_is_another_destination(served: Served) -> None:
    """Credentials are bound to what a kind calls its destination, and it connects to nothing else."""
    assert served.at is not None
    kind = kind_of(served.kind)
    found = {
        json.dumps(kind.destination_of(kind.settings.model_validate(served.settings | served.at(port))))
        for port in (1, 2, 3)
    }
    assert len(found) == 3


def test_every_kind_of_files_is_tried_here() -> None:
    """And every field of their forms says what it is for."""
    assert set(KINDS) <= set(MODULES)
    for name in KINDS:
        kind = kind_of(name)
        assert kind.name == name
        assert kind.tells_readers
        for field in kind.settings.model_fields.values():
            assert field.title
            assert field.description
