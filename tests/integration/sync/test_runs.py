"""Runs: what is new, changed, gone, back again or broken at a data source, and what comes of it here."""

import datetime as dt

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core import api, tasks
from core.access.audiences import asker_for, audience_of
from core.access.grants import grant
from core.errors import IncompleteListingError, SourceError, UnreadableFileError
from core.library.ingestion.languages import ENGLISH
from core.library.ingestion.sources import LeftOut
from core.library.sync.listing import load_again, mark_failed
from core.library.sync.removals import end, erase_gone, withdraw_all
from core.library.sync.runs import RunGoesOnError, decide, next_run, resume_lost, start, start_due, stop
from core.library.sync.slices import work
from core.models import Collection, DataSource, Document, SyncItem, SyncRun, User
from core.testing import Cast, make_document
from core.types import Answer
from tests.integration.counted import count_from_now
from tests.integration.sync.conftest import Asking
from tests.integration.sync.scripted import Held, KilledError, Shelf
from tests.integration.sync.working import work_to_the_end


def outcomes(run: SyncRun) -> set[tuple[str, str]]:
    """Return a run's changes, each with its name."""
    return set(run.changes.values_list("name", "outcome"))


def readable(cast: Cast, person: User) -> set[str]:
    """The sources of what somebody reads."""
    return set(Document.objects.visible_to(cast.audience(person)).values_list("source", flat=True))


@pytest.fixture
def filled(shelf: Shelf, source: DataSource, cast: Cast, ask_source: Asking) -> DataSource:
    """A source of twelve documents that have come in, for the staff."""
    source.roles.set([cast.staff])
    shelf.documents = {f"{n:02}.md": Held(f"# Rule {n}\n\nThe pier number {n} is closed.") for n in range(12)}
    ask_source()
    shelf.loaded.clear()
    return source


