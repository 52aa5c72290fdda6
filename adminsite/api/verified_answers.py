"""Verified answers, for who looks after them: under the same rights as on their pages in the admin."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import audience, caller
from adminsite.api.filters import VerifiedAnswerFilter
from adminsite.api.serializers import ErrorJson, VerifiedAnswerJson, VerifiedAnswerRequest
from core.errors import NotFoundError
from core.models import AuditEvent, AuthToken, VerifiedAnswer
from core.verified_answers.editing import (
    NotVerifiableError,
    may_manage,
    may_read,
    read_content,
    retire,
    save_draft,
    verify_answer,
)
from core.verified_answers.staleness import list_outdated


class MayManageAnswers(BasePermission):
    """Lets in those who may write verified answers."""

    message = "Verified answers need a permission. An administrator can give it: manage_verified_answers."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether the caller may."""
        return may_manage(request.user)


def _write(request: Request, row: VerifiedAnswer | None, given: VerifiedAnswerRequest) -> VerifiedAnswer:
    """Store what was sent; what was not sent stays as it was."""
    state = given.validated_data.get("state", row.state if row else VerifiedAnswer.State.DRAFT)
    before = read_content(row) if row else None
    try:
        if state == VerifiedAnswer.State.RETIRED and row:
            retire(row, by=caller(request))
            return row
        save = verify_answer if state == VerifiedAnswer.State.ACTIVE else save_draft
        return save(given.content(before), by=caller(request), row=row)
    except NotVerifiableError as error:
        raise ValidationError({"non_field_errors": list(error.problems)}) from error


class VerifiedAnswerListView(ListAPIView[VerifiedAnswer]):
    """Verified answers of which the caller may read every source, the last changed first; and writing one."""

    token_scope = AuthToken.Scope.INGEST  # what is written here is given as the library is
    permission_classes = (IsAuthenticated, MayManageAnswers, InScope)
    serializer_class = VerifiedAnswerJson
    filterset_class = VerifiedAnswerFilter
    queryset = VerifiedAnswer.objects.none()

    def get_queryset(self) -> QuerySet[VerifiedAnswer]:
        """Those that the caller may read, and drafts of their own that quote nothing yet."""
        readable = VerifiedAnswer.objects.quoting_only_readable(audience(self.request)).values("pk")
        own = VerifiedAnswer.objects.filter(sources=None, owner=caller(self.request)).values("pk")
        rows = VerifiedAnswer.objects.filter(pk__in=readable.union(own))
        return (
            rows.select_related("owner", "verified_by")
            .prefetch_related("sources", "phrasings", "roles")
            .order_by("-updated_at", "pk")
        )

    def paginate_queryset(self, queryset: Any) -> Any:
        """A page, with what is outdated of it looked up at once."""
        page = super().paginate_queryset(queryset)
        self._outdated = list_outdated(page or (), today=timezone.localdate())
        return page

    def get_serializer_context(self) -> dict[str, Any]:
        """With what is outdated."""
        return {**super().get_serializer_context(), "outdated": getattr(self, "_outdated", None)}

    @extend_schema(operation_id="list_verified_answers", responses={200: VerifiedAnswerJson(many=True), 403: ErrorJson})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A page of them; each look is recorded."""
        with transaction.atomic():
            response = self.list(request, *args, **kwargs)
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.READ_TEXT,
                object_type="verifiedanswer",
                details={"answers": len(response.data["results"])},
            )
        return response

    @extend_schema(
        operation_id="write_verified_answer",
        request=VerifiedAnswerRequest,
        responses={201: VerifiedAnswerJson, 400: ErrorJson, 403: ErrorJson},
    )
    def post(self, request: Request) -> Response:
        """Write one: a draft, or with `state` active one that is verified and given from now on."""
        given = VerifiedAnswerRequest(data=request.data)
        given.is_valid(raise_exception=True)
        return Response(VerifiedAnswerJson(_write(request, None, given)).data, status=201)


class VerifiedAnswerView(APIView):
    """One verified answer."""

    token_scope = AuthToken.Scope.INGEST  # what is written here is given as the library is
    permission_classes = (IsAuthenticated, MayManageAnswers, InScope)

    @extend_schema(
        operation_id="change_verified_answer",
        request=VerifiedAnswerRequest,
        responses={200: VerifiedAnswerJson, 400: ErrorJson, 403: ErrorJson, 404: ErrorJson},
    )
    def patch(self, request: Request, answer_id: UUID) -> Response:
        """Change what is sent of it, verify it, or retire it. 404 for one whose sources the caller may not all read."""
        row = VerifiedAnswer.objects.filter(pk=answer_id).first()
        if row is None or not may_read(row, caller(request)):
            raise NotFoundError
        given = VerifiedAnswerRequest(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        return Response(VerifiedAnswerJson(_write(request, row, given)).data)
