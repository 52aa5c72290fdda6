"""Listings that do not come to an end by themselves: ended with a reason, and nothing counts as gone for it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from core.library.sync.connecting import Pace, connect
from core.library.sync.endings import WORKER_STOPS, Bounds, Watch
from core.library.sync.listing import store_listing
from core.library.sync.runs import start, stop
from core.library.sync.slices import work
from core.models import Collection, DataSource, Document, SourceGroup, SyncRun
from core.testing import Cast
from tests.integration.sync.conftest import Asking
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.working import work_to_the_end

STAYS = "What it had not named by then stays as it was."


@pytest.fixture(autouse=True)
def _worker_goes_on() -> Iterator[None]:
    """Let the worker go on, whatever a test set."""
    yield
    WORKER_STOPS.clear()


@pytest.fixture
def filled(shelf: Shelf, source: DataSource, cast: Cast, ask_source: Asking) -> DataSource:
    """Five documents that are read by Bob because the source says so."""
    source.takes_readers = True
    source.save()
    SourceGroup.objects.create(source=source, name="staff", role=cast.staff)
    shelf.documents = {f"{n}.md": Held(f"# Rule {n}\n\nThe pier number {n} is closed.", ("staff",)) for n in range(5)}
    ask_source()
    return source


def read_by_bob(cast: Cast) -> set[str]:
    """The sources of what Bob reads."""
    return set(Document.objects.visible_to(cast.audience(cast.bob)).values_list("source", flat=True))


def listed_at(source: DataSource) -> object:
    """Return when a source was last listed in full."""
    return DataSource.objects.get(pk=source.pk).listed_at


ALL = {f"{n}.md" for n in range(5)}


def test_after_hours(filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast, settings: Settings) -> None:
    """Listed items are loaded, listed revocations hold, and the readers of the others are no surer."""
    before = listed_at(filled)
    shelf.documents["0.md"].groups = ()
    shelf.documents["1.md"].groups = ()  # which the listing does not come to
    settings.SYNC_LISTING_HOURS = 0
    run = ask_source()
    assert (run.state, run.is_complete, run.listed) == ("done", False, 1)
    assert run.error == f"The source was not listed within 0 hours. {STAYS}"
    assert set(run.changes.values_list("name", "outcome")) == {("0.md", "readers")}
    assert read_by_bob(cast) == ALL - {"0.md"}
    assert listed_at(filled) == before
    DataSource.objects.update(listed_at=None)
    ask_source()
    assert listed_at(filled) is not None  # from when on they are believed, where it never was listed in whole
    settings.SYNC_LISTING_HOURS = 1
    run = ask_source()
    assert (run.state, run.is_complete, run.error, run.listed) == ("done", True, "", 5)
    assert read_by_bob(cast) == ALL - {"0.md", "1.md"}


def test_after_idle_minutes(fast: None, settings: Settings, tmp_path: Path, cast: Cast) -> None:
    """A source that is asked and asked, and names nothing."""
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    (tmp_path / "below").mkdir()
    for name in ("a.md", "below/b.md"):
        (tmp_path / name).write_text(f"# Rule {name}\n\nThe pier is closed.")
    source = DataSource.objects.create(
        name="Folder", kind="folder", settings={"path": str(tmp_path)}, requests_per_minute=0,
        collection=Collection.objects.create(name="Folder"),
    )  # fmt: skip
    source.roles.set([cast.staff])
    work_to_the_end(start(source))
    assert read_by_bob(cast) == {"a.md", "below/b.md"}
    settings.SYNC_LISTING_IDLE_MINUTES = 0
    run = start(source)
    work_to_the_end(run)
    run.refresh_from_db()
    assert (run.state, run.is_complete, run.listed) == ("done", False, 0)
    assert run.error == f"The source named nothing for 0 minutes. {STAYS}"
    assert read_by_bob(cast) == {"a.md", "below/b.md"}


def test_after_so_many_things(filled: DataSource) -> None:
    """A source that names more and more does not fill the database."""
    run = SyncRun.objects.create(source=filled, state="listing")
    store_listing(run, connect(filled), Watch(run, Bounds(hours=1, idle_minutes=60, items=3)))
    assert (run.is_complete, run.listed) == (False, 3)
    assert run.error == f"The source named more than 3 things. {STAYS}"


def test_when_an_administrator_stops_the_run(filled: DataSource, shelf: Shelf, cast: Cast) -> None:
    """Nothing is loaded or gone, what was named is stored, and the next run may begin."""
    shelf.documents["0.md"].groups = ()
    shelf.documents["1.md"].text = "# Rule 1\n\nThe pier number 1 is open."
    del shelf.documents["4.md"]
    run = start(filled)
    shelf.loaded.clear()
    shelf.meanwhile = lambda step, key: stop(run, by=cast.alice) if step == "list" else None
    work_to_the_end(run)
    run.refresh_from_db()
    assert (run.state, run.is_complete, run.listed) == ("stopped", False, 1)
    assert run.error == f"The run was stopped while the source was listed. {STAYS}"
    assert shelf.loaded == []
    assert read_by_bob(cast) == ALL - {"0.md"}


def test_when_the_worker_is_told_to_stop(filled: DataSource, shelf: Shelf, cast: Cast) -> None:
    """The run says so and goes on elsewhere, where the source is listed anew; nothing is gone meanwhile."""
    shelf.documents["0.md"].groups = ()
    run = start(filled)
    ProcrastinateJob.objects.all().delete()
    shelf.meanwhile = lambda step, key: WORKER_STOPS.set()
    work(run.pk)
    run.refresh_from_db()
    assert (run.state, run.is_complete, run.listed) == ("listing", False, 1)
    assert run.error == "The worker was stopped while the source was listed. It is listed again."
    assert [job.args for job in ProcrastinateJob.objects.filter(task_name="core.library.sync")] == [
        {"run": str(run.pk)}
    ]
    assert read_by_bob(cast) == ALL - {"0.md"}
    WORKER_STOPS.clear()
    shelf.meanwhile = lambda step, key: None
    work_to_the_end(run)
    run.refresh_from_db()
    assert (run.state, run.is_complete, run.error, run.listed) == ("done", True, "", 5)


def test_while_the_next_request_waits_its_turn() -> None:
    """A source that is asked once a minute keeps nobody for a minute."""
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise InterruptedError

    pace, began = Pace(1, check), time.monotonic()
    pace.wait()
    with pytest.raises(InterruptedError):
        pace.wait()
    assert time.monotonic() - began < 40
