"""Test that documents of a source are tried in a process of its own, leave nothing, and keep nobody waiting."""

import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from core.access.grants import revoke
from core.library.ingestion.jobs import create_job, run_job
from core.library.sync.runs import start
from core.models import ChangeLimit, Collection, DataSource, Document
from core.quality.change_checks import running
from core.quality.change_checks.kinds import editions, load_change
from core.quality.change_checks.submitting import check_waiting
from core.quality.change_checks.waiting import is_waited_for
from core.testing import Cast, make_document
from core.values.change_checks import ChangeKind, CheckState, Outcome
from tests.integration.change_checks.conftest import ask
from tests.integration.change_checks.left import take_stock
from tests.integration.sync.working import work_to_the_end

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _in_process() -> None:
    """Let the process of its own ask."""


@pytest.fixture(autouse=True)
def _without_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process answer without a reader, as tests do."""
    monkeypatch.setenv("READER", "none")


def test_what_a_source_brings_is_read_beside_and_leaves_nothing(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """With the embedding model, the sandbox and the settings of the process; nothing of it is left here."""
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    monkeypatch.setenv("SOURCE_FOLDERS", str(tmp_path))
    make_document("Canteen", "The canteen opens at half past eleven and closes at two.", roles=[cast.staff])
    asked = ask(cast.bob, "When does the vault open?")
    source = DataSource.objects.create(
        name="Handbook",
        kind="folder",
        settings={"path": str(tmp_path)},
        collection=Collection.objects.create(name="Handbook"),
        requests_per_minute=0,
    )
    source.roles.set([cast.staff])
    (tmp_path / "vault.md").write_text("# Vault\n\nThe vault opens at seven with two keys and closes at nine.\n")
    ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, from_documents=1, most_changed=0)
    waiting = start(source)
    work_to_the_end(waiting)
    check = check_waiting(run=waiting.pk)
    assert check is not None
    before = take_stock()
    running.run_check(check.pk)
    assert take_stock() == before
    check.refresh_from_db()
    assert (check.state, check.reason) == (CheckState.HELD, "")
    assert (check.figures["new"], check.figures["documents"]) == (1, 1)
    assert check.lines.get(query=asked).outcome == Outcome.ANSWERED


def test_who_takes_rights_away_waits_for_no_try(
    cast: Cast, fast: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While many documents are written into a transaction, it is looked if somebody waits for one of them."""
    settings.READER = "none"
    shelf = Collection.objects.create(name="Handbook")
    shelf.default_roles.set([cast.staff])
    run_job(create_job(files=[("a.md", b"# A\n\nThe pier is closed.")], collection=shelf).pk)
    ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, from_documents=1)
    files = [("a.md", b"# A\n\nThe pier is open."), ("b.md", b"# B\n\nThe crane is red.")]
    check = check_waiting(job=create_job(files=files, collection=shelf).pk)
    assert check is not None
    change = load_change(check)
    change.prepare()
    monkeypatch.setattr(editions, "_AT_ONCE", 1)
    taken: list[int] = []

    def take() -> None:
        taken.append(revoke(cast.staff, Document.objects.filter(source="a.md"), by=None))
        connection.close()

    taking = Thread(target=take)
    write = editions.write

    def write_slowly(*given: Any) -> Any:
        written = write(*given)
        if not taking.ident:
            taking.start()
            while not is_waited_for():
                time.sleep(0.05)
        return written

    monkeypatch.setattr(editions, "write", write_slowly)
    with pytest.raises(OperationalError, match="waits"), transaction.atomic():
        change.enter()
    taking.join()
    assert taken == [1]
    assert not Document.objects.filter(source="b.md").exists()
