"""Slack: channels, accounts, and what came in and went out."""

from typing import Any

from django.apps import apps
from django.contrib import admin, messages
from django.db import models, transaction
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import AuditedDeletion, ReadOnlyAdmin, record
from core import jobs
from core.models import ChannelSetting, SlackIdentity


@admin.register(SlackIdentity)
class SlackIdentityAdmin(ReadOnlyAdmin):
    """Which person a Slack account belongs to."""

    list_display = ("slack_user_id", "team_id", "user", "checked_at")
    list_select_related = ("user",)
    list_filter = ("team_id",)
    search_fields = ("slack_user_id", "user__email", "user__display_name")


@admin.register(ChannelSetting)
class ChannelSettingAdmin(AuditedDeletion, ModelAdmin):
    """What is set for a channel: whether it is answered, and whether it has roles of its own."""

    list_display = ("__str__", "team_id", "channel_id", "enabled", "mention_only", "uses_own_roles", "shown_roles")
    list_filter = ("enabled", "mention_only", "uses_own_roles", "team_id")
    search_fields = ("name", "channel_id")
    autocomplete_fields = ("roles", "collections", "answering_people")
    fieldsets = (
        (None, {"fields": ("name", "team_id", "channel_id", "enabled", "mention_only")}),
        ("Roles of its own", {"fields": ("uses_own_roles", "roles")}),
        ("What is searched", {"fields": ("collections",)}),
        ("Who answers for a person", {"fields": ("answering_people", "answering_usergroup")}),
    )

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[ChannelSetting]:
        """Settings with their roles."""
        return super().get_queryset(request).prefetch_related("roles")

    @display(description="Roles")
    def shown_roles(self, setting: ChannelSetting) -> str:
        """The names of the channel's own roles."""
        return ", ".join(role.name for role in setting.roles.all()) or "–"

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the roles, and say in the audit trail how the channel is set now."""
        super().save_related(request, form, formsets, change)
        if form.changed_data:
            setting = form.instance
            record(
                request,
                "change" if change else "create",
                setting,
                enabled=setting.enabled,
                uses_own_roles=setting.uses_own_roles,
                mention_only=setting.mention_only,
                roles=_ids(setting.roles),
                collections=_ids(setting.collections),
                answering_people=_ids(setting.answering_people),
                answering_usergroup=setting.answering_usergroup,
            )


def _ids(related: Any) -> list[str]:
    return sorted(str(pk) for pk in related.values_list("pk", flat=True))


Reply = apps.get_model("bot", "Reply")  # this package must not import the bot
REPLY_LABELS = {"pending": "info", "placed": "primary", "posted": "success", "failed": "danger"}


@admin.register(Reply)
class ReplyAdmin(ReadOnlyAdmin):
    """The one reply to each question. Those that failed are kept with the reason, and can be tried again."""

    list_display = ("created_at", "kind", "shown_state", "error_code", "attempts", "place", "query", "posted_at")
    list_filter = ("state", "event__kind", ("created_at", RangeDateTimeFilter), "error_code")
    list_filter_submit = True
    list_select_related = ("event", "query")
    search_fields = ("=query__request_id", "=event__event_id", "=channel_id", "=event__user_id")
    actions = ("try_again",)
    fields = (
        "event",
        "query",
        "shown_state",
        "error_code",
        "attempts",
        "channel_id",
        "thread_ts",
        "ts",
        "created_at",
        "placed_at",
        "posted_at",
        "offered_at",
    )
    readonly_fields = fields

    @display(description="Asked by", ordering="event__kind")
    def kind(self, reply: Any) -> str:
        """In which way the question came."""
        return str(reply.event.get_kind_display())

    @display(description="State", label=REPLY_LABELS, ordering="state")
    def shown_state(self, reply: Any) -> str:
        """Where the reply stands."""
        return str(reply.state)

    @display(description="Channel", ordering="channel_id")
    def place(self, reply: Any) -> str:
        """The channel it is in."""
        return reply.channel_id or "only for the asker"

    def has_try_again_permission(self, request: HttpRequest) -> bool:
        """Who may change replies may have them tried again."""
        return bool(request.user.has_perm("bot.change_reply"))

    @admin.action(description="Try again", permissions=["try_again"])
    def try_again(self, request: HttpRequest, replies: models.QuerySet[Any]) -> None:
        """Queue those that failed; the worker posts the answer in the place of the apology."""
        failed = list(replies.filter(state="failed"))
        with transaction.atomic():
            for reply in failed:
                jobs.enqueue(jobs.ANSWER_AGAIN, reply=str(reply.pk))
                record(request, "try again", reply)
        if failed:
            self.message_user(request, f"{len(failed)} failed replies are tried again.", messages.SUCCESS)
        else:
            self.message_user(request, "None of the chosen replies has failed.", messages.WARNING)


def _register_delivery_records() -> None:
    """Show the other rows of the bot: their figures and states, never their text."""
    for model in apps.get_app_config("bot").get_models():
        if admin.site.is_registered(model):
            continue
        # What a question was narrowed to is text of its asker, and so are the names of files.
        texts = (models.TextField, models.JSONField)
        shown = [field for field in model._meta.concrete_fields if not isinstance(field, texts)]
        # CharField is no TextField to Django; a bot's CharFields hold ids and codes.
        names = [field.name for field in shown if field.name != "id"]
        options: dict[str, Any] = {
            "__doc__": model.__doc__,
            "list_display": ["id", *names],
            "fields": names,
            "list_filter": [field.name for field in shown if field.choices],
            "list_select_related": True,
        }
        admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), options))


_register_delivery_records()
