"""Test pairs as they are kept: once, through editions, shown to readers of both, and decided by who may."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from core import api
from core.access.grants import grant, revoke
from core.access.withdrawal import restore, withdraw
from core.errors import NotFoundError
from core.infrastructure.public_address import read_place
from core.library.contradictions.deciding import NobodyToAskError, NoReasonError
from core.library.contradictions.following import follow_editions
from core.models import (
    AuditEvent,
    Chunk,
    Collection,
    ContradictionWords,
    Document,
    SourceContradiction,
    User,
)
from core.models.row_security import bypass_row_security, showing_quotes_to
from core.quality.contradictions.store import keep_pair
from core.testing import Cast
from tests.integration.contradictions.pairs import (
    COSTS_24,
    COSTS_31,
    NEW,
    OLD,
    QUESTION,
    count_for,
    keep_price_lists,
    list_for,
    make_pair,
    make_price_lists,
)

pytestmark = pytest.mark.usefixtures("fast")


def allow(person: User, *rights: str) -> User:
    """Give somebody permissions, and return them as they are then."""
    person.user_permissions.add(*Permission.objects.filter(codename__in=rights))
    return User.objects.get(pk=person.pk)


@pytest.fixture
def kept(cast: Cast) -> SourceContradiction:
    """Keep a pair that Alice and Bob may read."""
    return keep_price_lists([cast.staff], [cast.staff])


@pytest.fixture
def bob(cast: Cast) -> User:
    """Let Bob see and decide."""
    return allow(cast.bob, "view_contradictions", "manage_contradictions")


def replace_text(document: Document, text: str) -> None:
    """Give a document another edition, as an ingestion does: new passages under new ids."""
    with bypass_row_security():
        [chunk] = Chunk.objects.filter(document=document)
        fields = {field.attname: getattr(chunk, field.attname) for field in Chunk._meta.concrete_fields}
        chunk.delete()
        for name in ("id", "search"):
            fields.pop(name)
        Chunk.objects.create(**{**fields, "content": text, "end_offset": fields["start_offset"] + len(text)})
    Document.objects.filter(pk=document.pk).update(version=document.version + 1, ingested_at=timezone.now())


def test_a_pair_is_shown_with_both_quotes_the_newer_first(kept: SourceContradiction, bob: User) -> None:
    """Word for word from the passages; no text is in the row."""
    [row] = list_for(bob)
    newer, older = row.sides
    assert (row.question, row.state, row.may_decide) == (QUESTION, "open", True)
    assert (newer.quote, newer.document_name, newer.document_date, newer.section) == (
        COSTS_31,
        "Harbour notice",
        NEW,
        "Prices",
    )
    assert (older.quote, older.document_name, older.document_date) == (COSTS_24, "Price list", OLD)
    assert [side.quote[slice(*side.value)] for side in row.sides] == ["31 euros", "24 euros"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(pair)::text FROM core_sourcecontradiction AS pair")
        assert "berth" not in cursor.fetchone()[0].lower()


def test_a_pair_is_kept_once(cast: Cast) -> None:
    """Whichever document it is found from, and whichever is called the newer one."""
    older, newer = make_price_lists([cast.staff], [cast.staff])
    pair = make_pair(older, newer, readers=[cast.staff])
    assert keep_pair(pair) is not None
    assert keep_pair(pair) is None
    turned = type(pair)(question="How much is a berth?", newer=pair.older, older=pair.newer)
    assert keep_pair(turned) is None
    assert SourceContradiction.objects.count() == 1


def test_a_pair_of_an_edition_that_is_not_the_current_one_is_not_kept(cast: Cast) -> None:
    """Nor one of a document that was withdrawn meanwhile."""
    older, newer = make_price_lists([cast.staff], [cast.staff])
    pair = make_pair(older, newer, readers=[cast.staff])
    Document.objects.filter(pk=newer.pk).update(version=2)
    assert keep_pair(pair) is None
    Document.objects.filter(pk=newer.pk).update(version=1, withdrawn_at=timezone.now())
    assert keep_pair(pair) is None
    assert not SourceContradiction.objects.exists()


def test_the_same_words_in_a_new_edition_keep_what_was_decided(kept: SourceContradiction, bob: User) -> None:
    """They are found at their new place; until they were looked for, the pair is not shown."""
    api.say_that_both_hold(kept.pk, "Another kind of berth.", by=bob)
    replace_text(kept.older, f"New first sentence. {COSTS_24}")
    assert list_for(bob) == ()
    assert follow_editions() == 0
    [row] = list_for(bob)
    assert (row.state, row.reason) == ("both_hold", "Another kind of berth.")
    assert row.sides[1].quote == COSTS_24
    assert row.sides[1].quote[slice(*row.sides[1].value)] == "24 euros"
    assert row.sides[1].edition.version == 2


def test_a_pair_is_gone_when_a_side_says_something_else_and_never_opened_again(
    cast: Cast, kept: SourceContradiction, bob: User
) -> None:
    """Its words are deleted with it, and the same words found later leave it gone."""
    api.say_that_one_holds(kept.pk, "newer", by=bob)
    replace_text(kept.older, "A berth costs 31 euros per night.")
    assert follow_editions() == 1
    [row] = list_for(bob)
    assert (row.state, row.question, row.may_decide) == ("gone", "", False)
    assert [side.quote for side in row.sides] == ["", ""]
    with bypass_row_security():
        assert not ContradictionWords.objects.exists()
    replace_text(Document.objects.get(pk=kept.older_id), COSTS_24)
    pair = make_pair(Document.objects.get(pk=kept.older_id), kept.newer, readers=[cast.staff])
    assert keep_pair(pair) is None
    assert count_for(bob) == {"gone": 1}
    with pytest.raises(NotFoundError):
        api.say_that_one_holds(kept.pk, "older", by=bob)


def test_a_pair_of_a_withdrawn_document_is_gone(cast: Cast, kept: SourceContradiction, bob: User) -> None:
    """Also once the document is back."""
    withdraw([kept.newer_id])
    assert list_for(bob) == ()
    assert follow_editions() == 1
    restore([kept.newer_id], roles=[cast.staff])
    assert count_for(bob) == {"gone": 1}


def test_a_pair_goes_with_a_document_that_is_deleted(kept: SourceContradiction) -> None:
    """With its words, which the database deletes."""
    kept.newer.delete()
    assert not SourceContradiction.objects.exists()
    with bypass_row_security():
        assert not ContradictionWords.objects.exists()


def test_the_words_are_shown_by_the_database_to_readers_of_both_alone(cast: Cast) -> None:
    """Whatever asks: row-level security holds them."""
    keep_price_lists([cast.staff], [cast.owners])
    assert not ContradictionWords.objects.exists()
    for person, seen in ((cast.alice, 1), (cast.bob, 0), (cast.charlie, 0)):
        with showing_quotes_to(cast.audience(person)):
            assert ContradictionWords.objects.count() == seen, person
    with showing_quotes_to(cast.audience(cast.alice, cast.bob)):
        assert not ContradictionWords.objects.exists()


def test_each_decision_is_kept_with_who_made_it_and_in_the_audit_trail(kept: SourceContradiction, bob: User) -> None:
    """Without a word of a document or a reason in the trail."""
    api.say_that_one_holds(kept.pk, "newer", by=bob)
    [row] = list_for(bob)
    assert (row.state, row.decided_by) == ("one_holds", "Bob")
    assert [side.holds for side in row.sides] == [True, False]
    with pytest.raises(NoReasonError):
        api.say_that_both_hold(kept.pk, "  ", by=bob)
    api.say_that_both_hold(kept.pk, "The notice is about winter.", by=bob)
    [row] = list_for(bob)
    assert (row.state, row.reason, [side.holds for side in row.sides]) == (
        "both_hold",
        "The notice is about winter.",
        [False, False],
    )
    api.open_contradiction_again(kept.pk, by=bob)
    [row] = list_for(bob)
    assert (row.state, row.reason, row.decided_by) == ("open", "", "")
    events = AuditEvent.objects.filter(object_type="sourcecontradiction").order_by("created_at")
    assert [(event.actor, event.details) for event in events] == [
        (bob, {"state": "one_holds", "holds": str(kept.newer_id)}),
        (bob, {"state": "both_hold"}),
        (bob, {"state": "open"}),
    ]


def test_who_may_only_look_decides_nothing(cast: Cast, kept: SourceContradiction) -> None:
    """And without a right and a document of one's own there is nothing to see."""
    assert list_for(cast.bob) == ()
    assert not api.may_see_contradictions(cast.bob)
    looking = allow(cast.bob, "view_contradictions")
    assert [row.may_decide for row in list_for(looking)] == [False]
    with pytest.raises(NotFoundError):
        api.say_that_one_holds(kept.pk, "newer", by=looking)


