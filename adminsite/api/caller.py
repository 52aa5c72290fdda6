"""Identify the caller, what they may see, and what they may do to the library, by the same rights as in the admin."""

from typing import Any, cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from adminsite.api.authentication import has_scope
from core.access.token_audiences import find_readers
from core.models import AuthToken, User
from core.models.token_audiences import WithTokenAudience
from core.programs.asking import Program
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.types import Audience, Origin
from core.values.token_audience import TokenAudience


def caller(request: Request) -> User:
    """Return the signed-in person. The permission classes let nobody else in."""
    if not isinstance(request.user, User):
        raise TypeError("an authenticated request has a person")
    return request.user


def asks_for(request: Request) -> TokenAudience:
    """For whom besides its person the token asks; nobody at a browser. AttributeError for what is no such token."""
    return TokenAudience() if request.auth is None else cast("WithTokenAudience", request.auth).asks_for


def program(request: Request) -> Program:
    """Return the program that calls REST."""
    return Program(person=caller(request), asks_for=asks_for(request), origin=Origin.REST)


def audience(request: Request) -> Audience:
    """Find everyone who is shown what the caller gets, by their roles now: the caller, and for whom they ask."""
    return find_readers(caller(request).pk, asks_for(request)).audience


def sees_everyone(request: Request) -> bool:
    """Return True if the caller may see other people's figures: the person may, and the token has the scope."""
    return caller(request).has_perm(VIEW_REPORTS) and has_scope(request, AuthToken.Scope.REPORTS)


class MayViewReports(BasePermission):
    """Lets in those who may read reports."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True if the caller may read reports."""
        self.message = explain_lacking(request.user, [VIEW_REPORTS])
        return isinstance(request.user, User) and request.user.has_perm(VIEW_REPORTS)


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
