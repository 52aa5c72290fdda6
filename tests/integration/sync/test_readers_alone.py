"""Test runs that compare readers alone: who lost a right loses it, nothing is loaded, and no run waits for them."""

import datetime as dt
import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from core.errors import SourceError
from core.library.sync.runs import RunGoesOnError, start, start_due
from core.models import AuditEvent, ChangeLimit, DataSource, SourceGroup, SyncItem, SyncRun
from core.testing import Cast
from core.values.change_checks import ChangeKind
from tests.integration.sync.conftest import Asking
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.test_runs import outcomes, readable
from tests.integration.sync.working import work_to_the_end


@pytest.fixture
def told(source: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking) -> DataSource:
    """Create a source whose group "crew" is the staff here, and "board" the owners; ask it once."""
    source.takes_readers = True
    source.most_withdrawn_percent = 50
    source.save()
    for name, role in (("crew", cast.staff), ("board", cast.owners)):
        SourceGroup.objects.create(source=source, name=name, role=role)
    shelf.documents = {
        "crew.md": Held("# For the crew", groups=("crew",)),
        "board.md": Held("# For the board", groups=("board",)),
        "both.md": Held("# For both", groups=("board", "crew")),
    }
    ask_source()
    shelf.loaded.clear()
    shelf.looked.clear()
    return source


def compare(source: DataSource) -> SyncRun:
    """Compare the readers of a source, to the end."""
    run = start(source, scope=SyncRun.Scope.READERS)
    work_to_the_end(run)
    run.refresh_from_db()
    return run


def test_who_lost_a_right_loses_it_and_nothing_is_loaded(told: DataSource, shelf: Shelf, cast: Cast) -> None:
    """Whoever gained one gains it where the words here are those of the source, after it was asked once more."""
    shelf.documents["both.md"].groups = ("board",)
    shelf.documents["board.md"].groups = ("board", "crew")
    run = compare(told)
    assert (run.state, outcomes(run)) == ("done", {("both.md", "readers"), ("board.md", "readers")})
    assert readable(cast, cast.bob) == {"crew.md", "board.md"}
    assert (shelf.loaded, shelf.looked) == ([], ["board.md"])