def test_an_owner_sees_and_decides_about_documents_of_their_own(cast: Cast, kept: SourceContradiction) -> None:
    """As far as they may read the other one; an owner of a collection where the document has none."""
    Collection.objects.filter(name="Notices").update(owner=cast.bob)
    assert [row.may_decide for row in list_for(cast.bob)] == [True]
    assert api.may_see_contradictions(cast.bob)
    assert list_for(cast.alice) == ()
    Document.objects.filter(pk=kept.newer_id).update(owner=cast.alice)
    assert list_for(cast.bob) == ()
    api.say_that_one_holds(kept.pk, "newer", by=cast.alice)
    [row] = list_for(cast.alice)
    assert row.state == "one_holds"


def test_an_owner_is_asked_who_may_read_both(cast: Cast, kept: SourceContradiction, bob: User) -> None:
    """An owner who may not read the other document is nobody to ask: they would learn that there is one."""
    with pytest.raises(NobodyToAskError):
        api.ask_owner(kept.pk, "older", by=bob)
    Document.objects.filter(pk=kept.older_id).update(owner=cast.alice)
    assert [side.owner for side in list_for(bob)[0].sides] == ["", "Alice"]
    assert api.ask_owner(kept.pk, "older", by=bob) == cast.alice
    [row] = list_for(bob)
    assert (row.state, row.owner_asked) == ("asked", "Alice")
    grant(cast.owners, [kept.older], by=None)
    revoke(cast.staff, [kept.newer], by=None)
    grant(cast.staff, [kept.newer], by=None)
    Document.objects.filter(pk=kept.older_id).update(owner=cast.charlie)
    assert [side.owner for side in list_for(bob)[0].sides] == ["", ""]


