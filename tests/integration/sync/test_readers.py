"""Readers that come from the source: its groups are mapped to roles, and what it takes away is gone here."""

import datetime as dt

import pytest
from django.utils import timezone

from core import tasks
from core.access.grants import grant, revoke
from core.errors import SourceError
from core.models import CollectionRole, DataSource, Document, SourceGroup
from core.sync.schedule import apply_readers_soon
from core.testing import Cast
from tests.integration.sync.conftest import Asking
from tests.integration.sync.scripted import Held, Shelf
from tests.integration.sync.test_runs import outcomes, readable


@pytest.fixture
def told(source: DataSource, shelf: Shelf, cast: Cast, ask_source: Asking) -> DataSource:
    """A source that tells readers. Its group "crew" is mapped to the staff, "board" to nobody; ask once."""
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
    """What fails keeps its earlier text, and not its earlier readers."""
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
