"""Documents that contradict each other, for who looks after them: of those alone that the caller may read."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import caller, program
from adminsite.api.fields import FormSerializer, GivenSerializer, choice_error
from adminsite.api.pagination import Pages
from adminsite.api.serializers import ErrorJson
from core import api
from core.models import AuthToken, SourceContradiction
from core.programs import contradictions
from core.programs.asking import Program

_STATES = SourceContradiction.State.choices


class ContradictionsRequest(GivenSerializer):
    """Holds what the list is narrowed to."""

    state = serializers.ChoiceField(_STATES, required=False, error_messages=choice_error(_STATES))
    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)


class ContradictingSideJson(FormSerializer):
    """Shows what one of the two documents says."""

    form = contradictions.ContradictingSideJson
    side = serializers.ChoiceField(
        SourceContradiction.Side.choices, help_text="As of when the pair was found; the newer one by now comes first."
    )
    quote = serializers.CharField(allow_null=True, help_text="Word for word; null where the pair is gone.")
    value = serializers.CharField(allow_null=True, help_text="The part of the quote that differs.")
    owner = serializers.CharField(allow_null=True, help_text="Whom a question about it goes to: who may read both.")
    holds = serializers.BooleanField(help_text="Somebody said so.")


class KeptContradictionJson(FormSerializer):
    """Two documents that answer one question differently."""

    form = contradictions.ContradictionJson
    question = serializers.CharField(allow_null=True, help_text="That both answer; null where the pair is gone.")
    state = serializers.ChoiceField(_STATES)
    sides = ContradictingSideJson(many=True, help_text="The newer document first.")
    reason = serializers.CharField(allow_null=True, help_text="Why both hold.")
    decided_at = serializers.DateTimeField(allow_null=True)
    asked_at = serializers.DateTimeField(allow_null=True)
    found_at = serializers.DateTimeField()
    gone_at = serializers.DateTimeField(allow_null=True)


class ContradictionRowJson(serializers.Serializer[Any]):
    """The contradictions that were found on one day, by their state now."""

    day = serializers.DateField()
    found = serializers.IntegerField()
    open = serializers.IntegerField()
    asked = serializers.IntegerField()
    one_holds = serializers.IntegerField()
    both_hold = serializers.IntegerField()
    gone = serializers.IntegerField()


class ContradictionsReportJson(serializers.Serializer[Any]):
    """The contradictions that were found in some days."""

    since = serializers.DateField()
    until = serializers.DateField()
    rows = ContradictionRowJson(many=True, help_text="Days on which any was found.")


class MayViewContradictions(BasePermission):
    """Lets in those who may see which documents contradict each other, and owners of documents."""

    message = "Contradictions need the permission view_contradictions, or a document of your own."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True if the caller may have the list. It holds nothing that they may not read."""
        return api.may_see_contradictions(caller(request))


class _Pairs(Sequence[Any]):
    """Pages of pairs as the paginator takes them: their number, and a slice."""

    def __init__(self, program: Program, states: Sequence[str]) -> None:
        self._program, self._states = program, states

    def __len__(self) -> int:
        return contradictions.list_contradictions(self._program, states=self._states, limit=0)["count"]

    def __getitem__(self, place: Any) -> Any:
        found = contradictions.list_contradictions(
            self._program, states=self._states, offset=place.start, limit=place.stop - place.start
        )
        return found["contradictions"]


class ContradictionListView(APIView):
    """Documents that contradict each other, the last found first."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewContradictions, InScope)

    @extend_schema(
        operation_id="list_contradictions",
        parameters=[ContradictionsRequest],
        responses={200: KeptContradictionJson(many=True), 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """A page of the pairs of which the caller, and everyone for whom they ask, may read both documents."""
        asked = ContradictionsRequest(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        states = [asked.validated_data["state"]] if asked.validated_data.get("state") else []
        pages = Pages()
        pairs: Any = _Pairs(program(request), states)
        rows: Any = pages.paginate_queryset(pairs, request, view=self)
        return pages.get_paginated_response(rows)
