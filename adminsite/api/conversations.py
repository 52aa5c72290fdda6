"""Ending a conversation before it times out."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.caller import program
from adminsite.api.serializers import ConversationJson, ErrorJson
from core.models import AuthToken
from core.programs import asking


class EndConversationView(APIView):
    """The end of one of the caller's own conversations."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="end_conversation", request=None, responses={200: ConversationJson, 404: ErrorJson})
    def post(self, request: Request, conversation_id: UUID) -> Response:
        """End it: a question that continues it is refused from now on. Ending it again changes nothing."""
        asking.end_conversation(program(request), conversation_id)
        return Response({"conversation_id": str(conversation_id), "is_active": False})
