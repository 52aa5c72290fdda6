"""Content gaps: what people asked in vain."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import ListAPIView
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import caller
from adminsite.api.filters import GapFilter
from adminsite.api.serializers import ErrorJson, GapJson
from core.models import AuditEvent, AuthToken, ContentGap


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
