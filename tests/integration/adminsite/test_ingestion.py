"""Handing documents in through the admin, and watching the job."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from core.library.ingestion.jobs import create_job, run_job
from core.library.ingestion.languages import ENGLISH, count_languages
from core.library.ingestion.sandbox.probe import probe
from core.models import AuditEvent, ChangeLimit, Collection, Document, EmbeddingModel, IngestionFile, IngestionJob, User
from core.testing import Cast, fetch_chunks, make_document
from core.values.change_checks import ChangeKind

JOBS = "/admin/core/ingestionjob/"
UPLOAD = f"{JOBS}add/"


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """An empty collection."""
    return Collection.objects.create(name="Shelf")


def file(name: str, content: bytes = b"# Tides\n\nThe tide is high at noon.") -> SimpleUploadedFile:
    """A file as a browser sends it."""
    return SimpleUploadedFile(name, content)


def errors(response: Any) -> dict[str, list[str]]:
    """Return the form's errors, by field."""
    return dict(response.context["form"].errors)


def test_files_and_addresses_become_a_job(root: Client, shelf: Collection, cast: Cast, administrator: User) -> None:
    """Several files and addresses in one go: the job holds them with the choices made, and the worker gets a job."""
    response = root.post(
        UPLOAD,
        {
            "files": [file("tides.md"), file("piers.txt", b"The pier is long.")],
            "addresses": "https://library.example/a\nhttps://library.example/a 2401.00001",
            "collection": str(shelf.pk),
            "document_type": "manual",
            "roles": [str(cast.staff.pk)],
        },
    )
    job = IngestionJob.objects.get()
    assert (response.status_code, response["Location"]) == (302, f"{JOBS}{job.pk}/change/")
    assert (job.collection, job.document_type, job.created_by) == (shelf, "manual", administrator)
    assert set(job.roles.all()) == {cast.staff}
    names = {"tides.md", "piers.txt", "https://library.example/a", "2401.00001"}
    assert {row.name for row in job.files.all()} == names
    assert [queued.args for queued in ProcrastinateJob.objects.all()] == [{"job": str(job.pk)}]


@pytest.mark.usefixtures("fast")
def test_what_is_uploaded_can_be_read_by_the_chosen_role(root: Client, shelf: Collection, cast: Cast) -> None:
    """From the form to the library: the worker's run makes a document that the role, and no other, may read."""
    root.post(UPLOAD, {"files": [file("tides.md")], "collection": str(shelf.pk), "roles": [str(cast.staff.pk)]})
    job = IngestionJob.objects.get()
    run_job(job.pk)
    document = Document.objects.get()
    assert set(document.roles.all()) == {cast.staff}
    assert any("high at noon" in chunk.content for chunk in fetch_chunks(document))
    shown = root.get(f"{JOBS}{job.pk}/change/").content.decode()
    assert "1 of 1 files ingested" in shown
    assert f"{JOBS}{job.pk}/progress/" not in shown


def test_an_upload_makes_the_collection_that_it_names(root: Client, cast: Cast) -> None:
    """Without default roles: the chosen roles read what is uploaded. The audit trail has the new collection."""
    assert "It has no default roles" in root.get(UPLOAD).content.decode()
    root.post(UPLOAD, {"files": [file("tides.md")], "new_collection": " Quay ", "roles": [str(cast.staff.pk)]})
    collection = IngestionJob.objects.get().collection
    assert collection.name == "Quay"
    assert not collection.default_roles.exists()
    created = AuditEvent.objects.get(object_type="collection", object_id=str(collection.pk))
    assert (created.action, created.details) == (AuditEvent.Action.CREATE, {"fields": ["name"]})


def test_a_collection_is_named_by_those_who_may_add_one(staff: Callable[..., Client], shelf: Collection) -> None:
    """For others the form has no such field, and what they send in it is not taken."""
    desk = staff("core.add_ingestionjob", "core.view_ingestionjob")
    assert "new_collection" not in desk.get(UPLOAD).context["form"].fields
    response = desk.post(UPLOAD, {"files": [file("tides.md")], "new_collection": "Quay"})
    assert list(errors(response)) == ["collection"]
    assert not Collection.objects.filter(name="Quay").exists()


