"""Compare this month's use with the budgets."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.models import Budget, BudgetUse
from core.models.budgets import Counted, this_month


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """A budget beside its use in a month."""

    budget: Budget
    tokens: int
    cost_usd: Decimal

    @property
    def soft_share(self) -> Decimal | None:
        """Return the used share of a soft limit, the larger one of tokens and cost; None without a soft limit."""
        return self._measure_share(self.budget.soft_tokens, self.budget.soft_cost_usd)

    @property
    def hard_share(self) -> Decimal | None:
        """As soft_share, of the hard limits."""
        return self._measure_share(self.budget.hard_tokens, self.budget.hard_cost_usd)

    @property
    def is_nearly_used_up(self) -> bool:
        """Return True if a soft limit is reached."""
        return self.soft_share is not None and self.soft_share >= 1

    @property
    def is_used_up(self) -> bool:
        """Return True if a hard limit is reached."""
        return self.hard_share is not None and self.hard_share >= 1

    def _measure_share(self, tokens: int | None, cost_usd: Decimal | None) -> Decimal | None:
        limits = ((self.tokens, tokens), (self.cost_usd, cost_usd))
        shares = [share_of(used, limit) for used, limit in limits if limit is not None]
        return max(shares, default=None)


def share_of(used: Decimal | int, limit: Decimal | int) -> Decimal:
    """Return the used share of a limit: 1 is all of it, also from the beginning where nothing is allowed."""
    return Decimal(used) / Decimal(limit) if limit else Decimal(1)


def find_held(counted: Sequence[Counted], month: dt.date | None = None) -> list[Held]:
    """Return the budgets that calls for these count towards, each with its use in a month; None is this one."""
    return hold(list(Budget.objects.of(counted)), month)


def hold(budgets: Sequence[Budget], month: dt.date | None = None) -> list[Held]:
    """Return budgets with their use in a month, in their order; None is this month."""
    used = BudgetUse.objects.of([budget.counted for budget in budgets], month or this_month()) if budgets else {}
    held = []
    for budget in budgets:
        use = used.get(budget.counted)
        spent = (use.tokens, use.cost_usd) if use else (0, Decimal(0))
        held.append(Held(budget=budget, tokens=spent[0], cost_usd=spent[1]))
    return held
