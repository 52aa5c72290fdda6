"""The workspaces and organisations that the app is installed in."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from unfold.decorators import action, display

from adminsite.admin.base import ReadOnlyAdmin, record
from adminsite.admin.slack import rows_of
from adminsite.dashboard.decisions import undecided
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.models import AuditEvent

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
        """The list, and above it what is to be decided about a workspace."""
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
        """One workspace, or those that an organisation has added the app to."""
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
