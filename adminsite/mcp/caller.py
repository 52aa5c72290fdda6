"""Who calls, with which tools, and how often they may."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.views import APIView

from adminsite.api.authentication import TokenAuthentication as RestTokenAuthentication
from adminsite.api.authentication import has_scope
from adminsite.api.throttling import PersonThrottle
from core.errors import TokenScopeError, TooManyRequestsError

if TYPE_CHECKING:
    from core.mcp.tools import FootnoteTool

# Tools with an allowance of their own, which REST and MCP use up together; the others count as requests of any kind.
OWN_ALLOWANCE = ("ask", "search")


class BearerAuthentication(RestTokenAuthentication):
    """The tokens of REST in the header that MCP's clients send: `Authorization: Bearer ...`."""

    def authenticate_header(self, request: Request) -> str:
        """The word before the token, and what a 401 asks for."""
        return "Bearer"


class _Allowance(PersonThrottle):
    """One person's allowance of questions or of searches."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        super().__init__()


def check_call(tool: "FootnoteTool", request: Request, view: APIView) -> None:
    """Let one call of a tool through, and count it.

    TokenScopeError when the token is not for it, TooManyRequestsError when the person has called it too often.
    """
    if not has_scope(request, tool.scope):
        raise TokenScopeError(f"This token lacks the scope {tool.scope}. An administrator can create one that has it.")
    if tool.name in OWN_ALLOWANCE and not _Allowance(tool.name).allow_request(request, view):
        raise TooManyRequestsError
