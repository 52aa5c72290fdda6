"""Test the second look at a file after it was loaded: its readers now, and whether it is unchanged."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.errors import ChangedMeanwhileError, IngestionError, SourceError, SourceRefusedError
from core.library.sync.connector import Connector, Listed, TellsReaders
from tests.integration.sync.servers.served import Served, listed, serving
from tests.integration.sync.test_file_kinds import KINDS, NAMES, SERVERS

RULES = ".footnote-readers.txt"


@pytest.fixture(params=KINDS)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """An empty source of each kind."""
    with import_module(f"tests.integration.sync.servers.{request.param}").serve(tmp_path) as found:
        yield found


def look_again(connector: Connector, one: Listed) -> Listed | None:
    """Look at a file of the source again."""
    assert isinstance(connector, TellsReaders)
    return connector.look_again(one)


def test_a_file_that_stays_is_as_it_was_listed(served: Served) -> None:
    """In a folder, with characters that mean something in addresses, by rules of its own or of the settings."""
    names = [f"board/{name}" for name in NAMES if served.kind != "smb" or "?" not in name]
    for name in names:
        served.put(name, b"one")
    served.put(RULES, b"board/: directors\n")
    for settings in ({}, {"readers": "board/: all"}):
        connector = served.connect(**settings)
        found = listed(connector)
        assert set(found) == set(names)
        for one in found.values():
            assert connector.load(one, "") is not None
            assert look_again(connector, one) == one


def test_readers_are_those_of_now(served: Served) -> None:
    """Also for the connector that listed and loaded the file, whatever it keeps."""
    served.put("plan.md", b"one")
    served.put(RULES, b"*: staff\n")
    connector = served.connect()
    one = listed(connector)["plan.md"]
    assert connector.load(one, "") is not None
    for rules, groups in ((b"*: staff\nplan.md: board\n", ("board",)), (b"plan.md:\n", ()), (b"*: all\n", ("all",))):
        served.put(RULES, rules)
        now = look_again(connector, one)
        assert now is not None
        assert (now.groups, now.fingerprint) == (groups, one.fingerprint)
    served.remove(RULES)
    now = look_again(connector, one)
    assert now is not None
    assert now.groups is None


def test_a_file_that_was_rewritten_has_another_fingerprint(served: Served) -> None:
    """That of the next listing, by which the new content can be loaded at once."""
    served.put("plan.md", b"one")
    served.put(RULES, b"*: staff\n")
    connector = served.connect()
    one = listed(connector)["plan.md"]
    assert connector.load(one, "") is not None
    served.put("plan.md", b"the pier is sold")
    served.put(RULES, b"*: board\n")
    now = look_again(connector, one)
    assert now is not None
    assert now != one
    assert now == listed(served.connect())["plan.md"]
    loaded = connector.load(now, "")
    assert loaded is not None
    assert loaded.file.content == b"the pier is sold"
    assert look_again(connector, now) == now


def test_a_file_that_is_gone_is_nothing(served: Served) -> None:
    """A folder may be in its place."""
    served.put(RULES, b"*: staff\n")
    served.put("plan.md", b"one")
    served.put("other.md", b"two")
    connector = served.connect()
    found = listed(connector)
    served.remove("plan.md")
    assert look_again(connector, found["plan.md"]) is None
    served.put("plan.md/inside.md", b"three")
    assert look_again(connector, found["plan.md"]) is None
    assert look_again(connector, Listed(key="../plan.md", name="plan.md")) is None
    assert look_again(connector, found["other.md"]) == found["other.md"]


def test_rules_that_are_broken_name_nobody(served: Served) -> None:
    """The source as a whole is at fault, as in a listing."""
    served.put("plan.md", b"one")
    connector = served.connect()
    one = listed(connector)["plan.md"]
    served.put(RULES, b"board directors\n")
    with pytest.raises(SourceError, match="line 1"):
        look_again(connector, one)


@pytest.mark.parametrize("served", SERVERS, indirect=True)
def test_refused_credentials_are_no_file_that_is_gone(served: Served) -> None:
    """They may have been taken away since the listing."""
    served.put("plan.md", b"one")
    one = listed(served.connect())["plan.md"]
    with pytest.raises((SourceRefusedError, IngestionError)):
        look_again(served.connect(secrets=served.refused, readers="*: staff"), one)


class _Writing:
    """Changes to a source before each request of a connector, once the source is set."""

    def __init__(self) -> None:
        self.served: Served | None = None
        self.steps: Iterator[list[tuple[str, bytes]]] = iter(())

    def pause(self) -> None:
        """Do the next step."""
        if self.served is not None:
            for path, content in next(self.steps, []):
                self.served.put(path, content)


@pytest.mark.parametrize("is_opened", [True, False])
@pytest.mark.parametrize("earlier", range(4))
def test_readers_belong_to_the_content(served: Served, earlier: int, *, is_opened: bool) -> None:
    """No look finds what was secret with the readers that came after, nor what is secret now with those before.

    What is secret is cleared before it is opened, and shut before it is written.
    """
    writing = _Writing()
    connector = served.connect(access=served.access(pause=writing.pause))
    secret, cleared = ("plan.md", b"the pier is sold"), ("plan.md", b"nothing is sold here")
    shut, opened = (RULES, b"*: board\n"), (RULES, b"*: all\n")
    for path, content in (secret, shut) if is_opened else (cleared, opened):
        served.put(path, content)
    one = listed(connector)["plan.md"]
    assert connector.load(one, "") is not None
    nothing: list[tuple[str, bytes]] = []
    writing.steps = iter([*[nothing] * earlier, [cleared, opened] if is_opened else [shut, secret]])
    writing.served = served
    now = look_again(connector, one)
    assert now is not None
    is_secret = (now.fingerprint == one.fingerprint) == is_opened
    assert now.groups == ("board",) or not is_secret


@pytest.mark.parametrize("served", ["folder", "s3", "webdav"], indirect=True)
def test_a_file_that_never_stays_is_not_described(served: Served) -> None:
    """After some looks."""
    writing = _Writing()
    connector = served.connect(access=served.access(pause=writing.pause))
    served.put("plan.md", b"one")
    one = listed(connector)["plan.md"]
    writing.served, writing.steps = served, ([("plan.md", b"x" * length)] for length in range(10, 99))
    with pytest.raises(ChangedMeanwhileError):
        look_again(connector, one)
    assert next(writing.steps)[0][1] < b"x" * 30


def test_a_file_of_which_nothing_tells_that_it_changed_has_no_certain_readers() -> None:
    """Unless the settings name them, which change with no content."""
    rules = [b"*: staff\n"]

    def answer(environ: dict[str, object], start: object) -> list[bytes]:
        assert callable(start)
        if environ["REQUEST_METHOD"] == "PROPFIND":
            start("207 Multi-Status", [("Content-Type", "application/xml")])
            return [b'<multistatus xmlns="DAV:"><response><href>/dav/a.md</href></response></multistatus>']
        start("200 OK", [])
        return rules if environ["PATH_INFO"] == f"/dav/{RULES}" else [b"one"]

    with serving(answer) as port:
        served = Served(kind="webdav", settings={"address": f"http://127.0.0.1:{port}/dav"}, put=print, remove=print)
        one = listed(served.connect())["a.md"]
        with pytest.raises(IngestionError, match="is not certain"):
            look_again(served.connect(), one)
        now = look_again(served.connect(readers="*: board"), one)
        assert now is not None
        assert now.groups == ("board",)
