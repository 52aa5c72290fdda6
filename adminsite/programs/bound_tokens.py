"""Make the tokens of programs that signed in, and name the resource that they are bound to (RFC 8707).

Their prefix distinguishes them from pasted ones, and lets scanners find them. The resource is this installation's
address of MCP, in one form.
"""

import secrets
from typing import Any

from django.http import HttpRequest
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.www_authenticate import build_bearer_challenge

ACCESS, REFRESH = "fnp_", "fnr_"
_BYTES = 32  # of randomness
PATH = "/mcp"


def make_access_token(request: Any, refresh_token: bool = False) -> str:
    """Return a new access token. The arguments are oauthlib's."""
    return ACCESS + secrets.token_urlsafe(_BYTES)


def make_refresh_token(request: Any, refresh_token: bool = False) -> str:
    """Return a new refresh token. The arguments are oauthlib's."""
    return REFRESH + secrets.token_urlsafe(_BYTES)


def resource_of(request: HttpRequest) -> str:
    """Return the resource: below PUBLIC_URL, or where it is not set below the host that was asked."""
    named: str = oauth2_settings.OAUTH2_PROTECTED_RESOURCE_IDENTIFIER
    return named or request.build_absolute_uri(PATH)


def fold_resource(named: str) -> str:
    """Return a named resource in its one form, without a slash at the end."""
    return named.rstrip("/")


def challenge(request: HttpRequest, *, error: str = "", description: str = "") -> str:
    """Return the header WWW-Authenticate of a refusal at MCP (RFC 9728, section 5.1; RFC 6750, section 3).

    error: a code of RFC 6750; empty where no token was sent.
    """
    told = {"error": error, "error_description": description} if error else {}
    issuer: str = oauth2_settings.oauth2_authorization_server_issuer(request)
    metadata = f"{issuer}/.well-known/oauth-protected-resource{PATH}"
    header: str = build_bearer_challenge(request, {**told, "scope": "ask"}, resource_metadata_url=metadata)
    return header
