"""Reports over everyone's use, over datasets and over benchmarks, without text."""

from dataclasses import asdict
from typing import Any

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
from adminsite.api.examples import REPORT_EXAMPLE
from adminsite.api.fields import GivenSerializer
from adminsite.api.filters import BenchmarkFilter, EvaluationRunFilter
from adminsite.api.renderers import (
    BenchmarkCsvRenderer,
    CsvRenderer,
    EditionsCsvRenderer,
    ReportCsvRenderer,
    ReportXlsxRenderer,
    UsageCsvRenderer,
)
from adminsite.api.serializers import (
    BenchmarkJson,
    EditionsJson,
    EditionsRequest,
    ErrorJson,
    EvaluationRunJson,
    ReportJson,
    ReportRequest,
    UsageJson,
    UsageRequest,
)
from adminsite.dashboard.usage import usage
from adminsite.downloads import FILES, file_name, record_export
from core.errors import ReportError
from core.models import AuditEvent, AuthToken, BenchmarkResult, EvaluationRun
from core.quality.reports.editions import report_editions
from core.quality.reports.figures import Report, make_report
from core.quality.reports.grouping import Grouping
from core.quality.reports.period import Period


class ReportView(APIView):
    """Questions, outcomes, votes, scores, times, tokens and cost, in groups."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, ReportCsvRenderer, ReportXlsxRenderer)

    @extend_schema(
        operation_id="report",
        parameters=[ReportRequest],
        responses={200: ReportJson, 400: ErrorJson, 403: ErrorJson},
        examples=[REPORT_EXAMPLE],
    )
    def get(self, request: Request) -> Response:
        """A report by day, week, role, channel, collection, person or model.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded. By role, channel and collection it needs the
        permission to view such things, by person `view_person_reports`.
        """
        given = _read_request(ReportRequest, request)
        report = make_report(_period(given), Grouping(given["by"]), viewer=caller(request))
        file = FILES.get(getattr(request, "accepted_renderer", JSONRenderer).format)
        if file is None:
            return Response({**asdict(report.period), "by": report.by, **_figures(report)})
        record_export(caller(request), report, file)
        name = f'attachment; filename="{file_name(report, file)}"'
        return Response({"report": report}, headers={"Content-Disposition": name})


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
        given = _read_request(UsageRequest, request)
        period = _period(given)
        report = usage(period, provider=given["provider"])
        if _wants_csv(request):
            AuditEvent.objects.create(
                actor=caller(request),
                action=AuditEvent.Action.EXPORT,
                object_type="usage",
                details={**_days(period), "rows": len(report.rows)},
            )
        return Response(asdict(report))


class EditionsView(APIView):
    """The report on how new editions of documents affected answers."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, EditionsCsvRenderer)

    @extend_schema(
        operation_id="editions_report",
        parameters=[EditionsRequest],
        responses={200: EditionsJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """The report; as CSV with `?format=csv` or `Accept: text/csv`, which is recorded.

        It names documents, and needs the permission to view these besides.
        """
        report = report_editions(_period(_read_request(EditionsRequest, request)), viewer=caller(request))
        if _wants_csv(request):
            details = {**_days(report.period), "rows": len(report.rows)}
            AuditEvent.objects.create(
                actor=caller(request), action=AuditEvent.Action.EXPORT, object_type="editions", details=details
            )
        return Response({**asdict(report.period), "rows": [asdict(row) for row in report.rows]})


@extend_schema_view(
    get=extend_schema(
        operation_id="benchmark_report", responses={200: BenchmarkJson(many=True), 400: ErrorJson, 403: ErrorJson}
    )
)
class BenchmarkView(ListAPIView[BenchmarkResult]):
    """Results of benchmark_index, newest run first; as CSV all rows at once, which is recorded."""

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
    """Results of `evaluate` over datasets, newest run first."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    serializer_class = EvaluationRunJson
    filterset_class = EvaluationRunFilter
    queryset = EvaluationRun.objects.order_by("-started_at", "pk")


def _days(period: Period) -> dict[str, str]:
    return {"since": period.since.isoformat(), "until": period.until.isoformat()}


def _wants_csv(request: Request) -> bool:
    renderer = getattr(request, "accepted_renderer", None)
    return renderer is not None and renderer.format == CsvRenderer.format


def _figures(report: Report) -> dict[str, Any]:
    return {"total": asdict(report.total), "rows": [asdict(row) for row in report.rows]}


def _period(given: dict[str, Any]) -> Period:
    try:
        return Period.of(given.get("since"), given.get("until"))
    except ReportError as error:
        raise ValidationError({"since": [error.message]}) from error


def _read_request(serializer: type[GivenSerializer], request: Request) -> dict[str, Any]:
    given = request.query_params.dict()
    given.pop(str(api_settings.URL_FORMAT_OVERRIDE), None)
    read = serializer(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
