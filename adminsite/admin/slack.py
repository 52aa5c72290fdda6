"""Slack: accounts, channels, usergroups and the roles that they give, and what came in and went out."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.db import models
from django.db.models import Count, Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminSelect2Widget

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, ReadOnlyAdmin, record
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.infrastructure import queue
from core.models import AuditEvent, ChannelSetting, SlackBot, SlackChannel, SlackIdentity, SlackUsergroup, UsergroupRole
from core.quality.reports.grouping import VIEW_REPORTS

BY_ID = {"description": "Only where the list above does not have it.", "classes": ["collapse"]}
_HELP = "Slack is asked each time that this page opens: if one is missing, load the page again in a moment."
WHAT_IS_ANSWERED = ("enabled", "mention_only", "answers_unasked", "tells_of_changes", "language")
_WHEN_EMPTY = {
    "SlackEvent": "Nothing has come from Slack or the local page yet. Each question is stored before it is answered.",
    "WatchedThread": "Nobody has talked to Footnote in a channel thread yet.",
    "Digest": "No digest was posted. A channel's settings turn on a weekly one.",
    "RiskDigest": "No digest of risks was sent. Who may see risks gets one each Monday while there are any.",
    "Upload": "Nobody has shared a file with Footnote in Slack yet.",
}


# What people call the fields that are named as Slack's interface names them.
_CALLED = {
    "event_id": "Event",
    "team_id": "Workspace",
    "channel_id": "Channel",
    "ts": "Message",
    "thread_ts": "Thread",
    "message_ts": "Footnote's message",
    "last_ts": "Last message",
    "context_channel_id": "Channel open beside it",
    "error_code": "Error",
    "about": "Earlier question",
    "stop_asked_at": "Asked to stop at",
}


def columns_in_words(names: Iterable[str]) -> dict[str, Any]:
    """Map those of the fields that Slack's interface names to functions that show them under a name for people."""
    return {name: _column_in_words(name) for name in names if name in _CALLED}


def _column_in_words(name: str) -> Any:
    @display(description=_CALLED[name], ordering=name)
    def shown(row: Model) -> Any:
        return getattr(row, name) or None

    shown.__name__ = f"shown_{name}"
    return shown


class KnownChoiceForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """A new row for something of Slack's: chosen by name, or named by its team and id."""

    known: forms.ModelChoiceField  # type: ignore[type-arg]  # not generic when run
    own_id: ClassVar[str]  # the field that holds its id, in the row and in Slack's description

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("team_id", self.own_id):
            if name in self.fields:
                self.fields[name].required = False
        if "known" in self.fields and not self.is_bound:
            queue.take_stock()

    def clean(self) -> dict[str, Any]:
        """Fill in team and id from what was chosen."""
        cleaned = super().clean() or {}
        known: Model | None = cleaned.get("known")
        for name in ("team_id", self.own_id):
            if known is not None:
                cleaned[name] = getattr(known, name)
            elif name in self.fields and not cleaned.get(name):
                raise forms.ValidationError("Choose one from the list, or give its team and its id.")
        self.fill_in(cleaned, known)
        return cleaned

    def fill_in(self, cleaned: dict[str, Any], known: Any) -> None:
        """Fill in the other fields that follow from the choice."""


class ChannelForm(KnownChoiceForm):
    """A channel whose settings are to be made."""

    own_id = "channel_id"
    known = forms.ModelChoiceField(
        SlackChannel.objects.none(), label="Channel", required=False, widget=UnfoldAdminSelect2Widget, help_text=_HELP
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "known" in self.fields:
            same = ChannelSetting.objects.filter(team_id=OuterRef("team_id"), channel_id=OuterRef("channel_id"))
            self.fields["known"].queryset = SlackChannel.objects.filter(~Exists(same))  # type: ignore[attr-defined]

    def fill_in(self, cleaned: dict[str, Any], known: SlackChannel | None) -> None:
        """Fill in its name, where none was typed."""
        if known is not None and not cleaned.get("name"):
            cleaned["name"] = known.name


class UsergroupForm(KnownChoiceForm):
    """A usergroup whose members are to hold a role."""

    own_id = "usergroup_id"
    known = forms.ModelChoiceField(
        SlackUsergroup.objects.all(),
        label="Usergroup",
        required=False,
        widget=UnfoldAdminSelect2Widget,
        help_text=_HELP,
    )

    class Meta:
        model = UsergroupRole
        fields = ("team_id", "usergroup_id", "role")


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
        """Let a new row's channel be chosen by name."""
        return super().get_form(request, obj, change=change, **(kw if change else {**kw, "form": ChannelForm}))

    def get_fieldsets(self, request: HttpRequest, obj: ChannelSetting | None = None) -> Any:
        """Return the fields; a new row's team and id are asked for apart."""
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
        """Return True as for changing it."""
        return _may_touch(request, obj) and bool(super().has_delete_permission(request, obj))

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[ChannelSetting]:
        """Return settings with their roles."""
        return super().get_queryset(request).prefetch_related("roles")

    @display(description="Roles")
    def show_roles(self, setting: ChannelSetting) -> str:
        """Return the names of the channel's own roles."""
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
            "roles": _list_ids(row.roles),
            "collections": _list_ids(row.collections),
            "answering_people": _list_ids(row.answering_people),
            "answering_usergroup": row.answering_usergroup,
        }


