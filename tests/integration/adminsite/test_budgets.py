"""Budgets in the admin: by name, beside their use, and guarded."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.models import Alert, AuditEvent, Budget, BudgetUse, SlackChannel, User
from core.models.budgets import Spent, this_month
from core.testing import Cast

ADD, LIST = reverse("admin:core_budget_add"), reverse("admin:core_budget_changelist")


def send(root: Client, **values: Any) -> Any:
    """The form of a new budget, as it is sent."""
    return root.post(ADD, {"when_used_up": "quote", **values})


def test_each_kind_is_set_by_name_and_recorded(root: Client, cast: Cast, administrator: User) -> None:
    """Fields of another kind are ignored, so that a budget has one subject."""
    channel = SlackChannel.objects.create(team_id="T1", channel_id="C1", name="general")
    common = {"user": cast.bob.pk, "role": cast.staff.pk, "hard_cost_usd": "12.50"}
    for scope in ("installation", "person", "role"):
        assert send(root, scope=scope, **common).status_code == 302
    assert send(root, scope="channel", known=channel.pk, soft_tokens=5, hard_tokens=10).status_code == 302
    assert {(budget.scope, budget.subject) for budget in Budget.objects.all()} == {
        ("installation", "Everything together"),
        ("person", str(cast.bob)),
        ("role", "staff"),
        ("channel", "#general"),
    }
    budget = Budget.objects.get(scope="person")
    event = AuditEvent.objects.get(object_type="budget", object_id=budget.pk, action="create")
    assert event.actor == administrator
    assert event.details == {
        "scope": "person",
        "of": str(cast.bob.pk),
        "hard_cost_usd": "12.50",
        "when_used_up": "quote",
    }
    change = reverse("admin:core_budget_change", args=[budget.pk])
    assert root.post(change, {"hard_cost_usd": "20", "when_used_up": "refuse"}).status_code == 302
    event = AuditEvent.objects.get(object_type="budget", action="change")
    assert event.details["before"] == {"hard_cost_usd": "12.50", "when_used_up": "quote"}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"scope": "person", "hard_tokens": 1}, "Choose the person"),
        ({"scope": "role", "hard_tokens": 1}, "Choose the role"),
        ({"scope": "channel", "hard_tokens": 1}, "Choose the channel"),
        ({"scope": "installation"}, "Give at least one limit"),
        ({"scope": "installation", "soft_tokens": 2, "hard_tokens": 1}, "above the hard one"),
    ],
)
def test_what_cannot_be_is_refused_in_words(root: Client, values: dict[str, Any], said: str) -> None:
    """And nothing is set."""
    assert said in send(root, **values).content.decode()
    assert not Budget.objects.exists()


def test_use_stands_beside_each_budget(root: Client, cast: Cast) -> None:
    """As a bar in the list, and by month in a chart; a second budget of the same is refused."""
    budget = Budget.objects.create(scope="person", user=cast.bob, soft_tokens=500, hard_tokens=1000)
    BudgetUse.objects.add([budget.counted], Spent(calls=1, tokens=600, unpriced_tokens=100, cost_usd=Decimal("0.5")))
    page = root.get(LIST).content.decode()
    assert "600 of 1,000 (60%)" in page
    assert "nearly used up" in page
    page = root.get(reverse("admin:core_budget_change", args=[budget.pk])).content.decode()
    assert "Tokens by month" in page
    assert "100 of 600 tokens were of models" in page
    assert (
        "There is a budget for this already"
        in send(root, scope="person", user=cast.bob.pk, hard_tokens=1).content.decode()
    )
    Alert.objects.create(budget=budget, month=this_month(), metric="budget_nearly_used_up", score="1.2", threshold="1")
    alerts = root.get(reverse("admin:core_alert_changelist")).content.decode()
    assert "120% used" in alerts
    assert str(cast.bob) in alerts
    assert str(cast.bob) in root.get(reverse("admin:index")).content.decode()


def test_rights_guard_the_room(staff: Callable[..., Client]) -> None:
    """Without one it is not there."""
    assert staff("core.view_user").get(LIST).status_code == 403
