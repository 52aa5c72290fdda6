"""Test that places become risks by who reads them, that decisions hold until a risk grows, and what narrowing does."""

import datetime as dt

import pytest
from django.utils import timezone

from core.models import (
    AuditEvent,
    OversharingRisk,
    ReachSnapshot,
    SensitivePlace,
    ShownSecret,
    User,
    UsergroupRole,
    UserRole,
    forget_shown,
)
from core.quality.oversharing.deciding import RiskDecisionError, accept, hide_secret, reopen, show_secrets
from core.quality.oversharing.listing import Wanted, list_places, list_risks
from core.quality.oversharing.narrowing import narrow, plan_narrowing
from core.quality.oversharing.refreshing import refresh_all
from core.quality.oversharing.widening import note_reach
from core.testing import Cast, make_document
from core.values.oversharing import RiskState
from tests.integration.oversharing.people import HIDDEN, WIFI, give, look, make_people, make_shelf

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture(autouse=True)
def _shown() -> None:
    forget_shown()


@pytest.fixture
def admin(cast: Cast) -> User:
    """Somebody who may see and decide everything, and reads what staff reads."""
    User.objects.filter(pk=cast.bob.pk).update(is_superuser=True, is_staff=True)
    return User.objects.get(pk=cast.bob.pk)


def test_a_secret_is_a_risk_and_is_masked_for_its_readers(cast: Cast, admin: User) -> None:
    document = make_document("Network", WIFI, roles=[cast.staff])
    risk = look()["secret", document.pk]
    assert (risk.subjects, risk.people, risk.state) == (["password"], 2, "open")
    [place] = list_places(risk, cast.audience(admin))
    assert place.is_readable
    assert HIDDEN not in place.quote
    assert place.quote[slice(*place.marked)] == "•" * len(HIDDEN)
    [withheld] = list_places(risk, cast.audience(cast.charlie))
    assert (withheld.is_readable, withheld.quote, withheld.section, withheld.opens_at) == (False, "", "", "")


def test_a_secret_that_is_meant_to_be_read_is_shown_until_it_is_hidden_again(cast: Cast, admin: User) -> None:
    document = make_document("Network", WIFI, roles=[cast.staff])
    risk = look()["secret", document.pk]
    places = list(SensitivePlace.objects.filter(document=document))
    with pytest.raises(RiskDecisionError, match="Say why"):
        show_secrets(risk, places, by=admin, reason=" ")
    with pytest.raises(RiskDecisionError, match="may read the document"):
        show_secrets(risk, places, by=cast.charlie, reason="Guests need it")
    assert show_secrets(risk, places, by=admin, reason="Guests need it") == 1
    risk.refresh_from_db()
    assert risk.state == RiskState.GONE
    assert HIDDEN in list_places(risk, cast.audience(admin))[0].quote
    hide_secret(ShownSecret.objects.get(), by=admin)
    risk.refresh_from_db()
    assert risk.state == RiskState.OPEN
    assert HIDDEN not in list_places(risk, cast.audience(admin))[0].quote
    assert {one.action for one in AuditEvent.objects.all()} >= {"show_secret", "hide_secret"}
    assert not AuditEvent.objects.filter(details__icontains=HIDDEN).exists()


def test_what_is_found_right_opens_again_when_it_grows(cast: Cast, admin: User) -> None:
    document = make_document("Network", WIFI, roles=[cast.staff])
    risk = look()["secret", document.pk]
    accept(risk, by=admin, reason="It is for visitors")
    refresh_all()
    risk.refresh_from_db()
    assert (risk.state, risk.reason, risk.decided_by) == ("accepted", "It is for visitors", admin)
    give(make_people("crowd", 8), document)
    refresh_all()
    risk.refresh_from_db()
    assert (risk.state, risk.reason, risk.people) == ("open", "", 10)
    accept(risk, by=admin, reason="Still right")
    reopen(risk, by=admin)
    risk.refresh_from_db()
    assert risk.state == "open"


