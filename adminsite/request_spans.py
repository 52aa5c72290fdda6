"""A span for each request of REST and MCP."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.infrastructure.tracing import spans

_TRACED = ("/api/", "/mcp")

Respond = Callable[[HttpRequest], HttpResponseBase]


def trace_requests(respond: Respond) -> Respond:
    """Trace what programs ask for: the pattern of the address and the status, never the address itself."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not spans.is_on() or not request.path_info.startswith(_TRACED):
            return respond(request)
        with spans.span("http.request", method=request.method):
            response = respond(request)
            match = request.resolver_match
            spans.note(status=response.status_code, route=match.route if match else None)
        return response

    return middleware