def test_a_list_is_narrowed_by_state_and_collection(kept: SourceContradiction, bob: User) -> None:
    """Either document's collection counts."""
    for collection in Collection.objects.all():
        assert len(list_for(bob, collection=collection.pk)) == 1
    assert list_for(bob, collection=Collection.objects.create(name="Else").pk) == ()
    assert len(list_for(bob, states=["open", "asked"])) == 1
    assert list_for(bob, states=["gone"]) == ()
    assert list_for(bob, ids=[kept.newer_id]) == ()


def test_roles_are_shown_to_who_may_see_rights(cast: Cast, kept: SourceContradiction, bob: User) -> None:
    """Of each side: the roles with a grant of its edition."""
    grant(cast.owners, [kept.older], by=None)
    assert [side.roles for side in list_for(bob)[0].sides] == [None, None]
    seeing = allow(bob, "view_role", "view_document", "view_collection")
    assert [side.roles for side in list_for(seeing)[0].sides] == [("staff",), ("owners", "staff")]


@pytest.mark.usefixtures("kept")
def test_a_side_is_opened_at_its_words(cast: Cast, bob: User, settings: Settings) -> None:
    """The address that the list gives marks what the document says."""
    settings.PUBLIC_URL = "https://footnote.example.com"
    older = list_for(bob)[0].sides[1]
    place = read_place(older.opens_at.partition("?at=")[2])
    assert place
    opened = api.open_document(older.edition.document_id, audience=cast.audience(bob), at=place)
    [part] = opened.parts
    assert part.mark is not None
    assert part.text[slice(*part.mark)] == older.quote
