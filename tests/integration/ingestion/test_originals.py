"""Originals: kept whole before anything refers to them, with their document until the last one goes."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection, transaction
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from core.library.ingestion.pipeline import SourceOutcome, ingest
from core.library.ingestion.sandbox.process import Sandbox
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.target import IngestTarget
from core.library.originals.keeping import discard
from core.library.originals.storage import UNFINISHED, AtomicFileStorage, build_name
from core.library.originals.sweeping import sweep
from core.models import Collection, Document
from core.testing import Cast
from tests.integration.buckets import Bucket, keep_in, keep_in_bucket
from tests.unit.ingestion.files import paragraph, pdf

pytestmark = pytest.mark.usefixtures("fast")

LEAVE = b"# Leave\n\nFive days of leave may be carried over."
TRAVEL = b"# Travel\n\nTrips are booked a week before."
Take = Callable[..., SourceOutcome]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One process that reads files, for all tests."""
    with Sandbox() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """Keep originals in a folder of the test."""
    keep_in(settings, "core.library.originals.storage.AtomicFileStorage", location=tmp_path / "originals")
    return tmp_path / "originals"


@pytest.fixture
def take(cast: Cast, sandbox: Sandbox, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Take:
    """Ingest some bytes under a name, to the end of the transaction."""
    shelf = Collection.objects.create(name="Manuals")
    target = IngestTarget(collection=shelf, roles=(cast.staff,))

    def taken(content: bytes, name: str, *, is_original: bool = True) -> SourceOutcome:
        outcomes: list[SourceOutcome] = []
        loaded = LoadedFile(content=content, name=name, is_original=is_original)
        with django_capture_on_commit_callbacks(execute=True):
            ingest([Source(name=name, key=name, load=lambda: loaded)], target, sandbox, outcomes.append)
        return outcomes[0]

    return taken


def _kept(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_is_kept_as_it_came(take: Take, folder: Path) -> None:
    """Byte for byte, for its owner alone; the document knows its hash, its name without folders, its type and size."""
    content = pdf([paragraph(["The lift carries at most four persons at a time."])])
    take(content, "manuals/house/lift.pdf")
    document = Document.objects.get()
    assert (document.original_hash, document.original_name) == (_sha256(content), "lift.pdf")
    assert (document.original_type, document.original_size) == ("application/pdf", len(content))
    assert _kept(folder) == {_sha256(content): content}
    (file,) = (path for path in folder.rglob("*") if path.is_file())
    assert file.stat().st_mode & 0o077 == 0


def test_what_was_ingested_before_is_kept_when_it_comes_again(take: Take, folder: Path, settings: Settings) -> None:
    """Though its text is unchanged; and turned off, nothing more is kept."""
    settings.KEEP_ORIGINALS = False
    take(LEAVE, "leave.md")
    assert (Document.objects.get().original_hash, _kept(folder)) == ("", {})
    settings.KEEP_ORIGINALS = True
    assert take(LEAVE, "leave.md").unchanged == 1
    assert (Document.objects.get().original_hash, Document.objects.get().version) == (_sha256(LEAVE), 1)
    assert _kept(folder) == {_sha256(LEAVE): LEAVE}


def test_a_replaced_text_takes_its_original_along(take: Take, folder: Path, settings: Settings) -> None:
    """It holds also if the new text's original is not kept."""
    take(LEAVE, "leave.md")
    take(TRAVEL, "leave.md")
    assert _kept(folder) == {_sha256(TRAVEL): TRAVEL}
    settings.KEEP_ORIGINALS = False
    take(LEAVE, "leave.md")
    assert (Document.objects.get().original_hash, _kept(folder)) == ("", {})


def test_it_goes_with_the_last_document_that_has_it(
    take: Take, folder: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """Two documents of the same bytes share one file."""
    take(LEAVE, "leave.md")
    take(TRAVEL, "travel.md")
    take(LEAVE, "copy.md")
    other = Document.objects.create(
        collection=Collection.objects.create(name="Other"),
        source="x",
        title="X",
        content_hash="x",
        ingested_at=Document.objects.get(original_name="travel.md").ingested_at,
        original_hash=_sha256(LEAVE),
    )
    with django_capture_on_commit_callbacks(execute=True):
        Document.objects.filter(original_name__in=["leave.md", "copy.md"]).delete()
    assert set(_kept(folder)) == {_sha256(LEAVE), _sha256(TRAVEL)}
    with django_capture_on_commit_callbacks(execute=True):
        other.delete()
    assert set(_kept(folder)) == {_sha256(TRAVEL)}


def test_a_deletion_that_is_taken_back_takes_nothing(take: Take, folder: Path) -> None:
    """The file goes after the commit, and only then."""
    take(LEAVE, "leave.md")
    with transaction.atomic():
        Document.objects.get().delete()
        transaction.set_rollback(True)
    assert Document.objects.count() == 1
    assert _kept(folder) == {_sha256(LEAVE): LEAVE}


def test_one_of_many_in_a_file_has_no_original(take: Take, folder: Path) -> None:
    """The file holds others' texts, which may get other readers; nor has what was put together of several files."""
    lines = b'{"id": "1", "title": "One", "text": "The first."}\n{"id": "2", "title": "Two", "text": "The second."}'
    assert len(take(lines, "rows.jsonl").documents) == 2
    assert len(take(b'{"title": "Folder", "text": "Put together."}', "folder.json", is_original=False).documents) == 1
    assert set(Document.objects.values_list("original_hash", flat=True)) == {""}
    assert _kept(folder) == {}


def test_a_storage_that_refuses_is_an_error_of_that_file(take: Take, tmp_path: Path, settings: Settings) -> None:
    """Named, with what to do; nothing of the document is there, and others go on."""
    (tmp_path / "full").write_bytes(b"a file where the folder should be")
    keep_in(settings, "core.library.originals.storage.AtomicFileStorage", location=tmp_path / "full")
    outcome = take(LEAVE, "leave.md")
    (error,) = outcome.errors
    assert error.message == (
        "leave.md was not ingested, because its original could not be kept. The storage says: Not a directory. Make "
        "room or check the storage, and ingest it again."
    )
    assert not Document.objects.exists()
    keep_in(settings, "core.library.originals.storage.AtomicFileStorage", location=tmp_path / "there")
    assert len(take(LEAVE, "leave.md").documents) == 1


class _BrokenOff(ContentFile):  # type: ignore[type-arg]
    """A file that ends in the middle, as on a full disk."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"half of it"
        raise OSError(28, "No space left on device")


def test_half_a_file_is_never_there(tmp_path: Path) -> None:
    """Neither under its name nor under another."""
    storage = AtomicFileStorage(location=tmp_path)
    with pytest.raises(OSError, match="No space left"):
        storage.save(build_name(_sha256(LEAVE)), _BrokenOff(LEAVE))
    assert _kept(tmp_path) == {}


def test_the_sweep_deletes_what_a_crash_left(take: Take, folder: Path) -> None:
    """Files of no document, and unfinished ones that are old; a second time it finds nothing."""
    assert sweep() == 0
    take(LEAVE, "leave.md")
    storage = storages["originals"]
    storage.save(build_name(_sha256(TRAVEL)), ContentFile(TRAVEL))
    old, new = folder / "ab" / f"old{UNFINISHED}", folder / "ab" / f"new{UNFINISHED}"
    old.parent.mkdir(exist_ok=True)
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    assert sweep() == 2
    assert set(_kept(folder)) == {_sha256(LEAVE), new.name}
    assert sweep() == 0


@pytest.mark.django_db(transaction=True)
def test_a_file_stays_while_somebody_is_about_to_refer_to_it(cast: Cast, take: Take, folder: Path) -> None:
    """Whoever deletes waits for the end of the transaction that found it there, and then sees its row."""
    storages["originals"].save(build_name(_sha256(LEAVE)), ContentFile(LEAVE))
    deleted: list[bool] = []

    def delete() -> None:
        deleted.append(discard(_sha256(LEAVE)))
        connection.close()

    thread = threading.Thread(target=delete)
    with transaction.atomic():
        take(LEAVE, "leave.md")
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
    thread.join(10)
    assert deleted == [False]
    assert set(_kept(folder)) == {_sha256(LEAVE)}


@pytest.fixture
def bucket(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """A bucket on this machine, set up as the originals' place."""
    with keep_in_bucket(settings, monkeypatch) as served:
        yield served


def test_a_bucket_can_be_the_place(
    take: Take, bucket: Bucket, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """Kept, read, swept, deleted, and refused there as on disk."""
    take(LEAVE, "leave.md")
    name = build_name(_sha256(LEAVE))
    assert bucket.objects == {f"originals/{name}": LEAVE}
    with storages["originals"].open(name) as file:
        assert file.read() == LEAVE
    bucket.objects[f"originals/{build_name(_sha256(TRAVEL))}"] = TRAVEL
    assert (sweep(), sweep()) == (1, 0)
    assert bucket.objects == {f"originals/{name}": LEAVE}
    with django_capture_on_commit_callbacks(execute=True):
        Document.objects.get().delete()
    assert bucket.objects == {}
    bucket.is_full = True
    (error,) = take(LEAVE, "leave.md").errors
    assert "could not be kept" in error.message
    assert not Document.objects.exists()
