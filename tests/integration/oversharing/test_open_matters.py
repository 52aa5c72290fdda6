"""Test that open risks are among the matters that wait for whoever may decide about them, and for nobody else."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from pytest_django.fixtures import Settings

from core.models import OversharingRisk, User, forget_shown
from core.quality.oversharing.deciding import may_decide
from core.quality.reports.open_matters import Kind, list_decisions, list_open_matters
from core.testing import Cast, make_document
from tests.integration.oversharing.people import WIFI, look, make_people

pytestmark = pytest.mark.usefixtures("fast")

RIGHTS = ("view_oversharing", "view_role", "view_document", "view_collection", "decide_who_reads")


@pytest.fixture(autouse=True)
def risk(cast: Cast) -> OversharingRisk:
    """A password that everybody may read: an open risk of level high."""
    forget_shown()
    document = make_document("Network", WIFI, roles=[cast.staff, make_people("crowd", 40)])
    found = look()["secret", document.pk]
    assert (found.score, found.state) == (20, "open")
    return found


@pytest.fixture
def decider(cast: Cast) -> User:
    """Somebody who may see and decide about risks, and nothing besides."""
    User.objects.filter(pk=cast.charlie.pk).update(is_staff=True)
    cast.charlie.user_permissions.set(Permission.objects.filter(codename__in=RIGHTS))
    return User.objects.get(pk=cast.charlie.pk)


def counted(user: User) -> int | None:
    """Return how many risks wait for somebody, by the rights of now; None where they are not mentioned."""
    fresh = User.objects.get(pk=user.pk)
    decisions = {matter.kind: matter.count for matter in list_decisions(fresh)}
    assert {matter.kind: matter.count for matter in list_open_matters(fresh)}.get(Kind.RISKS) == decisions.get(
        Kind.RISKS
    )
    return decisions.get(Kind.RISKS)


def test_open_risks_of_level_high_and_medium_are_counted(decider: User, risk: OversharingRisk) -> None:
    """Neither low ones nor those that are over."""
    assert counted(decider) == 1
    for score, expected in ((8, 1), (6, None)):
        OversharingRisk.objects.filter(pk=risk.pk).update(sensitivity=score // 2, reach=2, score=score)
        assert counted(decider) == expected
    OversharingRisk.objects.filter(pk=risk.pk).update(sensitivity=5, reach=5, score=25)
    for state, expected in (("open", 1), ("accepted", None), ("narrowed", None), ("gone", None)):
        OversharingRisk.objects.filter(pk=risk.pk).update(state=state)
        assert counted(decider) == expected


@pytest.mark.parametrize("right", RIGHTS)
def test_they_are_for_those_alone_who_may_decide_about_them(decider: User, right: str) -> None:
    """By each of the rights, as core.quality.oversharing.deciding has them."""
    decider.user_permissions.remove(Permission.objects.get(codename=right))
    assert counted(decider) is None
    assert not may_decide(User.objects.get(pk=decider.pk))


def test_who_is_not_active_has_nothing_to_decide(decider: User) -> None:
    """Superusers too."""
    assert may_decide(decider)
    User.objects.filter(pk=decider.pk).update(is_active=False, is_superuser=True)
    assert counted(decider) is None


def test_the_dashboard_says_so_and_links_to_the_page(
    client: Client, decider: User, risk: OversharingRisk, settings: Settings
) -> None:
    """Without a name; nothing once the risk is over, or the right is gone."""
    settings.SECURE_SSL_REDIRECT = False
    client.force_login(decider)
    said = "1 open risk of level high or medium"
    page = client.get("/admin/").content.decode()
    assert said in " ".join(page.split())
    assert '<a class="text-link" href="/admin/core/oversharingrisk/">Decide now</a>' in page
    assert "Network" not in page
    OversharingRisk.objects.filter(pk=risk.pk).update(state="accepted")
    assert said not in " ".join(client.get("/admin/").content.decode().split())
    OversharingRisk.objects.filter(pk=risk.pk).update(state="open")
    decider.user_permissions.remove(Permission.objects.get(codename="view_oversharing"))
    assert said not in " ".join(client.get("/admin/").content.decode().split())
