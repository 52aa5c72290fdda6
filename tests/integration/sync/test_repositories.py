"""Repositories: Git's own protocol, and GitHub's API."""

import gc
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import Repo

from core.errors import FileTooLargeError, SourceError, SourceRefusedError, UnsupportedFileError
from core.library.sync.connector import TellsReaders
from core.library.sync.kinds import kind_of
from tests.integration.sync.servers import git, github
from tests.integration.sync.servers.served import Served, left_out, listed, serving

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"


@pytest.fixture
def scripted() -> github.Repository:
    """Create GitHub's scripted repository."""
    return github.Repository()


@pytest.fixture
def on_github(tmp_path: Path, scripted: github.Repository) -> Iterator[Served]:
    """A repository there."""
    with github.serve(tmp_path, scripted) as served:
        yield served


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[tuple[git.Branch, Path]]:
    """A repository on this machine."""
    with Repo.init_bare(str(tmp_path / "local.git"), mkdir=True) as found:
        yield git.Branch(found), tmp_path


def _local(branch: git.Branch, folder: Path, path: str = "local.git") -> Served:
    settings = {"address": f"file://{folder / path}"}
    return Served(kind="git", settings=settings, put=branch.put, remove=branch.remove, folders=(folder,))


def test_a_clone_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the connector that made it, also when it broke off."""
    (tmp_path / "clones").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "clones"))
    with git.serve(tmp_path) as served:
        served.put("a.md", b"one")
        connector = served.connect()
        assert set(listed(connector)) == {"a.md"}
        assert len(list((tmp_path / "clones").iterdir())) == 1
        del connector
        with pytest.raises(SourceError, match="no branch other"):
            list(served.connect(branch="other").list())
        gc.collect()
        assert list((tmp_path / "clones").iterdir()) == []


def test_a_newer_commit_is_fetched_in_the_place_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is fetched when the current content is needed; while the branch stays, only its name is requested."""
    (tmp_path / "clones").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "clones"))
    with git.serve(tmp_path) as served:
        served.put("a.md", b"one")
        requests: list[str] = []
        connector = served.connect(access=served.access(pause=lambda: requests.append("")), readers="*: staff")
        assert isinstance(connector, TellsReaders)
        one = listed(connector)["a.md"]
        [clone] = (tmp_path / "clones").iterdir()
        of_the_listing = len(requests)
        assert connector.look_again(one) == one
        assert len(requests) - of_the_listing < of_the_listing
        assert [clone] == list((tmp_path / "clones").iterdir())
        served.put("a.md", b"two")
        now = connector.look_again(one)
        assert now is not None
        assert now.fingerprint != one.fingerprint
        [newer] = (tmp_path / "clones").iterdir()
        assert newer != clone


def test_a_repository_has_a_limit(tmp_path: Path) -> None:
    """Of what is fetched; what is too large to be read is not fetched at all."""
    with git.serve(tmp_path) as served:
        for number in range(3):
            served.put(f"{number}.txt", _noise(number))
        with pytest.raises(SourceError, match="larger than 1 MB"):
            list(served.connect(max_repository_mb=1).list())
        served.put("huge.txt", _noise(9) * 4)
        connector = served.connect(max_repository_mb=4)
        with pytest.raises(FileTooLargeError):
            connector.load(listed(connector)["huge.txt"], "")


def _noise(seed: int) -> bytes:
    return random.Random(seed).randbytes(700_000)


