"""The workspaces and organisations that the app is installed in, and what everyone in a workspace may read."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, ReadOnlyAdmin, record
from adminsite.admin.slack import rows_of
from adminsite.dashboard.page import undecided
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.models import AuditEvent, SlackWorkspace

_INSTALLATION, _SHOWN = rows_of("Installation")


# What to do, by why it ended: see bot.slack.renewal and bot.installations.
_INSTALL_AGAIN = {
    "invalid_refresh_token": "Install the app again: Slack does not accept the token any more that renews this "
    "installation's. It may have been used up by a process that ended before it could store the next one.",
    "account_inactive": "Install the app again: Slack says that its account there was closed.",
    "invalid_auth": "Install the app again: Slack does not know its token any more.",
    "token_revoked": "Install the app again: Slack says that its token was revoked.",
}
_EXPIRED = (
    "The token has expired and could not be renewed. The worker tries every ten minutes; its log names Slack's code "
    "(token_not_renewed). Check that it runs and reaches Slack, and SLACK_CLIENT_ID and SLACK_CLIENT_SECRET."
)


def _has_expired(installation: Any) -> bool:
    return installation.token_expires_at is not None and installation.token_expires_at <= timezone.now()


@admin.register(_INSTALLATION)
class InstallationAdmin(ReadOnlyAdmin):
    """The workspaces that the app is installed in. Their tokens are shown nowhere."""

    list_before_template = "adminsite/undecided.html"

    when_empty = (
        "No workspace has installed the app. A single workspace does not need this: its token is the setting "
        "SLACK_BOT_TOKEN."
    )

    list_display = ("__str__", "team_id", "show_served", "show_state", "installed_by", "installed_at")
    list_filter = ("is_active", "is_organisation")
    search_fields = ("team_name", "team_id", "workspaces__name", "workspaces__team_id")
    fields = (*_SHOWN["fields"], "show_served", "show_advice")
    actions = ("deactivate",)
    actions_list = ("install",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, and above it what is to be decided about a workspace."""
        return super().changelist_view(request, {**(extra_context or {}), **undecided(request)})

    @display(
        description="State",
        label={"in use": "success", "token expired": "danger", "ended": "danger", "install again": "danger"},
        ordering="is_active",
    )
    def show_state(self, installation: Any) -> str:
        """Return the installation's state: in use, ended, or in need of a new token."""
        if not installation.is_active:
            return "install again" if installation.ended_because in _INSTALL_AGAIN else "ended"
        return "token expired" if _has_expired(installation) else "in use"

    @display(description="Serves")
    def show_served(self, installation: Any) -> str:
        """Return one workspace, or those that an organisation has added the app to."""
        if not installation.is_organisation:
            return "this workspace"
        return ", ".join(str(workspace) for workspace in installation.workspaces.all()) or "no workspace yet"

    @display(description="What to do")
    def show_advice(self, installation: Any) -> str:
        """Return what an administrator can do where it does not work."""
        if not installation.is_active:
            return _INSTALL_AGAIN.get(installation.ended_because, "Install the app again, if it should be answered.")
        return _EXPIRED if _has_expired(installation) else "Nothing."

    def has_deactivate_permission(self, request: HttpRequest) -> bool:
        """Ending one is a change of it, though nothing else can be changed."""
        return bool(request.user.has_perm("bot.change_installation"))

    @action(description="Deactivate", permissions=["deactivate"], icon="link_off")
    def deactivate(self, request: HttpRequest, queryset: Any) -> None:
        """End installations: their tokens are erased, and their workspaces answered again only after another one."""
        with transaction.atomic():
            ended = queryset.end("deactivated")
            for team_id in ended:
                record(
                    request,
                    AuditEvent.Action.END_INSTALLATION,
                    _INSTALLATION(),
                    object_id=team_id,
                    because="deactivated",
                )
        self.message_user(request, f"{count_of(len(ended), 'installation')} ended.", messages.SUCCESS)

    def has_install_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Return True if the viewer may install, where OAuth is set up. A workspace's addresses identify its people."""
        is_on = bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)
        return is_on and request.user.has_perm("bot.add_installation") and may_decide_who_reads(request.user)

    @action(description="Install in a workspace", permissions=["install"], icon="add_link")
    def install(self, request: HttpRequest) -> HttpResponseRedirect:
        """Go to the page that begins it."""
        return HttpResponseRedirect(reverse("slack-install"))


@admin.register(SlackWorkspace)
class SlackWorkspaceAdmin(DecidesWhoReads, AuditedDeletion, FootnoteAdmin):
    """Workspaces with the roles of everyone in them. Saving the page is the decision, also for no role at all."""

    when_empty = (
        "No workspace is known yet. A workspace appears here when the app is installed in it, or when somebody asks "
        "in one of its public channels. Until you decide what everyone in it may be shown, nothing is shown in those "
        "channels."
    )

    list_display = ("__str__", "team_id", "show_state", "show_roles", "decided_at", "searches_messages")
    search_fields = ("name", "team_id")
    autocomplete_fields = ("roles",)
    fieldsets = (
        (
            None,
            {
                "fields": ("name", "team_id", "roles", "decided_at"),
                "description": "More people than its members can read a public channel: everyone in the workspace "
                "can find it, read it and join it. Save this page to decide what they may be shown, even if that is "
                "nothing. This does not affect private channels, direct messages or channels with "
                "their own roles.",
            },
        ),
        ("Slack's own messages", {"fields": ("searches_messages",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SlackWorkspace]:
        """Return workspaces with their roles."""
        return super().get_queryset(request).prefetch_related("roles")

    def get_readonly_fields(self, request: HttpRequest, obj: SlackWorkspace | None = None) -> Any:
        """Another workspace is another row, so that the audit trail says of which one something was decided."""
        return ("name", "team_id", "decided_at") if obj else ("decided_at",)

    @display(description="Public channels", label={"decided": "success", "to be decided": "warning"})
    def show_state(self, workspace: SlackWorkspace) -> str:
        """Return whether an administrator has decided."""
        return "decided" if workspace.decided_at else "to be decided"

    @display(description="Roles of everyone")
    def show_roles(self, workspace: SlackWorkspace) -> str:
        """Return the names of the roles."""
        return ", ".join(role.name for role in workspace.roles.all()) or "–"

    def save_model(self, request: HttpRequest, obj: SlackWorkspace, form: Any, change: bool) -> None:
        """Save it, as decided now; not where only the switch of the search was turned, which decides nothing else."""
        if form.changed_data != ["searches_messages"]:
            obj.decided_at = timezone.now()
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the roles, and say in the audit trail what was decided."""
        super().save_related(request, form, formsets, change)
        record(
            request,
            AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE,
            form.instance,
            **self.deletion_details(form.instance),
        )

    def deletion_details(self, row: SlackWorkspace) -> dict[str, Any]:
        """Return the team, the roles of everyone in it, and whether its messages are searched."""
        roles = sorted(str(pk) for pk in row.roles.values_list("pk", flat=True))
        return {"team": row.team_id, "roles": roles, "searches_messages": row.searches_messages}
