"""A change of grants, before it is made and afterwards, held against the rule of access."""

import random
from uuid import UUID, uuid4

import pytest

from core.access.audiences import audience_of
from core.access.changes import apply_change, find_effect, plan_change, plan_undoing
from core.access.grants import grant
from core.access.withdrawal import withdraw
from core.errors import NotFoundError
from core.models import AuditEvent, Document, Role, RoleDocumentAccess, User, UserRole
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")


def readable() -> dict[UUID, set[UUID]]:
    """Return everybody's readable documents, by the rule."""
    return {
        pk: set(Document.objects.visible_to(audience_of([pk])).values_list("pk", flat=True))
        for pk in User.objects.values_list("pk", flat=True)
    }


def make_world(seed: int) -> tuple[list[Role], list[Document]]:
    """Some roles, people with some of them, and documents granted to some."""
    chance = random.Random(seed)
    roles = [Role.objects.create(name=f"role {number}") for number in range(4)]
    for number in range(6):
        person = User.objects.create(email=f"person{number}@example.com", is_active=number != 5)
        for role in chance.sample(roles, chance.randint(0, 3)):
            UserRole.objects.create(user=person, role=role)
    documents = [
        make_document(f"Document {number}", f"Text {number}.", collection=f"Shelf {number % 2}") for number in range(5)
    ]
    for role in roles:
        grant(role, chance.sample(documents, chance.randint(0, 3)), by=None)
    return roles, documents


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gives", [True, False])
def test_the_effect_is_what_the_rule_says_before_and_after(cast: Cast, seed: int, gives: bool) -> None:
    """For each person and each document, whoever holds it through another role; and undoing gives back what was."""
    roles, documents = make_world(seed)
    chance = random.Random(seed)
    change = plan_change(
        gives=gives,
        collections=[(chance.choice(roles).pk, documents[0].collection_id)],
        documents=[(chance.choice(roles).pk, chance.choice(documents).pk) for _ in range(4)],
    )
    before, grants_before = readable(), set(RoleDocumentAccess.objects.values_list("role", "document"))
    effect = find_effect(change)
    assert apply_change(change, by=cast.alice) == change.grants
    after = readable()
    differing = {pk: before[pk] ^ after[pk] for pk in before}
    assert effect.people == {pk: len(documents) for pk, documents in differing.items() if documents}
    counted = {pk: sum(pk in documents for documents in differing.values()) for pk in change.all_documents}
    assert effect.documents == {pk: count for pk, count in counted.items() if count}
    for event in AuditEvent.objects.filter(actor=cast.alice):
        apply_change(plan_undoing(event), by=cast.alice)
    assert set(RoleDocumentAccess.objects.values_list("role", "document")) == grants_before


def test_only_what_is_not_so_already_changes(cast: Cast) -> None:
    """Grants that are there, and documents that are not, are left out; a change of nothing does nothing."""
    document = make_document("Guide", "Text.", roles=[cast.staff])
    again = plan_change(gives=True, documents=[(cast.staff.pk, document.pk), (cast.staff.pk, uuid4())])
    assert (again.grants, again.all_documents, find_effect(again).people) == (0, frozenset(), {})
    events = AuditEvent.objects.count()
    assert (apply_change(again, by=cast.alice), AuditEvent.objects.count()) == (0, events)


def test_what_is_withdrawn_is_counted_as_given_to_nobody(cast: Cast) -> None:
    """In a grant of its collection or of itself, and in undoing; taking away names the grant that was put aside."""
    shelf = [make_document(name, "Text.", collection="Shelf", roles=[cast.owners]) for name in ("First", "Second")]
    withdraw([shelf[0].pk])
    role = cast.staff.pk
    change = plan_change(
        gives=True, collections=[(role, shelf[0].collection_id)], documents=[(role, one.pk) for one in shelf]
    )
    assert change.documents == {role: frozenset({shelf[1].pk})}
    assert set(find_effect(change).documents) == {shelf[1].pk}
    assert apply_change(change, by=cast.alice) == change.grants == 1
    taken = plan_change(gives=False, collections=[(cast.owners.pk, shelf[0].collection_id)])
    assert taken.documents == {cast.owners.pk: frozenset(one.pk for one in shelf)}
    apply_change(taken, by=cast.alice)
    event = AuditEvent.objects.get(action="revoke", actor=cast.alice)
    assert plan_undoing(event).all_documents == {shelf[1].pk}


def test_what_changed_since_is_not_undone(cast: Cast) -> None:
    """Only what is still as the event left it."""
    first, second = (make_document(name, "Text.") for name in ("First", "Second"))
    apply_change(
        plan_change(gives=True, documents=[(cast.staff.pk, first.pk), (cast.staff.pk, second.pk)]), by=cast.alice
    )
    event = AuditEvent.objects.get(actor=cast.alice, action=AuditEvent.Action.GRANT)
    RoleDocumentAccess.objects.filter(role=cast.staff, document=first).delete()
    assert plan_undoing(event).all_documents == {second.pk}


def test_what_is_no_grant_is_not_undone(cast: Cast) -> None:
    """Another event, and one whose role is gone."""
    other = AuditEvent.objects.create(action=AuditEvent.Action.ANSWER, object_type="role", object_id=str(cast.staff.pk))
    gone = AuditEvent.objects.create(action=AuditEvent.Action.GRANT, object_type="role", object_id=str(uuid4()))
    for event in (other, gone):
        with pytest.raises(NotFoundError):
            plan_undoing(event)
