"""A chart of the questions without a good answer by week, and of the gaps that they are in."""

import datetime as dt
import json
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncWeek
from django.utils import timezone

from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, CLOSEST, bars
from core.models import ContentGap, GapQuestion

WEEKS = 12
_SCALES: Any = BAR_OPTIONS["scales"]
_BESIDE = {**BAR_OPTIONS, "scales": {axis: {**scale, "stacked": False} for axis, scale in _SCALES.items()}}


def list_weeks() -> list[dt.date]:
    """The Mondays of the last weeks, oldest first."""
    today = timezone.localdate()
    monday = today - dt.timedelta(days=today.weekday())
    return [monday - dt.timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]


def chart(gaps: QuerySet[ContentGap]) -> dict[str, Any]:
    """Build the chart of the gaps that the filters leave; {} while there is no question."""
    weeks = list_weeks()
    questions = GapQuestion.objects.filter(gap__in=gaps.order_by().values("pk"), asked_at__date__gte=weeks[0])
    rows = (
        questions.exclude(outcome=GapQuestion.Outcome.ANSWERED)
        .order_by()
        .annotate(week=TruncWeek("asked_at"))
        .values("week")
        .annotate(asked=Count("pk"), gaps=Count("gap", distinct=True))
    )
    found = {row["week"].date(): row for row in rows}
    if not found:
        return {}
    of_gaps = [found[week]["gaps"] if week in found else 0 for week in weeks]
    asked = [found[week]["asked"] if week in found else 0 for week in weeks]
    data = {
        "labels": [f"{week.day} {week:%b}" for week in weeks],
        "datasets": [bars("Questions", asked, CLOSEST), bars("Gaps", of_gaps, ANSWERED)],
    }
    return {"gaps_chart": json.dumps(data), "gaps_options": json.dumps(_BESIDE)}
