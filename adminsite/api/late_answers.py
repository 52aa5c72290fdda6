"""The answers that people got to earlier questions, since a change that was proposed for these is in the library."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.caller import asks_for, caller, program
from adminsite.api.pagination import Pages
from adminsite.api.sections import PagesRequest
from adminsite.api.serializers import ErrorJson, ResultJson
from core.models import AuthToken
from core.programs.asking import find_known_readers
from core.quality.proposals.late_answers import Late, list_own_late_answers
from core.serialization import as_json

_MOST = 50  # answers that a person is shown, of all pages together


class LateAnswerJson(serializers.Serializer[Any]):
    """The answer that the caller got to an earlier question of theirs."""

    id = serializers.UUIDField()
    question = serializers.CharField()
    asked_at = serializers.DateTimeField()
    answer = ResultJson()


class LateAnswersView(APIView):
    """The answers that the caller got to earlier questions, since a proposed change is in the library."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(
        operation_id="list_late_answers",
        parameters=[PagesRequest],
        responses={200: LateAnswerJson(many=True), 400: ErrorJson, 404: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """A page of one's own late answers, the newest first, 50 at most, each as it may be read now.

        They are for the person alone: a token that asks for others gets none.
        """
        PagesRequest(data=request.query_params.dict()).is_valid(raise_exception=True)
        readers = find_known_readers(program(request))
        own: tuple[Late, ...] = ()
        if not asks_for(request):
            own = list_own_late_answers(caller(request), audience=readers.audience, limit=_MOST)
        pages = Pages()
        rows: Any = [
            {
                "id": late.late_id,
                "question": late.question,
                "asked_at": late.asked_at,
                "answer": as_json(late.answer, audience=readers.as_json()),
            }
            for late in own
        ]
        return pages.get_paginated_response(pages.paginate_queryset(rows, request, view=self) or [])
