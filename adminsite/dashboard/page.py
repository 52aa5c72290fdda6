"""The dashboard on the admin's first page, and the reminder of pending decisions, which other pages show as well."""

from typing import Any

from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest

from adminsite.dashboard.first_steps import list_first_steps
from adminsite.dashboard.reports import charts
from adminsite.dashboard.scores import explain_current
from adminsite.dashboard.tiles import list_tiles, list_week
from core.models import Alert, IngestionJob, SlackWorkspace, SyncRun, User
from core.quality.reports.figures import make_report
from core.quality.reports.grouping import VIEW_REPORTS, Grouping
from core.quality.reports.open_matters import Kind, list_decisions
from core.quality.reports.period import Period

DAYS = 30
SHOWN_ROWS = 5


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what waits for a decision to the index page, and for who may read reports the figures of the last 30 days."""
    context["title"] = "Dashboard"
    context.update(undecided(request))
    context["first_steps"] = list_first_steps(request)
    context["may_view_reports"] = request.user.has_perm(VIEW_REPORTS)
    if context["may_view_reports"]:
        report = make_report(Period.last(DAYS), Grouping.DAY, viewer=request.user)
        context |= {
            "days": DAYS,
            "week": list_week(request),
            "tiles": list_tiles(request, report.total),
            "has_scores": report.total.evaluated > 0,
            "scores_tell": explain_current(settings.EVALUATION_MODEL),
            "failing_jobs": _list_failing_jobs(),
            "open_alerts": _list_open_alerts(),
            **charts(report),
        }
    return context


def _list_failing_jobs() -> list[IngestionJob]:
    failing = {IngestionJob.State.FAILED, IngestionJob.State.PARTLY_FAILED}
    jobs = IngestionJob.objects.filter(state__in=failing).select_related("collection")
    return list(jobs.annotate(file_count=Count("files"))[:SHOWN_ROWS])


def _list_open_alerts() -> list[Alert]:
    return list(
        Alert.objects.filter(acknowledged_at=None).select_related(
            "evaluation__query_log__query", "run", "examination", "budget__user", "budget__role"
        )[:SHOWN_ROWS]
    )


def undecided(request: HttpRequest) -> dict[str, Any]:
    """Build the template's context for pending decisions, for viewers who may take them."""
    if not isinstance(request.user, User):
        return {}
    waiting = {matter.kind: matter.count for matter in list_decisions(request.user)}
    found: dict[str, Any] = {}
    if Kind.ANSWERS in waiting:
        found["answers_to_review"] = waiting[Kind.ANSWERS]
    if Kind.WORKSPACES in waiting:
        found["undecided_workspaces"] = SlackWorkspace.objects.undecided()
    if Kind.SOURCES in waiting:
        asking = SyncRun.objects.filter(state=SyncRun.State.ASKING)
        found["asking_runs"] = asking.select_related("source").order_by("source__name")[:SHOWN_ROWS]
        found["more_asking_runs"] = max(waiting[Kind.SOURCES] - SHOWN_ROWS, 0)
    if Kind.CHANGES in waiting:
        found["changes_to_decide"] = waiting[Kind.CHANGES]
    if Kind.RISKS in waiting:
        found["risks_to_decide"] = waiting[Kind.RISKS]
    if Kind.SECTIONS in waiting:
        found["sections_to_decide"] = waiting[Kind.SECTIONS]
    if Kind.ROLES in waiting:
        found["roles_to_review"] = waiting[Kind.ROLES]
    return found
