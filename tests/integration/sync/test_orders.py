"""Runs that are killed, wait or are overtaken: whatever comes in whatever order, new readers come with their words."""

import datetime as dt
import json

import pytest
from django.utils import timezone
from pytest_django import Settings

from core import tasks
from core.access.grants import revoke
from core.errors import UnreadableFileError
from core.library.sync.runs import apply_readers_soon, decide, start, stop
from core.library.sync.slices import work
from core.models import DataSource, Document, SourceGroup, SyncItem
from core.testing import Cast
from tests.integration.sync.conftest import Asking
from tests.integration.sync.killing import killed_between
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.test_readers import words_for
from tests.integration.sync.test_runs import outcomes
from tests.integration.sync.working import work_to_the_end

CREW, BOARD, BOTH = ("crew",), ("board",), ("crew", "board")


@pytest.fixture
def told(source: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking) -> DataSource:
    """Create a source that lists readers: "crew" is Bob's group, "board" Alice's. It holds a plan of the board.

    Ask once.
    """
    source.takes_readers, source.most_withdrawn_percent = True, 100
    source.save()
    cast.alice.user_roles.filter(role=cast.staff).delete()
    for name, role in (("crew", cast.staff), ("board", cast.owners)):
        SourceGroup.objects.create(source=source, name=name, role=role)
    shelf.documents = {"plan.md": Held("# Plan", groups=BOARD)}
    ask_source()
    return source


def map_group(told: DataSource, name: str, role: object) -> None:
    """Map a group to a role, or to none, and apply it."""
    told.groups.filter(name=name).update(role=role)
    apply_readers_soon(told)
    tasks.sync_readers(source=str(told.pk))


def say(**texts: str) -> str:
    """A file of several documents, by their ids; one that is empty cannot be read."""
    lines = [json.dumps({"id": name, "title": name, "text": text}) for name, text in texts.items() if text]
    return "\n".join(lines + ["{broken" for text in texts.values() if not text])


