"""The figures of questions: their list where no question is kept, and the pages that are made of figures."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import OUTCOME_LABELS, ReadOnlyAdmin
from adminsite.admin.conversation.links import url_of
from adminsite.admin.old_lists import lead_to_questions
from adminsite.admin.question_texts import may_read_questions
from adminsite.admin.reports import editions_page, reports_page
from adminsite.admin.thresholds import thresholds_page
from adminsite.figures import score_bar, time_in_words
from core.models import QueryLog
from core.types import RefusalReason

FIGURES_ALONE = "no"  # the value of the filter for figures whose question is not kept


class _NotKeptFilter(admin.SimpleListFilter):
    """Figures of questions that are not kept: refused before they were stored, or deleted."""

    title = "kept"
    parameter_name = "kept"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return those alone: the others are listed as questions."""
        return [(FIGURES_ALONE, "Question not kept")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[QueryLog]) -> QuerySet[QueryLog]:
        """Return the figures without a question."""
        return queryset.filter(query=None) if self.value() == FIGURES_ALONE else queryset


@admin.register(QueryLog)
class QueryLogAdmin(ReadOnlyAdmin):
    """The figures of each question. They are listed with the questions; here those alone whose question is not kept."""

    when_empty = "The question of every row of figures is kept."
    list_display = (
        "created_at",
        "user",
        "show_outcome",
        "show_confidence",
        "show_similarity",
        "show_citations",
        "show_time",
    )
    list_filter = (
        _NotKeptFilter,
        "has_sufficient_context",
        "refusal_reason",
        "model_provider",
        ("created_at", RangeDateTimeFilter),
    )
    list_filter_submit = True
    list_select_related = ("user", "query")
    search_fields = ("=request_id", "=trace_id", "user__email")
    exclude = ("query",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[QueryLog]:
        """Log rows, newest first."""
        return super().get_queryset(request).order_by("-created_at")

    def get_urls(self) -> list[Any]:
        """Return the pages of the log, with those of thresholds and of reports."""
        view = self.admin_site.admin_view
        return [
            path("thresholds/", view(self.thresholds_view), name="core_querylog_thresholds"),
            path("reports/", view(self.reports_view), name="core_querylog_reports"),
            path("editions/", view(self.editions_view), name="core_querylog_editions"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the figures without a question; any other address leads to the list of questions."""
        if request.GET.get(_NotKeptFilter.parameter_name) != FIGURES_ALONE:
            return lead_to_questions(self, request)
        return super().changelist_view(request, {"title": "Figures without a question"})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the figures; for viewers of questions the way to the question, whose page has them too."""
        log = self.get_object(request, object_id)
        if log is not None and log.query and request.method != "POST" and may_read_questions(request):
            return HttpResponseRedirect(url_of(log.query))
        return super().change_view(request, object_id, form_url, extra_context)

    def reports_view(self, request: HttpRequest) -> HttpResponse:
        """Show figures by day, role and so on, for those who may read reports."""
        return reports_page(self, request)

    def editions_view(self, request: HttpRequest) -> HttpResponse:
        """Show how new editions of documents affected answers, to viewers of both reports and documents."""
        return editions_page(self, request)

    def thresholds_view(self, request: HttpRequest) -> HttpResponse:
        """Show the effect of other thresholds, to viewers of reports."""
        if not request.user.has_perm("core.view_reports"):
            raise PermissionDenied
        return thresholds_page(self, request)

    @display(description="Outcome", label=OUTCOME_LABELS, ordering="refusal_reason")
    def show_outcome(self, log: QueryLog) -> tuple[str, str]:
        """Answered, or the closest passages shown, or refused and why."""
        if log.refusal_reason == RefusalReason.UNSURE:
            return "closest", "closest passages"
        if log.refusal_reason:
            return "refused", f"refused: {log.refusal_reason.replace('_', ' ')}"
        return "answered", "answered"

    @display(description="Citations", ordering="citation_count")
    def show_citations(self, log: QueryLog) -> int:
        """Return the number of verified quotes that support the answer."""
        return log.citation_count

    @display(description="Time", ordering="response_time_ms")
    def show_time(self, log: QueryLog) -> str:
        """Format the time that the answer took."""
        return time_in_words(log.response_time_ms)

    @display(description="Confidence", ordering="confidence")
    def show_confidence(self, log: QueryLog) -> SafeString | str:
        """Return the probability that the answer is supported."""
        return score_bar(log.confidence)

    @display(description="Mean similarity", ordering="mean_similarity")
    def show_similarity(self, log: QueryLog) -> SafeString | str:
        """Of the question with the passages that were read."""
        return score_bar(log.mean_similarity)
