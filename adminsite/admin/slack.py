"""Slack: channels, accounts, and what came in and went out."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.decorators import display

from adminsite.admin.base import AuditedDeletion, ReadOnlyAdmin, record
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


def _register_delivery_records() -> None:
    """Show the rows of the bot, which this package must not import: their figures and states, never their text."""
    for model in apps.get_app_config("bot").get_models():
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
