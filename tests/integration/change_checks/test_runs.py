"""Test that documents of a source's run are tried before they are live, and wait for a yes above a limit."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core import api
from core.access.audiences import asker_for
from core.infrastructure.queue import CHECK_EDITIONS
from core.library.ingestion.jobs import sandbox_from_settings
from core.library.sync import ingesting, kinds
from core.library.sync.runs import resume_lost as resume_runs
from core.library.sync.runs import start, start_due, stop
from core.library.sync.slices import work
from core.management.commands import sync
from core.models import (
    ChangeCheck,
    ChangeCheckWords,
    ChangeLimit,
    Chunk,
    Collection,
    DataSource,
    Document,
    SectionRule,
    SourceGroup,
    SyncRun,
)
from core.models.row_security import bypass_row_security
from core.quality.change_checks import running
from core.quality.change_checks.deciding import DecisionError, approve, decline
from core.quality.change_checks.kinds import editions
from core.quality.change_checks.submitting import check_again, check_lost, check_waiting
from core.tasks import check_editions
from core.testing import Cast
from core.types import Answer
from core.values.change_checks import ChangeKind, CheckState, Limit, Outcome
from tests.integration.change_checks.conftest import CANTEEN, VAULT, Deciding, ask, run
from tests.integration.change_checks.left import take_stock
from tests.integration.sync import scripted
from tests.integration.sync.killing import killed_at_write
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.working import work_to_the_end

CANTEEN_HOURS, VAULT_HOURS = "When does the canteen close?", "When does the vault open?"
PAINTED = "The walls of the hall were painted green and blue in spring."

Listing = Callable[[], SyncRun]


@pytest.fixture(scope="module", autouse=True)
def _one_sandbox() -> Iterator[None]:
    """Read all files of this module in one: a new one for each run would take most of the time."""
    with pytest.MonkeyPatch.context() as patch, sandbox_from_settings() as shared:
        patch.setattr(ingesting, "sandbox_from_settings", lambda: nullcontext(shared))
        patch.setattr(editions, "sandbox_from_settings", lambda: nullcontext(shared))
        yield


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """Make an allowed folder of this machine."""
    settings.READER = "none"
    settings.SOURCE_FOLDERS = [str(tmp_path / "handbook")]
    (tmp_path / "handbook").mkdir()
    return tmp_path / "handbook"


@pytest.fixture
def source(cast: Cast, fast: None, folder: Path) -> DataSource:
    """A real folder as a source, for the staff."""
    made = DataSource.objects.create(
        name="Handbook",
        kind="folder",
        settings={"path": str(folder)},
        collection=Collection.objects.create(name="Handbook"),
        requests_per_minute=0,
    )
    made.roles.set([cast.staff])
    return made


@pytest.fixture
def shelf(cast: Cast, fast: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A source that holds what a test puts there."""
    settings.READER = "none"
    fresh = Shelf()
    monkeypatch.setattr(scripted, "SHELF", fresh)
    monkeypatch.setitem(kinds.MODULES, "scripted", scripted.__name__)
    return fresh


@pytest.fixture
def told(shelf: Shelf, cast: Cast) -> DataSource:
    """A source that says who reads its documents: its crew is the staff here."""
    made = DataSource.objects.create(
        name="Wiki",
        kind="scripted",
        collection=Collection.objects.create(name="Wiki"),
        requests_per_minute=0,
        takes_readers=True,
    )
    SourceGroup.objects.create(source=made, name="crew", role=cast.staff)
    return made


def switch_on(**limits: int) -> None:
    """Let editions wait from one document on."""
    ChangeLimit.objects.create(kind=ChangeKind.EDITIONS, is_on=True, **({"from_documents": 1} | limits))


def ask_source(source: DataSource) -> SyncRun:
    """Ask a source now, and return the run as far as it comes without a check."""
    asked = start(source)
    work_to_the_end(asked)
    asked.refresh_from_db()
    return asked


def work_on(waiting: SyncRun) -> SyncRun:
    """Do what is left of a run."""
    work_to_the_end(waiting)
    waiting.refresh_from_db()
    return waiting


def check_of(waiting: SyncRun) -> ChangeCheck:
    """Store the check that a run waits for, as the worker does, and run it."""
    check_editions(run=str(waiting.pk))
    return run(ChangeCheck.objects.get(run=waiting, state=CheckState.WAITING))


