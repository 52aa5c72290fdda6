"""Test when contradictions are looked for: each edition once, while there is time, and where it is not turned off.

What is found in texts is the finder's, which has tests of its own: here it finds what the tests tell it.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from uuid import UUID

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.errors import StoppedError
from core.models import ContradictionLook, Document, SourceContradiction
from core.quality.contradictions import looking
from core.quality.contradictions.finding import Pair
from core.testing import Cast
from tests.integration.contradictions.pairs import make_pair, make_price_lists

pytestmark = pytest.mark.usefixtures("fast")


class Finder:
    """Gives the pairs that a test names, and remembers for which documents it was asked."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self.asked: list[UUID] = []
        self.stops_at: UUID | None = None

    def find(self, documents: Sequence[UUID], *, most: int) -> Iterator[Pair]:
        """Yield the pairs that have a side of these documents."""
        self.asked += documents
        for pair in self.pairs[:most]:
            if {pair.newer.passage.document_id, pair.older.passage.document_id} & set(documents):
                yield pair
        if self.stops_at in documents:
            raise StoppedError


@pytest.fixture
def finder(monkeypatch: pytest.MonkeyPatch) -> Finder:
    """Put a finder in the place of the reader's."""
    made = Finder()
    monkeypatch.setattr(looking, "find_pairs", made.find)
    monkeypatch.setattr(looking.reader, "is_on", lambda: True)
    return made


@pytest.fixture
def lists(cast: Cast, finder: Finder) -> tuple[Document, Document]:
    """Make two price lists that contradict each other, the older one ingested a week ago."""
    older, newer = make_price_lists([cast.staff], [cast.staff])
    finder.pairs = [make_pair(older, newer, readers=[cast.staff])]
    Document.objects.filter(pk=older.pk).update(ingested_at=timezone.now() - dt.timedelta(days=7))
    return older, newer


def test_each_edition_is_looked_at_once(lists: tuple[Document, Document], finder: Finder) -> None:
    """Soon what came within a day, by night the rest; and again what has a new edition."""
    older, newer = lists
    assert looking.look_soon() == 1
    assert finder.asked == [newer.pk]
    assert looking.look_by_night() == 0
    assert finder.asked == [newer.pk, older.pk]
    assert looking.look_soon() == looking.look_by_night() == 0
    assert len(finder.asked) == 2
    Document.objects.filter(pk=older.pk).update(version=2, ingested_at=timezone.now())
    looking.look_soon()
    assert finder.asked[2:] == [older.pk]
    assert SourceContradiction.objects.count() == 1


def test_what_is_stopped_comes_next_time(lists: tuple[Document, Document], finder: Finder) -> None:
    """Keep what was found until then; do not begin for ever with what alone takes longer."""
    older, newer = lists
    finder.stops_at = older.pk
    assert looking.look_by_night() == 1
    assert set(ContradictionLook.objects.values_list("document", flat=True)) == {newer.pk}
    looking.look_by_night()
    assert set(ContradictionLook.objects.values_list("document", flat=True)) == {newer.pk, older.pk}


def test_nothing_is_begun_when_the_time_is_over(
    lists: tuple[Document, Document], finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is noted."""
    monkeypatch.setattr(looking, "BY_NIGHT_S", -1.0)
    assert looking.look_by_night() == 0
    assert finder.asked == []
    assert not ContradictionLook.objects.exists()


def test_nothing_is_looked_for_where_it_is_turned_off_or_there_is_no_reader(
    lists: tuple[Document, Document], finder: Finder, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all is looked at once there is one. Pairs whose documents change are followed all the same."""
    looking.look_soon()
    settings.CONTRADICTIONS_ENABLED = False
    Document.objects.update(version=2)
    looking.look_by_night()
    assert finder.asked == [lists[1].pk]
    assert SourceContradiction.objects.up_to_date().count() == 1
    settings.CONTRADICTIONS_ENABLED = True
    monkeypatch.setattr(looking.reader, "is_on", lambda: False)
    looking.look_by_night()
    assert finder.asked == [lists[1].pk]
    monkeypatch.setattr(looking.reader, "is_on", lambda: True)
    looking.look_by_night()
    assert set(finder.asked[1:]) == {document.pk for document in lists}


def test_a_withdrawn_document_is_not_looked_at(lists: tuple[Document, Document], finder: Finder) -> None:
    """Nobody reads it."""
    Document.objects.update(withdrawn_at=timezone.now())
    looking.look_by_night()
    assert finder.asked == []
