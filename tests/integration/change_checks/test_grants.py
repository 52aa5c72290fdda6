"""A change of grants is tried on what people asked, by their rights with it, and leaves nothing behind."""

import pytest

from core.access.changes import plan_change
from core.models import (
    AuditEvent,
    ChangeCheck,
    ChangeLimit,
    Document,
    Query,
    RoleDocumentAccess,
)
from core.quality.change_checks.deciding import DecisionError, approve, decline
from core.quality.change_checks.submitting import change_grants, check_grants
from core.testing import Cast
from core.values.change_checks import ChangeKind, CheckState, Limit, Outcome
from tests.integration.change_checks.conftest import Deciding, ask, run

CANTEEN_HOURS, VAULT_HOURS = "When does the canteen close?", "When does the vault open?"


def switch_on(**limits: int) -> None:
    """Let changes of grants wait from one document on."""
    ChangeLimit.objects.create(kind=ChangeKind.GRANTS, is_on=True, from_documents=1, **limits)


def test_what_a_grant_would_answer_is_found_and_nothing_is_left_of_the_try(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    """Bob asked about the vault in vain; with the grant he is answered, and Charlie, without the role, is not asked."""
    asked = ask(cast.bob, VAULT_HOURS)
    ask(cast.charlie, VAULT_HOURS)
    ask(cast.bob, CANTEEN_HOURS)
    alice = deciding(cast.alice)
    change = plan_change(gives=True, documents=[(cast.staff.pk, library["vault"].pk)])
    grants, queries = set(RoleDocumentAccess.objects.values_list("pk")), Query.objects.count()
    check = run(check_grants(change, by=alice))
    assert check.state == CheckState.TRIED
    [newly] = check.lines.filter(outcome=Outcome.ANSWERED)
    assert (newly.query, newly.person, newly.gains, newly.is_worse) == (asked, cast.bob, 1, False)
    [source] = newly.sources.all()
    assert (source.document, source.side) == (library["vault"], "after")
    assert check.lines.filter(query__isnull=False).count() == 2
    assert (check.figures["answered"], check.figures["same"], check.figures["people"]) == (1, 1, 2)
    assert set(RoleDocumentAccess.objects.values_list("pk")) == grants
    assert Query.objects.count() == queries
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.GRANT, object_id=str(cast.staff.pk), actor=alice)


def test_a_change_that_takes_answers_waits_for_a_yes(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    switch_on()
    ask(cast.bob, CANTEEN_HOURS)
    alice = deciding(cast.alice)
    check = change_grants(plan_change(gives=False, documents=[(cast.staff.pk, library["canteen"].pk)]), by=alice)
    assert isinstance(check, ChangeCheck)
    check = run(check)
    assert (check.state, check.crossed) == (CheckState.HELD, [Limit.WORSE])
    assert check.figures["vanished"] == check.figures["people_worse"] == 1
    assert Document.objects.visible_to(cast.audience(cast.bob)).filter(pk=library["canteen"].pk).exists()
    with pytest.raises(DecisionError):
        approve(check, by=cast.bob)
    approve(check, by=alice)
    check.refresh_from_db()
    assert (check.state, check.decided_by) == (CheckState.MADE, alice)
    assert not Document.objects.visible_to(cast.audience(cast.bob)).filter(pk=library["canteen"].pk).exists()
    with pytest.raises(DecisionError):
        decline(check, by=alice)


def test_a_change_within_the_limits_is_made_by_itself_as_who_asked_for_it(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    switch_on(most_worse=0)
    ask(cast.bob, VAULT_HOURS)
    alice = deciding(cast.alice)
    check = change_grants(plan_change(gives=True, documents=[(cast.staff.pk, library["vault"].pk)]), by=alice)
    assert isinstance(check, ChangeCheck)
    assert run(check).state == CheckState.MADE
    assert Document.objects.visible_to(cast.audience(cast.bob)).filter(pk=library["vault"].pk).exists()
    assert AuditEvent.objects.filter(action=AuditEvent.Action.GRANT, actor=alice).count() == 1


def test_a_change_is_not_made_by_itself_once_who_asked_for_it_lost_the_right(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    switch_on()
    ask(cast.bob, VAULT_HOURS)
    alice = deciding(cast.alice)
    check = change_grants(plan_change(gives=True, documents=[(cast.staff.pk, library["vault"].pk)]), by=alice)
    assert isinstance(check, ChangeCheck)
    alice.user_permissions.clear()
    assert run(check).state == CheckState.HELD
    assert not Document.objects.visible_to(cast.audience(cast.bob)).filter(pk=library["vault"].pk).exists()


def test_people_above_the_limit_and_nothing_to_ask_are_reasons_to_wait(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    switch_on(most_people=1)
    alice = deciding(cast.alice)
    check = change_grants(plan_change(gives=True, documents=[(cast.staff.pk, library["vault"].pk)]), by=alice)
    assert isinstance(check, ChangeCheck)
    assert run(check).crossed == [Limit.UNCHECKED, Limit.PEOPLE]
    decline(check, by=alice)
    check.refresh_from_db()
    assert check.state == CheckState.DECLINED
    assert not RoleDocumentAccess.objects.filter(document=library["vault"]).exists()


def test_a_small_change_and_one_without_a_limit_are_made_at_once(
    cast: Cast, library: dict[str, Document], deciding: Deciding
) -> None:
    alice = deciding(cast.alice)
    change = plan_change(gives=True, documents=[(cast.staff.pk, library["vault"].pk)])
    ChangeLimit.objects.create(kind=ChangeKind.GRANTS, is_on=True, from_documents=2)
    assert change_grants(change, by=alice) == 1
    ChangeLimit.objects.update(is_on=False, from_documents=1)
    assert change_grants(plan_change(gives=False, documents=[(cast.staff.pk, library["vault"].pk)]), by=alice) == 1
    assert not ChangeCheck.objects.exists()
