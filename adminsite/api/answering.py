"""Asking and searching. The audience is the caller alone."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.caller import audience, caller
from adminsite.api.serializers import AskRequest, ErrorJson, ResultJson, SearchJson, SearchRequest
from adminsite.api.throttling import ScopedThrottle
from core import api
from core.access.audiences import asker_for
from core.models import AuthToken
from core.serialization import as_json, search_as_json
from core.types import Origin


class AskView(APIView):
    """Answer a question from what the caller may read."""

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
        asker = asker_for(caller(request))
        filters = api.parse_filters(given.get("filters"))
        conversation = api.continue_or_open_conversation(given.get("conversation"), origin=Origin.REST, asker=asker)
        result = api.ask(
            given["question"],
            asker=asker,
            audience=audience(request),
            conversation=conversation,
            filters=filters,
            selected_text=given.get("selected_text"),
        )
        guidance = api.guidance_beside(result, audience=audience(request))
        return Response(as_json(result, guidance=guidance, notice=api.take_budget_notice(result.request_id)))


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
        found = api.search(given["query"], audience=audience(request), filters=filters, k=given["k"])
        return Response(search_as_json(given["query"], found))


def _check_form(form: type[AskRequest | SearchRequest], request: Request) -> dict[str, Any]:
    serializer = form(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
