"""Slack: channels, accounts, and what came in and went out."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from unfold.decorators import display

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, ReadOnlyAdmin, record
from adminsite.admin.slack_choice import BY_ID, ChannelForm
from core.access.audiences import may_decide_who_reads
from core.models import AuditEvent, ChannelSetting, SlackBot, SlackIdentity
from core.quality.reports.grouping import VIEW_REPORTS

WHAT_IS_ANSWERED = ("enabled", "mention_only", "answers_unasked", "tells_of_changes", "language")


@admin.register(SlackIdentity)
class SlackIdentityAdmin(ReadOnlyAdmin):
    """Slack accounts, and the person of each."""

    when_empty = (
        "No Slack account is known yet. An account appears here when its person asks, or reads a channel "
        "where somebody asks."
    )

    list_display = ("slack_user_id", "team_id", "user", "checked_at")
    list_select_related = ("user",)
    list_filter = ("team_id",)
    search_fields = ("slack_user_id", "user__email", "user__display_name")


@admin.register(ChannelSetting)
class ChannelSettingAdmin(AuditedDeletion, FootnoteAdmin):
    """The settings of a channel: whether Footnote answers there, and its own roles, if any.

    A channel with roles of its own may only be changed by people who decide who reads: its place and its collections
    decide about readers as much as its roles.
    """

    when_empty = "No channel has its own settings. In each channel, Footnote answers from what all members may read."

    list_display = (
        "__str__",
        "team_id",
        "channel_id",
        "enabled",
        "mention_only",
        "answers_unasked",
        "language",
        "uses_own_roles",
        "show_roles",
    )
    list_filter = ("enabled", "mention_only", "answers_unasked", "language", "uses_own_roles", "team_id")
    search_fields = ("name", "channel_id")
    autocomplete_fields = ("roles", "collections", "answering_people")
    fieldsets = (
        (None, {"fields": ("name", "team_id", "channel_id", *WHAT_IS_ANSWERED)}),
        ("Reports", {"fields": ("weekly_digest",)}),
        ("Its own roles", {"fields": ("uses_own_roles", "roles")}),
        ("What is searched", {"fields": ("collections",)}),
        ("Who answers for a person", {"fields": ("answering_people", "answering_usergroup")}),
    )

    def get_form(self, request: HttpRequest, obj: ChannelSetting | None = None, change: bool = False, **kw: Any) -> Any:
        """A new row's channel is chosen by name."""
        return super().get_form(request, obj, change=change, **(kw if change else {**kw, "form": ChannelForm}))

    def get_fieldsets(self, request: HttpRequest, obj: ChannelSetting | None = None) -> Any:
        """A new row's team and id are asked for apart."""
        if obj is not None:
            return self.fieldsets
        first = (None, {"fields": ("known", *WHAT_IS_ANSWERED)})
        return (first, *self.fieldsets[1:], ("By id", {"fields": ("team_id", "channel_id", "name"), **BY_ID}))

    def get_readonly_fields(self, request: HttpRequest, obj: ChannelSetting | None = None) -> Any:
        """The channel's own roles are given by who decides who reads, and figures by who may read them."""
        return (
            *(() if may_decide_who_reads(request.user) else ("uses_own_roles", "roles")),
            *(() if request.user.has_perm(VIEW_REPORTS) else ("weekly_digest",)),
        )

    def has_change_permission(self, request: HttpRequest, obj: ChannelSetting | None = None) -> bool:
        """Return True if the viewer may change settings; with roles of its own, they must also decide who reads."""
        return _may_touch(request, obj) and bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: ChannelSetting | None = None) -> bool:
        """As for changing it."""
        return _may_touch(request, obj) and bool(super().has_delete_permission(request, obj))

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[ChannelSetting]:
        """Settings with their roles."""
        return super().get_queryset(request).prefetch_related("roles")

    @display(description="Roles")
    def show_roles(self, setting: ChannelSetting) -> str:
        """The names of the channel's own roles."""
        return ", ".join(role.name for role in setting.roles.all()) or "–"

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the roles, and say in the audit trail how the channel is set now."""
        super().save_related(request, form, formsets, change)
        if form.changed_data:
            action = AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE
            record(request, action, form.instance, **self.deletion_details(form.instance))

    def deletion_details(self, row: ChannelSetting) -> dict[str, Any]:
        """Return the settings of the deleted channel."""
        return {
            "enabled": row.enabled,
            "uses_own_roles": row.uses_own_roles,
            "mention_only": row.mention_only,
            "answers_unasked": row.answers_unasked,
            "tells_of_changes": row.tells_of_changes,
            "language": row.language,
            "weekly_digest": row.weekly_digest,
            "roles": _ids(row.roles),
            "collections": _ids(row.collections),
            "answering_people": _ids(row.answering_people),
            "answering_usergroup": row.answering_usergroup,
        }


def _may_touch(request: HttpRequest, setting: ChannelSetting | None) -> bool:
    return setting is None or not setting.uses_own_roles or may_decide_who_reads(request.user)


def _ids(related: Any) -> list[str]:
    return sorted(str(pk) for pk in related.values_list("pk", flat=True))


@admin.register(SlackBot)
class SlackBotAdmin(DecidesWhoReads, FootnoteAdmin):
    """Other bots that were met in channels, and which of them count as no reader."""

    when_empty = (
        "No other bot has been found in a channel. Bots appear here automatically and count as readers until "
        "you decide otherwise."
    )

    list_display = ("__str__", "slack_user_id", "team_id", "show_state", "first_met_at")
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
    def show_state(self, bot: SlackBot) -> str:
        """Return the effect on the channels that the bot is in."""
        return "answers" if bot.is_no_reader else "no answers"

    def save_model(self, request: HttpRequest, obj: SlackBot, form: Any, change: bool) -> None:
        """Save it and say in the audit trail what it counts as."""
        super().save_model(request, obj, form, change)
        if form.changed_data:
            record(request, AuditEvent.Action.CHANGE, obj, is_no_reader=obj.is_no_reader)


_WHEN_EMPTY = {
    "SlackEvent": "Nothing has come from Slack or the local page yet. Each question is stored before it is answered.",
    "WatchedThread": "Nobody has talked to Footnote in a channel thread yet.",
    "Digest": "No digest was posted. A channel's settings turn on a weekly one.",
    "Upload": "Nobody has shared a file with Footnote in Slack yet.",
}


def rows_of(model: str) -> tuple[type[models.Model], dict[str, Any]]:
    """A model of the bot, which this package must not import, and how its rows are shown: without any text."""
    found = apps.get_model("bot", model)
    # CharField is no TextField to Django; a bot's CharFields hold ids and codes. What a question was narrowed to is
    # text of its asker, and so are the names of files.
    texts = (models.TextField, models.JSONField)
    shown = [field for field in found._meta.concrete_fields if not isinstance(field, texts)]
    names = [field.name for field in shown if field.name != "id"]
    return found, {
        "__doc__": found.__doc__,
        "list_display": names,
        "fields": names,
        "list_filter": [field.name for field in shown if field.choices],
        "list_select_related": True,
        "when_empty": _WHEN_EMPTY.get(model, ""),
    }


def _register_delivery_records() -> None:
    for model in ("SlackEvent", "WatchedThread", "Upload", "Digest"):
        found, options = rows_of(model)
        admin.site.register(found, type(f"{model}Admin", (ReadOnlyAdmin,), options))


_register_delivery_records()
