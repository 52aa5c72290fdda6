"""Questions, evaluations, feedback and content gaps.

Figures may be everyone's; text is the caller's own, but for the gaps, which show the words of others.
"""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import asks_for, caller, program, sees_everyone
from adminsite.api.fields import FormSerializer
from adminsite.api.filters import EvaluationFilter, FeedbackFilter, GapFilter, QueryFilter
from adminsite.api.serializers import (
    ErrorJson,
    EvaluationJson,
    FeedbackJson,
    FeedbackRequest,
    GapJson,
    QueryJson,
    ReadableCollectionJson,
    ResultJson,
)
from core import api, serialization
from core.access.token_audiences import asked_for
from core.models import AuditEvent, AuthToken, ContentGap, EvaluationResult, Feedback, Query
from core.programs import asking
from core.types import Origin


class ReadPassageJson(FormSerializer):
    """A passage that was read for a question, and that the caller may read now."""

    form = serialization.ReadPassageJson


class ExplanationJson(FormSerializer):
    """The explanation of a question's answer, as far as the caller may know it now."""

    form = serialization.ExplanationJson
    question = serializers.CharField(help_text="As it was typed.")
    understood = serializers.CharField(help_text="As it was searched for.")
    filters = serializers.DictField(help_text="What the search was narrowed to.")
    refusal = serializers.CharField(allow_null=True, help_text="Why there is no answer; null where there is one.")
    collections = ReadableCollectionJson(many=True, help_text="What the filters leave of what the caller may read.")
    passages = ReadPassageJson(many=True, help_text="That were read, the quoted ones first.")
    left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many drafted sentences were left out, by reason."
    )


def _find_own(request: Request, path: str = "") -> Q:
    """Find the caller's own questions that may be shown to everyone for whom the token asks.

    path: from the rows to the question, with its underscores.
    """
    return asked_for(asks_for(request), f"{path}conversation")


@extend_schema_view(get=extend_schema(operation_id="list_queries"))
class QueryListView(ListAPIView[Query]):
    """The caller's questions; with the permission to view reports everyone's, others' without text."""

    token_scope = AuthToken.Scope.ASK
    serializer_class = QueryJson
    filterset_class = QueryFilter
    queryset = Query.objects.select_related("log").order_by("-created_at", "pk")

    def get_queryset(self) -> QuerySet[Query]:
        """The questions whose figures the caller may see."""
        rows = super().get_queryset().exclude(conversation__origin=Origin.RESEARCH)  # `research` has its questions
        return rows if sees_everyone(self.request) else rows.filter(_find_own(self.request), user=caller(self.request))


class QueryView(APIView):
    """One result of the caller's own."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="get_query", responses={200: ResultJson, 404: ErrorJson})
    def get(self, request: Request, request_id: str) -> Response:
        """The result, as long as the caller may read every document that it cites."""
        return Response(asking.earlier_result(program(request), request_id))


class WhyView(APIView):
    """Tells how one of the caller's own questions was decided."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="explain_query", responses={200: ExplanationJson, 404: ErrorJson})
    def get(self, request: Request, request_id: str) -> Response:
        """Return what was searched, read and left out, as far as the caller may read it now."""
        return Response(asking.explain(program(request), request_id))


@extend_schema_view(get=extend_schema(operation_id="list_evaluations"))
class EvaluationListView(ListAPIView[EvaluationResult]):
    """The scores of the caller's answers; with the permission to view reports everyone's."""

    token_scope = AuthToken.Scope.ASK
    serializer_class = EvaluationJson
    filterset_class = EvaluationFilter
    queryset = EvaluationResult.objects.select_related("query_log").order_by("-evaluated_at", "pk")

    def get_queryset(self) -> QuerySet[EvaluationResult]:
        """The evaluations whose scores the caller may see."""
        rows = super().get_queryset()
        if sees_everyone(self.request):
            return rows
        return rows.filter(_find_own(self.request, "query_log__query__"), query_log__user=caller(self.request))


class FeedbackView(ListAPIView[Feedback]):
    """The caller's own verdicts."""

    token_scope = AuthToken.Scope.ASK
    serializer_class = FeedbackJson
    filterset_class = FeedbackFilter
    queryset = Feedback.objects.select_related("answer__query").order_by("-updated_at", "pk")

    def get_queryset(self) -> QuerySet[Feedback]:
        """The caller's own verdicts."""
        own = _find_own(self.request, "answer__query__")
        return super().get_queryset().filter(own, user=caller(self.request))

    @extend_schema(operation_id="list_feedback")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List one's own verdicts."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="give_feedback",
        request=FeedbackRequest,
        responses={200: FeedbackJson, 400: ErrorJson, 404: ErrorJson},
    )
    def post(self, request: Request) -> Response:
        """Give a verdict on an answer of one's own, in place of an earlier one."""
        serializer = FeedbackRequest(data=request.data)
        serializer.is_valid(raise_exception=True)
        given = serializer.validated_data
        asking.earlier_result(program(request), given["request_id"])
        api.give_feedback(
            given["request_id"],
            user_id=caller(request).pk,
            verdict=given["verdict"],
            reasons=tuple(given["reasons"]),
            comment=given["comment"],
        )
        stored = self.get_queryset().get(answer__query__request_id=given["request_id"])
        return Response(FeedbackJson(stored).data)


class MayViewGaps(BasePermission):
    """Lets in those who may see what others asked in vain."""

    message = "Content gaps need the permission to view them. An administrator can give it: view_gaps."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return True if the caller may see gaps."""
        return request.user.has_perm("core.view_gaps")


@extend_schema_view(
    get=extend_schema(operation_id="list_gaps", responses={200: GapJson(many=True), 400: ErrorJson, 403: ErrorJson})
)
class GapListView(ListAPIView[ContentGap]):
    """Content gaps, the last asked first. They are in other people's words, so each look is recorded."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewGaps, InScope)
    serializer_class = GapJson
    filterset_class = GapFilter
    queryset = ContentGap.objects.select_related("label_query").order_by("-last_seen", "pk")

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A page of gaps."""
        with transaction.atomic():
            response = super().list(request, *args, **kwargs)
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.READ_TEXT,
                object_type="contentgap",
                details={"gaps": len(response.data["results"])},
            )
        return response
