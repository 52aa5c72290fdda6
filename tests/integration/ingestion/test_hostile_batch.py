"""A job of hostile files: each ends on its own, what is good among them is read, and nothing is written outside."""

from pathlib import Path

import pytest

from core.library.ingestion.jobs import create_job, run_job
from core.library.ingestion.sandbox.layers import Layer
from core.library.ingestion.sandbox.process import Sandbox
from core.models import Collection, Document, IngestionJob
from core.testing import Cast
from tests.unit.ingestion.bad_files import FAULTS
from tests.unit.ingestion.hostile_files import KINDS, TOUCHED
from tests.unit.ingestion.hostile_names import NAMES
from tests.unit.ingestion.test_bad_files import READ, SAID

pytestmark = pytest.mark.usefixtures("fast")
CHOSEN = (
    "zip bomb",
    "deflate bomb",  # its parser dies
    "nested archives",
    "Word document with a password",
    "entity of a file in a Word document",
    "entity of a file in an OpenDocument",
    "groups nested deep in RTF",
    "message cut off at 50 %",
    "half a character",
    "NUL in an id",
    "numbers that are none",
    "a bad row among good ones",
    "alias of itself",
    "tags that run programs",
    "entity of a file",
    "what is beyond Unicode",
    "PDF cut off at 60 %",
    "tree of pages that is a circle",
    "nothing",
)


@pytest.fixture
def shelf(db: None) -> Collection:
    """An empty collection."""
    return Collection.objects.create(name="Uploads")


def test_good_files_among_hostile_ones_are_read(cast: Cast, shelf: Collection) -> None:
    """The job ends, each file with its state, and the bytes of what failed are kept for another try."""
    files = []
    for number, kind in enumerate(CHOSEN):
        name, make = KINDS[kind]
        files += [(f"{number}-{name}", make()), (f"good-{number}.md", b"# Good\n\nword %d" % number)]
    before = {path.name for path in Path.cwd().iterdir()}
    job = create_job(files=files, collection=shelf, roles=[cast.staff], by=cast.alice)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == IngestionJob.State.PARTLY_FAILED
    ended = {file.name: file for file in job.files.all()}
    assert {file.state for file in ended.values()} == {"done", "failed"}
    assert {ended[f"good-{number}.md"].state for number in range(len(CHOSEN))} == {"done"}
    for file in ended.values():
        assert (file.error == "") == (file.state == "done")
        assert (file.content is None) == (file.state == "done")
    assert {path.name for path in Path.cwd().iterdir()} == before
    assert not TOUCHED.exists()


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in ("cells", "wide")])
def test_good_files_among_bad_ones_are_read(fault: str, cast: Cast, shelf: Collection) -> None:
    """One bad file of each format, and a good one after each; what failed says why and what to do."""
    files = []
    for ending, make in FAULTS[fault]().items():
        files += [(f"bad.{ending}", make()), (f"good-{ending}.md", f"# Good\n\nword {ending}".encode())]
    job = create_job(files=files, collection=shelf, roles=[cast.staff], by=cast.alice)
    run_job(job.pk)
    for file in job.files.all():
        expected = SAID[fault].get(file.name.removeprefix("bad."), READ)
        if expected == SAID["blank"]["pdf"]:
            expected = "text"  # the message depends on whether text recognition is installed
        assert file.state == ("done" if expected == READ else "failed"), file.error
        assert expected in file.error
        assert (file.error == "") == (file.state == "done")


def test_hostile_names_are_kept_as_harmless_ones(cast: Cast, shelf: Collection) -> None:
    """Whatever a file was called, it is read, and what is shown of it is one short line."""
    files = [(name, b"# Head\n\nwords of %d" % number) for number, name in enumerate(NAMES)]
    job = create_job(files=files, collection=shelf, roles=[cast.staff], by=cast.alice)
    run_job(job.pk)
    names = {file.name: file.state for file in job.files.all()}
    assert len(names) == len(NAMES)
    assert all(name.isprintable() and len(name) < 220 and "/" not in name for name in names)
    unnamed = {"file", "file (2)"}  # which say not what they are
    assert {name for name, state in names.items() if state != "done"} == unnamed
    assert Document.objects.filter(collection=shelf).count() == len(NAMES) - 2


def test_without_a_fence_nothing_is_read_and_nothing_lost(cast: Cast, shelf: Collection) -> None:
    """The files wait, with a message that says what to do, for a machine that can shut their reader in."""
    job = create_job(files=[("a.md", b"# A\n\nalpha")], collection=shelf, roles=[cast.staff], by=cast.alice)
    run_job(job.pk, sandbox=Sandbox(without=[layer for layer in Layer if layer is not Layer.AUDIT_HOOK]))
    job.refresh_from_db()
    file = job.files.get()
    assert (job.state, file.state) == ("failed", "failed")
    assert "INGEST_FENCE" in file.error
    assert file.content is not None
    assert not Document.objects.exists()
