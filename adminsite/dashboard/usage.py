"""The figures of use by day and model provider, computed by the database from logs that hold no text."""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Aggregate, Avg, Count, FloatField, Q
from django.db.models.functions import TruncDate

from core.models import QueryLog
from core.quality.reports.period import Period
from core.types import NOBODY_ASKED, RefusalReason

# Abstentions have no scores to average; a missing score is null and SQL leaves it out by itself.
SCORED = Q(evaluation__isnull=False, evaluation__abstained=False)
UNSURE = RefusalReason.UNSURE.value
SCORES = ("relevance", "groundedness", "answer_relevance")


class Percentile(Aggregate):
    """PostgreSQL's percentile_cont: the interpolated value below which a fraction of the rows lies."""

    function = "percentile_cont"
    template = "%(function)s(%(fraction)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()

    def __init__(self, expression: str, fraction: float) -> None:
        super().__init__(expression, fraction=fraction)


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageRow:
    """The figures of one day and one model provider. Times in milliseconds, scores 0..1, None where there are none."""

    day: dt.date | None  # None in a total
    model_provider: str  # "" in a total
    questions: int
    answered: int
    closest: int  # without an answer, but with the passages that come closest
    refused: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    confidence: float | None
    evaluated: int  # answers with scores; abstentions are not among them
    relevance: float | None
    groundedness: float | None
    answer_relevance: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageReport:
    """Figures over some days, by day and provider, oldest first, and over all of them."""

    since: dt.date
    until: dt.date  # the last day, included
    total: UsageRow
    rows: tuple[UsageRow, ...]


def usage(period: Period, *, provider: str = "") -> UsageReport:
    """Return the figures of a period. provider: narrow to one model provider."""
    logs = QueryLog.objects.order_by().filter(created_at__gte=period.start, created_at__lt=period.end)
    logs = logs.exclude(query__conversation__origin__in=NOBODY_ASKED).exclude(query__is_overheard=True)
    if provider:
        logs = logs.filter(model_provider=provider)
    grouped = logs.annotate(day=TruncDate("created_at")).values("day", "model_provider").annotate(**_list_aggregates())
    total = logs.aggregate(**_list_aggregates())
    return UsageReport(
        since=period.since,
        until=period.until,
        total=_make_row({"day": None, "model_provider": "", **total}),
        rows=tuple(_make_row(values) for values in grouped.order_by("day", "model_provider")),
    )


def _list_aggregates() -> dict[str, Aggregate]:
    scores = {name: Avg(f"evaluation__{name}_score", filter=SCORED) for name in SCORES}
    return {
        "questions": Count("pk"),
        "answered": Count("pk", filter=Q(refusal_reason="")),
        "closest": Count("pk", filter=Q(refusal_reason=UNSURE)),
        "refused": Count("pk", filter=~Q(refusal_reason__in=["", UNSURE])),
        "latency_p50_ms": Percentile("response_time_ms", 0.5),
        "latency_p95_ms": Percentile("response_time_ms", 0.95),
        "mean_confidence": Avg("confidence"),
        "evaluated": Count("evaluation", filter=SCORED),
        **scores,
    }


def _make_row(values: dict[str, Any]) -> UsageRow:
    given = dict(values)
    given["confidence"] = given.pop("mean_confidence")
    return UsageRow(**{name: _round_figure(value) for name, value in given.items()})


def _round_figure(value: Any) -> Any:
    return round(float(value), 4) if isinstance(value, float | Decimal) else value
