"""One Django request through an ASGI application, on the thread that serves the request."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

# Hop by hop, or Django's and the server's own to set.
_NOT_PASSED_ON = {b"content-length", b"connection", b"transfer-encoding"}


def through_asgi(application: Application, request: HttpRequest, body: bytes) -> HttpResponse:
    """The application's whole response. It must end its response; a stream would hold this thread."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    said: list[Message] = []

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        said.append(message)

    async_to_sync(application)(_scope(request), receive, send)
    return _response(said)


def _scope(request: HttpRequest) -> Message:
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


def _response(said: list[Message]) -> HttpResponse:
    start = said[0]
    content = b"".join(message.get("body", b"") for message in said[1:])
    response = HttpResponse(content, status=start["status"])
    del response["Content-Type"]
    for name, value in start.get("headers", ()):
        if name.lower() not in _NOT_PASSED_ON:
            response[name.decode("latin-1")] = value.decode("latin-1")
    return response
