"""The resource that tokens of programs are for: this installation's address of MCP, in one form (RFC 8707)."""

from django.http import HttpRequest
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.www_authenticate import build_bearer_challenge

PATH = "/mcp"


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