def test_who_may_not_grant_is_told_that_a_new_collection_has_no_readers(staff: Callable[..., Client]) -> None:
    """Their form offers no roles."""
    desk = staff("core.add_ingestionjob", "core.add_collection")
    assert "nobody reads what is in it until" in desk.get(UPLOAD).content.decode()


def test_the_page_of_an_upload_is_called_as_in_the_menu(root: Client, shelf: Collection) -> None:
    """Not by another word for the same."""
    root.post(UPLOAD, {"files": [file("tides.md")], "collection": str(shelf.pk)})
    shown = root.get(f"{JOBS}{IngestionJob.objects.get().pk}/change/").content.decode()
    assert "Upload of 20" in shown
    assert "ngestion of 20" not in shown


def test_the_upload_page_says_what_shuts_the_reader_in(root: Client, shelf: Collection) -> None:
    """By the names of the layers."""
    assert f"It consists of: {probe().words}." in root.get(UPLOAD).content.decode()


def test_a_file_over_the_limit_is_named(root: Client, shelf: Collection, settings: Settings) -> None:
    """One file too large: nothing is handed in, and the message names it, its size and the setting."""
    settings.INGEST_MAX_MB = 1
    large = file("large.txt", b"x" * (1024 * 1024 + 1))
    response = root.post(UPLOAD, {"files": [file("tides.md"), large], "collection": str(shelf.pk)})
    assert errors(response) == {"files": ["large.txt has 1.0 MB; the setting INGEST_MAX_MB allows 1."]}
    assert not IngestionJob.objects.exists()


def test_too_much_in_one_go_is_refused(root: Client, shelf: Collection, settings: Settings) -> None:
    """Too many files and addresses, or too many bytes together: said on the form, and nothing is handed in."""
    settings.INGEST_JOB_MAX_FILES, settings.INGEST_JOB_MAX_MB = 2, 1
    many = {"files": [file("a.md"), file("b.md")], "addresses": "2401.00001", "collection": str(shelf.pk)}
    assert "at most 2 files and addresses" in str(errors(root.post(UPLOAD, many)))
    large = {"files": [file(f"{name}.txt", b"x" * 600_000) for name in "ab"], "collection": str(shelf.pk)}
    assert "at most 1 MB together" in str(errors(root.post(UPLOAD, large)))
    assert not IngestionJob.objects.exists()


def test_the_page_says_what_was_replaced(root: Client, staff: Callable[..., Client], shelf: Collection) -> None:
    """By name to who may see documents; to others how many."""
    for text in (b"# Tides\n\nOld.", b"# Tides of May\n\nNew."):
        root.post(UPLOAD, {"files": [file("tides.md", text)], "collection": str(shelf.pk)})
        job = IngestionJob.objects.order_by("-created_at")[0]
        run_job(job.pk)
    page = f"{JOBS}{job.pk}/change/"
    assert "Tides of May (now version 2)" in root.get(page).content.decode()
    shown = staff("core.view_ingestionjob").get(page).content.decode()
    assert "Tides of May" not in shown
    assert "1 document" in shown


