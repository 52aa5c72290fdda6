"""Reports over everyone's use, that of language models among it, over datasets and over benchmarks, without text."""

import datetime as dt
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from adminsite.api.authentication import InScope
from adminsite.api.caller import MayViewReports, audience, caller
from adminsite.api.change_check_parts import ChangeChecksReportJson
from adminsite.api.contradictions import ContradictionsReportJson
from adminsite.api.fields import refuse_unknown
from adminsite.api.files import find_format, read_query, record_rows
from adminsite.api.filters import BenchmarkFilter, EvaluationRunFilter
from adminsite.api.oversharing_parts import OversharingReportJson
from adminsite.api.proposal_parts import ProposalsReportJson
from adminsite.api.receipts import ReceiptsReportJson
from adminsite.api.renderers import (
    BenchmarkCsvRenderer,
    ChangeChecksCsvRenderer,
    ChangeChecksXlsxRenderer,
    ContradictionsCsvRenderer,
    ContradictionsXlsxRenderer,
    CsvRenderer,
    EditionsCsvRenderer,
    OversharingCsvRenderer,
    OversharingXlsxRenderer,
    ProposalsCsvRenderer,
    ProposalsXlsxRenderer,
    ReceiptsCsvRenderer,
    ReceiptsXlsxRenderer,
    ReportCsvRenderer,
    ReportXlsxRenderer,
    ResearchCsvRenderer,
    ResearchXlsxRenderer,
    SectionsCsvRenderer,
    SectionsXlsxRenderer,
    UsageCsvRenderer,
)
from adminsite.api.research import ResearchReportJson, ResearchReportRequest
from adminsite.api.sections import SectionsReportJson
from adminsite.api.serializers import (
    BenchmarkJson,
    EditionsJson,
    EditionsRequest,
    ErrorJson,
    EvaluationRunJson,
    ModelUseJson,
    ModelUseRequest,
    ModelUseRowJson,
    ReportJson,
    ReportRequest,
    UsageJson,
    UsageRequest,
)
from adminsite.dashboard.usage import usage
from adminsite.downloads import FILES, file_name, record_export
from core.asking.spending.figures import NEEDED, list_use, may_see
from core.errors import ReportError
from core.models import AuthToken, BenchmarkResult, EvaluationRun
from core.models.budgets import Scope, this_month
from core.quality.reports.change_checks import report_change_checks
from core.quality.reports.contradictions import report_contradictions
from core.quality.reports.editions import report_editions
from core.quality.reports.figures import make_report
from core.quality.reports.grouping import Grouping, explain_lacking
from core.quality.reports.oversharing import report_oversharing
from core.quality.reports.period import Period
from core.quality.reports.proposals import report_proposals
from core.quality.reports.receipts import report_receipts
from core.quality.reports.research import ResearchGrouping, report_researches
from core.quality.reports.sections import report_sections

_ROW = {
    "key": "staff",
    "label": "staff",
    "questions": 120,
    "answered": 96,
    "closest": 14,
    "refused": 10,
    "up": 31,
    "down": 4,
    "reasons": {"wrong": 1, "not_found": 2, "bad_source": 0, "too_slow": 1, "other": 0},
    "evaluated": 96,
    "relevance": 0.91,
    "groundedness": 0.88,
    "answer_relevance": 0.86,
    "confidence": 0.74,
    "mean_similarity": 0.52,
    "latency_p50_ms": 840.0,
    "latency_p95_ms": 2310.0,
    "prompt_tokens": 250400,
    "completion_tokens": 31800,
    "cost_usd": 0.85,
}
REPORT_EXAMPLE = OpenApiExample(
    "By role",
    summary="GET /api/v1/reports?by=role&since=2026-03-01&until=2026-03-31",
    value={
        "since": "2026-03-01",
        "until": "2026-03-31",
        "by": "role",
        "total": {**_ROW, "key": "", "label": "All"},
        "rows": [_ROW],
    },
    response_only=True,
    media_type="application/json",
)


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
        given = read_query(ReportRequest, request)
        report = make_report(_read_period(given), Grouping(given["by"]), viewer=caller(request))
        file = FILES.get(find_format(request))
        if file is None:
            figures = {"total": asdict(report.total), "rows": [asdict(row) for row in report.rows]}
            return Response({**asdict(report.period), "by": report.by, **figures})
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
        given = read_query(UsageRequest, request)
        period = _read_period(given)
        report = usage(period, provider=given["provider"])
        if _wants_csv(request):
            record_rows(request, "usage", {**_format_days(period), "rows": len(report.rows)})
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
        report = report_editions(_read_period(read_query(EditionsRequest, request)), viewer=caller(request))
        if _wants_csv(request):
            record_rows(request, "editions", {**_format_days(report.period), "rows": len(report.rows)})
        return Response({**asdict(report.period), "rows": [asdict(row) for row in report.rows]})