def _may_touch(request: HttpRequest, setting: ChannelSetting | None) -> bool:
    return setting is None or not setting.uses_own_roles or may_decide_who_reads(request.user)


def _list_ids(related: Any) -> list[str]:
    return sorted(str(pk) for pk in related.values_list("pk", flat=True))


@admin.register(UsergroupRole)
class UsergroupRoleAdmin(DecidesWhoReads, AuditedDeletion, FootnoteAdmin):
    """Usergroups with the roles of their members. A row is made or deleted; deleting it takes the roles away."""

    when_empty = "No Slack usergroup gives a role yet. Add one, and its members have the role while they are in it."

    list_display = ("__str__", "team_id", "usergroup_id", "role", "member_count", "synchronised_at", "show_error")
    list_select_related = ("role",)
    list_filter = ("team_id", "role")
    search_fields = ("handle", "usergroup_id", "role__name")
    autocomplete_fields = ("role",)
    actions = ("synchronise",)

    def get_form(self, request: HttpRequest, obj: UsergroupRole | None = None, change: bool = False, **kw: Any) -> Any:
        """Let a new row's usergroup be chosen by name."""
        return super().get_form(request, obj, change=change, **(kw if change else {**kw, "form": UsergroupForm}))

    def get_fieldsets(self, request: HttpRequest, obj: UsergroupRole | None = None) -> Any:
        """Return the fields that an administrator chooses, or those that show an existing row."""
        if obj is not None:
            shown = ("team_id", "usergroup_id", "role", "handle", "synchronised_at", "show_error")
            return ((None, {"fields": shown}),)
        return ((None, {"fields": ("known", "role")}), ("By id", {"fields": ("team_id", "usergroup_id"), **BY_ID}))

    def get_queryset(self, request: HttpRequest) -> QuerySet[UsergroupRole]:
        """Return rows with the number of people who hold the role through them."""
        return super().get_queryset(request).annotate(members=Count("user_roles"))

    def has_change_permission(self, request: HttpRequest, obj: UsergroupRole | None = None) -> bool:
        """Return False: another usergroup or role is another row, so that the audit trail says who lost what."""
        return False

    @display(description="People", ordering="members")
    def member_count(self, row: UsergroupRole) -> int:
        """Return the number of people who have the role through the usergroup."""
        return int(getattr(row, "members", 0))

    @display(description="Last error", label="danger")
    def show_error(self, row: UsergroupRole) -> str:
        """Return the error of the last attempt, if it changed nothing."""
        return row.error_code or ""

    def save_model(self, request: HttpRequest, obj: UsergroupRole, form: Any, change: bool) -> None:
        """Save a row, say so in the audit trail, and have the usergroup asked for its members."""
        super().save_model(request, obj, form, change)
        record(
            request, AuditEvent.Action.CREATE, obj, team=obj.team_id, usergroup=obj.usergroup_id, role=str(obj.role_id)
        )
        queue.synchronise_usergroups(obj.team_id)

    def deletion_details(self, row: UsergroupRole) -> dict[str, Any]:
        """Return the role, and from whom it goes."""
        people = row.user_roles.values_list("user_id", flat=True)
        return {"role": str(row.role_id), "taken": sorted(str(pk) for pk in people)}

    @action(description="Synchronise now", permissions=["add"], icon="sync")
    def synchronise(self, request: HttpRequest, queryset: QuerySet[UsergroupRole]) -> None:
        """Have the teams of the chosen rows asked, all usergroups of a team at once."""
        teams = set(queryset.order_by().values_list("team_id", flat=True))
        for team_id in teams:
            queue.synchronise_usergroups(team_id)
        self.message_user(request, f"Queued for {count_of(len(teams), 'team')}. Reload in a moment.", messages.SUCCESS)


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
        """Return False: a bot is met, not added."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: SlackBot | None = None) -> bool:
        """Return False: it would be met again."""
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


def rows_of(model: str) -> tuple[type[models.Model], dict[str, Any]]:
    """Return a model of the bot, which this package must not import, and how its rows are shown: without any text."""
    found = apps.get_model("bot", model)
    # CharField is no TextField to Django; a bot's CharFields hold ids and codes. What a question was narrowed to is
    # text of its asker, and so are the names of files.
    texts = (models.TextField, models.JSONField)
    shown = [field for field in found._meta.concrete_fields if not isinstance(field, texts)]
    names = [field.name for field in shown if field.name != "id"]
    called = columns_in_words(names)
    columns = [called.get(name, name) for name in names]
    return found, {
        "__doc__": found.__doc__,
        "list_display": columns,
        "fields": columns,
        "list_filter": [field.name for field in shown if field.choices],
        "list_select_related": True,
        "when_empty": _WHEN_EMPTY.get(model, ""),
    }


def _register_delivery_records() -> None:
    for model in ("SlackEvent", "WatchedThread", "Upload", "Digest", "RiskDigest"):
        found, options = rows_of(model)
        admin.site.register(found, type(f"{model}Admin", (ReadOnlyAdmin,), options))


_register_delivery_records()
