"""The one address of MCP."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse, JsonResponse
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from adminsite.api.caller import asks_for, caller
from adminsite.mcp.asgi import Message, through_asgi
from adminsite.mcp.caller import REFUSED, BearerAuthentication, ProgramAuthentication, check_call, refuse_scope
from core.models import ConnectedProgram


@extend_schema(exclude=True)
class McpView(APIView):
    """MCP's messages, each a POST with a token. There are no streams and no sessions: GET and DELETE get 405.

    No cookie counts here, so no page can call in the name of whoever looks at it.
    """

    authentication_classes = (ProgramAuthentication, BearerAuthentication)
    permission_classes = (IsAuthenticated,)  # each tool names the scope that it needs

    def post(self, request: Request) -> HttpResponse:
        """Answer one message."""
        # Loaded by the first message: most web processes never get one.
        from core.mcp.http import answer_http, fault_of, find_tool

        if fault := fault_of(request.body):
            return JsonResponse({"jsonrpc": "2.0", "id": None, "error": fault}, status=400)
        if isinstance(request.auth, ConnectedProgram) and request.auth.asks_for:
            # Nothing is given by the person's own rights where a channel must be able to read it.
            told = {"code": REFUSED, "message": "Programs that ask for a channel are not answered yet."}
            return JsonResponse({"jsonrpc": "2.0", "id": None, "error": told}, status=403)
        if (tool := find_tool(request.body)) and (refusal := refuse_scope(tool, request)):
            return refusal
        person_id, others = caller(request).pk, asks_for(request)
        host = request.get_host()  # one of ALLOWED_HOSTS

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
            )

        return through_asgi(application, request, request.body)