class ContradictionsReportView(APIView):
    """The report on documents that contradict each other."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, ContradictionsCsvRenderer, ContradictionsXlsxRenderer)

    @extend_schema(
        operation_id="contradictions_report",
        parameters=[EditionsRequest],
        responses={200: ContradictionsReportJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """The pairs of which the caller may read both documents, by the day they were found and their state now.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded. Needs `view_contradictions` besides.
        """
        period = _read_period(read_query(EditionsRequest, request))
        report = report_contradictions(period, viewer=caller(request), audience=audience(request))
        return _answer_rows(request, report, period, "contradictions")


class SectionsReportView(APIView):
    """The report on restricted sections."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, SectionsCsvRenderer, SectionsXlsxRenderer)

    @extend_schema(operation_id="sections_report", responses={200: SectionsReportJson, 400: ErrorJson, 403: ErrorJson})
    def get(self, request: Request) -> Response:
        """List what is restricted now, document by document, with who reads it; what is to be decided first.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded. It names sections, and needs the permissions
        to view roles, documents and collections and to decide who reads documents besides.
        """
        refuse_unknown(request.query_params, (str(api_settings.URL_FORMAT_OVERRIDE),))
        rows = report_sections(viewer=caller(request))
        kind = find_format(request)
        if kind == JSONRenderer.format:
            return Response({"rows": [asdict(row) for row in rows]})
        record_rows(request, "sections", {"rows": len(rows), "format": kind})
        return Response({"report": rows})


class ChangeChecksReportView(APIView):
    """The report on checks of changes."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, ChangeChecksCsvRenderer, ChangeChecksXlsxRenderer)

    @extend_schema(
        operation_id="change_checks_report",
        parameters=[EditionsRequest],
        responses={200: ChangeChecksReportJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Report the checks asked for in a period by month: figures alone, never a document, a question or a person.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded.
        """
        report = report_change_checks(_read_period(read_query(EditionsRequest, request)), viewer=caller(request))
        return _answer_rows(request, report, report.period, "changecheck")


class OversharingReportView(APIView):
    """The report on risks that too many read something."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, OversharingCsvRenderer, OversharingXlsxRenderer)

    @extend_schema(
        operation_id="oversharing_report",
        parameters=[EditionsRequest],
        responses={200: OversharingReportJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Report what was found and decided by month, and in JSON what is open now: figures alone, never a document.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded. It needs the permissions to see such risks
        besides: `view_oversharing`, `view_role`, `view_document` and `view_collection`.
        """
        report = report_oversharing(_read_period(read_query(EditionsRequest, request)), viewer=caller(request))
        now = {"open": [asdict(one) for one in report.open]}
        return _answer_rows(request, report, report.period, "oversharing", **now)


class ProposalsReportView(APIView):
    """The report on proposed changes."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, ProposalsCsvRenderer, ProposalsXlsxRenderer)

    @extend_schema(
        operation_id="proposed_changes_report",
        parameters=[EditionsRequest],
        responses={200: ProposalsReportJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Report the changes proposed in a period by month: figures alone, never a document, a question or a person.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded.
        """
        report = report_proposals(_read_period(read_query(EditionsRequest, request)), viewer=caller(request))
        return _answer_rows(request, report, report.period, "proposedchange")


