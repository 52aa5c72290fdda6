"""Reports over everyone's use, over datasets and over benchmarks, without text."""

import datetime as dt
from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import MayViewReports, caller
from adminsite.api.filters import BenchmarkFilter, EvaluationRunFilter
from adminsite.api.renderers import BenchmarkCsvRenderer, CsvRenderer, UsageCsvRenderer
from adminsite.api.serializers import BenchmarkJson, ErrorJson, EvaluationRunJson, UsageJson, UsageRequest
from adminsite.dashboard.usage import usage
from core.models import AuditEvent, AuthToken, BenchmarkResult, EvaluationRun

DEFAULT_DAYS = 30
MAX_DAYS = 366


class UsageView(APIView):
    """Questions, answers, times and scores by day and model provider."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, UsageCsvRenderer)

    @extend_schema(
        operation_id="usage_report",
        parameters=[UsageRequest],
        responses={200: UsageJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """The report; as CSV with `?format=csv` or `Accept: text/csv`. Taking it as CSV is recorded."""
        given = request.query_params.dict()
        given.pop(str(api_settings.URL_FORMAT_OVERRIDE), None)
        serializer = UsageRequest(data=given)
        serializer.is_valid(raise_exception=True)
        since, until = _days(serializer.validated_data)
        report = usage(since, until, provider=serializer.validated_data["provider"])
        if _wants_csv(request):
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.EXPORT,
                object_type="usage",
                details={"since": since.isoformat(), "until": until.isoformat(), "rows": len(report.rows)},
            )
        return Response(asdict(report))


@extend_schema_view(
    get=extend_schema(
        operation_id="benchmark_report", responses={200: BenchmarkJson(many=True), 400: ErrorJson, 403: ErrorJson}
    )
)
class BenchmarkView(ListAPIView[BenchmarkResult]):
    """What benchmark_index has measured, newest run first; as CSV all rows at once, and that is recorded."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, BenchmarkCsvRenderer)
    serializer_class = BenchmarkJson
    filterset_class = BenchmarkFilter
    queryset = BenchmarkResult.objects.order_by("-created_at", "pk")

    def paginate_queryset(self, queryset: Any) -> Any:
        """A page; for a spreadsheet everything."""
        return None if _wants_csv(self.request) else super().paginate_queryset(queryset)

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The measurements that the filters leave."""
        response = super().list(request, *args, **kwargs)
        if _wants_csv(request):
            details = {"rows": len(response.data)}
            AuditEvent.objects.create(
                actor=caller(request), action=AuditEvent.Action.EXPORT, object_type="benchmarkresult", details=details
            )
        return response


@extend_schema_view(
    get=extend_schema(
        operation_id="evaluation_report",
        responses={200: EvaluationRunJson(many=True), 400: ErrorJson, 403: ErrorJson},
    )
)
class EvaluationRunView(ListAPIView[EvaluationRun]):
    """What `evaluate` has found over datasets, newest run first."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    serializer_class = EvaluationRunJson
    filterset_class = EvaluationRunFilter
    queryset = EvaluationRun.objects.order_by("-started_at", "pk")


def _wants_csv(request: Request) -> bool:
    renderer = getattr(request, "accepted_renderer", None)
    return renderer is not None and renderer.format == CsvRenderer.format


def _days(given: dict[str, Any]) -> tuple[dt.date, dt.date]:
    until = given.get("until") or timezone.localdate()
    since = given.get("since") or until - dt.timedelta(days=DEFAULT_DAYS - 1)
    if since > until:
        raise ValidationError({"since": ["The first day is after the last."]})
    if (until - since).days >= MAX_DAYS:
        raise ValidationError({"since": [f"A report covers at most {MAX_DAYS} days."]})
    return since, until
