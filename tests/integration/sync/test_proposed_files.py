"""Files in proposed changes: which may be changed, and how their bytes are kept."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import (
    AlreadyThereError,
    ChangedMeanwhileError,
    FileTooLargeError,
    GoneError,
    IngestionError,
    UnsupportedFileError,
)
from tests.integration.sync.proposed import BRANCH, Place, change_of, open_place, run

BOM = b"\xef\xbb\xbf"


@pytest.fixture(params=["file", "branch", "github"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place of each kind of access to a repository."""
    with open_place(request.param, tmp_path) as opened:
        yield opened


def test_a_file_that_was_changed_meanwhile_is_left_alone(place: Place) -> None:
    """The text was written for another one."""
    before = place.put("a.md", b"old\n")
    place.put("a.md", b"newer\n")
    with pytest.raises(ChangedMeanwhileError, match=r"a\.md was changed at the source"):
        place.connect().propose(change_of("a.md", before, "new\n"))
    assert place.branches() == {"main"}


def test_a_file_that_is_gone_is_not_made_again(place: Place) -> None:
    """Nor is a folder that took its place, or one that was never there."""
    before = place.put("a.md", b"old\n")
    (place.work / "docs/a.md").unlink()
    place.put("a.md/inside.md", b"a folder now\n")
    for key in ("a.md", "none.md", "none/none.md", "a.md/inside.md/further.md"):
        with pytest.raises(GoneError, match="no longer there"):
            place.connect().propose(change_of(key, before, "new\n"))
    assert place.branches() == {"main"}


def test_a_new_file_takes_the_place_of_nothing(place: Place) -> None:
    """Neither of a file, nor of a folder, nor of a file on the way to it."""
    place.put("a.md", b"old\n")
    place.put("folder.md/b.md", b"old\n")
    for key in ("a.md", "folder.md", "a.md/below.md"):
        with pytest.raises(AlreadyThereError):
            place.connect().propose(change_of(key, "", "new\n"))
    assert place.branches() == {"main"}


@pytest.mark.parametrize(
    "key",
    [
        "../README.md",
        "x/../../README.md",
        "/a.md",
        "x//a.md",
        "./a.md",
        "",
        ".git/config",
        "x/.GIT/hooks/a.md",
        "git~1/a.md",
        "\u200c.git/a.md",
        ".footnote-readers.txt",
        "x\\..\\a.md",
        "a\n.md",
        "ü" * 130 + ".md",
    ],
)
@pytest.mark.parametrize("is_new", [True, False])
def test_no_path_leads_elsewhere(tmp_path: Path, key: str, *, is_new: bool) -> None:
    """Out of the folder, into what belongs to Git, or to the rules for readers."""
    with open_place("file", tmp_path) as place:
        place.put("a.md", b"old\n")
        with pytest.raises(IngestionError, match=r"needs the path of a document|can be called"):
            place.connect().propose(change_of(key, "", "new\n", is_new=is_new))
        assert place.branches() == {"main"}


def test_links_and_other_repositories_are_no_way(place: Place) -> None:
    """Neither to a file nor for a new one; nor are they files themselves."""
    before = place.put("a.md", b"old\n")
    (place.work / "docs/link").symlink_to("..")
    (place.work / "docs/link.md").symlink_to("a.md")
    run(place.work, "add", "--all")
    head = run(place.work, "rev-parse", "HEAD")
    run(place.work, "update-index", "--add", "--cacheinfo", f"160000,{head},docs/other.md")
    run(place.work, "commit", "--quiet", "-m", "Links")
    run(place.work, "push", "--quiet", "origin", "main")
    for key in ("link/README.md", "link.md", "other.md/README.md", "other.md"):
        with pytest.raises(GoneError):
            place.connect().propose(change_of(key, before, "new\n"))
        with pytest.raises(AlreadyThereError):
            place.connect().propose(change_of(key, "", "new\n"))
    assert place.branches() == {"main"}


def test_a_new_file_is_one_that_the_source_reads(place: Place) -> None:
    """Otherwise it would never come in, though it is merged."""
    place.put("a.md", b"old\n")
    place.served.settings["exclude"] = "drafts/"
    for key in ("picture.xyz", "drafts/b.md", "b"):
        with pytest.raises(IngestionError, match="does not read a file called"):
            place.connect().propose(change_of(key, "", "new\n"))
    assert place.branches() == {"main"}
    assert place.connect().propose(change_of("b.md", "", "new\n")).branch == BRANCH


@pytest.mark.parametrize(
    ("present", "text", "expected"),
    [
        (b"one\r\ntwo\r\n", "one\nthree\n", b"one\r\nthree\r\n"),
        (b"one\r\ntwo\r\n", "one\r\nthree\n", b"one\r\nthree\r\n"),
        (b"one\ntwo\n", "one\r\nthree\r\n", b"one\nthree\n"),
        (b"one\r\ntwo\nthree\n", "four\n", b"four\n"),
        (BOM + b"one\n", "two\n", BOM + b"two\n"),
        (BOM + b"one\r\n", "\ufefftwo\n", BOM + b"two\r\n"),
        (b"one\n", "\ufefftwo ä", "two ä".encode()),
        (b"", "two\n", b"two\n"),
    ],
)
def test_line_endings_and_byte_order_marks_are_kept(tmp_path: Path, present: bytes, text: str, expected: bytes) -> None:
    """So that the change shows what was changed, and no line besides."""
    with open_place("branch", tmp_path) as place:
        place.connect().propose(change_of("a.md", place.put("a.md", present), text))
        shown = subprocess.run(
            ["git", "cat-file", "blob", f"{BRANCH}:docs/a.md"],  # noqa: S607
            cwd=place.bare,
            capture_output=True,
            check=True,
        )
        assert shown.stdout == expected


def test_what_is_no_text_is_not_changed(place: Place) -> None:
    """Nor is a file of Git LFS, nor one that is larger than is read."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    for content, error in ((b"\xff\xfea\x00", "not text in UTF-8"), (pointer, "Git LFS")):
        with pytest.raises(UnsupportedFileError, match=error):
            place.connect().propose(change_of("a.md", place.put("a.md", content), "new\n"))
    with pytest.raises(FileTooLargeError):
        place.connect().propose(change_of("a.md", place.put("a.md", b"x" * 1_100_000), "new\n"))
    with pytest.raises(FileTooLargeError):
        place.connect().propose(change_of("a.md", place.put("a.md", b"x"), "x" * 1_100_000))
    assert place.branches() == {"main"}
