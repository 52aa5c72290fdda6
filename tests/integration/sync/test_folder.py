"""Folders of this machine."""

import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from core.errors import ChangedMeanwhileError, GoneError, IngestionError, SourceError
from core.library.sync.kinds import kind_of
from tests.integration.sync.servers import folder
from tests.integration.sync.servers.served import Served, left_out, listed


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A folder in an allowed one, which is not all of the machine."""
    (tmp_path / "allowed").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    with folder.serve(tmp_path / "allowed") as found:
        yield found


def _root(served: Served) -> Path:
    return Path(served.settings["path"])


def test_no_link_is_followed(served: Served) -> None:
    """Neither out nor in circles, neither to files nor to folders."""
    served.put("a.md", b"one")
    (_root(served) / "out").symlink_to(_root(served).parents[1] / "outside")
    (_root(served) / "secret.md").symlink_to(_root(served).parents[1] / "outside" / "secret.md")
    (_root(served) / "around").symlink_to(_root(served))
    os.mkfifo(_root(served) / "pipe.md")
    connector = served.connect()
    assert set(listed(connector)) == {"a.md"}
    assert left_out(connector) == {
        "around": "a link, which is not followed",
        "out": "a link, which is not followed",
        "pipe.md": "no file, but a device",
        "secret.md": "a link, which is not followed",
    }


@pytest.mark.parametrize("is_folder", [True, False])
def test_what_became_a_link_after_the_listing_is_not_followed(served: Served, *, is_folder: bool) -> None:
    """The way is walked step by step, each time."""
    served.put("board/secret.md", b"for all")
    one = listed(served.connect())["board/secret.md"]
    (_root(served) / "board" / "secret.md").unlink()
    outside = _root(served).parents[1] / "outside"
    if is_folder:
        (_root(served) / "board").rmdir()
        (_root(served) / "board").symlink_to(outside)
    else:
        (_root(served) / "board" / "secret.md").symlink_to(outside / "secret.md")
    with pytest.raises(IngestionError):
        served.connect().load(one, "")


@pytest.mark.parametrize("key", ["../../outside/secret.md", "/etc/passwd", "a/../../secret.md", "", "."])
def test_a_key_leads_nowhere_else(served: Served, key: str) -> None:
    """Whatever is stored as one."""
    served.put("a.md", b"one")
    one = listed(served.connect())["a.md"]
    with pytest.raises(GoneError):
        served.connect().load(type(one)(key=key, name="a.md"), "")


@pytest.mark.parametrize("path", ["outside", "allowed/handbook/nowhere", "allowed/../outside", "allowed/link"])
def test_only_allowed_folders_are_read(served: Served, tmp_path: Path, path: str) -> None:
    """A missing folder and a forbidden one get the same message."""
    (tmp_path / "allowed" / "link").symlink_to(tmp_path / "outside")
    asked = str(tmp_path / path)
    with pytest.raises(SourceError, match=re.escape(f"{asked} is not there, or not in one of the folders")):
        served.connect(path=asked)


def test_nothing_is_allowed_unless_somebody_allowed_it(served: Served) -> None:
    """No folders are no permission."""
    with pytest.raises(SourceError):
        served.connect(access=served.access(folders=()))


def test_names_that_cannot_be_kept_apart_are_left_out(served: Served) -> None:
    """Control characters, and names that are no text."""
    served.put("a\nb.md", b"one")
    (Path(os.fsdecode(os.fsencode(_root(served)) + b"/\xff.md"))).write_bytes(b"two")
    connector = served.connect()
    assert set(listed(connector)) == set()
    assert left_out(connector) == {
        "a\N{REPLACEMENT CHARACTER}b.md": "its name holds a control character, or is not written in UTF-8",
        "\N{REPLACEMENT CHARACTER}.md": "its name holds a control character, or is not written in UTF-8",
    }


def test_a_file_that_changes_while_it_is_read_is_read_again_later(served: Served) -> None:
    """Half of one and half of another is no document."""
    served.put("a.md", b"x" * 600_000)
    connector = served.connect()
    one = listed(connector)["a.md"]
    pieces = connector._store.pieces("a.md", one.fingerprint)
    next(pieces)
    served.put("a.md", b"y" * 600_001)
    with pytest.raises(ChangedMeanwhileError):
        list(pieces)


def _wait_for_the_clock(after_ns: int, probe: Path) -> None:
    """Until what is written bears a later time: the file system's clock goes on by some milliseconds at once."""
    while True:
        probe.unlink(missing_ok=True)
        probe.touch()
        if probe.stat().st_ctime_ns > after_ns:
            return
        time.sleep(0.001)


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_content_of_the_same_length_and_time_is_another(served: Served, tmp_path: Path, *, is_moved: bool) -> None:
    """Copies may keep the time of writing; a file may be moved into the place of another."""
    served.put("a.md", b"for staff")
    before = listed(served.connect())["a.md"]
    times = (_root(served) / "a.md").stat()
    _wait_for_the_clock(times.st_ctime_ns, tmp_path / "probe")
    written = tmp_path / "new.md" if is_moved else _root(served) / "a.md"
    written.write_bytes(b"for board")
    os.utime(written, ns=(times.st_atime_ns, times.st_mtime_ns))
    written.rename(_root(served) / "a.md")
    assert listed(served.connect())["a.md"].fingerprint != before.fingerprint
    with pytest.raises(ChangedMeanwhileError):
        served.connect().load(before, "")