class ReceiptsReportView(APIView):
    """The report on signed receipts."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, ReceiptsCsvRenderer, ReceiptsXlsxRenderer)

    @extend_schema(
        operation_id="receipts_report",
        parameters=[EditionsRequest],
        responses={200: ReceiptsReportJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Report the receipts issued in a period by month: figures alone, never a question, an answer or a person.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded.
        """
        report = report_receipts(_read_period(read_query(EditionsRequest, request)), viewer=caller(request))
        return _answer_rows(request, report, report.period, "receipt")


class ResearchReportView(APIView):
    """The report on researches."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)
    renderer_classes = (JSONRenderer, ResearchCsvRenderer, ResearchXlsxRenderer)

    @extend_schema(
        operation_id="research_report",
        parameters=[ResearchReportRequest],
        responses={200: ResearchReportJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """Report the researches planned in a period by month or person: figures alone, never a topic or a question.

        As a file with `?format=csv` or `?format=xlsx`, which is recorded. By person it needs `view_person_reports`.
        """
        given = read_query(ResearchReportRequest, request)
        report = report_researches(_read_period(given), ResearchGrouping(given["by"]), viewer=caller(request))
        kind = find_format(request)
        if kind == JSONRenderer.format:
            rows = [asdict(row) for row in report.rows]
            return Response({**asdict(report.period), "by": report.by, "rows": rows})
        details = {**_format_days(report.period), "by": report.by.value, "rows": len(report.rows), "format": kind}
        record_rows(request, "research", details)
        return Response({"report": report})


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
            record_rows(request, "benchmarkresult", details)
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


class ModelUseView(APIView):
    """Calls, tokens and cost of language models in a month."""

    token_scope = AuthToken.Scope.REPORTS
    permission_classes = (IsAuthenticated, MayViewReports, InScope)

    @extend_schema(
        operation_id="model_use_report",
        parameters=[ModelUseRequest],
        responses={200: ModelUseJson, 400: ErrorJson, 403: ErrorJson},
    )
    def get(self, request: Request) -> Response:
        """The use of a month.

        By role and channel it needs the permission to view such things, by person `view_person_reports`. Without a
        `scope`, what the caller may not see is left out.
        """
        asked = ModelUseRequest(data=request.query_params.dict())
        asked.is_valid(raise_exception=True)
        given: dict[str, Any] = dict(asked.validated_data)
        month = dt.date.fromisoformat(f"{given['month']}-01") if given.get("month") else this_month()
        seen = [scope for scope in Scope if may_see(caller(request), scope)]
        if wanted := given.get("scope"):
            if wanted not in seen:
                raise PermissionDenied(explain_lacking(caller(request), [NEEDED[Scope(wanted)]]))
            seen = [Scope(wanted)]
        rows = ModelUseRowJson(list_use(month, seen), many=True).data
        return Response({"month": f"{month:%Y-%m}", "rows": rows})


def _answer_rows(request: Request, report: Any, period: Period, name: str, **more: Any) -> Response:
    """Answer with the rows of a report as JSON or as a file, which is recorded.

    name: of the report, in the audit trail. more: for JSON. A workbook is written from the report itself.
    """
    kind = find_format(request)
    if kind != JSONRenderer.format:
        record_rows(request, name, {**_format_days(period), "rows": len(report.rows), "format": kind})
    shown = {"report": report} if kind == ReportXlsxRenderer.format else {}
    return Response({**asdict(period), "rows": [asdict(row) for row in report.rows], **more, **shown})


def _format_days(period: Period) -> dict[str, str]:
    return {"since": period.since.isoformat(), "until": period.until.isoformat()}


def _wants_csv(request: Request) -> bool:
    renderer = getattr(request, "accepted_renderer", None)
    return renderer is not None and renderer.format == CsvRenderer.format


def _read_period(given: dict[str, Any]) -> Period:
    try:
        return Period.of(given.get("since"), given.get("until"))
    except ReportError as error:
        raise ValidationError({"since": [error.message]}) from error
