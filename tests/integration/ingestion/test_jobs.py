"""Ingestion as a background job."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from core.errors import JobTooLargeError
from core.library.ingestion.jobs import create_job, help_with, retry, run_job
from core.models import Collection, Document, IngestionFile, IngestionJob
from core.testing import Cast

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def shelf(db: None) -> Collection:
    """An empty collection."""
    return Collection.objects.create(name="Uploads")


def states(job: IngestionJob) -> dict[str, str]:
    """The state of each file by name."""
    return dict(job.files.values_list("name", "state"))


def test_a_job_is_queued_with_its_rows(cast: Cast, shelf: Collection) -> None:
    """Files keep their bytes, equal names are numbered, and the worker's job exists in the same transaction."""
    job = create_job(
        files=[("a.md", b"# A"), ("a.md", b"# B")],
        urls=["https://example.org/x"],
        collection=shelf,
        roles=[cast.staff],
        document_type="note",
        by=cast.alice,
    )
    assert states(job) == {"a.md": "queued", "a (2).md": "queued", "https://example.org/x": "queued"}
    assert bytes(job.files.get(name="a (2).md").content or b"") == b"# B"
    queued = ProcrastinateJob.objects.get(task_name="core.ingest")
    assert queued.args == {"job": str(job.pk)}
    assert queued.lock == f"ingestion:{job.pk}"


def test_nothing_to_do_is_refused(shelf: Collection) -> None:
    """A job without files and addresses is a mistake of its caller."""
    with pytest.raises(ValueError, match="needs a file or an address"):
        create_job(collection=shelf)
    assert not IngestionJob.objects.exists()


def test_one_bad_file_does_not_stop_the_others(cast: Cast, shelf: Collection) -> None:
    """Each file ends on its own; the bytes of what failed are kept, of what went well dropped."""
    job = create_job(
        files=[("a.md", b"# A\n\nalpha"), ("b.pdf", b"no pdf"), ("c.txt", b"gamma")],
        urls=["http://127.0.0.1/secret"],
        collection=shelf,
        roles=[cast.staff],
        document_type="note",
        by=cast.alice,
    )
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == IngestionJob.State.PARTLY_FAILED
    assert job.finished_at is not None
    assert states(job) == {"a.md": "done", "b.pdf": "failed", "c.txt": "done", "http://127.0.0.1/secret": "failed"}
    files = {file.name: file for file in job.files.all()}
    assert files["b.pdf"].error.startswith("b.pdf is text, not a PDF as its name says.")
    assert "public" in files["http://127.0.0.1/secret"].error
    assert {name for name, file in files.items() if file.content is not None} == {"b.pdf"}
    assert (files["a.md"].document_count, files["a.md"].chunk_count, files["a.md"].attempts) == (1, 1, 1)
    documents = Document.objects.filter(collection=shelf)
    assert set(documents.values_list("source", "document_type")) == {
        ("a.md", "note"),
        ("c.txt", "note"),
    }
    assert all(set(document.roles.all()) == {cast.staff} for document in documents)


def test_a_retry_does_the_failed_files_only(shelf: Collection) -> None:
    """A finished file stays finished; a failed one is retried with the bytes that were kept."""
    job = create_job(files=[("a.md", b"# A\n\nalpha"), ("b.pdf", b"no pdf")], collection=shelf)
    run_job(job.pk)
    IngestionFile.objects.filter(name="b.pdf").update(name="b.txt")
    retry(job)
    assert states(job) == {"a.md": "done", "b.txt": "queued"}
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == IngestionJob.State.DONE
    assert set(job.files.values_list("name", "attempts", "state")) == {("a.md", 1, "done"), ("b.txt", 2, "done")}
    assert Document.objects.filter(version=1).count() == 2


def test_a_retry_of_nothing_queues_nothing(shelf: Collection) -> None:
    """Without a failed file there is no second job for the worker."""
    job = create_job(files=[("a.md", b"# A\n\nalpha")], collection=shelf)
    run_job(job.pk)
    retry(job)
    assert ProcrastinateJob.objects.filter(task_name="core.ingest").count() == 1


def test_a_job_goes_on_after_its_worker_was_killed(shelf: Collection) -> None:
    """Running it again finishes it, and stores nothing twice."""
    job = create_job(files=[("a.md", b"# A\n\nalpha"), ("b.md", b"# B\n\nbeta")], collection=shelf)
    run_job(job.pk)
    # As if the worker had died after storing a.md and before it could say so.
    IngestionFile.objects.filter(name="a.md").update(state=IngestionFile.State.RUNNING, content=b"# A\n\nalpha")
    run_job(job.pk)
    assert states(job) == {"a.md": "done", "b.md": "done"}
    assert list(Document.objects.order_by("title").values_list("title", "version")) == [("A", 1), ("B", 1)]


def test_a_deleted_job_is_nothing_to_do(db: None) -> None:
    """The worker's job may outlive its row."""
    run_job(UUID(int=0))
    help_with(UUID(int=0), claim=1)


class TestHowMuch:
    """A job is bounded, and only one of its files is in memory at a time."""

    def test_too_many_files_and_addresses(self, shelf: Collection, settings: Settings) -> None:
        """Counted together; nothing is kept of what is refused."""
        settings.INGEST_JOB_MAX_FILES = 3
        files = [("a.md", b"# A"), ("b.md", b"# B")]
        with pytest.raises(JobTooLargeError, match="at most 3 files and addresses"):
            create_job(files=files, urls=["2401.00001", "2401.00002"], collection=shelf)
        with pytest.raises(JobTooLargeError, match="INGEST_JOB_MAX_FILES"):
            create_job(urls=[f"2401.0000{number}" for number in range(4)], collection=shelf)
        assert not IngestionJob.objects.exists()
        assert not ProcrastinateJob.objects.filter(task_name="core.ingest").exists()
        assert create_job(files=files, urls=["2401.00001"], collection=shelf).files.count() == 3

    def test_too_many_bytes(self, shelf: Collection, settings: Settings) -> None:
        """The files that come after the limit are not even read."""
        settings.INGEST_JOB_MAX_MB = 1
        read: list[int] = []

        def files() -> Iterator[tuple[str, bytes]]:
            for number in range(500):
                read.append(number)
                yield f"{number}.txt", b"x" * 400_000

        with pytest.raises(JobTooLargeError, match="at most 1 MB together"):
            create_job(files=files(), collection=shelf)
        assert read == [0, 1, 2]
        assert not IngestionFile.objects.exists()

    def test_each_file_is_stored_before_the_next_is_read(self, shelf: Collection) -> None:
        """So that a job of many large files needs the memory of one."""
        stored: list[int] = []

        def files() -> Iterator[tuple[str, bytes]]:
            for number in range(3):
                stored.append(IngestionFile.objects.count())
                yield f"{number}.txt", b"Words."

        create_job(files=files(), collection=shelf)
        assert stored == [0, 1, 2]
