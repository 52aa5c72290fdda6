"""Leave addresses out of the OpenAPI schema."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

PREFIX = "/api/v1/"


def only_documented(endpoints: list[tuple[str, str, str, Any]]) -> list[tuple[str, str, str, Any]]:
    """The paths of this package, each once: the form with a slash at its end is the same endpoint."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(PREFIX) and not endpoint[0].endswith("/")]


@extend_schema(exclude=True)
class NowhereView(APIView):
    """A path that does not exist, answered in JSON like every other error."""

    permission_classes = (AllowAny,)

    def get(self, request: Request, rest: str = "") -> Response:
        """Not found."""
        raise NotFound("There is nothing at this address. /api/v1/docs lists the addresses.")

    post = put = patch = delete = get
