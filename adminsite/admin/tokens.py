"""REST tokens. A token is shown once, when it is made; here it can only be taken back."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from knox.models import AuthToken
from unfold.decorators import display

from adminsite.admin.base import AuditedDeletion, ReadOnlyAdmin

admin.site.unregister(AuthToken)


@admin.register(AuthToken)
class TokenAdmin(AuditedDeletion, ReadOnlyAdmin):
    """REST tokens, by their first characters."""

    when_empty = "Nobody has a token. Make one on a person's page, or with: manage.py create_token EMAIL."

    list_display = ("token_key", "user", "created", "shown_expiry")
    list_display_links = None
    list_select_related = ("user",)
    search_fields = ("user__email",)
    ordering = ("-created",)
    fields = ("token_key", "user", "created", "expiry")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A token can be taken back."""
        return bool(request.user.has_perm("knox.delete_authtoken"))

    def audit_id(self, row: AuthToken) -> str:
        """The token's first characters; its primary key is its digest."""
        return str(row.token_key)

    @display(description="Expires", ordering="expiry", empty_value="never")
    def shown_expiry(self, token: AuthToken) -> Any:
        """When it stops working."""
        return token.expiry
