"""Asking, searching and ending a conversation. The audience is the caller, and for whom else the token asks."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.caller import program
from adminsite.api.serializers import AskRequest, ConversationJson, ErrorJson, ResultJson, SearchJson, SearchRequest
from adminsite.api.throttling import ScopedThrottle
from core import api
from core.models import AuthToken
from core.programs import asking


class AskView(APIView):
    """Answer a question from what the caller may read, and everyone for whom the token asks."""

    token_scope = AuthToken.Scope.ASK
    throttle_classes = (ScopedThrottle,)
    throttle_scope = "ask"

    @extend_schema(
        operation_id="ask",
        request=AskRequest,
        responses={200: ResultJson, 400: ErrorJson, 404: ErrorJson, 429: ErrorJson, 503: ErrorJson},
    )
    def post(self, request: Request) -> Response:
        """Ask. A question that cannot be answered is a normal result with `answer` null and a `message`."""
        given = _check_form(AskRequest, request)
        result = asking.ask(
            program(request),
            given["question"],
            conversation=given.get("conversation"),
            filters=api.parse_filters(given.get("filters")),
            selected_text=given.get("selected_text"),
        )
        return Response(result)


class SearchView(APIView):
    """Find passages among what the caller may read."""

    token_scope = AuthToken.Scope.ASK
    throttle_classes = (ScopedThrottle,)
    throttle_scope = "search"

    @extend_schema(
        operation_id="search",
        request=SearchRequest,
        responses={200: SearchJson, 400: ErrorJson, 429: ErrorJson, 503: ErrorJson},
    )
    def post(self, request: Request) -> Response:
        """Search."""
        given = _check_form(SearchRequest, request)
        filters = api.parse_filters(given.get("filters"))
        return Response(asking.search(program(request), given["query"], filters=filters, k=given["k"]))


class EndConversationView(APIView):
    """The end of one of the caller's own conversations."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="end_conversation", request=None, responses={200: ConversationJson, 404: ErrorJson})
    def post(self, request: Request, conversation_id: UUID) -> Response:
        """End it: a question that continues it is refused from now on. Ending it again changes nothing."""
        asking.end_conversation(program(request), conversation_id)
        return Response({"conversation_id": str(conversation_id), "is_active": False})


def _check_form(form: type[AskRequest | SearchRequest], request: Request) -> dict[str, Any]:
    serializer = form(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
