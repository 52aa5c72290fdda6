"""The dashboard on the admin's first page."""

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest
from django.urls import reverse

from adminsite.dashboard.decisions import undecided
from adminsite.dashboard.scores import explain_current
from adminsite.dashboard.usage import UsageReport, by_day, scores_by_day, usage
from core.models import Alert, Chunk, Document, IngestionFile, IngestionJob
from core.models.row_security import bypass_row_security
from core.reports.period import Period

DAYS = 30
SHOWN_ROWS = 5
ANSWERED, CLOSEST, REFUSED = "var(--color-primary-600)", "var(--color-primary-300)", "var(--color-base-300)"
_LEGEND = {"legend": {"align": "end", "labels": {"boxWidth": 8, "boxHeight": 8, "usePointStyle": True}}}
_SHAPE = {"animation": False, "responsive": True, "maintainAspectRatio": False, "plugins": _LEGEND}
_NO_GRID = {"grid": {"display": False}, "ticks": {"maxTicksLimit": 10, "maxRotation": 0}}
BAR_OPTIONS = {
    **_SHAPE,
    "scales": {"x": {**_NO_GRID, "stacked": True}, "y": {"stacked": True, "ticks": {"precision": 0}}},
}
LINE_OPTIONS = {**_SHAPE, "scales": {"x": _NO_GRID, "y": {"min": 0, "max": 1}}}
LINES = (
    ("relevance", "Context relevance", "var(--color-primary-600)"),
    ("groundedness", "Groundedness", "#0d9488"),
    ("answer_relevance", "Answer relevance", "#d97706"),
)


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add what waits for a decision to the index page, and for who may read reports the figures of the last 30 days."""
    context["title"] = "Dashboard"
    context.update(undecided(request))
    context["may_view_reports"] = request.user.has_perm("core.view_reports")
    if context["may_view_reports"]:
        period = Period.last(DAYS)
        shown = usage(period)
        context.update(
            {
                "days": DAYS,
                "tiles": _tiles(shown),
                "questions_chart": json.dumps(_questions_chart(shown)),
                "scores_chart": json.dumps(_scores_chart(period)),
                "bar_options": json.dumps(BAR_OPTIONS),
                "line_options": json.dumps(LINE_OPTIONS),
                "has_scores": shown.total.evaluated > 0,
                "scores_tell": explain_current(settings.EVALUATION_MODEL),
                "failing_jobs": _list_failing_jobs(),
                "open_alerts": _list_open_alerts(),
            }
        )
    return context


def _tiles(shown: UsageReport) -> list[dict[str, Any]]:
    total = shown.total
    answered = f"{total.answered / total.questions:.0%} answered" if total.questions else "none yet"
    if total.closest:
        answered += f", {total.closest / total.questions:.0%} closest passages"
    slowest = f"95 % within {_seconds(total.latency_p95_ms)}"
    alerts = Alert.objects.filter(acknowledged_at=None).count()
    failed = IngestionFile.objects.filter(state=IngestionFile.State.FAILED).count()
    unsaid = apps.get_model("bot", "Reply").objects.filter(state="failed").count()
    with bypass_row_security():
        documents, chunks = Document.objects.count(), Chunk.objects.count()
    return [
        _tile("Questions", f"{total.questions:,}", answered, "querylog", "help"),
        _tile("Median time", _seconds(total.latency_p50_ms), slowest, "answer", "timer"),
        _tile(
            "Groundedness", _score(total.groundedness), f"{total.evaluated:,} scored", "evaluationresult", "verified"
        ),
        _tile("Open alerts", f"{alerts:,}", "below their threshold", "alert", "notifications", bad=alerts),
        _tile("Documents", f"{documents:,}", f"{chunks:,} chunks", "document", "description"),
        _tile("Failed files", f"{failed:,}", "in all ingestion jobs", "ingestionjob", "upload_file", bad=failed),
        _tile("Failed replies", f"{unsaid:,}", "to questions from Slack", "reply", "reply", app="bot", bad=unsaid),
    ]


def _tile(
    title: str, value: str, note: str, model: str, icon: str, *, app: str = "core", bad: int = 0
) -> dict[str, Any]:
    link = reverse(f"admin:{app}_{model}_changelist")
    return {"title": title, "value": value, "note": note, "link": link, "icon": icon, "bad": bool(bad)}


def _seconds(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


def _questions_chart(shown: UsageReport) -> dict[str, Any]:
    days = by_day(shown)
    return {
        "labels": [_label(day) for day in days],
        "datasets": [
            bars("Answered", [answered for answered, _, _ in days.values()], ANSWERED),
            bars("Closest passages", [closest for _, closest, _ in days.values()], CLOSEST),
            bars("Refused", [refused for _, _, refused in days.values()], REFUSED),
        ],
    }


def bars(label: str, values: Sequence[int], colour: str) -> dict[str, Any]:
    """One stack of a bar chart."""
    return {
        "label": label,
        "data": list(values),
        "backgroundColor": colour,
        "maxBarThickness": 18,
        "borderRadius": 3,
    }


def _scores_chart(period: Period) -> dict[str, Any]:
    rows = scores_by_day(period)
    return {
        "labels": [_label(row["day"]) for row in rows],
        "datasets": [
            {
                "label": label,
                "data": [None if row[name] is None else round(float(row[name]), 3) for row in rows],
                "borderColor": colour,
                "backgroundColor": colour,
                "tension": 0.3,
                "pointRadius": 2,
            }
            for name, label, colour in LINES
        ],
    }


def _label(day: dt.date) -> str:
    return f"{day.day} {day:%b}"


def _list_failing_jobs() -> list[IngestionJob]:
    failing = {IngestionJob.State.FAILED, IngestionJob.State.PARTLY_FAILED}
    jobs = IngestionJob.objects.filter(state__in=failing).select_related("collection")
    return list(jobs.annotate(file_count=Count("files"))[:SHOWN_ROWS])


def _list_open_alerts() -> list[Alert]:
    return list(Alert.objects.filter(acknowledged_at=None).select_related("evaluation__query_log", "run")[:SHOWN_ROWS])
