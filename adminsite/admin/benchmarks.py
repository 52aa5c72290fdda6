"""Show the results of benchmark_index as a table and as charts."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ChartedAdmin
from adminsite.dashboard.benchmarks import charts
from adminsite.figures import score_bar
from core.models import BenchmarkResult

SHOWN_RUNS = 20


class RunFilter(admin.SimpleListFilter):
    """One run of the command."""

    title = "run"
    parameter_name = "run"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The latest runs, newest first: their names begin with the time."""
        named = BenchmarkResult.objects.annotate(run=KT("details__run")).filter(run__isnull=False)
        runs = named.order_by("-run").values_list("run", flat=True).distinct()
        return [(run, run) for run in runs[:SHOWN_RUNS]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[BenchmarkResult]) -> QuerySet[BenchmarkResult]:
        """The rows of the chosen run."""
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
        """Of the newest run."""
        return charts(rows)

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
        """Share of the corpus that the readers may read."""
        return "–" if result.selectivity is None else f"{result.selectivity * 100:g} %"

    @display(description="Recall", ordering="recall_at_k")
    def show_recall(self, result: BenchmarkResult) -> SafeString | str:
        """Share of the true nearest chunks that were found."""
        return score_bar(result.recall_at_k)

    @display(description="p50 / p95 ms", ordering="query_latency_ms")
    def latency(self, result: BenchmarkResult) -> str:
        """Milliseconds of one search: half take no longer, and 95 % of them."""
        slowest = result.details.get("latency_p95_ms")
        return f"{result.query_latency_ms:.1f} / {'–' if slowest is None else f'{slowest:.1f}'}"

    @display(description="Short / twice / forbidden")
    def faults(self, result: BenchmarkResult) -> str:
        """Questions with too few results, results that came twice, and results that nobody may read."""
        return " / ".join(str(result.details.get(name, "–")) for name in ("short_results", "duplicates", "forbidden"))

    @display(description="MB", ordering="memory_usage_mb")
    def memory(self, result: BenchmarkResult) -> str:
        """Size of the indexes and copies."""
        return f"{result.memory_usage_mb:.1f}"
