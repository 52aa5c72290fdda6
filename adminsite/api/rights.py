"""Require rights besides a token to manage the library: the same as in the admin."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView


class HasRights(BasePermission):
    """Lets in people who hold each of the rights that the view names for the method, as `rights`."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True if the caller has the rights; False for everybody where the view names none."""
        named: dict[str, tuple[str, ...]] = getattr(view, "rights", {})
        needed = named.get(str(request.method), ())
        lacking = [right for right in needed if not request.user.has_perm(right)]
        self.message = f"This needs rights that you lack: {', '.join(lacking)}. A superuser can give them."
        return bool(needed) and not lacking


def rights_of(**methods: Any) -> dict[str, tuple[str, ...]]:
    """Build a view's required rights by method: `rights_of(get=("core.view_role",))`."""
    return {method.upper(): rights for method, rights in methods.items()}
