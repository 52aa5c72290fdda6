"""Test the matrix of access, the page before a change, and undoing it from the audit trail."""

import datetime as dt
import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from core.access.audiences import audience_of
from core.access.withdrawal import withdraw
from core.models import AuditEvent, Collection, Document, Role, RoleDocumentAccess, User, UserRole
from core.testing import Cast, make_document
from tests.integration.adminsite.conftest import CANARIES, World

MATRIX, CHANGE = "/admin/core/role/matrix/", "/admin/core/role/change-access/"
Staff = Callable[..., Client]
pytestmark = pytest.mark.usefixtures("kept_world", "fast")


def reads(person: User, document: Document) -> bool:
    """Return True if a person may read a document, by the rule."""
    return Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()


def page(client: Client, **narrowed: str) -> str:
    """The matrix."""
    return client.get(MATRIX, narrowed).content.decode()


def right_of(said: str, value: str) -> str:
    """Return what a cell says that a role may read, given the value of the box that chooses it."""
    before = said[: said.index(f'value="{value}"')]
    return before.rpartition('<span class="fn-right">')[2].partition("</span>")[2].partition("</span>")[0]


def test_each_cell_says_how_much_a_role_reads(root: Client, world: World, cast: Cast) -> None:
    """All, some or none of a collection; and of its documents one by one."""
    shelf, other = Collection.objects.create(name="Vault shelf"), world.canteen
    Document.objects.filter(pk=world.vault.pk).update(collection=shelf)
    assert right_of(page(root, q=shelf.name), f"{cast.owners.pk}:collection:{shelf.pk}") == "all"
    assert right_of(page(root, q=shelf.name), f"{cast.staff.pk}:collection:{shelf.pk}") == "none"
    Document.objects.filter(pk=other.pk).update(collection=shelf)
    said = page(root, q=shelf.name)
    assert right_of(said, f"{cast.staff.pk}:collection:{shelf.pk}") == "1 of 2"
    assert right_of(said, f"{cast.owners.pk}:collection:{shelf.pk}") == "1 of 2"
    opened = page(root, collection=str(shelf.pk))
    assert right_of(opened, f"{cast.staff.pk}:document:{world.vault.pk}") == "may not"
    assert right_of(opened, f"{cast.staff.pk}:document:{other.pk}") == "may read"
    assert [canary for canary in CANARIES if canary in said + opened] == []


def test_what_is_withdrawn_is_in_no_count(root: Client, world: World, cast: Cast) -> None:
    """Count a role that reads all the others as reading all; the list of documents says which is withdrawn."""
    shelf = Collection.objects.create(name="Vault shelf")
    gone = make_document("Old rules", "Nothing.", collection=shelf.name, roles=[cast.owners])
    Document.objects.filter(pk=world.vault.pk).update(collection=shelf)
    withdraw([gone.pk])
    said = page(root, q=shelf.name)
    assert right_of(said, f"{cast.owners.pk}:collection:{shelf.pk}") == "all"
    assert "1 document<" in said
    opened = page(root, collection=str(shelf.pk))
    assert opened.count(">withdrawn<") == 1
    assert right_of(opened, f"{cast.owners.pk}:document:{gone.pk}") == "may not"
    chosen = {"action": "grant", "cell": [f"{cast.staff.pk}:document:{gone.pk}"]}
    assert "what was chosen is withdrawn" in root.post(CHANGE, chosen, follow=True).content.decode()


def test_what_is_chosen_is_done_when_it_was_seen(root: Client, world: World, cast: Cast) -> None:
    """The first page changes nothing and names who gains what; the second time it is done, and on record."""
    chosen = {"action": "grant", "cell": [f"{cast.staff.pk}:collection:{world.vault.collection_id}"]}
    before = root.post(CHANGE, chosen).content.decode()
    assert cast.bob.email in before
    assert "gains 1 document" in before
    assert cast.alice.email not in before  # she may read it already
    assert not reads(cast.bob, world.vault)
    root.post(CHANGE, chosen | {"confirmed": "1"})
    assert reads(cast.bob, world.vault)
    event = AuditEvent.objects.get(action="grant", object_id=str(cast.staff.pk), actor__email="root@example.com")
    assert event.details == {"documents": [str(world.vault.pk)]}


