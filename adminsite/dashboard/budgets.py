"""The chart of what a budget's people, role or channel consumed by month."""

import json
from typing import Any

from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, CLOSEST, bars
from core.asking.spending.figures import list_history
from core.models.budgets import Counted

_SCALES: Any = BAR_OPTIONS["scales"]
_COST_OPTIONS = {**BAR_OPTIONS, "scales": {"x": _SCALES["x"], "y": {"min": 0}}}


def chart_use(counted: Counted) -> dict[str, Any]:
    """Build the chart of tokens and cost by month; {} where there are none."""
    months = list_history(counted)
    if not months:
        return {}
    labels = [f"{one.month:%b %Y}" for one in months]
    priced = [one.tokens - one.unpriced_tokens for one in months]
    stacks = [bars("Tokens", priced, ANSWERED)]
    if any(one.unpriced_tokens for one in months):
        stacks.append(bars("Tokens of models without a price", [one.unpriced_tokens for one in months], CLOSEST))
    cost = {**bars("US dollars", [], ANSWERED), "data": [round(float(one.cost_usd), 4) for one in months]}
    return {
        "tokens_chart": json.dumps({"labels": labels, "datasets": stacks}),
        "cost_chart": json.dumps({"labels": labels, "datasets": [cost]}),
        "tokens_options": json.dumps(BAR_OPTIONS),
        "cost_options": json.dumps(_COST_OPTIONS),
        "now": months[-1],
        "calls": sum(one.calls for one in months),
        "reused": sum(one.reused for one in months),
    }
