"""Programs that people connected by signing in. A connection is made by its person alone; here it can be ended."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, viewer
from core.models import ConnectedProgram
from core.programs.connections import Ending, end


@admin.register(ConnectedProgram)
class ConnectedProgramAdmin(ReadOnlyAdmin):
    """Lists the programs that ask in people's names, and until when. To delete a row is to disconnect the program."""

    when_empty = "Nobody has connected a program. People do so from the program, as docs/mcp.md describes."

    list_display = ("show_name", "host", "user", "show_for", "last_used_at", "show_state", "expires_at")
    list_select_related = ("user",)
    list_filter = (("user", RelatedDropdownFilter),)
    list_filter_submit = True
    search_fields = ("user__email", "name", "client_id")
    ordering = ("-created_at",)
    fields = ("show_name", "client_id", "user", "show_for", "show_scopes", "created_at", "last_used_at", "expires_at")
    readonly_fields = ("show_name", "show_for", "show_scopes")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Tell whether the viewer may disconnect programs."""
        return bool(request.user.has_perm("core.delete_connectedprogram"))

    def delete_model(self, request: HttpRequest, obj: ConnectedProgram) -> None:
        """Disconnect a program."""
        end(obj, Ending.ADMINISTRATOR, by=viewer(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ConnectedProgram]) -> None:
        """Disconnect the selected programs."""
        for connection in queryset:
            end(connection, Ending.ADMINISTRATOR, by=viewer(request))

    @display(description="Program", ordering="name")
    def show_name(self, connection: ConnectedProgram) -> str:
        """Return the name that the program gives itself."""
        return connection.name or "without a name"

    @display(description="For")
    def show_for(self, connection: ConnectedProgram) -> str:
        """Return who must be able to read what it is given, besides the person."""
        if connection.for_people:
            return f"the person and {len(connection.for_people)} named by them"
        return connection.for_channel or "the person alone"

    @display(description="May")
    def show_scopes(self, connection: ConnectedProgram) -> str:
        """Return what it may do."""
        return ", ".join(connection.scopes)

    @display(description="State", label={"connected": "success", "not redeemed": "info", "expired": "danger"})
    def show_state(self, connection: ConnectedProgram) -> str:
        """Return whether it works still."""
        if connection.expires_at <= timezone.now():
            return "expired"
        return "connected" if connection.token_family else "not redeemed"