def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(served: Served) -> None:
    """Else all of it would count as gone."""
    served.put("a.md", b"one")
    served.put("board/b.md", b"two")
    found = served.connect().list()
    next(found)
    (_root(served) / "board" / "b.md").unlink()
    (_root(served) / "board").rmdir()
    (_root(served) / "board").symlink_to(_root(served).parents[1] / "outside")
    with pytest.raises(SourceError, match="board"):
        list(found)


def test_a_root_that_is_gone_is_not_an_empty_one(served: Served) -> None:
    """As when a disk is not mounted."""
    connector = served.connect()
    _root(served).rmdir()
    with pytest.raises(SourceError):
        list(connector.list())


def test_folders_within_folders_come_to_an_end(served: Served) -> None:
    """More than forty are taken for a loop, and said so."""
    served.put("/".join(["x"] * 45) + "/a.md", b"deep")
    with pytest.raises(SourceError, match="40 deep"):
        list(served.connect().list())
    assert set(listed(served.connect(exclude="/x/x/x/"))) == set()


def test_only_these_files(served: Served) -> None:
    """Patterns of both kinds."""
    for path in ("a.md", "b.txt", "board/c.md", "board/drafts/d.md"):
        served.put(path, b"one")
    assert set(listed(served.connect(include="board/\n*.txt", exclude="drafts"))) == {"b.txt", "board/c.md"}


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("path", "handbook", "Write the full path"),
        ("include", "*.md\n../x", "Line 2"),
        ("readers", "board directors", "line 1"),
    ],
)
def test_settings_say_what_to_write(field: str, value: str, told: str) -> None:
    """The message appears where the settings are entered."""
    with pytest.raises(ValidationError, match=told):
        kind_of("folder").settings.model_validate({"path": "/srv", field: value})


def test_reading_a_pipe_does_not_wait_for_its_writer(served: Served) -> None:
    """A file that became one since it was listed."""
    served.put("a.md", b"one")
    one = listed(served.connect())["a.md"]
    (_root(served) / "a.md").unlink()
    os.mkfifo(_root(served) / "a.md")
    done = threading.Event()

    def load() -> None:
        with pytest.raises(GoneError):
            served.connect().load(one, "")
        done.set()

    threading.Thread(target=load, daemon=True).start()
    assert done.wait(10)