@pytest.mark.parametrize(
    ("form", "field", "told"),
    [
        ({}, "__all__", "Choose at least one file or enter an address."),
        ({"addresses": "ftp://library.example/a"}, "addresses", "ftp://library.example/a cannot be fetched"),
        ({"addresses": "https://library.example/" + "a" * 1000}, "addresses", "too long"),
        (
            {"addresses": "https://library.example/a", "collection": ""},
            "collection",
            "Choose a collection, or name a new",
        ),
        ({"addresses": "https://library.example/a", "new_collection": "Pier"}, "new_collection", "not both"),
        (
            {"addresses": "https://library.example/a", "collection": "", "new_collection": "SHELF"},
            "new_collection",
            "There is a collection Shelf.",
        ),
        ({"addresses": "https://library.example/a", "document_type": "opera"}, "document_type", "valid choice"),
    ],
)
def test_the_form_says_what_is_wrong(
    form: dict[str, str], field: str, told: str, root: Client, shelf: Collection
) -> None:
    """Nothing to ingest, no address, no collection, no such type: each is named and nothing is handed in."""
    response = root.post(UPLOAD, {"collection": str(shelf.pk)} | form)
    assert list(errors(response)) == [field]
    assert told in str(errors(response)[field])
    assert not IngestionJob.objects.exists()


def test_who_may_not_grant_hands_in_without_roles(staff: Callable[..., Client], shelf: Collection, cast: Cast) -> None:
    """Uploading is no way around the permission to grant: the roles are neither offered nor taken."""
    desk = staff("core.add_ingestionjob", "core.view_ingestionjob")
    assert "Who may read them" not in desk.get(UPLOAD).content.decode()
    desk.post(UPLOAD, {"files": [file("a.md")], "collection": str(shelf.pk), "roles": [str(cast.staff.pk)]})
    assert set(IngestionJob.objects.get().roles.all()) == set()


def test_uploading_needs_its_permission(staff: Callable[..., Client], shelf: Collection) -> None:
    """A viewer of jobs sees no form, and can neither upload nor retry."""
    job = IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.FAILED)
    failed = IngestionFile.objects.create(job=job, name="a.pdf", state="failed")
    desk = staff("core.view_ingestionjob")
    assert desk.get(UPLOAD).status_code == 403
    assert desk.post(UPLOAD, {"files": [file("a.md")], "collection": str(shelf.pk)}).status_code == 403
    assert desk.post(f"{JOBS}{job.pk}/retry/").status_code == 403
    assert "Try the failed files again" not in desk.get(f"{JOBS}{job.pk}/change/").content.decode()
    failed.refresh_from_db()
    assert (failed.state, IngestionJob.objects.count()) == ("failed", 1)


def test_a_running_job_refreshes_itself_until_it_ends(root: Client, shelf: Collection) -> None:
    """While it runs the panel asks for itself; at the end it has the page loaded afresh."""
    job = IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.RUNNING)
    IngestionFile.objects.create(job=job, name="a.md", state="done", document_count=2, chunk_count=7)
    IngestionFile.objects.create(job=job, name="b.md")
    progress = f"{JOBS}{job.pk}/progress/"
    assert f'hx-get="{progress}"' in root.get(f"{JOBS}{job.pk}/change/").content.decode()
    panel = root.get(progress)
    assert "1 of 2 files ingested" in panel.content.decode()
    assert "2 documents, 7 passages" in panel.content.decode()
    assert "HX-Refresh" not in panel
    IngestionJob.objects.update(state=IngestionJob.State.DONE)
    assert root.get(progress)["HX-Refresh"] == "true"


def test_an_upload_that_is_checked_first_says_so(root: Client, shelf: Collection) -> None:
    ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, from_documents=1)
    root.post(UPLOAD, {"files": [file("tides.md")], "collection": str(shelf.pk)})
    job = IngestionJob.objects.get()
    said = root.get(f"{JOBS}{job.pk}/change/").content.decode()
    assert "wait for a yes" in said
    assert "0 of 1 files ingested" in said
    assert f"{JOBS}{job.pk}/progress/" not in said
    assert "checked before it is live" in root.get(JOBS).content.decode()


