"""The workspaces that the app is installed in."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.decorators import action, display

from adminsite.admin.base import ReadOnlyAdmin, record
from adminsite.admin.slack import rows_of
from adminsite.dashboard.decisions import undecided
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.models import AuditEvent

_INSTALLATION, _SHOWN = rows_of("Installation")


@admin.register(_INSTALLATION)
class InstallationAdmin(ReadOnlyAdmin):
    """The workspaces that the app is installed in. Their tokens are shown nowhere."""

    list_before_template = "adminsite/undecided.html"

    when_empty = (
        "No workspace has installed the app. A single workspace does not need this: its token is the setting "
        "SLACK_BOT_TOKEN."
    )

    list_display = ("__str__", "team_id", "show_state", "installed_by", "installed_at")
    list_filter = ("is_active",)
    search_fields = ("team_name", "team_id")
    fields = _SHOWN["fields"]
    actions = ("deactivate",)
    actions_list = ("install",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list, and above it what is to be decided about a workspace."""
        return super().changelist_view(request, {**(extra_context or {}), **undecided(request)})

    @display(description="State", label={"in use": "success", "ended": "danger"}, ordering="is_active")
    def show_state(self, installation: Any) -> str:
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
                record(
                    request,
                    AuditEvent.Action.END_INSTALLATION,
                    _INSTALLATION(),
                    object_id=team_id,
                    because="deactivated",
                )
        self.message_user(request, f"{count_of(len(ended), 'installation')} ended.", messages.SUCCESS)

    def has_install_permission(self, request: HttpRequest, *_: Any) -> bool:
        """Who may install, where workspaces do by OAuth at all. A workspace's addresses say who its people are."""
        is_on = bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)
        return is_on and request.user.has_perm("bot.add_installation") and may_decide_who_reads(request.user)

    @action(description="Install in a workspace", permissions=["install"], icon="add_link")
    def install(self, request: HttpRequest) -> HttpResponseRedirect:
        """Go to the page that begins it."""
        return HttpResponseRedirect(reverse("slack-install"))
