"""Test that a pair of contradicting documents reveals nothing to who may not read both: no row, no count, no word."""

import json
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from hypothesis import example, given
from pytest_django.fixtures import Settings

from core import api
from core.access.audiences import audience_of
from core.access.grants import grant, revoke
from core.library.contradictions.following import follow_editions
from core.library.retrieval.search import passage_of
from core.mcp.forms import Call
from core.mcp.tools import LIST_CONTRADICTIONS, ContradictionsArguments
from core.models import Chunk, Document, RoleDocumentAccess, SourceContradiction, User
from core.models.row_security import bypass_row_security
from core.programs.asking import Program
from core.quality.contradictions.finding import Pair, Side
from core.quality.contradictions.store import keep_pair
from core.testing import Cast
from core.types import Audience, Origin
from tests.integration.contradictions.pairs import COSTS_24, QUESTION, keep_price_lists
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    Built,
    World,
    built,
    code,
    held_marks,
    tried,
    worlds,
)
from tests.integration.rest.conftest import Caller

pytestmark = pytest.mark.usefixtures("floors", "fast")

RIGHTS = (
    "view_contradictions",
    "manage_contradictions",
    "view_reports",
    "view_role",
    "view_document",
    "view_collection",
)
Documents = tuple[UUID, UUID]


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The test client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


def contradict(here: Built) -> dict[UUID, Documents]:
    """Keep a pair of each two documents that follow each other, and of the first and last; return their documents."""
    numbers = [(one, one + 1) for one in range(len(here.documents) - 1)]
    numbers += [(0, len(here.documents) - 1)] if len(here.documents) > 2 else []
    kept: dict[UUID, Documents] = {}
    for older, newer in numbers:
        sides = [_make_side(here.documents[number], number) for number in (older, newer)]
        question = f"Where are {code(older)} and {code(newer)}?"
        if row := keep_pair(Pair(question=question, older=sides[0], newer=sides[1])):
            kept[row.pk] = (here.documents[older].pk, here.documents[newer].pk)
    return kept


def _make_side(document: Document, number: int) -> Side:
    with bypass_row_security():
        chunk = Chunk.objects.for_reading().filter(document=document, chunk_index=0).get()
    says = chunk.content.index(code(number))
    return Side(
        passage=passage_of(chunk, 0.0, 0.0, 1), start=0, end=len(chunk.content), says=(says, says + len(code(number)))
    )


def look(viewer: User, audience: Audience) -> tuple[set[UUID], str]:
    """Return which pairs a viewer is shown, and all that is told with them; what is counted is as many."""
    found = api.list_contradictions(viewer, audience=audience, limit=100)
    ids = {row.contradiction_id for row in found.rows}
    assert found.total == sum(found.by_state.values()) == len(ids) == len(found.rows)
    return ids, str(found)


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(40)
def test_a_pair_is_known_to_readers_of_both_sides_alone(world: World) -> None:
    """In any world, for any audience, with every permission and as an owner; and after grants are gone."""
    with built(world) as here:
        kept = contradict(here)
        viewer = here.asker()
        viewer.is_superuser = True
        owner = here.asker()
        for document in here.documents:
            document.collection.owner = owner
            document.collection.save()
        for _ in range(2):
            readable = here.readable()
            wanted = {pk for pk, documents in kept.items() if readable.issuperset(documents)}
            for person in (viewer, owner):
                ids, told = look(person, here.audience())
                assert ids == wanted
                assert held_marks(told, here.marks_outside(readable)) == set()
            RoleDocumentAccess.objects.filter(role__in=[here.roles[number] for number in world.revoked]).delete()


@given(world=worlds(guests=False))
@example(world=ONE_READER)
@example(world=IN_SECTIONS)
@tried(12)
def test_no_door_of_a_program_knows_another_pair(world: World) -> None:
    """REST, MCP, the report and the page of the admin, for one reader who may do everything but read."""
    world = world.read_by_the_first()
    with built(world) as here:
        kept = contradict(here)
        person = here.asker()
        person.is_staff = True
        person.save()
        person.user_permissions.set(Permission.objects.filter(codename__in=RIGHTS))
        person = User.objects.get(pk=person.pk)
        readable = here.readable()
        wanted = {str(pk) for pk, documents in kept.items() if readable.issuperset(documents)}
        rest, browser = Caller(person, "reports"), Client()
        browser.force_login(person)
        listed = rest.get("contradictions", page_size="200").json()
        assert {row["id"] for row in listed["results"]} == wanted
        assert listed["count"] == len(wanted)
        assert sum(row["found"] for row in rest.get("reports/contradictions").json()["rows"]) == len(wanted)
        given = LIST_CONTRADICTIONS.run(
            Call(program=Program(person=person, origin=Origin.MCP)), ContradictionsArguments()
        )
        assert given["count"] == len(wanted)
        page = browser.get(reverse("admin:core_sourcecontradiction_changelist"), {"state": "all"})
        page_text = page.content.decode()
        assert f"All ({len(wanted)})" in page_text
        told = json.dumps([listed, given], default=str) + page_text
        assert held_marks(told, here.marks_outside(readable)) == set()
        for pk in kept:
            address = reverse("admin:core_sourcecontradiction_change", args=[pk])
            assert (browser.get(address).status_code == 200) == (str(pk) in wanted)


def test_a_reader_of_a_later_edition_alone_is_not_shown_what_was_said_of_an_earlier_one(cast: Cast) -> None:
    """Also of what is gone: a grant opens the edition that was current when it was made, and those after it."""
    kept = keep_price_lists([cast.staff], [cast.owners])
    cast.bob.is_superuser = True
    Document.objects.filter(pk=kept.newer_id).update(version=2)
    with bypass_row_security():
        Chunk.objects.filter(document=kept.newer_id).update(content="Berths are free.")
    assert follow_editions() == 1
    kept.newer.refresh_from_db()
    grant(cast.staff, [kept.newer], by=None)
    assert look(cast.bob, audience_of([cast.bob.pk]))[0] == set()
    cast.alice.is_superuser = True
    ids, told = look(cast.alice, audience_of([cast.alice.pk]))
    assert ids == {kept.pk}
    assert QUESTION not in told
    assert COSTS_24 not in told


def test_a_right_that_is_taken_away_takes_the_pair_along_at_once(cast: Cast) -> None:
    """From the list, and from whoever wants to decide."""
    kept = keep_price_lists([cast.staff], [cast.staff])
    cast.bob.is_superuser = True
    assert look(cast.bob, audience_of([cast.bob.pk]))[0] == {kept.pk}
    revoke(cast.staff, [kept.older], by=None)
    assert look(cast.bob, audience_of([cast.bob.pk]))[0] == set()
    grant(cast.staff, [kept.older], by=None)
    SourceContradiction.objects.update(older_version=0)
    assert look(cast.bob, audience_of([cast.bob.pk]))[0] == set()
