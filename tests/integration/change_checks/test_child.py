"""A check runs in a process of its own, which ends with the worker and leaves nothing of the change."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core.access.changes import plan_change
from core.infrastructure.database_address import address_of
from core.models import ChangeCheck, RoleDocumentAccess
from core.quality.change_checks import running
from core.quality.change_checks.child import build_environment
from core.quality.change_checks.deciding import stop
from core.quality.change_checks.submitting import check_grants
from core.testing import Cast, make_document
from core.values.change_checks import CheckState

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _in_process() -> None:
    """Let the process of its own ask."""


@pytest.fixture(autouse=True)
def _without_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process answer without a reader, as tests do."""
    monkeypatch.setenv("READER", "none")


def test_a_check_is_asked_beside_and_leaves_nothing(cast: Cast) -> None:
    make_document("Canteen", "The canteen opens at half past eleven and closes at two.", roles=[cast.staff])
    vault = make_document("Vault", "Opening time: seven\nKeys: two", roles=[])
    check = check_grants(plan_change(gives=True, documents=[(cast.staff.pk, vault.pk)]), by=None)
    running.run_check(check.pk)
    check.refresh_from_db()
    assert (check.state, check.reason) == (CheckState.TRIED, "")
    assert check.figures["people"] == 2
    assert not RoleDocumentAccess.objects.filter(document=vault).exists()


@pytest.fixture
def held(cast: Cast) -> Iterator[ChangeCheck]:
    """A check whose process goes on asking: it cannot store its lines, which another session keeps locked."""
    make_document("Kiln card", "Firing temperature: 1,240 degrees\nCooling time: 14 hours", roles=[cast.staff])
    vault = make_document("Vault", "Opening time: seven\nKeys: two", roles=[])
    check = check_grants(plan_change(gives=True, documents=[(cast.staff.pk, vault.pk)]), by=cast.alice)
    with psycopg.connect(address_of(connection.settings_dict["NAME"])) as other:
        other.execute("LOCK TABLE core_changecheckline IN EXCLUSIVE MODE")
        yield check
        other.rollback()


def list_children() -> set[int]:
    """Return the processes that this one has started, by any of its threads."""
    tasks = Path(f"/proc/{os.getpid()}/task").iterdir()
    return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}


def wait_for(find: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Return what is found, once it is."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := find():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


def is_alive(pid: int) -> bool:
    """Return True while a process runs; one that has ended and that nobody has asked for counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def running_beside(check: ChangeCheck) -> Iterator[int]:
    """Run a check in a thread, as the worker does, and give its process once its questions are chosen."""
    before = list_children()

    def work() -> None:
        try:
            running.run_check(check.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        wait_for(lambda: ChangeCheck.objects.get(pk=check.pk).total)
        [child] = list_children() - before
        yield child
    finally:
        thread.join(60)
        assert not thread.is_alive()
        check.refresh_from_db()


def test_somebody_stops_it(held: ChangeCheck, cast: Cast) -> None:
    """Its process ends with it, and its change is not made."""
    with running_beside(held) as child:
        stop(held, by=cast.alice)
    assert (held.state, held.reason) == (CheckState.STOPPED, running.STOPPED_BY_PERSON)
    assert not is_alive(child)
    assert not held.lines.exists()


def test_a_process_that_dies_is_said(held: ChangeCheck) -> None:
    """It fails with the exit code, so that nobody waits for it."""
    with running_beside(held) as child:
        os.kill(child, signal.SIGKILL)
    assert (held.state, held.figures) == (CheckState.FAILED, {})
    assert held.reason == "The process that asked the questions ended early (exit code -9)."


def test_the_process_ends_when_the_worker_is_killed(held: ChangeCheck) -> None:
    """By its standard input, which closes however the worker ends."""
    work = "import subprocess, sys, time\n"
    work += "child = [sys.executable, '-m', 'core.quality.change_checks.child', sys.argv[1]]\n"
    work += "process = subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)\n"
    work += "print(process.pid, process.stdout.readline().decode(), flush=True)\ntime.sleep(600)\n"
    address = address_of(connection.settings_dict["NAME"])
    environment = build_environment(os.environ, address=address, home=str(settings.FOOTNOTE_HOME))
    worker = subprocess.Popen(
        [sys.executable, "-c", work, str(held.pk)],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert worker.stdout is not None
    said = worker.stdout.readline().decode()
    child = int(said.split()[0])
    assert "total" in said  # it goes on to ask
    assert is_alive(child)
    worker.kill()
    worker.wait()
    wait_for(lambda: not is_alive(child), seconds=20)
    worker.stdout.close()


def test_a_check_whose_worker_has_gone_is_queued_anew_and_given_up_after_three(cast: Cast) -> None:
    check = check_grants(plan_change(gives=True, documents=[]), by=cast.alice)
    ProcrastinateJob.objects.all().delete()
    rows, long_ago = ChangeCheck.objects.filter(pk=check.pk), timezone.now() - 2 * running.LOST_AFTER
    rows.update(state=CheckState.RUNNING, seen_at=timezone.now(), attempts=1)
    assert running.resume_lost() == 0
    rows.update(seen_at=long_ago)
    assert running.resume_lost() == 1
    check.refresh_from_db()
    assert check.state == CheckState.WAITING
    assert ProcrastinateJob.objects.get().args == {"check": str(check.pk)}
    assert running.resume_lost() == 0
    rows.update(state=CheckState.RUNNING, attempts=3, seen_at=long_ago)
    assert running.resume_lost() == 1
    check.refresh_from_db()
    assert (check.state, check.reason) == (CheckState.FAILED, running.LOST)
    assert ProcrastinateJob.objects.count() == 1
