"""Map Slack usergroups to the roles that they give."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from unfold.decorators import action, display

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, record
from adminsite.admin.slack_choice import BY_ID, UsergroupForm
from adminsite.figures import count_of
from core.infrastructure import queue
from core.models import AuditEvent, UsergroupRole


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
        """A new row's usergroup is chosen by name."""
        return super().get_form(request, obj, change=change, **(kw if change else {**kw, "form": UsergroupForm}))

    def get_fieldsets(self, request: HttpRequest, obj: UsergroupRole | None = None) -> Any:
        """Return the fields that an administrator chooses, or those that show an existing row."""
        if obj is not None:
            shown = ("team_id", "usergroup_id", "role", "handle", "synchronised_at", "show_error")
            return ((None, {"fields": shown}),)
        return ((None, {"fields": ("known", "role")}), ("By id", {"fields": ("team_id", "usergroup_id"), **BY_ID}))

    def get_queryset(self, request: HttpRequest) -> QuerySet[UsergroupRole]:
        """Rows with the number of people who hold the role through them."""
        return super().get_queryset(request).annotate(members=Count("user_roles"))

    def has_change_permission(self, request: HttpRequest, obj: UsergroupRole | None = None) -> bool:
        """Another usergroup or role is another row, so that the audit trail says who lost what."""
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
        """From whom the role goes."""
        people = row.user_roles.values_list("user_id", flat=True)
        return {"role": str(row.role_id), "taken": sorted(str(pk) for pk in people)}

    @action(description="Synchronise now", permissions=["add"], icon="sync")
    def synchronise(self, request: HttpRequest, queryset: QuerySet[UsergroupRole]) -> None:
        """Have the teams of the chosen rows asked, all usergroups of a team at once."""
        teams = set(queryset.order_by().values_list("team_id", flat=True))
        for team_id in teams:
            queue.synchronise_usergroups(team_id)
        self.message_user(request, f"Queued for {count_of(len(teams), 'team')}. Reload in a moment.", messages.SUCCESS)