def test_other_words_wait_for_a_run_for_documents(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """New ones are not added, changed ones keep their readers but for those who lost a right, until they are loaded."""
    shelf.documents["crew.md"] = Held("# Now for the board", groups=("board",))
    shelf.documents["board.md"] = Held("# Now for the crew", groups=("board", "crew"))
    shelf.documents["new.md"] = Held("# New", groups=("crew",))
    compare(told)
    assert readable(cast, cast.bob) == {"both.md"}
    assert not SyncItem.objects.filter(key="new.md").exists()
    assert shelf.loaded == []
    ask_source()
    assert readable(cast, cast.bob) == {"both.md", "board.md", "new.md"}
    assert sorted(shelf.loaded) == ["board.md", "crew.md", "new.md"]


def test_what_changes_while_it_is_looked_at_is_gained_by_nobody(told: DataSource, shelf: Shelf, cast: Cast) -> None:
    """Its words here are no longer those that the source gives to these readers."""

    def rewrite(step: str, key: str) -> None:
        if step == "look":
            shelf.documents[key] = Held("# Rewritten for the crew", groups=("crew", "board"))

    shelf.documents["board.md"].groups = ("board", "crew")
    shelf.meanwhile = rewrite
    assert compare(told).state == "done"
    assert readable(cast, cast.bob) == {"crew.md", "both.md"}
    assert shelf.loaded == []


def test_what_cannot_be_asked_for_alone_is_gained_with_documents(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """A source that only lists takes rights away at once, and gives them with its next run for documents."""
    shelf.looks_again = False
    shelf.documents["board.md"].groups = ("crew",)
    shelf.documents["crew.md"].groups = ("board",)
    compare(told)
    assert readable(cast, cast.bob) == {"both.md"}
    assert shelf.loaded == []
    for _ in range(2):  # the first does not know for whom the words are that it loads
        ask_source()
    assert readable(cast, cast.bob) == {"both.md", "board.md"}


def test_what_is_gone_is_withdrawn_within_the_limit(told: DataSource, shelf: Shelf, cast: Cast) -> None:
    """A page that was moved to where it is not listed is read by nobody; above the limit a run for documents asks."""
    del shelf.documents["crew.md"]
    assert outcomes(compare(told)) == {("crew.md", "gone")}
    assert readable(cast, cast.bob) == {"both.md"}
    shelf.documents.clear()
    run = compare(told)
    assert (run.state, run.is_complete) == ("done", False)
    assert "More is gone" in run.error
    assert readable(cast, cast.bob) == {"both.md"}


def test_a_listing_that_breaks_off_withdraws_nothing(told: DataSource, shelf: Shelf, cast: Cast) -> None:
    """And what it had named until then has lost who lost a right. When documents are asked for next stays."""
    DataSource.objects.update(next_run_at=(due := timezone.now() + dt.timedelta(hours=9)))
    del shelf.documents["board.md"]
    shelf.documents["crew.md"].groups = ()
    shelf.fails_with = SourceError("The wiki is away.")
    run = compare(told)
    assert (run.state, run.error) == ("failed", "The wiki is away.")
    assert readable(cast, cast.bob) == {"both.md"}
    assert readable(cast, cast.alice) == {"both.md", "board.md"}
    told.refresh_from_db()
    assert (told.failures, told.next_run_at) == (0, due)


def test_it_is_compared_every_few_minutes(told: DataSource, shelf: Shelf) -> None:
    """By the source's setting, from its first run on, and neither while a run goes on nor while one waits."""
    DataSource.objects.update(readers_minutes=5)
    start_due()
    run = told.runs.get(scope=SyncRun.Scope.READERS)
    start_due()
    assert told.runs.filter(scope=SyncRun.Scope.READERS).count() == 1
    work_to_the_end(run)
    DataSource.objects.update(next_readers_at=timezone.now())
    SyncRun.objects.filter(scope=SyncRun.Scope.ALL).update(state=SyncRun.State.ASKING)
    start_due()
    with pytest.raises(RunGoesOnError):
        start(told, scope=SyncRun.Scope.READERS)
    assert told.runs.filter(scope=SyncRun.Scope.READERS).count() == 1
    assert told.runs.filter(state=SyncRun.State.ASKING).exists()


@pytest.mark.parametrize(
    "changes",
    [{"readers_minutes": None}, {"takes_readers": False}, {"is_enabled": False}, {"listed_at": None}],
    ids=lambda changes: next(iter(changes)),
)
def test_it_is_not_compared_unasked(told: DataSource, changes: dict[str, Any]) -> None:
    """Without the setting, without readers of its own, switched off, or before its first run."""
    DataSource.objects.update(**{"readers_minutes": 5, **changes})
    start_due()
    assert not told.runs.filter(scope=SyncRun.Scope.READERS).exists()


def test_runs_that_found_nothing_are_forgotten(told: DataSource, shelf: Shelf) -> None:
    """But the latest; those that changed something, failed, or were wanted by a person are kept, with an event."""
    events = AuditEvent.objects.filter(action=AuditEvent.Action.SYNC)
    before = events.count()
    for _ in range(3):
        compare(told)
    assert told.runs.filter(scope=SyncRun.Scope.READERS).count() == 1
    assert events.count() == before
    shelf.documents["both.md"].groups = ("board",)
    changed = compare(told)
    compare(told)
    assert changed in told.runs.all()


def test_many_gains_wait_for_a_run_that_is_checked(told: DataSource, shelf: Shelf, cast: Cast) -> None:
    """Where what comes in is checked before it is live, nobody gains documents by another way."""
    ChangeLimit.objects.update_or_create(kind=ChangeKind.EDITIONS, defaults={"is_on": True, "from_documents": 1})
    shelf.documents["board.md"].groups = ("board", "crew")
    shelf.documents["both.md"].groups = ("board",)
    assert compare(told).state == "done"
    assert readable(cast, cast.bob) == {"crew.md"}


def test_the_command_compares_readers(told: DataSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so, and refuses where the source's readers are not its own."""
    from core.management.commands import sync

    monkeypatch.setattr(sync.Command, "_follow", lambda _, run, quiet: (work_to_the_end(run), run.refresh_from_db()))
    out = io.StringIO()
    call_command("sync", told.name, "--readers", stdout=out)
    assert "done, 3 at the source" in out.getvalue()
    DataSource.objects.update(takes_readers=False)
    with pytest.raises(CommandError, match="does not take readers"):
        call_command("sync", told.name, "--readers")
