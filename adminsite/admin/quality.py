"""Show the quality of answers: evaluations and alerts."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import action, display

from adminsite.admin.base import ReadOnlyAdmin, record, viewer
from adminsite.admin.question_lists import ShowsQuestions
from adminsite.dashboard.scores import explain_method, show_in_row, tell_of_rows
from adminsite.figures import count_of, metric_in_words
from core.asking.spending.meter import MOST_SHARE
from core.models import Alert, AuditEvent, EvaluationResult


@admin.register(EvaluationResult)
class EvaluationResultAdmin(ShowsQuestions, ReadOnlyAdmin):
    """The RAG triad of each answer."""

    when_empty = (
        "No answer has been evaluated yet. The worker does this after each answer, unless EVALUATION_ENABLED is off."
    )

    list_before_template = "adminsite/scores_tell.html"
    question_path = "query_log__query"
    list_display = ("show_question", "relevance", "groundedness", "answer_relevance", "evaluated_at")
    list_filter = ("abstained", "method", ("evaluated_at", RangeDateTimeFilter))
    list_filter_submit = True
    list_select_related = ("query_log__query",)
    search_fields = ("=query_log__request_id", "=trulens_record_id")

    readonly_fields = ("in_trulens", "what_it_tells")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, and above it what the scores of its rows do and do not show."""
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None)
        if context and "cl" in context:
            context["scores_tell"] = tell_of_rows(row.method for row in context["cl"].result_list)
        return response

    @display(description="What these scores tell")
    def what_it_tells(self, evaluation: EvaluationResult) -> str:
        """Explain what the method of these scores can and cannot see."""
        return explain_method(evaluation.method)

    @display(description="In TruLens")
    def in_trulens(self, evaluation: EvaluationResult) -> str:
        """Say how to find the record in TruLens's own pages."""
        if not evaluation.trulens_record_id:
            return "–"
        return f"Run manage.py trulens_dashboard and look for {evaluation.trulens_record_id} under Records."

    @display(description="Context relevance", ordering="relevance_score")
    def relevance(self, evaluation: EvaluationResult) -> SafeString | str:
        """Question against the passages read."""
        return show_in_row(evaluation, "relevance")

    @display(description="Groundedness", ordering="groundedness_score")
    def groundedness(self, evaluation: EvaluationResult) -> SafeString | str:
        """Answer against the passages read, by a judging model; without one it is no measurement."""
        return show_in_row(evaluation, "groundedness")

    @display(description="Answer relevance", ordering="answer_relevance_score")
    def answer_relevance(self, evaluation: EvaluationResult) -> SafeString | str:
        """Question against the answer."""
        return show_in_row(evaluation, "answer_relevance")


class OpenFilter(admin.SimpleListFilter):
    """Open or acknowledged."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The two states."""
        return [("open", "Open"), ("acknowledged", "Acknowledged")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Alert]) -> QuerySet[Alert]:
        """Alerts in the chosen state."""
        if self.value() in {"open", "acknowledged"}:
            return queryset.filter(acknowledged_at__isnull=self.value() == "open")
        return queryset


def may_acknowledge(request: HttpRequest) -> bool:
    """Return True if the viewer may acknowledge alerts."""
    return bool(request.user.has_perm("core.change_alert"))


def acknowledge_alerts(request: HttpRequest, alerts: QuerySet[Alert]) -> int:
    """Mark those of the alerts that are open as seen, by whom and when; how many they were."""
    with transaction.atomic():
        opened = list(alerts.order_by().filter(acknowledged_at=None).select_for_update(of=("self",)))
        Alert.objects.filter(pk__in=[alert.pk for alert in opened]).update(
            acknowledged_at=timezone.now(), acknowledged_by=viewer(request)
        )
        for alert in opened:
            record(request, AuditEvent.Action.ACKNOWLEDGE, alert)
    return len(opened)


@admin.register(Alert)
class AlertAdmin(ShowsQuestions, ReadOnlyAdmin):
    """Lists alerts about answers, runs, weeks, examinations and budgets, which an administrator acknowledges."""

    when_empty = (
        "No answer was voted down by more people than up, no refused question turned out to be answered by what was "
        "found, no score of a judging model was below its threshold, and no figure of a run or a week got much worse. "
        "No budget is nearly used up."
    )

    question_path = "evaluation__query_log__query"
    list_display = ("show_question", "show_metric", "show_what", "show_run", "show_state", "created_at")
    list_filter = (OpenFilter, "metric", ("created_at", RangeDateTimeFilter))
    list_select_related = (
        "evaluation__query_log__query",
        "run",
        "examination",
        "budget__user",
        "budget__role",
        "acknowledged_by",
    )
    search_fields = ("=evaluation__query_log__request_id",)
    actions = ("acknowledge",)

    @display(description="What happened", ordering="score")
    def show_what(self, alert: Alert) -> str:
        """Say what raised it."""
        if alert.budget_id:
            return f"{alert.score:.0%} used" if alert.score < MOST_SHARE else "more than 999% used"
        return alert.in_words

    @display(description="Run, week or budget")
    def show_run(self, alert: Alert) -> SafeString | str:
        """Over which dataset, or whose budget, where the alert is not about one answer."""
        if alert.budget is not None:
            page = reverse("admin:core_budget_change", args=[alert.budget_id])
            return format_html('<a href="{}" class="text-link">{}, {}</a>', page, alert.budget, f"{alert.month:%B %Y}")
        if alert.examination is not None:
            page = reverse("admin:core_modelexamination_change", args=[alert.examination_id])
            return format_html('<a href="{}" class="text-link">{}</a>', page, alert.examination)
        if alert.since is not None:
            return f"the week from {alert.since:%Y-%m-%d}"
        if alert.run is None:
            return "–"
        page = reverse("admin:core_evaluationrun_change", args=[alert.run_id])
        return format_html('<a href="{}" class="text-link">{}</a>', page, alert.run)

    @display(description="About", ordering="metric")
    def show_metric(self, alert: Alert) -> str:
        """Return the name of the score."""
        return metric_in_words(alert.metric)

    @display(description="State", label={"open": "danger", "acknowledged": "success"}, ordering="acknowledged_at")
    def show_state(self, alert: Alert) -> str:
        """Open until somebody acknowledges it."""
        return "acknowledged" if alert.acknowledged_at else "open"

    def has_acknowledge_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may acknowledge alerts."""
        return may_acknowledge(request)

    @action(description="Acknowledge", permissions=["acknowledge"], icon="done_all")
    def acknowledge(self, request: HttpRequest, queryset: QuerySet[Alert]) -> None:
        """Mark alerts as seen, by whom and when."""
        count = acknowledge_alerts(request, queryset)
        self.message_user(request, f"{count_of(count, 'alert')} acknowledged.", messages.SUCCESS)
