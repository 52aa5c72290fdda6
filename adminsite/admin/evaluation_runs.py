"""Show the results of `evaluate` run by run, with the changes since the run before, and start a run."""

import json
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, QuerySet, Value
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelectWidget

from adminsite.admin.base import AuditedReading, ChartedAdmin, ReadOnlyInline, viewer
from adminsite.admin.run_tables import (
    BAD,
    GOOD,
    colour_of,
    format_figure,
    in_words,
    table_by_kind,
    table_of_changes,
)
from adminsite.dashboard.chart_style import LINE_OPTIONS
from adminsite.figures import score_bar, time_in_words
from core.errors import FootnoteError
from core.models import AuditEvent, EvaluationRun, EvaluationRunLine, Query
from core.quality.evaluation.datasets.comparison import compare, earlier
from core.quality.evaluation.datasets.metrics import in_sentences
from core.quality.evaluation.datasets.starting import check_dataset, list_datasets, queue_run

_CHECKS = (("source", "cites_source"), ("text", "contains"), ("page", "page_right"))
START = "core.add_evaluationrun"
SHOWN_RUNS = 20
_LINES = (
    ("right", "right_share", "var(--color-primary-600)"),
    ("right source", "right_source", "#0d9488"),
    ("abstained rightly", "abstained_rightly", "#2563eb"),
    ("abstained wrongly", "abstained_wrongly", "#d97706"),
)


class LineInline(ReadOnlyInline):
    """The results of each question, in its words for viewers who may see questions."""

    model = EvaluationRunLine
    fields = (
        "number",
        "show_question",
        "kind",
        "show_outcome",
        "show_checks",
        "show_quotes",
        "show_ms",
        "show_request",
    )
    verbose_name_plural = "questions"

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return lines with the requests that they name, and with the questions for who may see them."""
        lines = super().get_queryset(request)
        if may_see_questions(request):
            return lines.select_related("query_log__query").annotate(asked=F("query_log__query__question_text"))
        return lines.select_related("query_log").annotate(asked=Value(""))

    @display(description="Question")
    def show_question(self, line: EvaluationRunLine) -> str:
        """Return the question's words; the line's id once they are erased, and for who may not see questions."""
        return getattr(line, "asked", "") or line.identifier

    @display(description="Outcome")
    def show_outcome(self, line: EvaluationRunLine) -> SafeString:
        """Say right or wrong, and how; what is right is green, also where that is to abstain."""
        return format_html('<span class="{}">{}</span>', colour_of(line.outcome), in_words(line.outcome))

    @display(description="Checks")
    def show_checks(self, line: EvaluationRunLine) -> SafeString | str:
        """Show which expectations are met, and a mark where something forbidden is shown."""
        found = [(GOOD if met else BAD, name, "✓" if met else "✗") for name, met in _list_checks(line)]
        shown = [*found, *([(BAD, "shows something forbidden", "✗")] if line.forbidden_shown else [])]
        return format_html_join(" ", '<span class="{}">{} {}</span>', shown) or "–"

    @display(description="Quotes")
    def show_quotes(self, line: EvaluationRunLine) -> str:
        """Return the number of quotes, and of unsupported ones among them."""
        return f"{line.quotes}, {line.unsupported} unsupported" if line.unsupported else str(line.quotes)

    @display(description="Time")
    def show_ms(self, line: EvaluationRunLine) -> str:
        """Return how long the answer took."""
        return time_in_words(line.latency_ms)

    @display(description="Request")
    def show_request(self, line: EvaluationRunLine) -> SafeString | str:
        """Return a link to the figures of the request, which may be gone."""
        if line.query_log is None:
            return "–"
        address = reverse("admin:core_querylog_change", args=[line.query_log_id])
        return format_html('<a href="{}">{}</a>', address, line.query_log.request_id)


def may_see_questions(request: HttpRequest) -> bool:
    """Return True for who may see the page of questions, as they are other people's words."""
    return request.user.has_perm("core.view_query")


