"""Questions and their figures."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import (
    OUTCOME_LABELS,
    AuditedReading,
    ReadOnlyAdmin,
    ReadOnlyInline,
    no_text,
    readable_result,
    viewer,
)
from adminsite.admin.editions import editions_page
from adminsite.admin.question_lists import ShowsQuestions
from adminsite.admin.reports import reports_page
from adminsite.admin.thresholds import thresholds_page
from adminsite.figures import score_bar, time_in_words
from core.models import Query, QueryLog, RetrievedChunk
from core.query_understanding.wording import describe_filters
from core.types import Answer, Refusal, RefusalReason

STATE_LABELS = {"COMPLETE": "success", "NO_CONTENT_FOUND": "warning", "FAILED": "danger", "STOPPED": "info"}


class RetrievedChunkInline(ReadOnlyInline):
    """The chunks that the model read; ids and scores, no text."""

    model = RetrievedChunk
    fields = ("rank", "show_chunk", "similarity", "rerank_score")
    verbose_name_plural = "passages that were read"

    @display(description="Passage")
    def show_chunk(self, retrieved: RetrievedChunk) -> str:
        """The chunk's id; naming the row itself would load its text and embedding."""
        return str(retrieved.chunk_id)


@admin.register(Query)
class QueryAdmin(ShowsQuestions, AuditedReading, ReadOnlyAdmin):
    """Questions. Text that a person selected is theirs, and only its length is shown."""

    when_empty = (
        "Nobody has asked anything yet. Questions come from Slack, the local page, REST, MCP and manage.py ask."
    )

    inlines = (RetrievedChunkInline,)
    list_display = ("show_question", "user", "show_origin", "show_state", "created_at")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("context_mode", ChoicesDropdownFilter),
        ("conversation__origin", ChoicesDropdownFilter),
        ("created_at", RangeDateTimeFilter),
    )
    list_filter_submit = True
    list_select_related = ("user", "conversation", "answer")
    search_fields = ("=request_id", "user__email")
    fields: ClassVar = (
        "request_id",
        "user",
        "show_origin",
        "show_answer",
        "question_text",
        "show_standalone",
        "context_mode",
        "selected_length",
        "filters",
        "show_applied",
        "state",
        "created_at",
        "erased_at",
    )

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Query | None:
        """One question, with its result as the viewer may see it."""
        query: Query | None = super().get_object(request, object_id, from_field)
        if query is not None:
            query.readable = readable_result(request, query)  # type: ignore[attr-defined]
        return query

    def shows_text_of_another(self, request: HttpRequest, row: Query) -> bool:
        """The question, until it is erased."""
        return row.erased_at is None and row.user_id != viewer(request).pk

    @display(description="Standalone question")
    def show_standalone(self, query: Query) -> str:
        """In words that need no earlier question; those may be words of documents, so it follows their access."""
        return _if_readable(query, lambda result: result.asked)

    @display(description="Looked only in")
    def show_applied(self, query: Query) -> str:
        """Describe the filters of the search, both given and understood from the question."""
        return _if_readable(query, lambda result: describe_filters(result.filters) or "–")

    @display(description="Asked through", ordering="conversation__origin")
    def show_origin(self, query: Query) -> str:
        """Slack, REST, MCP or the command line."""
        return query.conversation.get_origin_display()

    @display(description="State", label=STATE_LABELS, ordering="state")
    def show_state(self, query: Query) -> tuple[str, str]:
        """Return the state of answering; without an answer, whether the closest passages were shown."""
        is_closest = hasattr(query, "answer") and query.answer.refusal_reason == RefusalReason.UNSURE
        return query.state, "closest passages" if is_closest else query.get_state_display()

    @display(description="Selected text")
    def selected_length(self, query: Query) -> str:
        """Return the length of the selected text."""
        return f"{len(query.selected_text)} characters" if query.selected_text else "–"

    @display(description="Answer")
    def show_answer(self, query: Query) -> SafeString | str:
        """A link to what the question got."""
        if not hasattr(query, "answer"):
            return "–"
        url = reverse("admin:core_answer_change", args=[query.answer.pk])
        return format_html('<a href="{}" class="text-link">open</a>', url)


def _if_readable(query: Query, shown: Callable[[Answer | Refusal], str]) -> str:
    """A part of what a question got; nothing before its end."""
    if not hasattr(query, "answer"):
        return "–"
    result = getattr(query, "readable", None)
    return no_text(query) if result is None else shown(result)


@admin.register(QueryLog)
class QueryLogAdmin(ShowsQuestions, ReadOnlyAdmin):
    """The figures of each question; they stay when its text has been erased."""

    when_empty = "Nobody has asked anything yet. Each question adds its figures here, without text."

    question_path = "query"
    list_display = (
        "show_question",
        "user",
        "show_outcome",
        "show_confidence",
        "show_similarity",
        "show_citations",
        "show_time",
        "created_at",
    )
    list_filter = ("has_sufficient_context", "refusal_reason", "model_provider", ("created_at", RangeDateTimeFilter))
    list_filter_submit = True
    list_select_related = ("user", "query")
    search_fields = ("=request_id", "=trace_id", "user__email")
    exclude = ("query",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[QueryLog]:
        """Log rows, newest first."""
        return super().get_queryset(request).order_by("-created_at")

    def get_urls(self) -> list[Any]:
        """The pages of the log, with those of thresholds and of reports."""
        view = self.admin_site.admin_view
        return [
            path("thresholds/", view(self.thresholds_view), name="core_querylog_thresholds"),
            path("reports/", view(self.reports_view), name="core_querylog_reports"),
            path("editions/", view(self.editions_view), name="core_querylog_editions"),
            *super().get_urls(),
        ]

    def reports_view(self, request: HttpRequest) -> HttpResponse:
        """Figures by day, role and so on, for those who may read reports."""
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
        """Probability that the answer is supported."""
        return score_bar(log.confidence)

    @display(description="Mean similarity", ordering="mean_similarity")
    def show_similarity(self, log: QueryLog) -> SafeString | str:
        """Of the question with the passages that were read."""
        return score_bar(log.mean_similarity)
