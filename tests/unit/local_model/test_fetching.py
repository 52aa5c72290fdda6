"""A file is fetched from where it was broken off, and counts only with its hash."""

import errno
from pathlib import Path

import pytest

from core.llm.local_model import fetching
from core.llm.local_model.fetching import FetchError, fetch, find_stated
from tests.unit.local_model.hub import CONTENT, SHA256, hub

pytestmark = pytest.mark.enable_socket


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


def test_a_refused_fetch_names_the_reply(tmp_path: Path) -> None:
    with hub() as at:
        at.status = 404
        with pytest.raises(FetchError, match="the server replied 404"):
            fetch(at.address, tmp_path / "m.gguf", sha256=SHA256)


def test_a_full_disk_is_told_and_what_is_there_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing fails in the middle; the next fetch goes on from there."""

    def fill(done: int, total: int) -> None:
        if done > 300_000:
            raise OSError(errno.ENOSPC, "No space left on device")

    with hub() as at:
        with pytest.raises(FetchError, match=r"No space left on device\). [\d,]+ bytes are kept"):
            fetch(at.address, tmp_path / "m.gguf", progress=fill)
        kept = fetching.find_part(tmp_path / "m.gguf").stat().st_size
        assert fetch(at.address, tmp_path / "m.gguf") == SHA256
    assert at.ranges == [None, f"bytes={kept}-"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file in its place")
    with hub() as at, pytest.raises(FetchError, match="could not be written"):
        fetch(at.address, tmp_path / "models" / "m.gguf")
