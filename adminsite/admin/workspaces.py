"""Decide what everyone in a Slack workspace may read in its public channels."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.decorators import display

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, record
from core.models import AuditEvent, SlackWorkspace


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
        """Workspaces with their roles."""
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
        """The names of the roles."""
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
        """The team, the roles of everyone in it, and whether its messages are searched."""
        roles = sorted(str(pk) for pk in row.roles.values_list("pk", flat=True))
        return {"team": row.team_id, "roles": roles, "searches_messages": row.searches_messages}
