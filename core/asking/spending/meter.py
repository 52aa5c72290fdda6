"""Meter the calls of models: for whom each is made, what stops it, how it counts, and which alerts it raises.

A call is made for a person with their roles, in a channel, or for nobody in particular. See core.llm.calls.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from core.asking.spending.budget_use import Held, find_held
from core.errors import OverBudgetError
from core.llm.calls import Consumed, Meter
from core.models import Alert, Budget, BudgetUse, Conversation, Query, UserRole
from core.models.budgets import Counted, Scope, Spent, this_month
from core.types import NOBODY_WANTED

logger = logging.getLogger(__name__)

SOFT, HARD = "budget_nearly_used_up", "budget_used_up"
MOST_SHARE = Decimal("9.999")  # what an alert holds


@dataclass(frozen=True, slots=True)
class Spender:
    """Everything that a call counts under."""

    counted: tuple[Counted, ...]
    user_id: UUID | None = None  # whose question it is made for


INSTALLATION = Spender(((Scope.INSTALLATION, ""),))


def spender_of(user_id: UUID | None, conversation: Conversation | None) -> Spender:
    """Build the spender of a question: its asker, the roles they hold now, and the Slack channel."""
    if conversation is not None and conversation.origin in NOBODY_WANTED:
        return INSTALLATION
    counted: list[Counted] = list(INSTALLATION.counted)
    if user_id is not None:
        held = UserRole.objects.filter(user=user_id, user__is_active=True).values_list("role_id", flat=True).distinct()
        counted += [(Scope.PERSON, str(user_id)), *((Scope.ROLE, str(role)) for role in held.order_by("role_id"))]
    if conversation is not None and conversation.slack_channel:
        counted.append((Scope.CHANNEL, f"{conversation.slack_team}/{conversation.slack_channel}"))
    return Spender(tuple(counted), user_id)


def spender_of_query(query: Query) -> Spender:
    """Build the spender of a stored question, as of now."""
    return spender_of(query.user_id, query.conversation)


class BudgetMeter:
    """The meter of one spender. A call that has begun ends, so that those under way may overrun a hard limit."""

    def __init__(self, spender: Spender, *, charged: Spender | None = None) -> None:
        """spender: whose limits stop a call. charged: who pays for it, if that is somebody else."""
        self._limited, self._counted = spender.counted, (charged or spender).counted

    def check(self) -> None:
        """Raise OverBudgetError where a hard limit is reached. It refuses where any of those budgets does."""
        used_up = [held.budget for held in find_held(self._limited) if held.is_used_up]
        if used_up:
            raise OverBudgetError(may_quote=all(one.when_used_up == Budget.UsedUp.QUOTE for one in used_up))

    def count(self, consumed: Consumed) -> None:
        """Add a call to this month's use, and raise the alerts of the limits that it reached."""
        is_priced = consumed.cost_usd is not None
        spent = Spent(
            calls=1,
            tokens=consumed.tokens,
            unpriced_tokens=0 if is_priced else consumed.tokens,
            cost_usd=consumed.cost_usd or Decimal(0),
        )
        BudgetUse.objects.add(self._counted, spent)
        raise_alerts(find_held(self._counted))

    def count_reused(self, saved: Consumed) -> None:
        """Count a call that was spared."""
        spent = Spent(reused=1, saved_tokens=saved.tokens, saved_cost_usd=saved.cost_usd or Decimal(0))
        BudgetUse.objects.add(self._counted, spent)

    def count_missed(self) -> None:
        """Count a call for which no reply was at hand."""
        BudgetUse.objects.add(self._counted, Spent(missed=1))


def installation_meter() -> Meter:
    """Return the meter of what is nobody's question."""
    return BudgetMeter(INSTALLATION)


def raise_alerts(budgets: Iterable[Held]) -> None:
    """Raise an alert for each limit that is reached, unless there is one of this month."""
    for held in budgets:
        for metric, share in ((SOFT, held.soft_share), (HARD, held.hard_share)):
            if share is None or share < 1:
                continue
            values = {"score": min(share, MOST_SHARE), "threshold": Decimal(1)}
            _, is_new = Alert.objects.get_or_create(
                budget=held.budget, month=this_month(), metric=metric, defaults=values
            )
            if is_new:
                logger.warning("budget_alert", extra={"budget": str(held.budget.pk), "metric": metric})