def test_narrowing_takes_the_widest_roles_and_leaves_the_narrowest(cast: Cast, admin: User) -> None:
    document = make_document("Network", WIFI, roles=[cast.staff])
    crowd = make_people("crowd", 40)
    give(crowd, document)
    risk = look()["secret", document.pk]
    plan = plan_narrowing(risk)
    assert [(option.name, option.people, option.is_suggested) for option in plan.options] == [
        ("crowd", 40, True),
        ("staff", 2, False),
    ]
    assert (plan.people, plan.people_after) == (42, 2)
    with pytest.raises(RiskDecisionError, match="at least one"):
        narrow(risk, [], by=admin)
    assert narrow(risk, plan.suggested, by=admin) == 1
    risk.refresh_from_db()
    assert AuditEvent.objects.filter(action="revoke", actor=admin).count() == 1
    assert not list(document.role_access.filter(role=crowd))
    # Those who are left still read a password: that is a small risk of its own.
    assert (risk.people, risk.reach) == (2, 1)


def test_a_role_that_reads_one_document_of_anothers_collection_is_odd(cast: Cast, admin: User) -> None:
    documents = make_shelf("Personnel", 12, read_by=cast.owners)
    crowd = make_people("crowd", 20)
    give(crowd, documents[3])
    risk = look()["odd_role", documents[3].pk]
    assert (risk.role, risk.people, risk.people_before) == (crowd, 21, 1)
    assert narrow(risk, plan_narrowing(risk).suggested, by=admin) == 1
    assert OversharingRisk.objects.get(pk=risk.pk).state == RiskState.NARROWED
    refresh_all()
    assert OversharingRisk.objects.get(pk=risk.pk).state == RiskState.NARROWED


def test_a_usergroup_that_brings_most_of_a_role_is_odd(cast: Cast, admin: User) -> None:
    board = make_people("board", 2)
    make_shelf("Minutes", 2, read_by=board)
    crowd = make_people("crowd", 20)
    mapping = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", handle="all", role=board)
    for user in crowd.users.all():
        UserRole.objects.create(user=user, role=board, usergroup=mapping)
    [risk] = [risk for (kind, _), risk in look().items() if kind == "odd_group"]
    assert (risk.role, risk.people, risk.people_before, risk.documents) == (board, 22, 2, 2)
    assert narrow(risk, [board.pk], by=admin) == 20
    assert UserRole.objects.filter(role=board).count() == 2
    risk.refresh_from_db()
    assert (risk.state, risk.usergroup) == (RiskState.NARROWED, None)


def test_a_collection_with_more_readers_than_before_is_found_and_given_back(cast: Cast, admin: User) -> None:
    documents = make_shelf("Reports", 3, read_by=cast.staff)
    earlier = timezone.localdate() - dt.timedelta(days=6)
    note_reach(earlier)
    assert ReachSnapshot.objects.get(role=None, collection=documents[0].collection).people == 2
    assert not [kind for kind, _ in look() if kind == "widened"]
    crowd = make_people("crowd", 20)
    give(crowd, *documents[:2])
    [risk] = [risk for (kind, _), risk in look().items() if kind == "widened"]
    assert (risk.people, risk.people_before, risk.since) == (22, 2, earlier)
    plan = plan_narrowing(risk)
    assert [(one.name, one.documents, one.is_suggested) for one in plan.options] == [("crowd", 2, True)]
    assert (plan.people, plan.people_after) == (22, 2)
    assert narrow(risk, plan.suggested, by=admin) == 2
    assert not crowd.document_access.exists()


def test_who_may_not_see_who_reads_what_sees_no_risk(cast: Cast, admin: User) -> None:
    make_document("Network", WIFI, roles=[cast.staff])
    look()
    assert list_risks(admin, Wanted(), limit=10).total == 1
    assert list_risks(cast.charlie, Wanted(), limit=10).total == 0