def test_failed_files_are_tried_again_by_a_post(root: Client, shelf: Collection) -> None:
    """Only the failed ones, only by a post, and an unknown job is a 404."""
    job = IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.PARTLY_FAILED)
    IngestionFile.objects.create(job=job, name="a.md", state="done")
    IngestionFile.objects.create(job=job, name="b.pdf", state="failed", error="It has a password.")
    shown = root.get(f"{JOBS}{job.pk}/change/").content.decode()
    assert "It has a password." in shown
    assert "Try the failed files again" in shown
    assert root.get(f"{JOBS}{job.pk}/retry/").status_code == 405
    assert root.post(f"{JOBS}{job.pk}/retry/").status_code == 302
    assert {(row.name, row.state) for row in job.files.all()} == {("a.md", "done"), ("b.pdf", "queued")}
    assert root.post(f"{JOBS}0b8f3a52-5a8f-4b55-9e59-0123456789ab/retry/").status_code == 404


def test_the_page_of_a_large_job_loads_no_bytes(
    root: Client, shelf: Collection, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Two hundred files: the failed ones come first, in pages, and their content stays in the database."""
    job = IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.PARTLY_FAILED)
    IngestionFile.objects.bulk_create(
        IngestionFile(job=job, name=f"{number:03}.pdf", content=b"%PDF" * 50, state="done") for number in range(200)
    )
    IngestionFile.objects.create(job=job, name="zzz.pdf", state="failed", error="It is empty.")
    with django_assert_max_num_queries(20) as captured:
        shown = root.get(f"{JOBS}{job.pk}/change/").content.decode()
    assert "zzz.pdf" in shown
    assert "199.pdf" not in shown
    assert not [query["sql"] for query in captured.captured_queries if '"core_ingestionfile"."content"' in query["sql"]]


GERMAN = "# Hafen\n\nDas Boot ist im Hafen, und der Steg wird nicht mehr benutzt. Die Gebühr ist für alle gleich."
KOREAN = "체육관은 저녁 아홉 시에 닫습니다. 세탁 비용은 한 번에 이천 원입니다."


@pytest.mark.usefixtures("fast")
def test_the_page_of_a_job_counts_languages_and_names_models_that_know_them(root: Client, shelf: Collection) -> None:
    """The commonest first, those that were there already too. Of files that were read before nothing is said."""
    make_document("Known", GERMAN, collection="Known")
    EmbeddingModel.objects.update(name="all-MiniLM-L6-v2")
    assert count_languages([]) == ("", "")
    assert count_languages([{ENGLISH: 2}]) == (f"{ENGLISH} (2)", "")
    files = {
        "a.md": GERMAN,
        "b.md": KOREAN,
        "c.md": "# Tides\n\nThe tide is high at noon.",
        "d.md": GERMAN + " Es gilt.",
    }
    job = create_job(files=[(name, text.encode()) for name, text in files.items()], collection=shelf)
    IngestionFile.objects.create(job=job, name="old.md", state="done", document_count=1)
    EmbeddingModel.objects.update(name="hashing-test-double")
    run_job(job.pk)
    page = f"{JOBS}{job.pk}/change/"
    said = f"Languages of the documents: German (2), {ENGLISH} (1), Korean (1)."
    shown = root.get(page).content.decode()
    assert said in shown
    assert "knows only English" not in shown
    EmbeddingModel.objects.update(name="all-MiniLM-L6-v2")
    shown = root.get(page).content.decode()
    assert f"{said} The embedding model all-MiniLM-L6-v2 knows only English" in shown
    assert "BAAI/bge-m3" in shown
    again = create_job(files=[("a.md", GERMAN.encode())], collection=shelf)
    EmbeddingModel.objects.update(name="hashing-test-double")
    run_job(again.pk)
    assert again.files.get().languages == {"German": 1}
    assert again.files.get().chunk_count == 0  # it was there already


def test_the_page_of_a_job_says_nothing_of_languages_before_a_file_is_read(root: Client, shelf: Collection) -> None:
    """Nor of those of jobs that ended before languages were counted."""
    job = IngestionJob.objects.create(collection=shelf, state=IngestionJob.State.DONE)
    IngestionFile.objects.create(job=job, name="a.md", state="done", document_count=2)
    assert "Languages of the documents" not in root.get(f"{JOBS}{job.pk}/change/").content.decode()