class TestKilled:
    """A worker is killed between two statements."""

    def test_words_that_were_stored_and_not_noted_are_not_those_of_before(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """The source has its earlier content again, and opens it."""
        shelf.documents["plan.md"] = Held("# Dismissals", groups=BOARD)
        run = start(told)
        with killed_between('INSERT INTO "core_chunk"', 'UPDATE "core_syncitem"'):
            work_to_the_end(run)
        assert words_for(cast, cast.alice) == {"# Dismissals"}
        stop(run, by=None)
        shelf.documents["plan.md"] = Held("# Plan", groups=BOTH)
        run = start(told)
        work(run.pk, seconds=-1.0)
        assert words_for(cast, cast.bob) == set()
        work_to_the_end(run)
        assert words_for(cast, cast.bob) == {"# Plan"}

    def test_readers_that_were_granted_and_not_noted_are_taken_away(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """The source revokes them."""
        shelf.documents["new.md"] = Held("# New", groups=CREW)
        run = start(told)
        with killed_between('INSERT INTO "core_roledocumentaccess"', 'UPDATE "core_syncitem"'):
            work_to_the_end(run)
        stop(run, by=None)
        shelf.documents["new.md"].groups = BOARD
        ask_source()
        assert words_for(cast, cast.bob) == set()
        assert words_for(cast, cast.alice) == {"# Plan", "# New"}


class TestReadInPart:
    """A file of several documents, of which some cannot be read."""

    def test_its_readers_of_before_are_not_shown_its_new_parts(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """The source has its earlier content again."""
        shelf.documents["all.jsonl"] = Held(say(p="Rules", q="Hours"), groups=CREW)
        ask_source()
        shelf.documents["all.jsonl"] = Held(say(p="Dismissals", q=""), groups=BOARD)
        assert ask_source().state == "partly_failed"
        shelf.documents["all.jsonl"] = Held(say(p="Rules", q="Hours"), groups=BOTH)
        run = start(told)
        work(run.pk, seconds=-1.0)
        assert words_for(cast, cast.bob) == set()
        work_to_the_end(run)
        assert words_for(cast, cast.bob) == {"# Rules", "# Hours"}

    def test_its_new_parts_are_for_readers_of_whom_the_item_knows(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """They lose them again, and read none beside words of before that are not theirs."""
        shelf.documents["all.jsonl"] = Held(say(p="Rules", q="Dismissals"), groups=BOARD)
        ask_source()
        shelf.documents["all.jsonl"] = Held(say(p="Prizes", n="New", q=""), groups=BOTH)
        ask_source()
        assert words_for(cast, cast.bob) == set()
        shelf.documents["all.jsonl"] = Held(say(p="Prizes", n="New", q="Open", x=""), groups=BOTH)
        ask_source()
        assert words_for(cast, cast.bob) == {"# Prizes", "# New", "# Open"}
        shelf.documents["all.jsonl"].groups = BOARD
        ask_source()
        assert words_for(cast, cast.bob) == set()

    def test_a_part_that_comes_back_leaves_no_lost_role_to_the_others(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """The group is mapped to no role any more while the file loads. Mapped again, it opens the current words."""
        whole = Held(say(p="Rules", q="Hours"), groups=CREW)
        shelf.documents |= {"all.jsonl": whole, "next.md": Held("# Next", groups=BOARD)}
        ask_source()
        shelf.documents["all.jsonl"] = Held(say(p="Rules"), groups=CREW)
        ask_source()
        shelf.documents |= {"all.jsonl": whole, "next.md": Held("# Next again", groups=BOARD)}

        def change(at: str, key: str) -> None:
            if (at, key) == ("load", "next.md"):  # while the file that was loaded before is on its way
                told.groups.filter(name="crew").update(role=None)

        shelf.meanwhile = change
        ask_source()
        tasks.sync_readers(source=str(told.pk))
        assert words_for(cast, cast.bob) == set()
        map_group(told, "crew", cast.staff)
        assert words_for(cast, cast.bob) == {"# Rules", "# Hours"}


def test_a_new_name_is_another_edition(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking, settings: Settings
) -> None:
    """Whoever comes with it is not shown the old one, nor answers that hold it; so with a date."""
    settings.KEEP_ORIGINALS = True
    plan = shelf.documents["plan.md"]
    plan.name = "Dismissals of May.md"
    ask_source()
    document = Document.objects.get(source="plan.md")
    assert (document.version, document.original_name) == (2, "Dismissals of May.md")
    plan.name, plan.groups = "Plan.md", BOTH
    run = start(told)
    work(run.pk, seconds=-1.0)
    assert words_for(cast, cast.bob) == set()
    work_to_the_end(run)
    document.refresh_from_db()
    assert document.original_name == "Plan.md"
    assert words_for(cast, cast.bob) == {"# Plan"}
    plan.date = dt.date(2024, 5, 1)
    ask_source()
    document.refresh_from_db()
    assert document.version == 4
    assert dict(document.role_access.values_list("role", "since_version")) == {cast.owners.pk: 1, cast.staff.pk: 3}


class TestToldAtTwoMoments:
    """Words are here as they are listed, and nothing is loaded."""

    @pytest.mark.parametrize("is_mapped_later", [False, True])
    def test_readers_of_another_content_are_not_given_the_words_that_are_here(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking, is_mapped_later: bool
    ) -> None:
        """The page is rewritten and opened after the listing found its content, and before it found its readers."""
        told.groups.filter(name="crew").update(role=None if is_mapped_later else cast.staff)

        def rewrite(at: str, key: str) -> None:
            if at == "readers":
                shelf.documents[key] = Held("# For everyone", groups=BOTH)

        shelf.meanwhile = rewrite
        run = start(told)
        work(run.pk, seconds=-1.0)
        map_group(told, "crew", cast.staff)
        assert words_for(cast, cast.bob) == set()
        stop(run, by=None)
        shelf.meanwhile = lambda at, key: None
        ask_source()
        assert words_for(cast, cast.bob) == {"# For everyone"}

    def test_new_readers_are_asked_for_again_and_nothing_is_loaded(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """One question for each item that has new ones."""
        shelf.loaded.clear()
        shelf.looked.clear()
        shelf.documents["plan.md"].groups = BOTH
        assert outcomes(ask_source()) == {("plan.md", "readers")}
        assert (shelf.looked, shelf.loaded, words_for(cast, cast.bob)) == (["plan.md"], [], {"# Plan"})
        ask_source()
        assert (shelf.looked, shelf.loaded) == (["plan.md"], [])

    def test_what_may_have_changed_gains_nobody_before_it_is_loaded(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """The source gives no fingerprint: it waits for the next attempt, which finds it unchanged."""
        shelf.is_mute = True
        ask_source()
        ask_source()
        assert words_for(cast, cast.alice) == {"# Plan"}
        shelf.documents["plan.md"] = Held("# For everyone", groups=BOTH)
        shelf.broken["plan.md"] = UnreadableFileError()
        ask_source()
        ask_source()  # not before its time
        assert words_for(cast, cast.bob) == set()
        shelf.broken.clear()
        shelf.documents["plan.md"] = Held("# Plan", groups=BOARD)
        SyncItem.objects.update(next_try_at=timezone.now())
        ask_source(lists=False)
        assert words_for(cast, cast.bob) == set()


class TestGone:
    """Tests of grants and revocations while a document is withdrawn."""

    @pytest.mark.parametrize("tells", [True, False])
    def test_a_role_that_was_taken_away_meanwhile_comes_back_without_earlier_editions(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking, tells: bool
    ) -> None:
        """By the mapping of groups, or by the roles that are chosen for the source."""
        told.takes_readers = tells
        told.save()
        told.roles.set([cast.staff])
        shelf.documents["plan.md"] = Held("# Second", groups=BOTH)
        ask_source()
        away = shelf.documents.pop("plan.md")
        ask_source()
        for role in (None, cast.staff):
            told.roles.set([role] if role else [])
            map_group(told, "crew", role)
        away.text = "# Third"
        shelf.documents["plan.md"] = away
        ask_source()
        document = Document.objects.get(source="plan.md")
        assert document.role_access.get(role=cast.staff).since_version == document.version == 3
        assert words_for(cast, cast.bob) == {"# Third"}

    def test_what_was_taken_away_by_hand_stays_away(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """Until the source takes the role away and gives it again."""
        away = shelf.documents.pop("plan.md")
        ask_source()
        revoke(cast.owners, [Document.objects.get()], by=cast.alice)
        shelf.documents["plan.md"] = away
        ask_source()
        assert words_for(cast, cast.alice) == set()
        for groups in ((), BOARD):
            away.groups = groups
            ask_source()
        assert words_for(cast, cast.alice) == {"# Plan"}

    def test_a_group_that_is_mapped_meanwhile_reads_it_when_it_is_back(
        self, told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
    ) -> None:
        """Not before, and though it is unchanged; so with what the source could not be asked about."""
        shelf.documents["plan.md"].groups = BOTH
        map_group(told, "crew", None)
        ask_source()
        DataSource.objects.update(listed_at=timezone.now() - dt.timedelta(hours=73))
        tasks.withdraw_unanswered(0)
        map_group(told, "crew", cast.staff)
        assert words_for(cast, cast.bob) == set()
        ask_source()
        assert words_for(cast, cast.bob) == {"# Plan"}


def test_a_decision_that_comes_late_is_about_another_listing(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """Readers of then are not believed any more: the source is listed again, and asks again if it has to."""
    shelf.documents |= {f"{n}.md": Held(f"# Rule {n}", groups=BOTH) for n in range(4)}
    ask_source()
    told.most_withdrawn_percent = 10
    told.save()
    del shelf.documents["1.md"], shelf.documents["2.md"]
    run = ask_source()
    assert run.state == "asking"
    DataSource.objects.update(listed_at=timezone.now() - dt.timedelta(hours=73))
    tasks.withdraw_unanswered(0)
    shelf.documents["0.md"].groups = BOARD
    shelf.documents["2.md"] = Held("# Rule 2", groups=CREW)
    decide(run, withdraw=True, by=None)
    work_to_the_end(run)
    run.refresh_from_db()
    assert (run.state, run.changes.filter(outcome="gone").count()) == ("asking", 0)
    assert words_for(cast, cast.bob) == set()
    decide(run, withdraw=True, by=None)
    work_to_the_end(run)
    assert words_for(cast, cast.bob) == {"# Rule 2", "# Rule 3"}
    assert set(run.changes.filter(outcome="gone").values_list("name", flat=True)) == {"1.md"}
