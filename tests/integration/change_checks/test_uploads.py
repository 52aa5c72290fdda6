"""An upload is tried before it is live, and waits for a yes where it crosses a limit."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from core.infrastructure.queue import CHECK_EDITIONS, INGEST
from core.library.ingestion import jobs
from core.library.ingestion.jobs import create_job, help_with, retry, run_job, sandbox_from_settings
from core.models import ChangeCheck, ChangeLimit, Chunk, Collection, Document, IngestionJob
from core.models.row_security import bypass_row_security
from core.quality.change_checks.deciding import DecisionError, approve, decline, stop
from core.quality.change_checks.kinds import editions
from core.quality.change_checks.submitting import check_lost, check_waiting
from core.tasks import check_editions
from core.testing import Cast
from core.values.change_checks import ChangeKind, CheckState, Limit, Outcome
from tests.integration.change_checks.conftest import CANTEEN, VAULT, Deciding, ask, run
from tests.integration.change_checks.left import take_stock

CANTEEN_HOURS, VAULT_HOURS = "When does the canteen close?", "When does the vault open?"
PAINTED = b"# Canteen\n\nThe walls of the hall were painted green and blue in spring.\n"


@pytest.fixture(scope="module", autouse=True)
def _one_sandbox() -> Iterator[None]:
    """Read all files of this module in one: a new one for each job would take most of the time."""
    with pytest.MonkeyPatch.context() as patch, sandbox_from_settings() as shared:
        patch.setattr(jobs, "sandbox_from_settings", lambda: nullcontext(shared))
        patch.setattr(editions, "sandbox_from_settings", lambda: nullcontext(shared))
        yield


@pytest.fixture
def shelf(cast: Cast, fast: None, settings: Any) -> Collection:
    """A collection for the staff."""
    settings.READER = "none"
    made = Collection.objects.create(name="Handbook")
    made.default_roles.set([cast.staff])
    return made


def switch_on(**limits: int) -> None:
    """Let editions wait from one document on."""
    ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, **({"from_documents": 1} | limits))


def submit(shelf: Collection, **files: bytes) -> IngestionJob:
    """Hand in pages by their names, without a person."""
    return create_job(files=[(f"{name}.md", content) for name, content in files.items()], collection=shelf)


def work_on(job: IngestionJob) -> IngestionJob:
    """Let the worker ingest a job."""
    run_job(job.pk)
    job.refresh_from_db()
    return job


def check_of(job: IngestionJob) -> ChangeCheck:
    """Store the check that a job waits for, as the worker does, and run it."""
    check_editions(job=str(job.pk))
    return run(ChangeCheck.objects.get(job=job, state=CheckState.WAITING))


def stored_words() -> str:
    """Return all words of documents in the library, whoever may read them."""
    with bypass_row_security():
        return " ".join(Chunk.objects.values_list("content", flat=True))


def test_an_upload_that_loses_an_answer_waits_for_a_yes(shelf: Collection, cast: Cast, deciding: Deciding) -> None:
    """No worker ingests it until then, and nothing of the try is left."""
    work_on(submit(shelf, canteen=f"# Canteen\n\n{CANTEEN}\n".encode()))
    ask(cast.bob, CANTEEN_HOURS)
    switch_on()
    job = submit(shelf, canteen=PAINTED)
    assert job.state == "held"
    assert not ProcrastinateJob.objects.filter(task_name=INGEST, args__job=str(job.pk)).exists()
    check = check_waiting(job=job.pk)
    assert check is not None
    before = take_stock()
    check = run(check)
    assert take_stock() == before
    assert (check.state, check.crossed) == (CheckState.HELD, [Limit.WORSE])
    assert (check.figures["vanished"], check.figures["replaced"]) == (1, 1)
    help_with(job.pk, claim=7)
    assert work_on(job).state == "held"
    assert "painted" not in stored_words()
    with pytest.raises(DecisionError):
        approve(check, by=deciding(cast.bob))
    approve(check, by=deciding(cast.alice, "add_ingestionjob"))
    assert ProcrastinateJob.objects.filter(task_name=INGEST, args__job=str(job.pk)).count() == 1
    assert work_on(job).state == "done"
    assert "painted" in stored_words()


def test_new_pages_make_answers_appear_and_come_in_by_themselves(shelf: Collection, cast: Cast) -> None:
    ask(cast.bob, VAULT_HOURS)
    ask(cast.charlie, VAULT_HOURS)
    switch_on()
    job = submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode())
    check = check_of(job)
    assert check.state == CheckState.MADE
    [appears] = check.lines.filter(outcome=Outcome.ANSWERED)
    assert (appears.person, appears.gains) == (cast.bob, 1)
    assert work_on(job).state == "done"
    assert Document.objects.visible_to(cast.audience(cast.bob)).count() == 1


def test_a_declined_upload_fails_keeps_its_files_and_is_checked_again(
    shelf: Collection, cast: Cast, deciding: Deciding
) -> None:
    switch_on()
    job = submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode())
    alice = deciding(cast.alice, "add_ingestionjob")
    decline(check_of(job), by=alice)
    job.refresh_from_db()
    [file] = job.files.all()
    assert (job.state, file.state, file.error) == ("failed", "failed", jobs.DECLINED)
    assert job.finished_at is not None
    assert not Document.objects.exists()
    retry(job, by=alice)
    job.refresh_from_db()
    assert job.state == "held"
    approve(check_of(job), by=alice)
    assert work_on(job).state == "done"
    assert Document.objects.count() == 1


def test_a_stopped_check_leaves_the_decision_to_people(shelf: Collection, cast: Cast, deciding: Deciding) -> None:
    """Let a yes take everything in where nothing was tried."""
    switch_on()
    job = submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode())
    check = check_waiting(job=job.pk)
    assert check is not None
    alice = deciding(cast.alice, "add_ingestionjob")
    stop(check, by=alice)
    assert check_lost() == 0
    assert work_on(job).state == "held"
    check.refresh_from_db()
    approve(check, by=alice)
    assert work_on(job).state == "done"


def test_a_lost_task_is_made_up_for(shelf: Collection) -> None:
    switch_on()
    job = submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode())
    assert ProcrastinateJob.objects.filter(task_name=CHECK_EDITIONS, args__job=str(job.pk)).count() == 1
    assert check_lost() == 1
    assert check_lost() == 0
    assert job.checks.count() == 1


def test_what_is_another_one_than_was_tried_fails_and_can_be_handed_in_again(
    shelf: Collection, cast: Cast, deciding: Deciding
) -> None:
    switch_on()
    job = submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode(), canteen=f"# Canteen\n\n{CANTEEN}\n".encode())
    check = check_of(job)
    job.files.filter(name="vault.md").update(content=PAINTED)
    approve(check, by=deciding(cast.alice, "add_ingestionjob"))
    assert work_on(job).state == "partly_failed"
    failed = job.files.get(state="failed")
    assert (failed.name, "not what was checked" in failed.error) == ("vault.md", True)
    assert "painted" not in stored_words()
    ChangeLimit.objects.update(from_documents=2)
    retry(job)
    assert work_on(job).state == "done"
    assert "painted" in stored_words()


def test_files_that_cannot_be_read_are_left_out_of_the_try_and_fail_as_ever(
    shelf: Collection, cast: Cast, deciding: Deciding
) -> None:
    switch_on()
    job = submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode(), empty=b"")
    check = check_of(job)
    assert (check.figures["new"], check.figures["unread"], check.figures["untried"]) == (1, 1, 0)
    approve(check, by=deciding(cast.alice, "add_ingestionjob"))
    assert work_on(job).state == "partly_failed"
    assert job.files.get(state="failed").name == "empty.md"


def test_few_files_and_a_limit_that_is_off_are_not_checked(shelf: Collection) -> None:
    switch_on(from_documents=2)
    assert submit(shelf, vault=f"# Vault\n\n{VAULT}\n".encode()).state == "queued"
    ChangeLimit.objects.update(is_on=False, from_documents=1)
    assert submit(shelf, canteen=PAINTED).state == "queued"
    assert not ChangeCheck.objects.exists()