class TestWhatChanges:
    """A run brings in what is new and changed, and loads nothing else."""

    def test_a_first_run_brings_everything(self, filled: DataSource, cast: Cast) -> None:
        """Into the source's collection, for its roles."""
        run = filled.runs.get()
        assert (run.state, run.listed, run.to_load) == ("done", 12, 12)
        assert outcomes(run) == {(f"{n:02}.md", "added") for n in range(12)}
        assert readable(cast, cast.bob) == {f"{n:02}.md" for n in range(12)}
        assert readable(cast, cast.charlie) == set()
        assert set(Document.objects.values_list("collection", flat=True)) == {filled.collection_id}

    def test_a_run_counts_the_languages_of_what_it_read(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking
    ) -> None:
        """Of each document once, those of several items together; what did not change is not read."""
        assert filled.runs.get().languages == {ENGLISH: 12}
        shelf.documents["04.md"] = Held("# Steg\n\nDas Boot ist im Hafen, und der Steg wird nicht mehr benutzt.")
        shelf.documents["05.md"] = Held("# Rule 5\n\nThe pier number 5 is open.")
        shelf.broken["05.md"] = UnreadableFileError("It is damaged.")
        assert ask_source().languages == {"German": 1}

    def test_a_source_whose_collection_reads_otherwise_now_is_loaded_again(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking
    ) -> None:
        """All of it, once; what reads as before stays the same edition."""
        load_again(filled.collection)
        run = ask_source()
        assert (run.state, run.to_load, set(shelf.loaded)) == ("done", 12, set(shelf.documents))
        assert outcomes(run) == set()
        assert set(Document.objects.values_list("version", flat=True)) == {1}
        assert ask_source().to_load == 0

    def test_a_second_run_finds_nothing_new(self, filled: DataSource, shelf: Shelf, ask_source: Asking) -> None:
        """Nothing is loaded where fingerprints are the same."""
        run = ask_source()
        assert (run.state, run.listed, run.to_load, outcomes(run)) == ("done", 12, 0, set())
        assert shelf.loaded == []

    def test_what_changed_is_replaced(self, filled: DataSource, shelf: Shelf, ask_source: Asking) -> None:
        """The document keeps its row; the others are not loaded."""
        before = Document.objects.get(source="03.md")
        shelf.documents["03.md"].text = "# Rule 3\n\nThe pier number 3 is open."
        risen = count_from_now()
        run = ask_source()
        assert risen("footnote_sync_run_seconds_count", kind=filled.kind, state="done") == 1
        assert risen("footnote_ingested_documents_total", outcome="stored") == 1
        assert risen("footnote_ingestion_step_seconds_count", step="parse") == 1
        assert (shelf.loaded, outcomes(run)) == (["03.md"], {("03.md", "changed")})
        after = Document.objects.get(source="03.md")
        assert (after.pk, after.version) == (before.pk, 2)

    def test_a_source_without_fingerprints_says_what_is_unchanged(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking
    ) -> None:
        """Each costs one request, and none an ingestion."""
        shelf.is_mute = True
        ask_source()
        shelf.loaded.clear()
        run = ask_source()
        assert (len(shelf.loaded), outcomes(run), run.state) == (12, set(), "done")
        assert set(Document.objects.values_list("version", flat=True)) == {1}

    def test_what_is_no_document_is_named(self, filled: DataSource, shelf: Shelf, ask_source: Asking) -> None:
        """With the reason, also where the key cannot be stored."""
        shelf.left_out = [LeftOut(name="logo.svg", reason="a file of type .svg, not a document")]
        shelf.documents["a\x00b.md"] = Held("# Odd", name="odd")
        shelf.documents["long/" * 200] = Held("# Long", name="long")
        run = ask_source()
        assert outcomes(run) == {(name, "left_out") for name in ("logo.svg", "odd", "long")}
        assert run.state == "done"

    def test_documents_of_one_file_come_and_go_with_it(
        self, source: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """A document no longer in the file is withdrawn; a new one has the file's readers."""
        source.roles.set([cast.staff])
        line = '{"id": "%s", "title": "%s", "text": "The pier is %s."}\n'
        shelf.documents["all.jsonl"] = Held(line % ("a", "A", "old") + line % ("b", "B", "long"))
        ask_source()
        assert readable(cast, cast.bob) == {"all.jsonl#a", "all.jsonl#b"}
        shelf.documents["all.jsonl"].text = line % ("b", "B", "long") + line % ("c", "C", "wide")
        assert outcomes(ask_source()) == {("all.jsonl", "changed")}
        assert readable(cast, cast.bob) == {"all.jsonl#b", "all.jsonl#c"}
        shelf.documents["all.jsonl"].text = line % ("a", "A", "old") + line % ("b", "B", "long")
        ask_source()
        assert readable(cast, cast.bob) == {"all.jsonl#a", "all.jsonl#b"}


class TestWhatIsGone:
    """Deleted at the source means withdrawn here at once, and erased later."""

    def test_it_is_withdrawn_at_once(self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast) -> None:
        """Nobody reads it, whoever granted it; the document itself is still there."""
        grant(cast.owners, [Document.objects.get(source="05.md")], by=cast.alice)
        del shelf.documents["05.md"]
        assert outcomes(ask_source()) == {("05.md", "gone")}
        assert "05.md" not in readable(cast, cast.bob) | readable(cast, cast.alice)
        assert Document.objects.get(source="05.md").withdrawn_at is not None
        assert outcomes(ask_source()) == set()

    def test_answers_that_quote_it_are_looked_at(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """By the readers that it had; not where nobody was answered from it, nor while the source is only silent."""
        asker = {"asker": asker_for(cast.bob), "audience": audience_of([cast.bob.pk])}
        answer = api.ask("Is the pier number 5 closed?", **asker)
        assert isinstance(answer, Answer)
        [cited] = {citation.document_id for citation in answer.citations}
        source_key = Document.objects.get(pk=cited).source
        withdraw_all(filled, are_gone=False)
        assert not ProcrastinateJob.objects.filter(task_name="core.check_footnotes").exists()
        ask_source()
        del shelf.documents[source_key]
        ask_source()
        [job] = ProcrastinateJob.objects.filter(task_name="core.check_footnotes")
        assert job.args == {"document": str(cited), "last_readers": [str(cast.staff.pk)]}

    def test_nobody_is_granted_what_is_withdrawn(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """A grant by hand would bring back what the source has deleted."""
        del shelf.documents["05.md"]
        ask_source()
        assert grant(cast.owners, [Document.objects.get(source="05.md")], by=cast.alice) == 0
        assert readable(cast, cast.alice) == readable(cast, cast.bob)

    def test_what_is_back_is_read_as_before(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """By the source's roles of now, and by those to which somebody granted it."""
        grant(cast.owners, [Document.objects.get(source="05.md")], by=cast.alice)
        held = shelf.documents.pop("05.md")
        ask_source()
        filled.roles.set([])
        shelf.documents["05.md"] = held
        assert ("05.md", "returned") in outcomes(ask_source())
        assert readable(cast, cast.bob) == set()
        assert readable(cast, cast.alice) == {"05.md"}
        assert Document.objects.get(source="05.md").version == 1

    def test_it_is_erased_after_the_delay(self, filled: DataSource, shelf: Shelf, ask_source: Asking) -> None:
        """Not before; and nothing is left of it."""
        del shelf.documents["05.md"]
        ask_source()
        tasks.erase_gone(0)
        assert Document.objects.filter(source="05.md").exists()
        Document.objects.filter(source="05.md").update(withdrawn_at=timezone.now() - dt.timedelta(days=31))
        assert erase_gone() == 1
        assert not SyncItem.objects.filter(key="05.md").exists()
        assert Document.objects.count() == 11

    def test_a_run_that_would_withdraw_much_asks(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """It changes nothing, also not what is new; a person decides."""
        del shelf.documents["05.md"], shelf.documents["06.md"]
        shelf.documents["new.md"] = Held("# New")
        run = ask_source()
        assert (run.state, outcomes(run), len(readable(cast, cast.bob))) == ("asking", set(), 12)
        decide(run, withdraw=True, by=cast.alice)
        work_to_the_end(run)
        assert outcomes(run) == {("05.md", "gone"), ("06.md", "gone"), ("new.md", "added")}
        assert len(readable(cast, cast.bob)) == 11

    def test_a_run_that_asked_can_be_stopped(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """Nothing is withdrawn, it cannot be decided twice, and the next run asks again."""
        shelf.documents.clear()
        run = ask_source()
        decide(run, withdraw=False, by=cast.alice)
        with pytest.raises(SourceError, match="waits for no decision"):
            decide(run, withdraw=True, by=cast.alice)
        assert len(readable(cast, cast.bob)) == 12
        again = ask_source()
        assert again.state == "asking"
        assert ask_source().state == "asking"
        again.refresh_from_db()
        assert again.state == "stopped"

    def test_a_listing_that_breaks_off_withdraws_nothing(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """An item that it did not reach may still exist."""
        del shelf.documents["11.md"]
        shelf.fails_with = SourceError("The server hung up.")
        run = ask_source()
        assert (run.state, run.error) == ("failed", "The server hung up.")
        assert len(readable(cast, cast.bob)) == 12

    def test_a_listing_that_is_never_whole_withdraws_nothing(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """A new item comes in; an unnamed one stays, and the report says why."""
        shelf.documents = {"new.md": Held("# New")}
        shelf.fails_with = IncompleteListingError("A feed names only its newest entries.")
        run = ask_source()
        assert (run.state, run.error) == ("done", "A feed names only its newest entries.")
        assert outcomes(run) == {("new.md", "added")}
        assert len(readable(cast, cast.bob)) == 13

    def test_a_source_can_be_ended(self, filled: DataSource, cast: Cast, ask_source: Asking) -> None:
        """All of it is withdrawn, and comes back when somebody has it asked again."""
        assert end(filled) == 12
        assert readable(cast, cast.bob) == set()
        ask_source()
        assert len(readable(cast, cast.bob)) == 12


class TestFaults:
    """Tests that a failure is shown until it is over, and stops nothing else."""

    def test_what_cannot_be_read_is_tried_again_with_growing_distance(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking
    ) -> None:
        """The earlier text stays; while the file is the same, it is not loaded before it is due."""
        shelf.documents["03.md"].text = "# Rule 3\n\nOpen."
        shelf.broken["03.md"] = UnreadableFileError()
        run = ask_source()
        assert (run.state, outcomes(run)) == ("partly_failed", {("03.md", "failed")})
        first = SyncItem.objects.get(key="03.md").next_try_at
        assert ask_source().to_load == 0
        SyncItem.objects.update(next_try_at=None)
        SyncItem.objects.filter(key="03.md").update(next_try_at=timezone.now())
        assert outcomes(ask_source(lists=False)) == {("03.md", "failed")}
        second = SyncItem.objects.get(key="03.md")
        assert second.attempts == 2
        assert first is not None
        assert second.next_try_at is not None
        assert second.next_try_at - timezone.now() > 1.5 * (first - run.created_at)
        shelf.broken.clear()
        SyncItem.objects.filter(key="03.md").update(next_try_at=timezone.now())
        assert outcomes(ask_source(lists=False)) == {("03.md", "changed")}
        assert SyncItem.objects.get(key="03.md").error == ""

    def test_what_failed_is_named_until_it_is_over(
        self, filled: DataSource, shelf: Shelf, ask_source: Asking, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """By runs that do not try it again too, with its reason; a file that is gone fails no more."""
        for key in ("11.md", "empty.md"):
            shelf.documents[key] = Held("# New")
            shelf.broken[key] = UnreadableFileError("The file is empty.")
        assert ask_source().state == "partly_failed"
        again = ask_source()
        assert (again.state, again.to_load) == ("partly_failed", 0)
        assert outcomes(again) == {("11.md", "failed"), ("empty.md", "failed")}
        assert set(again.changes.values_list("message", flat=True)) == {
            "Failed before, and not tried again yet: The file is empty."
        }
        call_command("sync")
        assert "12 documents, 2 failing, partly_failed" in capsys.readouterr().out
        del shelf.documents["empty.md"]
        assert outcomes(ask_source()) == {("11.md", "failed")}
        shelf.broken.clear()
        SyncItem.objects.filter(key="11.md").update(next_try_at=timezone.now())
        assert ask_source(lists=False).state == "done"
        call_command("sync")
        assert "12 documents, done" in capsys.readouterr().out

    def test_a_try_of_what_is_due_names_what_is_not(self, filled: DataSource, shelf: Shelf, ask_source: Asking) -> None:
        """Once, also where its worker was killed when it had marked what is due."""
        for key in ("03.md", "04.md"):
            shelf.documents[key].text = "# Open"
            shelf.broken[key] = UnreadableFileError()
        ask_source()
        shelf.broken.clear()
        SyncItem.objects.filter(key="03.md").update(next_try_at=timezone.now())
        run = start(filled, lists=False)
        mark_failed(run)
        work_to_the_end(run)
        run.refresh_from_db()
        assert (run.state, sorted(run.changes.values_list("name", "outcome"))) == (
            "partly_failed",
            [("03.md", "changed"), ("04.md", "failed")],
        )

    def test_a_killed_run_goes_on_where_it_was(self, source: DataSource, shelf: Shelf, cast: Cast) -> None:
        """A document that was read before is not loaded again, and has its readers."""
        source.roles.set([cast.staff])
        shelf.documents = {f"{n:02}.md": Held(f"# Rule {n}\n\nPier {n}. " + "All is well. " * 600) for n in range(6)}
        shelf.kills_at = "04.md"
        run = start(source)
        with pytest.raises(KilledError):
            work(run.pk)
        assert SyncRun.objects.get().state == "ingesting"
        shelf.kills_at = ""
        done = set(SyncItem.objects.filter(is_pending=False).values_list("key", flat=True))
        shelf.loaded.clear()
        work_to_the_end(run)
        assert set(shelf.loaded) == {f"{n:02}.md" for n in range(6)} - done
        assert readable(cast, cast.bob) == {f"{n:02}.md" for n in range(6)}
        assert SyncRun.objects.get().state == "done"

    def test_a_run_is_worked_off_in_slices(self, source: DataSource, shelf: Shelf) -> None:
        """Each queues the next one, in the source's lane."""
        shelf.documents = {f"{n}.md": Held(f"# Rule {n}") for n in range(3)}
        run = start(source)
        work(run.pk, seconds=0)
        assert SyncRun.objects.get().state == "ingesting"
        jobs = ProcrastinateJob.objects.filter(task_name="core.library.sync")
        assert jobs.count() == 2
        assert len(set(jobs.values_list("lock", flat=True))) == 1
        tasks.sync(run=str(run.pk))
        assert SyncRun.objects.get().state == "done"

    def test_a_run_can_be_stopped(self, source: DataSource, shelf: Shelf, cast: Cast) -> None:
        """Its next slice does nothing, and the next run takes up what is left."""
        shelf.documents = {f"{n}.md": Held(f"# Rule {n}") for n in range(3)}
        run = start(source)
        work(run.pk, seconds=0)
        stop(run, by=cast.alice)
        work(run.pk)
        assert (SyncRun.objects.get().state, Document.objects.count()) == ("stopped", 0)
        work_to_the_end(start(source))
        assert Document.objects.count() == 3

    def test_a_run_whose_job_was_lost_goes_on(self, source: DataSource) -> None:
        """While it waits, no second job is queued."""
        run = start(source)
        resume_lost()
        jobs = ProcrastinateJob.objects.filter(task_name="core.library.sync")
        assert jobs.count() == 1
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM procrastinate_jobs")
        resume_lost()
        assert [job.args for job in jobs] == [{"run": str(run.pk)}]

    def test_one_run_at_a_time(self, source: DataSource) -> None:
        """A second would list beside the first."""
        start(source)
        with pytest.raises(RunGoesOnError):
            start(source)

    def test_a_kind_that_is_unknown_fails_in_words(self, source: DataSource, ask_source: Asking) -> None:
        """As after a return to an older version."""
        DataSource.objects.update(kind="teleporter")
        source.refresh_from_db()
        run = ask_source()
        assert run.state == "failed"
        assert "no sources of the kind teleporter" in run.error


class TestSchedule:
    """Tests of the times at which sources run by themselves."""

    def test_a_failure_is_followed_up_sooner_than_the_schedule(
        self, source: DataSource, shelf: Shelf, ask_source: Asking
    ) -> None:
        """And each further one later than the one before."""
        source.schedule = "0 3 1 1 *"
        source.save()
        ask_source()
        source.refresh_from_db()
        yearly = source.next_run_at
        assert yearly is not None
        assert yearly.month == 1
        shelf.fails_with = SourceError()
        distances = []
        for _ in range(3):
            run = ask_source()
            source.refresh_from_db()
            assert source.next_run_at is not None
            assert run.finished_at is not None
            distances.append(round((source.next_run_at - run.finished_at).total_seconds() / 60))
        assert distances == [5, 10, 20]

    def test_what_is_due_is_started_once(self, source: DataSource) -> None:
        """Not while a run goes on, and not where it is switched off."""
        source.schedule, source.next_run_at = "* * * * *", timezone.now()
        source.save()
        start_due()
        start_due()
        assert SyncRun.objects.count() == 1
        SyncRun.objects.update(state="done")
        DataSource.objects.update(is_enabled=False)
        start_due()
        assert SyncRun.objects.count() == 1
        source.is_enabled = False
        assert next_run(source, timezone.now()) is None

    def test_what_failed_is_tried_again_between_runs(self, filled: DataSource) -> None:
        """Without a listing."""
        SyncItem.objects.filter(key="03.md").update(next_try_at=timezone.now(), error="broken")
        start_due()
        assert SyncRun.objects.filter(lists=False, state="queued").count() == 1


class TestIdentity:
    """Tests that a source's document never replaces another's, whatever it calls itself."""

    def test_a_source_replaces_nothing_that_came_otherwise(
        self, source: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """A file of the same name, or with the very same text, in the same collection is another document."""
        secret = make_document("plan.md", "The board sells the pier.", roles=[cast.owners], collection="Handbook")
        source.roles.set([cast.staff])
        shelf.documents = {
            "plan.md": Held("# Public plan"),
            "https://example.org/a": Held("<html><p>A page.</p></html>"),
        }
        ask_source()
        secret.refresh_from_db()
        assert (secret.version, secret.data_source) == (1, None)
        assert readable(cast, cast.bob) == {"plan.md", "https://example.org/a"}
        assert Document.objects.filter(source="plan.md").count() == 2

    def test_two_sources_do_not_share_documents(
        self, source: DataSource, shelf: Shelf, ask_source: Asking, cast: Cast
    ) -> None:
        """A document deleted from one stays in the other, for the other's readers."""
        other = DataSource.objects.create(name="Other", kind="scripted", collection=Collection.objects.get())
        source.roles.set([cast.staff])
        other.roles.set([cast.owners])
        shelf.documents = {"plan.md": Held("# Plan")}
        ask_source()
        work_to_the_end(start(other))
        assert end(source) == 1
        assert readable(cast, cast.bob) == set()
        assert readable(cast, cast.alice) == {"plan.md"}
