"""Stops and counts the calls of models that are made for somebody. See core.llm.calls."""

from decimal import Decimal

from core.asking.spending.alerts import raise_alerts
from core.asking.spending.spenders import INSTALLATION, Spender
from core.asking.spending.standing import find_held
from core.errors import OverBudgetError
from core.llm.calls import Consumed, Meter
from core.models import Budget, BudgetUse
from core.models.budgets import Spent


class BudgetMeter:
    """The meter of one spender. A call that has begun ends, so that those under way may overrun a hard limit."""

    def __init__(self, spender: Spender, *, charged: Spender | None = None) -> None:
        """spender: whose limits stop a call. charged: who pays for it, if that is somebody else."""
        self._limited, self._counted = spender.counted, (charged or spender).counted

    def check(self) -> None:
        """OverBudgetError where a hard limit is reached. It refuses where any of those budgets does."""
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
        """A call was spared."""
        spent = Spent(reused=1, saved_tokens=saved.tokens, saved_cost_usd=saved.cost_usd or Decimal(0))
        BudgetUse.objects.add(self._counted, spent)

    def count_missed(self) -> None:
        """No reply was at hand."""
        BudgetUse.objects.add(self._counted, Spent(missed=1))


def installation_meter() -> Meter:
    """The meter of what is nobody's question."""
    return BudgetMeter(INSTALLATION)
