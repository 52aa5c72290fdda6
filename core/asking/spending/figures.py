"""Report the use of models by month, with names, to those who may see it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from core.models import BudgetUse, Role, SlackChannel, User
from core.models.budgets import Counted, Scope, this_month

HISTORY = 12  # months

# What somebody must be allowed to see to be shown the rows of a scope, beside the right to read reports.
NEEDED = {
    Scope.INSTALLATION: "core.view_reports",
    Scope.PERSON: "core.view_person_reports",
    Scope.ROLE: "core.view_role",
    Scope.CHANNEL: "core.view_channelsetting",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class MonthOfUse:
    """One month's use of models by one person, role or channel, or all together."""

    month: dt.date  # its first day
    scope: Scope
    key: str  # an id; of a channel TEAM/CHANNEL; empty for all together
    name: str  # the key where it has none any more
    calls: int
    tokens: int
    unpriced_tokens: int  # of them, by models without a price
    cost_usd: Decimal
    reused: int  # calls that were spared
    saved_tokens: int
    saved_cost_usd: Decimal


def may_see(user: Any, scope: Scope) -> bool:
    """Return True if a person may see use by this scope."""
    return all(user.has_perm(permission) for permission in (NEEDED[Scope.INSTALLATION], NEEDED[scope]))


def list_use(month: dt.date, scopes: Sequence[Scope]) -> list[MonthOfUse]:
    """Return the use of a month under these scopes: the whole first, then by scope, the largest first."""
    rows = BudgetUse.objects.filter(month=month, scope__in=scopes).order_by("scope", "-tokens", "key")
    return _add_names(sorted(rows, key=lambda row: list(Scope).index(Scope(row.scope))))


def list_history(counted: Counted) -> list[MonthOfUse]:
    """Return the use of one of them in the last twelve months, this one included; months without any are left out."""
    scope, key = counted
    today = this_month()
    since = dt.date(today.year - 1, today.month, 1)
    return _add_names(BudgetUse.objects.filter(scope=scope, key=key, month__gt=since).order_by("month"))


def _add_names(rows: Any) -> list[MonthOfUse]:
    found = list(rows)
    names = _find_names(found)
    same = [field.name for field in fields(MonthOfUse) if field.name not in ("scope", "name")]
    return [
        MonthOfUse(
            scope=Scope(row.scope),
            name=names.get((row.scope, row.key), row.key),
            **{name: getattr(row, name) for name in same},
        )
        for row in found
    ]


def _find_names(rows: Sequence[BudgetUse]) -> dict[tuple[str, str], str]:
    """Return the names of what rows are of, by scope and key. Who or what is gone has none."""
    keys = {scope: [row.key for row in rows if row.scope == scope] for scope in Scope}
    names = {(Scope.INSTALLATION.value, ""): "Everything together"}
    names |= {(Scope.PERSON.value, str(one.pk)): str(one) for one in User.objects.filter(pk__in=keys[Scope.PERSON])}
    names |= {(Scope.ROLE.value, str(one.pk)): one.name for one in Role.objects.filter(pk__in=keys[Scope.ROLE])}
    channels = SlackChannel.objects.filter(channel_id__in=[key.partition("/")[2] for key in keys[Scope.CHANNEL]])
    return names | {(Scope.CHANNEL.value, f"{one.team_id}/{one.channel_id}"): str(one) for one in channels}