def answered(cast: Cast) -> str:
    """Return what Bob is answered about the canteen's hours."""
    result = api.ask(CANTEEN_HOURS, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    return result.text if isinstance(result, Answer) else ""


def stored_words() -> str:
    """Return all words of documents in the library, whoever may read them."""
    with bypass_row_security():
        return " ".join(Chunk.objects.values_list("content", flat=True))


def fill(source: DataSource, folder: Path) -> None:
    """Let a first edition come in, without a limit, of which Bob asked."""
    (folder / "canteen.md").write_text(f"# Canteen\n\n{CANTEEN}\n")
    assert ask_source(source).state == "done"


def replace(folder: Path, text: str) -> None:
    """Write another edition of the canteen's page."""
    (folder / "canteen.md").write_text(f"# Canteen\n\n{text}\n")


def test_an_edition_that_loses_an_answer_waits_for_a_yes(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding
) -> None:
    """Nobody is shown a word of it until then, and nothing of the try is left."""
    fill(source, folder)
    ask(cast.bob, CANTEEN_HOURS)
    switch_on()
    replace(folder, PAINTED)
    waiting = ask_source(source)
    assert (waiting.state, waiting.to_load) == ("checking", 1)
    check = check_waiting(run=waiting.pk)
    assert check is not None
    before = take_stock()
    check = run(check)
    assert take_stock() == before
    assert (check.state, check.crossed) == (CheckState.HELD, [Limit.WORSE])
    assert (check.figures["vanished"], check.figures["replaced"], check.figures["new"]) == (1, 1, 0)
    assert check.figures["documents"] == 1
    assert "half past eleven" in stored_words()
    assert "painted" not in stored_words()
    alice = deciding(cast.alice, "change_datasource")
    with pytest.raises(DecisionError):
        approve(check, by=deciding(cast.bob))
    approve(check, by=alice)
    assert work_on(waiting).state == "done"
    assert "painted" in stored_words()
    assert Document.objects.get().version == 2
    with pytest.raises(DecisionError):
        approve(check, by=alice)


def test_a_harmless_edition_is_live_by_itself(source: DataSource, folder: Path, cast: Cast) -> None:
    fill(source, folder)
    ask(cast.bob, CANTEEN_HOURS)
    switch_on()
    replace(folder, f"{CANTEEN} It has green walls.")
    waiting = ask_source(source)
    assert waiting.state == "checking"
    check = check_of(waiting)
    assert (check.state, check.figures["vanished"], check.asked_by) == (CheckState.MADE, 0, None)
    assert work_on(waiting).state == "done"
    assert "green walls" in stored_words()


def test_no_word_of_a_new_edition_is_kept_with_its_check(source: DataSource, folder: Path, cast: Cast) -> None:
    """Not even of the library's own questions, whose answers of now are kept."""
    replace(folder, "Opening time: seven in the morning\n\nKeys: two")
    ask_source(source)
    switch_on(most_changed=0)
    replace(folder, "Opening time: noon on all days\n\nKeys: two")
    check = check_of(ask_source(source))
    assert check.state == CheckState.HELD
    with bypass_row_security():
        kept = list(ChangeCheckWords.objects.values_list("before_text", "after_text"))
    assert any("seven in the morning" in before for before, _ in kept)
    assert not any("noon" in after for _, after in kept)
    assert "noon" not in str(check.change)


def test_no_word_of_a_restricted_section_of_a_new_edition_is_kept(source: DataSource, folder: Path, cast: Cast) -> None:
    """Its readers read the section of the last edition, and the new words are told to nobody yet."""
    rule = SectionRule.objects.create(collection=source.collection, kind="heading", pattern="Salaries")
    rule.roles.set([cast.staff])
    edition = "Everybody is welcome in the hall.\n\n## Salaries\n\nYearly pay: {}"
    replace(folder, edition.format("two thousand dollars"))
    assert ask_source(source).state == "done"
    assert Document.objects.filter(part_of__isnull=False).count() == 1
    switch_on(most_changed=0)
    replace(folder, edition.format("nine thousand dollars"))
    waiting = ask_source(source)
    check = check_waiting(run=waiting.pk)
    assert check is not None
    before = take_stock()
    check = run(check)
    assert take_stock() == before
    assert check.state == CheckState.HELD
    with bypass_row_security():
        kept = list(ChangeCheckWords.objects.values_list("before_text", "after_text"))
    assert any("two thousand" in shown for shown, _ in kept)
    assert not any("nine thousand" in shown for words in kept for shown in words)


def test_a_new_sources_documents_make_answers_appear_and_come_in_after_a_yes(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding
) -> None:
    """The library has nothing yet, so nothing can get worse; with a limit of changes, they wait."""
    ask(cast.bob, VAULT_HOURS)
    ask(cast.charlie, VAULT_HOURS)
    switch_on(most_changed=0)
    (folder / "vault.md").write_text(f"# Vault\n\n{VAULT}\n")
    waiting = ask_source(source)
    check = check_of(waiting)
    assert check.state == CheckState.HELD
    [appears] = check.lines.filter(outcome=Outcome.ANSWERED, query__isnull=False)
    assert (appears.person, appears.gains) == (cast.bob, 1)
    assert (check.figures["new"], check.figures["replaced"]) == (1, 0)
    assert not Document.objects.exists()
    approve(check, by=deciding(cast.alice, "change_datasource"))
    assert work_on(waiting).state == "done"
    assert Document.objects.visible_to(cast.audience(cast.bob)).count() == 1
    assert not Document.objects.visible_to(cast.audience(cast.charlie)).exists()


def test_what_changed_between_the_try_and_the_yes_is_left_to_the_next_listing(
    told: DataSource, shelf: Shelf, cast: Cast, deciding: Deciding
) -> None:
    """And so is what could not be read when it was tried. The next listing marks both, and they are checked."""
    shelf.looks_again = False
    told.takes_readers = False
    told.save()
    told.roles.set([cast.staff])
    shelf.documents = {
        "a.md": Held("# A\n\nThe pier is closed."),
        "b.md": Held("# B\n\nThe crane is red."),
        "c.md": Held(""),
    }
    switch_on()
    waiting = ask_source(told)
    check = check_of(waiting)
    assert (check.state, check.crossed) == (CheckState.HELD, [Limit.UNCHECKED])
    assert (check.figures["new"], check.figures["unread"]) == (2, 1)
    shelf.documents["b.md"].text = "# B\n\nThe crane is out of order."
    shelf.documents["c.md"].text = "# C\n\nThe ship is late."
    approve(check, by=deciding(cast.alice, "change_datasource"))
    work_on(waiting)
    outcomes = dict(waiting.changes.values_list("name", "outcome"))
    assert outcomes == {"a.md": "added", "b.md": "waits", "c.md": "waits"}
    assert set(Document.objects.values_list("source", flat=True)) == {"a.md"}
    again = ask_source(told)
    assert (again.state, again.to_load) == ("checking", 2)


def test_what_is_beyond_the_bound_is_not_tried_and_comes_in(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editions, "MOST_DOCUMENTS", 1)
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    (folder / "b.md").write_text(f"# Canteen\n\n{CANTEEN}\n")
    switch_on()
    waiting = ask_source(source)
    check = check_of(waiting)
    assert (check.figures["new"], check.figures["untried"]) == (1, 1)
    approve(check, by=deciding(cast.alice, "change_datasource"))
    assert work_on(waiting).state == "done"
    assert Document.objects.count() == 2


def test_a_declined_run_ends_and_the_next_one_is_checked_again(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding
) -> None:
    fill(source, folder)
    ask(cast.bob, CANTEEN_HOURS)
    switch_on()
    replace(folder, PAINTED)
    waiting = ask_source(source)
    alice = deciding(cast.alice, "change_datasource")
    decline(check_of(waiting), by=alice)
    waiting.refresh_from_db()
    assert (waiting.state, source.items.filter(is_pending=True).count()) == ("stopped", 0)
    assert waiting.finished_at is not None
    assert "painted" not in stored_words()
    assert ask_source(source).state == "checking"


def test_a_stopped_run_and_a_later_one_end_the_check(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding
) -> None:
    switch_on()
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    first = ask_source(source)
    check = check_of(first)
    second = ask_source(source)
    first.refresh_from_db()
    check.refresh_from_db()
    assert (first.state, check.state, second.state) == ("stopped", CheckState.STOPPED, "checking")
    alice = deciding(cast.alice, "change_datasource")
    with pytest.raises(DecisionError, match="does not wait"):
        approve(check, by=alice)
    later = check_waiting(run=second.pk)
    assert later is not None
    stop(second, by=alice)
    second.refresh_from_db()
    later.refresh_from_db()
    assert (second.state, later.state, later.is_stopping) == ("stopped", CheckState.STOPPED, True)
    running.run_check(later.pk)
    later.refresh_from_db()
    assert later.state == CheckState.STOPPED
    assert not Document.objects.exists()


def test_the_schedule_waits_for_questions_and_not_for_a_yes(source: DataSource, folder: Path, cast: Cast) -> None:
    """And a run that waits is not begun anew each minute because it was due once."""
    source.schedule = "0 3 * * *"
    source.next_run_at = timezone.now() - dt.timedelta(minutes=1)
    source.save()
    switch_on()
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    start_due()
    waiting = work_on(source.runs.get())
    assert waiting.state == "checking"
    source.refresh_from_db()
    assert source.next_run_at is not None
    assert source.next_run_at > timezone.now()
    start_due()
    assert source.runs.count() == 1
    DataSource.objects.update(next_run_at=timezone.now())
    start_due()
    assert source.runs.count() == 1
    assert check_of(waiting).state == CheckState.HELD
    start_due()
    assert source.runs.count() == 2


def test_what_failed_before_is_not_tried_again_while_a_run_waits(source: DataSource, folder: Path) -> None:
    """It would stop the run; and what is due later is checked, too."""
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    (folder / "b.md").write_text("")
    assert ask_source(source).state == "partly_failed"
    (folder / "a.md").write_text(f"# Canteen\n\n{CANTEEN}\n")
    switch_on()
    waiting = ask_source(source)
    source.items.update(next_try_at=timezone.now())
    start_due()
    assert source.runs.filter(state="checking").get() == waiting
    stop(waiting, by=None)
    start_due()
    again = work_on(source.runs.filter(lists=False).get())
    assert again.state == "checking"


def test_a_run_that_tries_again_goes_on_after_a_yes_and_withdraws_nothing(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding
) -> None:
    """It has not listed, so nothing that it does not name is gone."""
    fill(source, folder)
    (folder / "b.md").write_text("")
    ask_source(source)
    switch_on()
    source.items.filter(key="b.md").update(next_try_at=timezone.now())
    waiting = start(source, lists=False)
    assert work_on(waiting).state == "checking"
    approve(check_of(waiting), by=deciding(cast.alice, "change_datasource"))
    work_on(waiting)
    assert Document.objects.visible_to(cast.audience(cast.bob)).count() == 1


def test_a_lost_task_and_a_killed_worker_are_made_up_for(source: DataSource, folder: Path) -> None:
    switch_on()
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    waiting = ask_source(source)
    assert ProcrastinateJob.objects.filter(task_name=CHECK_EDITIONS, args__run=str(waiting.pk)).count() == 1
    resume_runs()
    assert check_lost() == 1
    assert check_lost() == 0
    check_editions(run=str(waiting.pk))
    check = waiting.checks.get()
    ChangeCheck.objects.filter(pk=check.pk).update(
        state=CheckState.RUNNING, attempts=1, seen_at=timezone.now() - running.LOST_AFTER - dt.timedelta(seconds=1)
    )
    assert running.resume_lost() == 1
    check = run(check)
    assert (check.state, check.attempts) == (CheckState.HELD, 2)
    assert work_on(waiting).state == "checking"


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_anywhere_leaves_a_run_that_comes_to_its_check(
    source: DataSource, folder: Path
) -> None:
    """Neither does it ingest without one, nor does it stay behind."""
    switch_on()
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    waiting = start(source)
    for number in range(1, 100):
        with killed_at_write(number) as kill:
            work(waiting.pk)
        assert not Document.objects.exists()
        if not kill.is_done:
            break
    waiting.refresh_from_db()
    assert (waiting.state, number > 5) == ("checking", True)
    assert ProcrastinateJob.objects.filter(task_name=CHECK_EDITIONS, args__run=str(waiting.pk)).count() == 1


def test_a_check_that_failed_can_be_made_again_by_whoever_decides(
    source: DataSource, folder: Path, cast: Cast, deciding: Deciding
) -> None:
    switch_on()
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    waiting = ask_source(source)
    check_editions(run=str(waiting.pk))
    failed = waiting.checks.get()
    folder.rename(folder.with_name("elsewhere"))
    running.run_check(failed.pk)
    failed.refresh_from_db()
    assert failed.state == CheckState.FAILED
    assert "is not there" in failed.reason
    folder.with_name("elsewhere").rename(folder)
    with pytest.raises(DecisionError):
        check_again(failed, by=deciding(cast.bob))
    alice = deciding(cast.alice, "change_datasource")
    again = run(check_again(failed, by=alice))
    failed.refresh_from_db()
    assert (failed.state, again.state, again.run, again.is_gate) == (
        CheckState.DECLINED,
        CheckState.HELD,
        waiting,
        True,
    )
    approve(again, by=alice)
    with pytest.raises(DecisionError):
        check_again(again, by=alice)
    assert work_on(waiting).state == "done"


def test_a_source_that_takes_readers_away_is_obeyed_at_once(told: DataSource, shelf: Shelf, cast: Cast) -> None:
    """Readers who lost their right, and documents that are gone, do not wait for the check."""
    shelf.documents = {
        "a.md": Held(f"# Canteen\n\n{CANTEEN}", groups=("crew",)),
        **{f"{n}.md": Held(f"# Rule {n}\n\nThe pier number {n} is closed.", groups=("crew",)) for n in range(10)},
    }
    ask_source(told)
    bobs = Document.objects.visible_to(cast.audience(cast.bob))
    assert bobs.count() == 11
    switch_on()
    shelf.documents["a.md"].groups = ()
    del shelf.documents["0.md"]
    shelf.documents["1.md"].text = "# Rule 1\n\nThe pier number 1 is open."
    waiting = ask_source(told)
    assert waiting.state == "checking"
    assert set(bobs.values_list("source", flat=True)) == {f"{n}.md" for n in range(1, 10)}
    assert check_of(waiting).figures["gone"] == 1


def test_new_documents_of_a_source_with_readers_are_tried_for_those_and_read_after_a_yes(
    told: DataSource, shelf: Shelf, cast: Cast, deciding: Deciding
) -> None:
    ask(cast.bob, VAULT_HOURS)
    ask(cast.charlie, VAULT_HOURS)
    switch_on(most_changed=0)
    shelf.documents = {"vault.md": Held(f"# Vault\n\n{VAULT}", groups=("crew",))}
    waiting = ask_source(told)
    check = check_of(waiting)
    assert check.state == CheckState.HELD
    [appears] = check.lines.filter(outcome=Outcome.ANSWERED, query__isnull=False)
    assert appears.person == cast.bob
    shelf.documents["vault.md"].groups = ()
    approve(check, by=deciding(cast.alice, "change_datasource"))
    work_on(waiting)
    assert not Document.objects.visible_to(cast.audience(cast.bob)).exists()


def test_readers_of_long_ago_are_listed_again_after_a_late_yes(
    told: DataSource, shelf: Shelf, cast: Cast, deciding: Deciding
) -> None:
    """Take in what was tried, and leave what is new then to the next check."""
    switch_on()
    shelf.documents = {"vault.md": Held(f"# Vault\n\n{VAULT}", groups=("crew",))}
    waiting = ask_source(told)
    check = check_of(waiting)
    DataSource.objects.update(listed_at=timezone.now() - dt.timedelta(hours=73))
    shelf.documents["canteen.md"] = Held(f"# Canteen\n\n{CANTEEN}", groups=("crew",))
    approve(check, by=deciding(cast.alice, "change_datasource"))
    work_on(waiting)
    assert set(Document.objects.values_list("source", flat=True)) == {"vault.md"}
    assert waiting.changes.get(outcome="waits").name == "canteen.md"


def test_a_document_that_returns_is_tried_with_the_readers_that_it_had(
    source: DataSource, folder: Path, cast: Cast
) -> None:
    """Let only the check say that what is withdrawn would answer again."""
    fill(source, folder)
    ask(cast.bob, CANTEEN_HOURS)
    (folder / "other.md").write_text(f"# Vault\n\n{VAULT}\n")
    (folder / "canteen.md").rename(folder.with_name("kept.md"))
    source.most_withdrawn_percent = 100
    source.save()
    assert ask_source(source).state == "done"
    assert answered(cast) == ""
    switch_on(most_changed=0)
    folder.with_name("kept.md").rename(folder / "canteen.md")
    check = check_of(ask_source(source))
    assert check.lines.filter(outcome=Outcome.ANSWERED, person=cast.bob).exists()
    assert answered(cast) == ""


def test_few_documents_and_a_limit_that_is_off_are_not_checked(source: DataSource, folder: Path) -> None:
    switch_on(from_documents=2)
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")
    assert ask_source(source).state == "done"
    ChangeLimit.objects.update(is_on=False, from_documents=1)
    (folder / "b.md").write_text(f"# Canteen\n\n{CANTEEN}\n")
    assert ask_source(source).state == "done"
    assert not ChangeCheck.objects.exists()


def test_the_command_says_that_a_run_waits_for_a_yes(
    source: DataSource, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It follows the run until its questions are asked, and not for as long as nobody decides."""
    switch_on()
    (folder / "a.md").write_text(f"# Vault\n\n{VAULT}\n")

    def ask_questions(seconds: float) -> None:
        asked = source.runs.get()
        work_on(asked)
        check_of(asked)

    monkeypatch.setattr(sync.time, "sleep", ask_questions)
    with pytest.raises(SystemExit):
        call_command("sync", source.name)
    assert "Changes before they are live" in capsys.readouterr().err
    assert source.runs.get().state == "checking"
