"""The one address of MCP: a Django request goes through an ASGI application, on the thread that serves it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from adminsite.api.caller import asks_for, caller
from adminsite.mcp.caller import BearerAuthentication, ProgramAuthentication, check_call, refuse_scope

if TYPE_CHECKING:
    from core.mcp.server import Hearing

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
# Hop by hop, or Django's and the server's own to set.
_NOT_PASSED_ON = {b"content-length", b"connection", b"transfer-encoding"}


@extend_schema(exclude=True)
class McpView(APIView):
    """MCP's messages, each a POST with a token. There are no sessions, and no streams but of a POST's own progress.

    GET and DELETE get 405.

    No cookie counts here, so no page can call in the name of whoever looks at it.
    """

    authentication_classes = (ProgramAuthentication, BearerAuthentication)
    permission_classes = (IsAuthenticated,)  # each tool names the scope that it needs

    def post(self, request: Request) -> HttpResponseBase:
        """Answer one message; a call whose client wants to hear of its progress in a stream of events."""
        # Loaded by the first message: most web processes never get one.
        from adminsite.mcp.streams import stream_progress
        from core.mcp.transports import answer_http, fault_of, find_progress_token, find_tool

        if fault := fault_of(request.body):
            return JsonResponse({"jsonrpc": "2.0", "id": None, "error": fault}, status=400)
        if (tool := find_tool(request.body)) and (refusal := refuse_scope(tool, request)):
            return refusal
        person_id, others = caller(request).pk, asks_for(request)
        host = request.get_host()  # one of ALLOWED_HOSTS

        def answer(hearing: "Hearing | None" = None) -> HttpResponse:
            async def application(scope: Message, receive: Any, send: Any) -> None:
                await answer_http(
                    person_id,
                    scope,
                    receive,
                    send,
                    host=host,
                    origins=[f"{request.scheme}://{host}", *settings.CSRF_TRUSTED_ORIGINS],
                    asks_for=others,
                    before=lambda tool: check_call(tool, request, self),
                    hearing=hearing,
                )

            return through_asgi(application, request, request.body)

        token = find_progress_token(request.body, request.headers.get("Accept", ""))
        return answer() if token is None else stream_progress(answer, token)


def through_asgi(application: Application, request: HttpRequest, body: bytes) -> HttpResponse:
    """Return the application's whole response. It must end its response; a stream would hold this thread."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    said: list[Message] = []

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        said.append(message)

    async_to_sync(application)(_build_scope(request), receive, send)
    return _build_response(said)


def _build_scope(request: HttpRequest) -> Message:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "query_string": b"",
        # What the token is for ends here.
        "headers": [(name, value) for name, value in headers if name not in {b"authorization", b"cookie"}],
    }


def _build_response(said: list[Message]) -> HttpResponse:
    start = said[0]
    content = b"".join(message.get("body", b"") for message in said[1:])
    response = HttpResponse(content, status=start["status"])
    del response["Content-Type"]
    for name, value in start.get("headers", ()):
        if name.lower() not in _NOT_PASSED_ON:
            response[name.decode("latin-1")] = value.decode("latin-1")
    return response
