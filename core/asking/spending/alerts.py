"""Alerts of budgets: once a month for each limit that is reached."""

import logging
from collections.abc import Iterable
from decimal import Decimal

from core.asking.spending.standing import Held
from core.models import Alert
from core.models.budgets import this_month

logger = logging.getLogger(__name__)

SOFT, HARD = "budget_nearly_used_up", "budget_used_up"
MOST_SHARE = Decimal("9.999")  # what an alert holds


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
