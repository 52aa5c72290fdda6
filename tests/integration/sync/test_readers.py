"""Readers that come from the source: its groups are mapped to roles, and what it takes away is gone here."""

import datetime as dt
from importlib import import_module

import pytest
from django.utils import timezone
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core import tasks
from core.access.grants import grant, revoke
from core.errors import ChangedMeanwhileError, SourceError, UnreadableFileError
from core.library.ingestion.placement import shorten_source
from core.library.sync.connector import Connector, TellsReaders
from core.library.sync.ingesting import build_source_key
from core.library.sync.kinds import MODULES, kind_of
from core.library.sync.runs import apply_readers_soon, start
from core.library.sync.slices import work
from core.models import Chunk, CollectionRole, DataSource, Document, SourceGroup, SyncItem, User
from core.models.row_security import as_audience
from core.testing import Cast
from tests.integration.sync.conftest import Asking
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.test_runs import outcomes, readable
from tests.integration.sync.working import work_to_the_end


@pytest.fixture
def told(source: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking) -> DataSource:
    """Create a source that lists readers. Its group "crew" is mapped to the staff, "board" to nobody; ask once."""
    source.takes_readers = True
    source.save()
    CollectionRole.objects.create(collection=source.collection, role=cast.owners)
    source.roles.set([cast.owners])
    SourceGroup.objects.create(source=source, name="crew", role=cast.staff)
    shelf.documents = {
        "crew.md": Held("# For the crew", groups=("crew", "board")),
        "board.md": Held("# For the board", groups=("board",)),
        "nobody.md": Held("# For nobody", groups=()),
        "untold.md": Held("# Untold", groups=None),
    }
    ask_source()
    return source


def test_an_unmapped_group_reads_nothing(told: DataSource, cast: Cast) -> None:
    """Neither the collection's default roles nor those of the source receive what the source gives to nobody."""
    assert readable(cast, cast.bob) == {"crew.md"}
    assert readable(cast, cast.alice) == {"crew.md"}
    assert dict(told.groups.values_list("name", "role")) == {"crew": cast.staff.pk, "board": None}


def test_a_mapping_is_applied_to_what_is_there(told: DataSource, cast: Cast) -> None:
    """Soon after it was changed, in both directions, without asking the source."""
    told.groups.filter(name="board").update(role=cast.owners)
    told.groups.filter(name="crew").update(role=None)
    apply_readers_soon(told)
    tasks.sync_readers(source=str(told.pk))
    assert readable(cast, cast.alice) == {"crew.md", "board.md"}
    assert readable(cast, cast.bob) == set()


