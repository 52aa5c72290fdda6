"""Who calls, and how often they may."""

from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView

from adminsite.api.authentication import TokenAuthentication as RestTokenAuthentication
from core.errors import TooManyRequestsError

# Tools with an allowance of their own, which REST and MCP use up together; the others count as requests of any kind.
OWN_ALLOWANCE = ("ask", "search")


class BearerAuthentication(RestTokenAuthentication):
    """The tokens of REST in the header that MCP's clients send: `Authorization: Bearer ...`."""

    def authenticate_header(self, request: Request) -> str:
        """The word before the token, and what a 401 asks for."""
        return "Bearer"


class _Allowance(UserRateThrottle):
    """One person's allowance of questions or of searches."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        super().__init__()


def use_allowance(tool: str, request: Request, view: APIView) -> None:
    """Count one call of a tool. TooManyRequestsError when the person has called it too often."""
    if tool in OWN_ALLOWANCE and not _Allowance(tool).allow_request(request, view):
        raise TooManyRequestsError
