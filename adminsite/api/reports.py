"""Reports over everyone's use, without text."""

import datetime as dt
from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from adminsite.api.caller import MayViewReports, caller
from adminsite.api.renderers import UsageCsvRenderer
from adminsite.api.serializers import ErrorJson, UsageJson, UsageRequest
from adminsite.dashboard.figures import usage
from core.models import AuditEvent

DEFAULT_DAYS = 30
MAX_DAYS = 366


class UsageView(APIView):
    """Questions, answers, times and scores by day and model provider."""

    permission_classes = (IsAuthenticated, MayViewReports)
    renderer_classes = (JSONRenderer, UsageCsvRenderer)

    @extend_schema(
        operation_id="usage_report",
        parameters=[UsageRequest],
        responses={200: UsageJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """The report; as CSV with `?format=csv` or `Accept: text/csv`. Taking it as CSV is recorded."""
        serializer = UsageRequest(data=request.query_params)
        serializer.is_valid(raise_exception=True)
        since, until = _days(serializer.validated_data)
        report = usage(since, until, provider=serializer.validated_data["provider"])
        if getattr(request, "accepted_renderer", None) and request.accepted_renderer.format == UsageCsvRenderer.format:
            AuditEvent.objects.create(
                actor=caller(request),
                action="export",
                object_type="usage",
                details={"since": since.isoformat(), "until": until.isoformat(), "rows": len(report.rows)},
            )
        return Response(asdict(report))


def _days(given: dict[str, Any]) -> tuple[dt.date, dt.date]:
    until = given.get("until") or timezone.localdate()
    since = given.get("since") or until - dt.timedelta(days=DEFAULT_DAYS - 1)
    if since > until:
        raise ValidationError({"since": ["The first day lies after the last."]})
    if (until - since).days >= MAX_DAYS:
        raise ValidationError({"since": [f"A report covers at most {MAX_DAYS} days."]})
    return since, until