def test_undoing_leads_through_the_same_page(root: Client, world: World, cast: Cast) -> None:
    """From the event's page; what is not so any more is left as it is."""
    chosen = {"action": "revoke", "row": [f"document:{world.canteen.pk}"], "columns": [str(cast.staff.pk)]}
    root.post(CHANGE, chosen | {"confirmed": "1"})
    assert not reads(cast.bob, world.canteen)
    event = AuditEvent.objects.get(action="revoke", object_id=str(cast.staff.pk))
    assert "Undo" in root.get(f"/admin/core/auditevent/{event.pk}/change/").content.decode()
    undo = f"/admin/core/role/undo/{event.pk}/"
    assert "gains 1 document" in root.get(undo).content.decode()
    assert not reads(cast.bob, world.canteen)
    root.post(undo, {"confirmed": "1"})
    assert reads(cast.bob, world.canteen)
    assert "is so already" in root.get(undo, follow=True).content.decode()


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"action": "grant"},
        {"action": "burn", "cell": ["x"]},
        {"action": "grant", "cell": ["nonsense"]},
        {"action": "grant", "cell": ["1:collection:2"]},
        {
            "action": "grant",
            "cell": [f"{uuid4()}:chunk:{uuid4()}"],
        },
        {"action": "grant", "role": ["' OR 1=1"], "rows": ["collection:1"]},
    ],
)
def test_what_cannot_be_used_changes_nothing(root: Client, world: World, form: dict[str, str]) -> None:
    """And says what to do."""
    before = set(RoleDocumentAccess.objects.values_list("pk", flat=True))
    said = root.post(CHANGE, form | {"confirmed": "1"}, follow=True)
    assert said.redirect_chain[-1][0] == MATRIX
    assert set(RoleDocumentAccess.objects.values_list("pk", flat=True)) == before


def test_who_does_not_decide_changes_nothing(staff: Staff, world: World, cast: Cast) -> None:
    """Seeing the matrix takes the lists' permissions; changing and undoing, the right to decide."""
    viewer = staff("core.view_role", "core.view_document", "core.view_collection", "core.view_auditevent")
    assert 'type="checkbox"' not in page(viewer)
    chosen = {"action": "grant", "cell": [f"{cast.staff.pk}:document:{world.vault.pk}"], "confirmed": "1"}
    assert viewer.post(CHANGE, chosen).status_code == 403
    event = AuditEvent.objects.create(
        action="grant", object_type="role", object_id=str(cast.staff.pk), details={"documents": [str(world.canteen.pk)]}
    )
    assert viewer.post(f"/admin/core/role/undo/{event.pk}/", {"confirmed": "1"}).status_code == 403
    assert reads(cast.bob, world.canteen)
    assert not reads(cast.bob, world.vault)


def test_seeing_it_takes_all_three_lists(staff: Staff, world: World) -> None:
    """Roles, documents and collections."""
    assert staff("core.view_role", "core.view_document").get(MATRIX).status_code == 403


def test_names_of_people_are_for_who_may_see_people(staff: Staff, world: World, cast: Cast) -> None:
    """Others see how many they are."""
    decider = staff("core.view_role", "core.decide_who_reads")
    chosen = {"action": "grant", "cell": [f"{cast.staff.pk}:document:{world.vault.pk}"]}
    said = decider.post(CHANGE, chosen).content.decode()
    assert "can then read what they cannot read now" in said
    assert cast.bob.email not in said
    assert world.vault.title not in said


