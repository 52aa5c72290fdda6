"""Slack: channels, accounts, and what came in and went out."""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin, messages
from django.db import models, transaction
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import action, display

from adminsite.admin.base import AuditedDeletion, ReadOnlyAdmin, record
from core import jobs
from core.models import ChannelSetting, SlackBot, SlackIdentity


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

    list_display = (
        "__str__",
        "team_id",
        "channel_id",
        "enabled",
        "mention_only",
        "language",
        "uses_own_roles",
        "shown_roles",
    )
    list_filter = ("enabled", "mention_only", "language", "uses_own_roles", "team_id")
    search_fields = ("name", "channel_id")
    autocomplete_fields = ("roles", "collections", "answering_people")
    fieldsets = (
        (None, {"fields": ("name", "team_id", "channel_id", "enabled", "mention_only", "language")}),
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
                language=setting.language,
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


@admin.register(SlackBot)
class SlackBotAdmin(ModelAdmin):
    """Other bots that were met in channels, and which of them count as no reader."""

    list_display = ("__str__", "slack_user_id", "team_id", "shown_state", "first_met_at")
    list_filter = ("is_no_reader", "team_id")
    search_fields = ("name", "slack_user_id")
    readonly_fields = ("name", "team_id", "slack_user_id", "first_met_at")
    fields = ("name", "team_id", "slack_user_id", "first_met_at", "is_no_reader")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A bot is met, not added."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: SlackBot | None = None) -> bool:
        """It would be met again."""
        return False

    @display(description="In its channels", label={"answers": "success", "no answers": "warning"})
    def shown_state(self, bot: SlackBot) -> str:
        """What follows for the channels that it is in."""
        return "answers" if bot.is_no_reader else "no answers"

    def save_model(self, request: HttpRequest, obj: SlackBot, form: Any, change: bool) -> None:
        """Save it and say in the audit trail what it counts as."""
        super().save_model(request, obj, form, change)
        if form.changed_data:
            record(request, "change", obj, is_no_reader=obj.is_no_reader)


def _rows_of(model: str, *, left_out: tuple[str, ...] = ()) -> tuple[type[models.Model], dict[str, Any]]:
    """A model of the bot, which this package must not import, and how its rows are shown: without any text."""
    found = apps.get_model("bot", model)
    # CharField is no TextField to Django; a bot's CharFields hold ids and codes. What a question was narrowed to is
    # text of its asker, and so are the names of files.
    texts = (models.TextField, models.JSONField)
    shown = [field for field in found._meta.concrete_fields if not isinstance(field, texts)]
    names = [field.name for field in shown if field.name not in {"id", *left_out}]
    return found, {
        "__doc__": found.__doc__,
        "list_display": ["id", *names],
        "fields": names,
        "list_filter": [field.name for field in shown if field.choices],
        "list_select_related": True,
    }


def _register_delivery_records() -> None:
    for model in ("SlackEvent", "WatchedThread", "Upload"):
        found, options = _rows_of(model)
        admin.site.register(found, type(f"{model}Admin", (ReadOnlyAdmin,), options))


_register_delivery_records()
_INSTALLATION, _SHOWN = _rows_of("Installation")


@admin.register(_INSTALLATION)
class InstallationAdmin(ReadOnlyAdmin):
    """The workspaces that the app is installed in. Their tokens are shown nowhere."""

    list_display = ("__str__", "team_id", "shown_state", "installed_by", "installed_at")
    list_filter = ("is_active",)
    search_fields = ("team_name", "team_id")
    fields = _SHOWN["fields"]
    actions = ("deactivate",)
    actions_list = ("install",)

    @display(description="State", label={"in use": "success", "ended": "danger"}, ordering="is_active")
    def shown_state(self, installation: Any) -> str:
        """Whether the workspace is answered."""
        return "in use" if installation.is_active else "ended"

    def has_deactivate_permission(self, request: HttpRequest) -> bool:
        """Ending one is a change of it, though nothing else can be changed."""
        return bool(request.user.has_perm("bot.change_installation"))

    @action(description="Deactivate", permissions=["deactivate"], icon="link_off")
    def deactivate(self, request: HttpRequest, queryset: Any) -> None:
        """End installations: their tokens are erased, and their workspaces answered again only after another one."""
        with transaction.atomic():
            ended = queryset.end()
            for team_id in ended:
                record(request, "end_installation", _INSTALLATION(), object_id=team_id, because="deactivated")
        self.message_user(request, f"{len(ended)} installation(s) ended.", messages.SUCCESS)

    def has_install_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Who may install, where workspaces install the app by OAuth at all."""
        is_on = bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)
        return is_on and bool(request.user.has_perm("bot.add_installation"))

    @action(description="Install in a workspace", permissions=["install"], icon="add_link")
    def install(self, request: HttpRequest) -> HttpResponseRedirect:
        """Go to the page that begins it."""
        return HttpResponseRedirect(reverse("slack-install"))