def test_no_redirect_is_followed() -> None:
    """It would take the password along, or lead into this network."""

    def elsewhere(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("302 Found", [("Location", "http://169.254.169.254/info/refs?service=git-upload-pack")])
        return [b""]

    with serving(elsewhere) as port:
        settings = {"address": f"http://127.0.0.1:{port}/a.git", "user": "footnote"}
        served = Served(kind="git", settings=settings, secrets={"password": "right"}, put=print, remove=print)
        with pytest.raises(SourceError, match="has another address now"):
            list(served.connect().list())


def test_a_repository_of_this_machine(repository: tuple[git.Branch, Path]) -> None:
    """Without a clone; only where it is allowed, with its objects."""
    branch, folder = repository
    branch.put("docs/a.md", b"one")
    connector = _local(branch, folder).connect()
    found = listed(connector)
    assert set(found) == {"docs/a.md"}
    branch.put("docs/a.md", b"two")
    assert isinstance(connector, TellsReaders)
    now = connector.look_again(found["docs/a.md"])
    assert now == listed(_local(branch, folder).connect())["docs/a.md"]
    assert now != found["docs/a.md"]
    with pytest.raises(SourceError, match="not in one of the folders"):
        list(_local(branch, folder).connect(access=_local(branch, folder / "none").access()).list())
    (folder / "local.git" / "objects" / "info").mkdir(exist_ok=True)
    (folder / "local.git" / "objects" / "info" / "alternates").write_text("/srv/other.git/objects\n")
    with pytest.raises(SourceError, match="shares the objects"):
        list(_local(branch, folder).connect().list())


def test_what_is_no_file_is_left_out(repository: tuple[git.Branch, Path]) -> None:
    """Links and other repositories; files kept by Git LFS are reported on loading."""
    branch, folder = repository
    branch.modes = {"link.md": 0o120000, "other.md": 0o160000}
    for path, content in {"link.md": b"/etc/passwd", "other.md": b"x", "large.md": POINTER, "a.md": b"one"}.items():
        branch.put(path, content)
    connector = _local(branch, folder).connect()
    found = listed(connector)
    assert set(found) == {"a.md", "large.md"}
    assert set(left_out(connector)) == {"link.md", "other.md"}
    with pytest.raises(UnsupportedFileError, match="Git LFS"):
        connector.load(found["large.md"], "")


def test_a_large_repository_on_github_is_listed_folder_by_folder(
    on_github: Served, scripted: github.Repository
) -> None:
    """GitHub does not give all in one answer; the addresses of the pages are the same either way."""
    for path in ("a.md", "x/y/b.md", "x/c.md", "drafts/d.md", "link.md"):
        on_github.put(path, path.encode())
    scripted.modes["docs/link.md"] = "120000"
    whole = listed(on_github.connect(exclude="drafts/"))
    scripted.is_truncated = True
    connector = on_github.connect(exclude="drafts/")
    assert listed(connector) == whole
    assert set(left_out(connector)) == {"link.md"}
    assert {key: one.source_url for key, one in whole.items()} == {
        key: f"https://github.com/octo-org/handbook/blob/main/docs/{key}" for key in ("a.md", "x/c.md", "x/y/b.md")
    }


@pytest.mark.parametrize("is_truncated", [True, False])
def test_a_name_that_github_cannot_tell_is_left_out(
    on_github: Served, scripted: github.Repository, *, is_truncated: bool
) -> None:
    """JSON has one character for all that is no text, so several files may have that name."""
    scripted.is_truncated = is_truncated
    for path in ("a.md", "\ufffd.md", "\ud800.md"):
        on_github.put(path, b"one")
    assert set(listed(on_github.connect())) == {"a.md"}
    assert set(left_out(on_github.connect())) == {"\ufffd.md"}


def test_a_limit_of_github_is_no_refusal(on_github: Served, scripted: github.Repository) -> None:
    """It is over in an hour, and the token is good."""
    scripted.limited = True
    with pytest.raises(SourceError, match="too many requests") as error:
        list(on_github.connect().list())
    assert not isinstance(error.value, SourceRefusedError)


def test_what_was_listed_is_loaded(on_github: Served) -> None:
    """Though the branch has gone on since."""
    on_github.put("a.md", b"as listed")
    found = listed(on_github.connect())
    on_github.put("b.md", b"as listed")
    on_github.put("a.md", b"newer")
    loaded = on_github.connect().load(found["a.md"], "")
    assert loaded is not None
    assert loaded.file.content == b"as listed"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("git", {"address": "ssh://git@example.com/a.git"}),
        ("git", {"address": "https://user:secret@example.com/a.git"}),
        ("git", {"address": "https://example.com/a.git", "path": "../other"}),
        ("github", {"owner": "a/b", "repository": "c"}),
        ("s3", {"bucket": "handbook", "endpoint": "https://minio.example.com"}),
        ("sftp", {"host": "files.example.com", "user": "footnote", "host_key": "ab:cd"}),
        ("webdav", {"address": "ftp://example.com/"}),
        ("azure", {"account": "contosofiles", "container": "handbooks", "endpoint": "https://a.example/?sig=secret"}),
    ],
)
def test_settings_that_cannot_be_used_are_refused(kind: str, settings: dict[str, str]) -> None:
    """Before anything is asked."""
    with pytest.raises(ValueError, match=r"\w"):
        kind_of(kind).settings.model_validate(settings)