def _list_checks(line: EvaluationRunLine) -> list[tuple[str, bool]]:
    """List the dataset's expectations of a line by name, each with whether it is met."""
    checks = ((name, getattr(line, field)) for name, field in _CHECKS)
    return [(name, bool(met)) for name, met in checks if met is not None]


@admin.register(EvaluationRun)
class EvaluationRunAdmin(AuditedReading, ChartedAdmin):
    """Runs over datasets."""

    when_empty = (
        'No dataset has been evaluated yet. Press "Start a run", or run: manage.py evaluate DATASET --as EMAIL.'
    )
    actions_list = ("start",)

    inlines = (LineInline,)
    list_display = (
        "dataset",
        "started_at",
        "model",
        "questions",
        "right",
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
        "show_alerts",
    )

    def charts(self, rows: QuerySet[EvaluationRun]) -> dict[str, Any]:
        """Chart the shares from run to run over the dataset that was asked last; {} without two runs to compare."""
        finished = rows.order_by("-started_at").filter(finished_at__isnull=False)
        dataset = finished.values_list("dataset", flat=True).first()
        shown = list(finished.filter(dataset=dataset)[:SHOWN_RUNS])[::-1]
        if len(shown) < 2:
            return {}
        lines = {
            "labels": [f"{run.started_at:%Y-%m-%d %H:%M}" for run in shown],
            "datasets": [
                {
                    "label": label,
                    "data": [run.figures.get(name) for run in shown],
                    "borderColor": colour,
                    "backgroundColor": colour,
                    "pointRadius": 3,
                    "spanGaps": True,
                    "clip": False,  # a share of 1 lies on the edge
                }
                for label, name, colour in _LINES
            ],
        }
        return {"dataset": dataset, "runs_chart": json.dumps(lines), "runs_options": json.dumps(LINE_OPTIONS)}

    @display(description="Questions")
    def questions(self, run: EvaluationRun) -> str:
        """Return the number of questions asked; an interrupted run has no figures."""
        return str(run.figures.get("questions", "–"))

    @display(description="Right")
    def right(self, run: EvaluationRun) -> SafeString | str:
        """Return the share of the questions that came out as expected."""
        return score_bar(run.figures.get("right_share"))

    @display(description="Abstained ✓ / ✗")
    def abstained(self, run: EvaluationRun) -> str:
        """Return the shares of the questions without and with an answer that were refused."""
        return " / ".join(format_figure(run.figures.get(name)) for name in ("abstained_rightly", "abstained_wrongly"))

    @display(description="Faults")
    def faults(self, run: EvaluationRun) -> str:
        """Return the numbers of forbidden documents shown and of quotes found nowhere. Both should be 0."""
        return " / ".join(format_figure(run.figures.get(name)) for name in ("forbidden_shown", "unsupported"))

    @display(description="Median time / 95 % within")
    def latency(self, run: EvaluationRun) -> str:
        """Return the time of an answer: half take no longer, and 95 % of them."""
        took = (run.figures.get(name) for name in ("latency_p50_ms", "latency_p95_ms"))
        return " / ".join("–" if one is None else time_in_words(one) for one in took)

    @display(description="In short")
    def summary(self, run: EvaluationRun) -> SafeString | str:
        """Summarise the run in sentences for people."""
        return format_html_join("", "<p>{}</p>", ((sentence,) for sentence in in_sentences(run.figures))) or "–"

    @display(description="By kind")
    def by_kind(self, run: EvaluationRun) -> SafeString | str:
        """Return the figures of each kind of question, and of all."""
        return table_by_kind(run.figures) if run.figures else "The run has not ended, or was interrupted."

    @display(description="Quotes")
    def supported(self, run: EvaluationRun) -> str:
        """Return the number of quotes that do not occur in their sources."""
        return str(run.figures.get("unsupported_summary", "–"))

    @display(description="Median time by step")
    def steps(self, run: EvaluationRun) -> str:
        """Return the milliseconds of each step."""
        spent = run.figures.get("timings_p50_ms", {})
        return ", ".join(f"{step} {time:g} ms" for step, time in spent.items()) or "–"

    @display(description="Since the previous run")
    def changes(self, run: EvaluationRun) -> SafeString | str:
        """Return the questions that came out differently."""
        before = earlier(run)
        if before is None or not run.finished_at:
            return "There is no earlier run over this dataset."
        return table_of_changes(compare(before, run), getattr(run, "asked", {}))

    @display(description="Alerts")
    def show_alerts(self, run: EvaluationRun) -> SafeString | str:
        """Return figures that fell since the run before, and what must never happen."""
        alerts = ((f"{alert.metric.replace('_', ' ')}: {alert}",) for alert in run.alerts.all())
        return format_html_join("", '<p class="fn-bad-text">{}</p>', alerts) or "None."

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> EvaluationRun | None:
        """Return a run, with the texts of its questions by the ids of its lines for who may see them."""
        run: Any = super().get_object(request, object_id, from_field)
        if run is not None and may_see_questions(request):
            texts = run.lines.values_list("identifier", "query_log__query__question_text")
            run.asked = {name: text for name, text in texts if text}
        return run

    def shows_text_of_another(self, request: HttpRequest, row: EvaluationRun) -> bool:
        """Return True where questions were asked as other people."""
        if not may_see_questions(request):
            return False
        asked = Query.objects.filter(log__in=row.lines.values("query_log"), erased_at=None)
        return asked.exclude(user=viewer(request)).exists()

    def get_urls(self) -> list[Any]:
        """Return the pages of runs, with the one that starts one."""
        page = path("start/", self.admin_site.admin_view(self.start_view), name="core_evaluationrun_start")
        return [page, *super().get_urls()]

    def start_view(self, request: HttpRequest) -> HttpResponse:
        """Choose a dataset and start a run."""
        return start_page(self, request)

    def has_start_permission(self, request: HttpRequest) -> bool:
        """Return True if the viewer may start runs."""
        return request.user.has_perm(START)

    @action(description="Start a run", permissions=["start"], icon="play_arrow")
    def start(self, request: HttpRequest) -> HttpResponse:
        """Lead to the page that starts a run."""
        return HttpResponseRedirect(reverse("admin:core_evaluationrun_start"))


