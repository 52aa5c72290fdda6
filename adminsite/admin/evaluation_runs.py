"""What `evaluate` has found, run by run, and what changed since the run before."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ChartedAdmin, ReadOnlyInline
from adminsite.dashboard.evaluation_runs import chart
from adminsite.figures import score_bar
from core.evaluation.datasets.comparison import Changed, compare, earlier
from core.evaluation.datasets.metrics import in_sentences
from core.models import EvaluationRun, EvaluationRunLine

OUTCOME_LABELS = {
    "answered_rightly": "success",
    "abstained_rightly": "success",
    "answered_wrongly": "danger",
    "abstained_wrongly": "warning",
    "failed": "danger",
}
# Heading and name of the figures in the table by kind.
_COLUMNS = (
    ("Questions", "questions"),
    ("Right", "right_share"),
    ("Source", "right_source"),
    ("Contains", "answer_contains"),
    ("Page", "page_right"),
    ("Abstained rightly", "abstained_rightly"),
    ("Abstained wrongly", "abstained_wrongly"),
    ("Precision", "precision"),
    ("Dropped", "statements_dropped"),
    ("Forbidden", "forbidden_shown"),
    ("p50 ms", "latency_p50_ms"),
    ("p95 ms", "latency_p95_ms"),
)


class LineInline(ReadOnlyInline):
    """What came of each question; ids and verdicts, no text."""

    model = EvaluationRunLine
    fields = (
        "number",
        "identifier",
        "kind",
        "show_outcome",
        "cites_source",
        "contains",
        "page_right",
        "forbidden_shown",
        "quotes",
        "unsupported",
        "latency_ms",
        "show_request",
    )
    verbose_name_plural = "questions"

    def get_queryset(self, request: HttpRequest) -> Any:
        """With the requests that they name."""
        return super().get_queryset(request).select_related("query_log")

    @display(description="Outcome", label=OUTCOME_LABELS)
    def show_outcome(self, line: EvaluationRunLine) -> str:
        """Right or wrong, and how."""
        return line.outcome

    @display(description="Request")
    def show_request(self, line: EvaluationRunLine) -> SafeString | str:
        """A link to the figures of the request, which may be gone."""
        if line.query_log is None:
            return "–"
        address = reverse("admin:core_querylog_change", args=[line.query_log_id])
        return format_html('<a href="{}">{}</a>', address, line.query_log.request_id)


@admin.register(EvaluationRun)
class EvaluationRunAdmin(ChartedAdmin):
    """Runs over datasets."""

    when_empty = "No dataset has been evaluated yet. Start a run with: manage.py evaluate DATASET --as EMAIL."

    inlines = (LineInline,)
    list_display = (
        "dataset",
        "started_at",
        "model",
        "questions",
        "right",
        "source",
        "contains",
        "abstained",
        "faults",
        "latency",
    )
    list_filter = ("dataset", "model", ("started_at", RangeDateTimeFilter))
    list_filter_submit = True
    list_before_template = "adminsite/evaluation_chart.html"
    fields: ClassVar = (
        "dataset",
        "started_at",
        "finished_at",
        "model",
        "prompt_hash",
        "embedding_model",
        "chunks",
        "summary",
        "by_kind",
        "supported",
        "steps",
        "changes",
    )

    def charts(self, rows: QuerySet[EvaluationRun]) -> dict[str, Any]:
        """Of the newest dataset."""
        return chart(rows)

    @display(description="Questions")
    def questions(self, run: EvaluationRun) -> str:
        """How many were asked; a run that was broken off has no figures."""
        return str(run.figures.get("questions", "–"))

    @display(description="Right")
    def right(self, run: EvaluationRun) -> SafeString | str:
        """Share of the questions that came out as expected."""
        return score_bar(run.figures.get("right_share"))

    @display(description="Right source")
    def source(self, run: EvaluationRun) -> SafeString | str:
        """Share that cites what it should."""
        return score_bar(run.figures.get("right_source"))

    @display(description="Answer contains")
    def contains(self, run: EvaluationRun) -> SafeString | str:
        """Share that says what it should."""
        return score_bar(run.figures.get("answer_contains"))

    @display(description="Abstained rightly / wrongly")
    def abstained(self, run: EvaluationRun) -> str:
        """Shares of the questions without and with an answer that were refused."""
        return " / ".join(_format_figure(run.figures.get(name)) for name in ("abstained_rightly", "abstained_wrongly"))

    @display(description="Forbidden / unsupported")
    def faults(self, run: EvaluationRun) -> str:
        """Questions for which a forbidden document came up, and quotes that stand nowhere. Both should be 0."""
        return " / ".join(_format_figure(run.figures.get(name)) for name in ("forbidden_shown", "unsupported"))

    @display(description="p50 / p95 ms")
    def latency(self, run: EvaluationRun) -> str:
        """Milliseconds of a question: half take no longer, and 95 % of them."""
        return " / ".join(_format_figure(run.figures.get(name)) for name in ("latency_p50_ms", "latency_p95_ms"))

    @display(description="In short")
    def summary(self, run: EvaluationRun) -> SafeString | str:
        """What a person would say of it."""
        return format_html_join("", "<p>{}</p>", ((sentence,) for sentence in in_sentences(run.figures))) or "–"

    @display(description="By kind")
    def by_kind(self, run: EvaluationRun) -> SafeString | str:
        """The figures of each kind of question, and of all."""
        if not run.figures:
            return "The run was interrupted."
        kinds = [*run.figures["kinds"].items(), ("all", run.figures)]
        return _table(
            ("Kind", *(heading for heading, _ in _COLUMNS)),
            ((kind, *(_format_figure(of_kind.get(name)) for _, name in _COLUMNS)) for kind, of_kind in kinds),
        )

    @display(description="Quotes")
    def supported(self, run: EvaluationRun) -> str:
        """Quotes that do not stand in their sources."""
        return str(run.figures.get("unsupported_summary", "–"))

    @display(description="Median time by step")
    def steps(self, run: EvaluationRun) -> str:
        """Milliseconds."""
        spent = run.figures.get("timings_p50_ms", {})
        return ", ".join(f"{step} {time:g} ms" for step, time in spent.items()) or "–"

    @display(description="Since the previous run")
    def changes(self, run: EvaluationRun) -> SafeString | str:
        """The questions that came out differently."""
        before = earlier(run)
        if before is None or not run.finished_at:
            return "There is no earlier run over this dataset."
        compared = compare(before, run)
        rows = [
            *_rows("broken", compared.broken),
            *_rows("mended", compared.mended),
            *_rows("wrong in another way", compared.other),
            *(("not asked again", name, "", "", "") for name in compared.only_before),
            *(("new", name, "", "", "") for name in compared.only_after),
        ]
        return _table(("Change", "Question", "Kind", "Before", "Now"), rows) if rows else "Nothing changed."


def _rows(change: str, changed: Iterable[Changed]) -> list[tuple[str, ...]]:
    return [(change, one.identifier, one.kind, one.before, one.after) for one in changed]


def _table(headings: Iterable[str], rows: Iterable[tuple[str, ...]]) -> SafeString:
    return format_html(
        '<div class="fn-table"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
        format_html_join("", "<th>{}</th>", ((heading,) for heading in headings)),
        format_html_join(
            "",
            "<tr>{}</tr>",
            ((format_html_join("", "<td>{}</td>", ((cell,) for cell in row)),) for row in rows),
        ),
    )


def _format_figure(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
