"""Grants that nobody used, and roles that somebody should look at."""

import datetime as dt

import pytest
from django.utils import timezone

from core.access.audiences import asker_for
from core.access.grants import change_members
from core.access.reviews import approve, count_unused, describe_role, find_unused
from core.api import ask
from core.models import AuditEvent, Conversation, Document, Query, Role, RoleDocumentAccess, UsergroupRole, UserRole
from core.testing import Cast, make_document

pytestmark = pytest.mark.usefixtures("fast")
LONG_AGO = dt.timedelta(days=120)


def make_old(*documents: Document) -> None:
    """As if their grants had been made long ago."""
    RoleDocumentAccess.objects.filter(document__in=documents).update(granted_at=timezone.now() - LONG_AGO)


def test_what_was_cited_for_somebody_of_the_role_is_used(cast: Cast) -> None:
    """For the roles of who asked, and for no other; long ago is not lately, and a new grant is not unused."""
    used = make_document("Ferry", "The ferry leaves at nine.", roles=[cast.staff, cast.owners])
    idle = make_document("Kite", "A kite needs wind.", roles=[cast.staff])
    make_document("New", "This was granted today.", roles=[cast.staff])
    make_old(used, idle)
    answer = ask("When does the ferry leave?", asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    assert [citation.document_name for citation in answer.citations] == ["Ferry"]
    unused = {(grant.role.name, grant.document.title) for grant in find_unused()}
    assert unused == {("owners", "Ferry"), ("staff", "Kite")}
    assert [(row.role_name, row.collection_name, row.unused, row.total) for row in count_unused()] == [
        ("owners", "Test library", 1, 1),
        ("staff", "Test library", 1, 3),
    ]
    Query.objects.update(created_at=timezone.now() - LONG_AGO)
    assert find_unused().filter(document=used).count() == 2


@pytest.mark.parametrize(("origin", "is_used"), [("research", True), ("recheck", False), ("evaluation", False)])
def test_a_page_about_a_topic_uses_what_it_cites(origin: str, is_used: bool, cast: Cast) -> None:
    """A person wanted it and was shown it; what Footnote asks by itself is shown to nobody."""
    ferry = make_document("Ferry", "The ferry leaves at nine.", roles=[cast.staff])
    make_old(ferry)
    ask("When does the ferry leave?", asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
    Conversation.objects.update(origin=origin)
    assert find_unused().exists() != is_used


def test_a_role_is_due_until_somebody_says_that_it_is_right(cast: Cast) -> None:
    """Never, when it is to be reviewed never; again, when the time has gone by."""
    assert not Role.objects.due_for_review().exists()
    Role.objects.filter(pk=cast.staff.pk).update(review_days=30)
    assert Role.objects.due_for_review().get() == cast.staff
    approve(cast.staff, by=cast.alice)
    assert not Role.objects.due_for_review().exists()
    event = AuditEvent.objects.get(action="review")
    assert (event.actor, event.object_id, event.details) == (
        cast.alice,
        str(cast.staff.pk),
        {"members": 2, "documents": 0},
    )
    Role.objects.update(reviewed_at=timezone.now() - dt.timedelta(days=31))
    assert Role.objects.due_for_review().get() == cast.staff


def test_a_review_shows_what_there_is_and_what_is_new(cast: Cast) -> None:
    """Members that are inactive apart; what came since the last review."""
    make_document("Guide", "Text.", roles=[cast.staff])
    approve(cast.staff, by=cast.alice)
    make_document("Other", "Text.", roles=[cast.staff], collection="Second")
    UserRole.objects.create(user=cast.charlie, role=cast.staff)
    cast.bob.is_active = False
    cast.bob.save()
    role = Role.objects.get(pk=cast.staff.pk)
    seen = describe_role(role)
    assert (seen.members, seen.inactive, seen.new_members, seen.new_documents) == (2, 1, 1, 1)
    assert seen.collections == (("Second", 1), ("Test library", 1))


def test_a_role_is_given_to_many_by_hand_alone(cast: Cast) -> None:
    """A person who holds it through a usergroup gets it besides, and keeps that when it is revoked."""
    group = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", role=cast.owners)
    UserRole.objects.create(user=cast.charlie, role=cast.owners, usergroup=group)
    everybody = [cast.alice, cast.bob, cast.charlie]
    assert change_members(cast.owners, everybody, give=True, by=cast.alice) == 2
    assert change_members(cast.owners, everybody, give=True, by=cast.alice) == 0
    assert change_members(cast.owners, everybody, give=False, by=cast.alice) == 3
    assert UserRole.objects.get(role=cast.owners).usergroup == group
    events = AuditEvent.objects.filter(action="change_roles")
    assert sorted(bool(event.details["given"]) for event in events) == [False, False, False, True, True]
