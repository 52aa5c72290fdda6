"""The replies to questions from Slack, those that failed, and the questions that were handed to people."""

from typing import Any

from django.apps import apps
from django.contrib import admin, messages
from django.db import models, transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.timesince import timesince
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, record
from adminsite.admin.question_lists import ShowsQuestions
from adminsite.admin.slack import columns_in_words
from core.infrastructure import queue
from core.models import AuditEvent

Reply = apps.get_model("bot", "Reply")  # this package must not import the bot
REPLY_LABELS = {
    "pending": "info",
    "placed": "primary",
    "posted": "success",
    "failed": "danger",
    "silent": "info",
    "stopped": "info",
}
HandOver = apps.get_model("bot", "HandOver")  # this package must not import the bot
_CALLED = columns_in_words(("error_code", "channel_id", "thread_ts", "ts"))
STATE_LABELS = {"waiting": "info", "open": "warning", "resolved": "success", "failed": "danger"}


@admin.register(Reply)
class ReplyAdmin(ShowsQuestions, ReadOnlyAdmin):
    """The one reply to each question. Those that failed are kept with the reason, and can be tried again."""

    when_empty = "Nobody has asked in Slack or on the local page yet. Each question there gets one reply."

    question_path = "query"
    leads_to_question = False
    list_display = ("show_question", "kind", "show_state", _CALLED["error_code"], "place", "created_at")
    list_filter = ("state", "event__kind", ("created_at", RangeDateTimeFilter), "error_code")
    list_filter_submit = True
    list_select_related = ("event", "query")
    search_fields = ("=query__request_id", "=event__event_id", "=channel_id", "=event__user_id")
    actions = ("try_again",)
    fields = (
        "event",
        "query",
        "show_state",
        *(_CALLED["error_code"], "attempts", _CALLED["channel_id"], _CALLED["thread_ts"], _CALLED["ts"]),
        "created_at",
        "placed_at",
        "posted_at",
        "offered_at",
        "removed_at",
    )
    readonly_fields = fields

    @display(description="Through", ordering="event__kind")
    def kind(self, reply: Any) -> str:
        """Return the way in which the question came."""
        return str(reply.event.get_kind_display())

    @display(description="State", label=REPLY_LABELS, ordering="state")
    def show_state(self, reply: Any) -> str:
        """Return the state of the reply."""
        return str(reply.state)

    @display(description="Channel", ordering="channel_id")
    def place(self, reply: Any) -> str:
        """Return the channel it is in."""
        return reply.channel_id or "only for the asker"

    def has_try_again_permission(self, request: HttpRequest) -> bool:
        """Return True if the viewer may retry replies, as for changing them."""
        return bool(request.user.has_perm("bot.change_reply"))

    @admin.action(description="Try again", permissions=["try_again"])
    def try_again(self, request: HttpRequest, replies: models.QuerySet[Any]) -> None:
        """Queue those that failed; the worker posts the answer in the place of the apology."""
        failed = list(replies.filter(state="failed"))
        with transaction.atomic():
            for reply in failed:
                queue.enqueue(queue.ANSWER_AGAIN, reply=str(reply.pk))
                record(request, AuditEvent.Action.TRY_AGAIN, reply)
        if failed:
            self.message_user(request, f"{len(failed)} failed replies are being tried again.", messages.SUCCESS)
        else:
            self.message_user(request, "None of the selected replies has failed.", messages.WARNING)


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
        """Return the table's order: what is open first, the newest first."""
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