class StartForm(forms.Form):
    """A form to choose the questions of a run."""

    dataset = forms.ChoiceField(
        widget=UnfoldAdminSelectWidget,
        help_text="Each question is asked as the person that its line names, with that person's rights.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["dataset"].choices = [(name, name) for name in list_datasets()]  # type: ignore[attr-defined]

    def clean_dataset(self) -> str:
        """Return the name of a dataset that can be asked here. ValidationError, with the reason, for another."""
        name = str(self.cleaned_data["dataset"])
        try:
            check_dataset(name)
        except FootnoteError as error:
            raise forms.ValidationError(error.message) from error
        return name


def start_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Choose a dataset and queue a run over it; who did is in the audit trail."""
    if not request.user.has_perm(START):
        raise PermissionDenied
    form = StartForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        _queue_run(model_admin, request, form.cleaned_data["dataset"])
        return HttpResponseRedirect(reverse("admin:core_evaluationrun_changelist"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Start a run",
        "opts": model_admin.opts,
        "form": form,
        "has_datasets": bool(list_datasets()),
    }
    return TemplateResponse(request, "adminsite/start_run.html", context)


def _queue_run(model_admin: Any, request: HttpRequest, dataset: str) -> None:
    with transaction.atomic():
        is_new = queue_run(dataset)
        if is_new:
            AuditEvent.objects.create(
                actor=viewer(request),
                action=AuditEvent.Action.CREATE,
                object_type="evaluationrun",
                details={"dataset": dataset},
            )
    if is_new:
        said = f"A run over {dataset} is queued. It appears here when the worker begins it."
        model_admin.message_user(request, said, messages.SUCCESS)
    else:
        model_admin.message_user(request, f"A run over {dataset} is queued already.", messages.WARNING)
