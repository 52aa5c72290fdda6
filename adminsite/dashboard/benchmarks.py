"""Charts of a benchmark run: recall and time by the share of the corpus that is permitted."""

import json
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from adminsite.dashboard.chart_style import LINE_OPTIONS
from core.models import BenchmarkResult

_COLOURS = ("var(--color-primary-600)", "#0d9488", "#d97706", "#dc2626", "#2563eb", "#7c3aed", "#65a30d", "#64748b")
# From a fraction of a millisecond to seconds.
_SCALES: Any = LINE_OPTIONS["scales"]
_TIME_OPTIONS = {**LINE_OPTIONS, "scales": {"x": _SCALES["x"], "y": {"type": "logarithmic"}}}


def charts(results: QuerySet[BenchmarkResult]) -> dict[str, Any]:
    """Build the charts of the newest run among the results; {} when none of them belongs to a run.

    A point is the worst of its strategy at its share, over kinds of grants and of readers.
    """
    of_runs = results.order_by("-created_at").filter(details__run__isnull=False)
    run = of_runs.values_list("details__run", flat=True).first()
    rows = list(of_runs.filter(details__run=run, selectivity__isnull=False)) if run else []
    if not rows:
        return {}
    shares = sorted({row.selectivity for row in rows if row.selectivity is not None}, reverse=True)
    return {
        "run": run,
        "recall_chart": json.dumps(_chart(rows, shares, "recall_at_k", min)),
        "recall_options": json.dumps(LINE_OPTIONS),
        "time_chart": json.dumps(_chart(rows, shares, "query_latency_ms", max)),
        "time_options": json.dumps(_TIME_OPTIONS),
    }


def _chart(rows: Sequence[BenchmarkResult], shares: Sequence[float], figure: str, worst: Any) -> dict[str, Any]:
    values: dict[str, dict[float, list[float]]] = {}
    for row in rows:
        if row.selectivity is not None:
            values.setdefault(row.strategy, {}).setdefault(row.selectivity, []).append(getattr(row, figure))
    return {
        "labels": [f"{share * 100:g} %" for share in shares],
        "datasets": [
            {
                "label": strategy,
                "data": [round(worst(by_share[share]), 4) if share in by_share else None for share in shares],
                "borderColor": _COLOURS[place % len(_COLOURS)],
                "backgroundColor": _COLOURS[place % len(_COLOURS)],
                "pointRadius": 3,
                "spanGaps": True,
                "clip": False,  # a recall of 1 lies on the edge
            }
            for place, (strategy, by_share) in enumerate(sorted(values.items()))
        ],
    }
