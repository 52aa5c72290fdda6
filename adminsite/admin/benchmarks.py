"""Show the results of benchmark_index as a table and as charts."""

import json
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ChartedAdmin
from adminsite.dashboard.chart_style import LINE_OPTIONS
from adminsite.figures import score_bar
from core.models import BenchmarkResult

SHOWN_RUNS = 20
_COLOURS = ("var(--color-primary-600)", "#0d9488", "#d97706", "#dc2626", "#2563eb", "#7c3aed", "#65a30d", "#64748b")
# From a fraction of a millisecond to seconds.
_SCALES: Any = LINE_OPTIONS["scales"]
_TIME_OPTIONS = {**LINE_OPTIONS, "scales": {"x": _SCALES["x"], "y": {"type": "logarithmic"}}}


class RunFilter(admin.SimpleListFilter):
    """One run of the command."""

    title = "run"
    parameter_name = "run"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the latest runs, newest first: their names begin with the time."""
        named = BenchmarkResult.objects.annotate(run=KT("details__run")).filter(run__isnull=False)
        runs = named.order_by("-run").values_list("run", flat=True).distinct()
        return [(run, run) for run in runs[:SHOWN_RUNS]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[BenchmarkResult]) -> QuerySet[BenchmarkResult]:
        """Return the rows of the chosen run."""
        return queryset.filter(details__run=self.value()) if self.value() else queryset


@admin.register(BenchmarkResult)
class BenchmarkResultAdmin(ChartedAdmin):
    """Measurements of vector indexes and search strategies."""

    when_empty = "Nothing has been measured yet. Start with: manage.py benchmark_index."

    list_display = (
        "strategy",
        "index_type",
        "grants",
        "show_share",
        "readers",
        "show_recall",
        "latency",
        "faults",
        "memory",
        "corpus_size",
        "created_at",
    )
    list_filter = (RunFilter, "strategy", "index_type", ("created_at", RangeDateTimeFilter))
    list_filter_submit = True
    list_before_template = "adminsite/benchmark_charts.html"

    def charts(self, rows: QuerySet[BenchmarkResult]) -> dict[str, Any]:
        """Chart the newest run among the results: recall and time by the share of the corpus that is permitted.

        A point is the worst of its strategy at its share, over kinds of grants and of readers.
        """
        of_runs = rows.order_by("-created_at").filter(details__run__isnull=False)
        run = of_runs.values_list("details__run", flat=True).first()
        measured = list(of_runs.filter(details__run=run, selectivity__isnull=False)) if run else []
        if not measured:
            return {}
        shares = sorted({row.selectivity for row in measured if row.selectivity is not None}, reverse=True)
        return {
            "run": run,
            "recall_chart": json.dumps(_chart_figure(measured, shares, "recall_at_k", min)),
            "recall_options": json.dumps(LINE_OPTIONS),
            "time_chart": json.dumps(_chart_figure(measured, shares, "query_latency_ms", max)),
            "time_options": json.dumps(_TIME_OPTIONS),
        }

    @display(description="Grants")
    def grants(self, result: BenchmarkResult) -> str:
        """Return the way in which documents are granted together."""
        return str(result.details.get("grants", "–"))

    @display(description="Readers")
    def readers(self, result: BenchmarkResult) -> str:
        """Return the kind of readers: one person, or a channel."""
        return str(result.details.get("audience", "–"))

    @display(description="Permitted", ordering="selectivity")
    def show_share(self, result: BenchmarkResult) -> str:
        """Return the share of the corpus that the readers may read."""
        return "–" if result.selectivity is None else f"{result.selectivity * 100:g} %"

    @display(description="Recall", ordering="recall_at_k")
    def show_recall(self, result: BenchmarkResult) -> SafeString | str:
        """Return the share of the true nearest chunks that were found."""
        return score_bar(result.recall_at_k)

    @display(description="p50 / p95 ms", ordering="query_latency_ms")
    def latency(self, result: BenchmarkResult) -> str:
        """Return the milliseconds of one search: half take no longer, and 95 % of them."""
        slowest = result.details.get("latency_p95_ms")
        return f"{result.query_latency_ms:.1f} / {'–' if slowest is None else f'{slowest:.1f}'}"

    @display(description="Short / twice / forbidden")
    def faults(self, result: BenchmarkResult) -> str:
        """Count questions with too few results, results that came twice, and results that nobody may read."""
        return " / ".join(str(result.details.get(name, "–")) for name in ("short_results", "duplicates", "forbidden"))

    @display(description="MB", ordering="memory_usage_mb")
    def memory(self, result: BenchmarkResult) -> str:
        """Return the size of the indexes and copies."""
        return f"{result.memory_usage_mb:.1f}"


def _chart_figure(rows: Sequence[BenchmarkResult], shares: Sequence[float], figure: str, worst: Any) -> dict[str, Any]:
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
