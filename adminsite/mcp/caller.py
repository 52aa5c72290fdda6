"""Identify the caller of tools, and limit the tools and the number of calls."""

from typing import TYPE_CHECKING

from django.http import HttpResponse, JsonResponse
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.views import APIView

from adminsite.api.authentication import TokenAuthentication as RestTokenAuthentication
from adminsite.api.authentication import has_scope
from adminsite.api.throttling import PersonThrottle
from adminsite.programs.bound_tokens import ACCESS, challenge, resource_of
from core.errors import TokenScopeError, TooManyRequestsError
from core.models import ConnectedProgram, User
from core.programs.connections import find_by_token

if TYPE_CHECKING:
    from core.mcp.forms import FootnoteTool

REFUSED = -32001  # of JSON-RPC's codes for servers, as the protocol's own SDKs use it for refusals
# The allowances of tools that have one, which REST and MCP use up together; the others count as requests of any kind.
OWN_ALLOWANCE = {"ask": "ask", "search": "search", "plan_research": "ask"}


class ProgramAuthentication(BaseAuthentication):
    """The tokens of programs that signed in: for MCP alone, and for this installation's."""

    def authenticate(self, request: Request) -> tuple[User, ConnectedProgram] | None:
        """Return the person and the connection; None for anything else than such a token.

        AuthenticationFailed for one that has expired, was revoked, or is for another address.
        """
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer" or not token.startswith(ACCESS):
            return None
        connection = find_by_token(token, resource=resource_of(request._request))
        if connection is None:
            raise AuthenticationFailed("The connection of this program has ended, or its token has expired.")
        return connection.user, connection

    def authenticate_header(self, request: Request) -> str:
        """Return where a program finds out how to sign in."""
        if request.META.get("HTTP_AUTHORIZATION"):
            return challenge(request._request, error="invalid_token", description="The token does not work here.")
        return challenge(request._request)


class BearerAuthentication(RestTokenAuthentication):
    """The tokens of REST in the header that MCP's clients send: `Authorization: Bearer ...`."""

    def authenticate_header(self, request: Request) -> str:
        """Return the word before the token, and what a 401 asks for."""
        return "Bearer"


class _Allowance(PersonThrottle):
    """One person's allowance of questions or of searches."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        super().__init__()


def refuse_scope(tool: "FootnoteTool", request: Request) -> HttpResponse | None:
    """Return the refusal of a call for which a program may ask its person for more; None where it may go on.

    Whoever pasted a token can ask for none: there the call itself says what is missing.
    """
    if not isinstance(request.auth, ConnectedProgram) or has_scope(request, tool.scope):
        return None
    header = challenge(request._request, error="insufficient_scope", description=f"The tool needs {tool.scope}.")
    told = {"jsonrpc": "2.0", "id": None, "error": {"code": REFUSED, "message": f"The scope {tool.scope} is missing."}}
    return JsonResponse(told, status=403, headers={"WWW-Authenticate": header})


def check_call(tool: "FootnoteTool", request: Request, view: APIView) -> None:
    """Let one call of a tool through, and count it.

    TokenScopeError when the token is not for it, TooManyRequestsError when the person has called it too often.
    """
    if not has_scope(request, tool.scope):
        raise TokenScopeError(f"This token lacks the scope {tool.scope}. An administrator can create one that has it.")
    allowance = OWN_ALLOWANCE.get(tool.name)
    if allowance and not _Allowance(allowance).allow_request(request, view):
        raise TooManyRequestsError
