"""Authenticate callers, by a person's token or their session in the admin, and check the token's scope."""

import datetime as dt
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils import timezone
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from adminsite.client_address import client_address
from core.models import AuthToken, ConnectedProgram

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which loads this module itself

USE_IS_NOTED_EVERY = dt.timedelta(minutes=1)  # at most: a write for every request would be one too many


class TokenAuthentication(KnoxTokenAuthentication):
    """Knox tokens in the header `Authorization: Token ...`."""

    def authenticate(self, request: Request) -> Any:
        """The token's person and the token; None without one. AuthenticationFailed where it may not be used."""
        found = super().authenticate(request)
        if found is not None:
            _person, token = found
            if not token.works_from(client_address(request._request)):
                raise AuthenticationFailed("This token may not be used from this address.")
            _note_use(token)
        return found

    def authenticate_credentials(self, token: bytes) -> Any:
        """The token's person. AuthenticationFailed for anything else; bytes that no token has are refused early."""
        if not token.isalnum():
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)


class TokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call]
    """The description of token authentication in the OpenAPI schema."""

    target_class = "adminsite.api.authentication.TokenAuthentication"


def _note_use(token: AuthToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= USE_IS_NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_IS_NOTED_EVERY)
        AuthToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def has_scope(request: Request, scope: AuthToken.Scope) -> bool:
    """Return True if the caller may do such things: a token with the scope, or a person at a browser."""
    return not isinstance(request.auth, AuthToken | ConnectedProgram) or scope in request.auth.scopes


class InScope(BasePermission):
    """Lets in tokens with the scope that the view names as `token_scope`; none for a view that names none."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Return True if the token has the view's scope."""
        scope: AuthToken.Scope | None = getattr(view, "token_scope", None)
        self.message = f"This token lacks the scope {scope}. An administrator can create one that has it."
        return scope is not None and has_scope(request, scope)
