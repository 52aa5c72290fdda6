"""Who calls, and what they may see."""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from adminsite.api.authentication import has_scope
from core.access.audiences import audience_of
from core.models import AuthToken, User
from core.types import Audience

VIEW_REPORTS = "core.view_reports"


def caller(request: Request) -> User:
    """The signed-in person. The permission classes let nobody else in."""
    if not isinstance(request.user, User):
        raise TypeError("an authenticated request has a person")
    return request.user


def audience(request: Request) -> Audience:
    """The caller alone, by their roles as they are now."""
    return audience_of([caller(request).pk])


def sees_everyone(request: Request) -> bool:
    """Whether the caller may see other people's figures: the person may, and a token is for it."""
    return caller(request).has_perm(VIEW_REPORTS) and has_scope(request, AuthToken.Scope.REPORTS)


class MayViewReports(BasePermission):
    """Lets in those who may read reports."""

    message = (
        "Reports need the permission to view them. An administrator can give it: an admin group with view_reports."
    )

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the caller may read reports."""
        return isinstance(request.user, User) and request.user.has_perm(VIEW_REPORTS)