def test_readers_that_shrink_at_the_source_shrink_here(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """Though the document is unchanged and is not loaded."""
    shelf.loaded.clear()
    shelf.documents["crew.md"].groups = ("board",)
    assert outcomes(ask_source()) == {("crew.md", "readers")}
    assert readable(cast, cast.bob) == set()
    assert shelf.loaded == []
    shelf.documents["crew.md"].groups = ("crew",)
    ask_source()
    assert readable(cast, cast.bob) == {"crew.md"}


def test_readers_shrink_also_where_the_text_cannot_be_read(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """A failed document keeps its earlier text, and not its earlier readers."""
    shelf.documents["crew.md"] = Held("", groups=())
    run = ask_source()
    assert run.state == "partly_failed"
    assert readable(cast, cast.bob) == set()


def test_a_group_whose_role_was_deleted_reads_nothing(told: DataSource, cast: Cast, ask_source: Asking) -> None:
    """The grants went with the role."""
    cast.staff.delete()
    ask_source()
    assert readable(cast, cast.bob) == set()


def test_what_was_decided_by_hand_stays(told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking) -> None:
    """A grant of one's own, and one that was taken back, until the source changes its mind about that role."""
    crew, board = Document.objects.get(source="crew.md"), Document.objects.get(source="board.md")
    grant(cast.owners, [board], by=cast.alice)
    revoke(cast.staff, [crew], by=cast.alice)
    shelf.documents["crew.md"].text = "# For the crew\n\nMore."
    ask_source()
    assert readable(cast, cast.alice) == {"board.md"}


def test_a_source_that_no_longer_answers_is_not_believed_for_ever(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """After the stated time nobody reads its documents, and all do again once it answers."""
    shelf.fails_with = SourceError()
    ask_source()
    tasks.withdraw_unanswered(0)
    assert readable(cast, cast.bob) == {"crew.md"}
    DataSource.objects.update(listed_at=timezone.now() - dt.timedelta(hours=73))
    tasks.withdraw_unanswered(0)
    assert readable(cast, cast.bob) == set()
    shelf.fails_with = None
    ask_source()
    assert readable(cast, cast.bob) == {"crew.md"}


def words_for(cast: Cast, person: User) -> set[str]:
    """The headings of the chunks that a person may read, as they are written."""
    with as_audience(cast.audience(person)):
        return {f"# {content}" for content in Chunk.objects.values_list("content", flat=True)}


@pytest.mark.parametrize("fails", [False, True])
def test_new_readers_come_with_the_new_words(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking, fails: bool
) -> None:
    """A page that is rewritten and opened shows nobody its old words, until it is loaded or for ever."""
    shelf.documents["board.md"] = Held("# For everyone", groups=("board", "crew"))
    shelf.broken = {"board.md": UnreadableFileError()} if fails else {}
    run = start(told)
    work(run.pk, seconds=-1.0)  # listed, and no document is loaded
    assert words_for(cast, cast.bob) == {"# For the crew"}
    told.groups.filter(name="board").update(role=cast.staff)
    tasks.sync_readers(source=str(told.pk))  # the mapping opens the old words as little
    assert words_for(cast, cast.bob) == {"# For the crew"}
    work_to_the_end(run)
    assert words_for(cast, cast.bob) == {"# For the crew"} | (set() if fails else {"# For everyone"})
    shelf.broken = {}
    SyncItem.objects.exclude(next_try_at=None).update(next_try_at=timezone.now())
    ask_source(lists=False)
    assert words_for(cast, cast.bob) == {"# For the crew", "# For everyone"}


def test_a_mapping_is_not_applied_to_words_that_were_replaced_at_the_source(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """The text of then was the board's; the crew is listed for the text that could not be loaded."""
    shelf.documents["board.md"] = Held("# For the crew now", groups=("crew",))
    shelf.broken["board.md"] = UnreadableFileError()
    ask_source()
    assert readable(cast, cast.bob) == {"crew.md"}
    shelf.broken.clear()
    ask_source()  # not before its time
    assert readable(cast, cast.bob) == {"crew.md"}


@pytest.mark.parametrize("step", ["load", "look"])
def test_what_is_restricted_and_rewritten_while_it_is_loaded_is_for_its_new_readers(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking, step: str
) -> None:
    """Between the listing and the load, and between the load and the question for its readers."""

    def restrict(at: str, key: str) -> None:
        if (at, key) == (step, "crew.md"):
            shelf.documents[key] = Held("# Dismissals", groups=("board",))

    shelf.documents["crew.md"].text = "# For the crew, again"
    shelf.meanwhile = restrict
    told.groups.filter(name="board").update(role=cast.owners)
    ask_source()
    assert words_for(cast, cast.bob) == set()
    assert words_for(cast, cast.alice) == {"# Dismissals", "# For the board"}
    assert shelf.loaded.count("crew.md") == 3  # at first, and twice now


def test_what_is_seen_to_have_changed_is_asked_for_and_loaded_again(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """The loaded content is not the listed one, also in a run without a listing."""
    shelf.documents["crew.md"].text = "# Second"
    shelf.broken["crew.md"] = ChangedMeanwhileError()

    def mend(at: str, key: str) -> None:
        if (at, key) == ("look", "crew.md"):
            shelf.documents[key] = Held("# Third", groups=("crew",))
            shelf.broken.clear()

    shelf.meanwhile = mend
    assert ("crew.md", "changed") in outcomes(ask_source())
    assert words_for(cast, cast.bob) == {"# Third"}


def test_what_is_opened_and_rewritten_after_it_was_loaded_gives_away_nothing(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """Its words of before are not for the readers of now."""
    shelf.documents["board.md"].text = "# Dismissals"

    def open_it(at: str, key: str) -> None:
        if (at, key) == ("look", "board.md"):
            shelf.documents[key] = Held("# Welcome", groups=("crew",))

    shelf.meanwhile = open_it
    ask_source()
    assert words_for(cast, cast.bob) == {"# For the crew", "# Welcome"}


def test_what_never_stays_as_it_is_keeps_its_words_to_itself(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """It fails, and is tried again later."""
    counted = iter(range(1000))

    def change(at: str, key: str) -> None:
        if (at, key) == ("look", "crew.md"):
            shelf.documents[key] = Held(f"# Dismissal {next(counted)}", groups=("crew",))

    shelf.meanwhile = change
    shelf.documents["crew.md"].text = "# Dismissals"
    run = ask_source()
    assert run.state == "partly_failed"
    assert words_for(cast, cast.bob) == {"# For the crew"}
    shelf.meanwhile = lambda at, key: None
    SyncItem.objects.exclude(next_try_at=None).update(next_try_at=timezone.now())
    ask_source()
    assert words_for(cast, cast.bob) == {shelf.documents["crew.md"].text}


def test_where_a_source_cannot_be_asked_again_an_item_waits_for_the_next_listing(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """A document loaded both before and after a listing is for that listing's readers, if it is unchanged."""
    shelf.looks_again = False
    shelf.documents["crew.md"].text = "# Second"
    assert outcomes(ask_source()) == {("crew.md", "waits")}
    assert words_for(cast, cast.bob) == {"# For the crew"}
    shelf.documents["crew.md"] = Held("# Third", groups=("board",))
    assert outcomes(ask_source()) == {("crew.md", "waits"), ("crew.md", "readers")}
    assert words_for(cast, cast.bob) == set()
    shelf.documents["crew.md"].groups = ("crew",)
    assert ("crew.md", "changed") in outcomes(ask_source())
    assert words_for(cast, cast.bob) == {"# Third"}


def test_every_kind_that_tells_readers_can_be_asked_again() -> None:
    """So that no kind of ours has to wait for another listing."""
    telling = [kind for name in MODULES if name != "scripted" and (kind := kind_of(name)).tells_readers]
    assert len(telling) >= 10
    for kind in telling:
        offered = vars(import_module(kind.connect.__module__)).values()
        connectors = [one for one in offered if isinstance(one, type) and hasattr(one, "load") and one is not Connector]
        assert connectors, kind.name
        assert all(issubclass(one, TellsReaders) for one in connectors), kind.name


def test_rights_are_lost_while_a_run_waits_for_a_decision(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """Only documents that are gone wait; nobody gains anything."""
    told.most_withdrawn_percent = 10
    told.save()
    shelf.documents["crew.md"].groups = ("board",)
    shelf.documents["nobody.md"].groups = ("crew",)
    del shelf.documents["board.md"], shelf.documents["untold.md"]
    run = ask_source()
    assert run.state == "asking"
    assert words_for(cast, cast.bob) == set()
    assert outcomes(run) == {("crew.md", "readers")}
    assert Document.objects.get(source="board.md").withdrawn_at is None


def test_rights_are_lost_where_a_listing_breaks_off(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """By as much of it as there was."""
    shelf.documents["crew.md"].groups = ()
    shelf.fails_with = SourceError()
    assert ask_source().state == "failed"
    assert words_for(cast, cast.bob) == set()


def test_what_was_withdrawn_for_want_of_an_answer_comes_back_with_its_new_words(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """A page that was rewritten and opened in the meantime."""
    DataSource.objects.update(listed_at=timezone.now() - dt.timedelta(hours=73))
    tasks.withdraw_unanswered(0)
    shelf.documents["board.md"] = Held("# For everyone", groups=("board", "crew"))
    shelf.documents["crew.md"] = Held("# Again for the crew", groups=("crew",))
    run = start(told)
    work(run.pk, seconds=-1.0)
    assert words_for(cast, cast.bob) == {"# For the crew"}  # which it reads as before, until the new words are there
    work_to_the_end(run)
    assert words_for(cast, cast.bob) == {"# Again for the crew", "# For everyone"}
    shelf.documents["crew.md"].groups = ()
    ask_source()
    assert words_for(cast, cast.bob) == {"# For everyone"}


def test_what_comes_back_keeps_the_editions_of_its_readers(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """Answers from an earlier edition are their readers' again, and nobody else's."""
    shelf.documents["crew.md"].text = "# Second"
    ask_source()
    document = Document.objects.get(source="crew.md")
    told.groups.filter(name="board").update(role=cast.owners)
    tasks.sync_readers(source=str(told.pk))
    DataSource.objects.update(listed_at=timezone.now() - dt.timedelta(hours=73))
    tasks.withdraw_unanswered(0)
    ask_source()
    since = dict(document.role_access.values_list("role__name", "since_version"))
    assert (document.version, since) == (2, {"staff": 1, "owners": 2})


@given(keys=st.sets(st.text(alphabet="#%235x/", min_size=1, max_size=8), min_size=2, max_size=6))
@example(keys={"plan#x.md", "plan%23x.md", "plan%2523x.md", "plan%252523x.md", "plan%25%23x.md"})
@settings(max_examples=300, derandomize=True)
def test_two_items_are_never_one_document(keys: set[str]) -> None:
    """Whatever they are called: neither whole, nor by a document of a file of several."""
    made = {key: build_source_key(key) for key in keys}
    assert len(set(made.values())) == len(keys)
    assert not any("#" in source for source in made.values())
    parts = {shorten_source(f"{source}#{part}") for source in made.values() for part in ("1", "x", "#", "")}
    assert len(parts | set(map(shorten_source, made.values()))) == 5 * len(keys)


@given(sources=st.sets(st.text(min_size=1), min_size=2, max_size=4), long=st.text(min_size=1001, max_size=1010))
@settings(max_examples=50, derandomize=True)
def test_a_shortened_source_is_no_other_ones(sources: set[str], long: str) -> None:
    """Nor is one that is called as a shortened one would be."""
    shortened = shorten_source(long)
    several = {*sources, long, shortened}
    assert len({shorten_source(one) for one in several}) == len(several)


def test_names_that_look_alike_are_two_documents(
    told: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking
) -> None:
    """Each with its own words for its own readers."""
    shelf.documents = {
        "plan#x.md": Held("# For the crew", groups=("crew",)),
        "plan%23x.md": Held("# Dismissals", groups=("board",)),
    }
    told.most_withdrawn_percent = 100
    told.save()
    ask_source()
    assert words_for(cast, cast.bob) == {"# For the crew"}
    assert Document.objects.filter(withdrawn_at=None).count() == 2
