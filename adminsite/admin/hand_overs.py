"""Questions that were handed to people: what is open, where, and for how long."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.timesince import timesince
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin
from adminsite.admin.question_lists import ShowsQuestions

HandOver = apps.get_model("bot", "HandOver")  # this package must not import the bot
STATE_LABELS = {"waiting": "info", "open": "warning", "resolved": "success", "failed": "danger"}


@admin.register(HandOver)
class HandOverAdmin(ShowsQuestions, ReadOnlyAdmin):
    """Hand-overs, unresolved ones first. The question itself is with its query."""

    when_empty = (
        "No question has been handed to a person. Choose who answers in a channel's settings, or set "
        "SLACK_HELP_CHANNELS."
    )

    question_path = "query"
    leads_to_question = False
    list_display = ("show_question", "show_state", "took", "channel_id", "asked_by", "resolved_by", "created_at")
    list_filter = ("state", ("created_at", RangeDateTimeFilter), "channel_id")
    list_filter_submit = True
    list_select_related = ("query",)
    search_fields = ("=query__request_id", "=channel_id", "=asked_by")
    fields = (
        "query",
        "reply",
        "show_state",
        "error_code",
        "attempts",
        "team_id",
        "channel_id",
        "thread_ts",
        "ts",
        "asked_by",
        "resolved_by",
        "created_at",
        "posted_at",
        "resolved_at",
    )
    readonly_fields = fields

    def get_ordering(self, request: HttpRequest) -> Any:
        """As the table says: what is open first, the newest first."""
        return HandOver._meta.ordering

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Hand-overs with what names them."""
        return super().get_queryset(request).select_related("query", "reply__event")

    @display(description="State", label=STATE_LABELS, ordering="state")
    def show_state(self, hand_over: Any) -> str:
        """Return the state of the hand-over."""
        return str(hand_over.state)

    @display(description="Open for")
    def took(self, hand_over: Any) -> str:
        """Return the time until it was resolved, or for which it has been open."""
        return timesince(hand_over.created_at, hand_over.resolved_at or timezone.now())