def test_a_large_library_costs_as_many_queries(
    root: Client, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """2,000 documents, 150 roles, 500 people: more of each than a page shows."""
    shelves = Collection.objects.bulk_create(Collection(name=f"Shelf {number:03}") for number in range(100))
    roles = Role.objects.bulk_create(Role(name=f"Role {number:03}") for number in range(150))
    now, day = timezone.now(), dt.date(2025, 1, 1)
    documents = Document.objects.bulk_create(
        Document(
            collection=shelves[number % 100],
            source=f"s{number}",
            title=f"Document {number}",
            document_date=day,
            content_hash=str(number),
            ingested_at=now,
        )
        for number in range(2_000)
    )
    RoleDocumentAccess.objects.bulk_create(
        RoleDocumentAccess(role=roles[(number + step) % 150], document=document)
        for number, document in enumerate(documents)
        for step in range(3)
    )
    people = User.objects.bulk_create(User(email=f"p{number}@example.com") for number in range(500))
    UserRole.objects.bulk_create(
        UserRole(user=person, role=roles[number % 150]) for number, person in enumerate(people)
    )
    with django_assert_max_num_queries(20):
        assert "Shelf 000" in page(root)
    with django_assert_max_num_queries(20):
        assert "Document" in page(root, collection=str(shelves[3].pk), role="Role 0")
    chosen = {"action": "grant", "role": [str(role.pk) for role in roles[:50]]}
    with django_assert_max_num_queries(25):
        said = root.post(CHANGE, chosen | {"rows": [f"collection:{shelf.pk}" for shelf in shelves[:20]]})
    assert "more" in said.content.decode()


def test_a_new_default_role_is_offered_what_is_there_already(root: Client, world: World, cast: Cast) -> None:
    """With who gains what; nothing is granted unless it is confirmed, and where all is granted nothing is offered."""
    shelf = world.vault.collection
    rows = {"TOTAL_FORMS": 2, "INITIAL_FORMS": 1, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 1000}
    form = {f"collection_roles-{name}": value for name, value in rows.items()} | {
        "name": shelf.name,
        "description": "",
        "collection_roles-0-id": shelf.collection_roles.get().pk,
        "collection_roles-0-collection": shelf.pk,
        "collection_roles-0-role": cast.staff.pk,
        "collection_roles-1-collection": shelf.pk,
        "collection_roles-1-role": cast.owners.pk,
    }
    UserRole.objects.create(user=cast.charlie, role=cast.owners)
    offered = root.post(f"/admin/core/collection/{shelf.pk}/change/", form)
    assert offered.status_code == 200
    said = offered.content.decode()
    assert "Should they also read" in said
    assert cast.charlie.email in said
    assert not reads(cast.charlie, world.canteen)
    root.post(CHANGE, {"action": "grant", "cell": f"{cast.owners.pk}:collection:{shelf.pk}", "confirmed": "1"})
    assert reads(cast.charlie, world.canteen)


def test_rows_are_sorted_as_people_sort(root: Client, cast: Cast) -> None:
    """By numbers, not by their digits; case and accents make no difference."""
    shelf = Collection.objects.create(name="Shelf")
    titles = [
        "page 1",
        "Page 2",
        "Page 10",
        "page 10a",
        "Ärger",
        "apfel 3",
        "Zoo",
        "éclair",
        "Eclair 007",
        "Øre",
        "oper",
    ]
    for title in titles:
        make_document(title, "The canteen opens at noon.", collection="Shelf")
    rows = root.get(MATRIX, {"collection": str(shelf.pk)}).context["rows"]
    assert [row.row.title for row in rows] == [
        *("apfel 3", "Ärger", "éclair", "Eclair 007", "oper", "Øre"),
        *("page 1", "Page 2", "Page 10", "page 10a", "Zoo"),
    ]
    for name in ("Team 10", "team 9"):
        Role.objects.create(name=name)
    assert [role.name for role in root.get(MATRIX, {"role": "team"}).context["roles"]] == ["team 9", "Team 10"]


def test_a_box_beside_all_says_that_it_chooses(root: Client, world: World, cast: Cast) -> None:
    """The right is a word with a symbol; the box has a name of its own, and no box stands for a right."""
    said = page(root, collection=str(world.canteen.collection_id))
    assert "check_circle" in said
    boxes = re.findall(r'<input type="checkbox"[^>]*>', said)
    assert boxes
    assert all('aria-label="Choose' in box and " checked" not in box for box in boxes)
