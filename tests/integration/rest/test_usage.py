"""The usage report: right figures, no text, and only for those who may read reports."""

import csv
import datetime as dt
import io
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from core.models import AuditEvent, EvaluationResult, QueryLog, User
from core.testing import Cast
from tests.integration.rest.conftest import Callers

MONDAY, TUESDAY = dt.date(2026, 3, 2), dt.date(2026, 3, 3)


def log(
    day: dt.date, *, user: User | None = None, provider: str = "extractive", took_ms: int = 100, refused: str = ""
) -> QueryLog:
    """The log row of a question."""
    row = QueryLog.objects.create(
        request_id=f"req_{uuid4().hex[:20]}",
        response_id=uuid4(),
        user=user,
        confidence=0.2 if refused else 0.8,
        has_sufficient_context=not refused,
        refusal_reason=refused,
        model_provider=provider,
        model="test",
        agent_steps=1,
        response_time_ms=took_ms,
        trace_id=uuid4().hex,
    )
    at_noon = timezone.make_aware(dt.datetime.combine(day, dt.time(12)))
    QueryLog.objects.filter(pk=row.pk).update(created_at=at_noon)
    return row


def scores(row: QueryLog, groundedness: str | None, *, abstained: bool = False) -> None:
    """The evaluation of a question."""
    EvaluationResult.objects.create(
        query_log=row, groundedness_score=groundedness, abstained=abstained, method="by hand"
    )


@pytest.fixture
def two_days(db: None, cast: Cast) -> None:
    """Monday: four questions of one provider, one refused, one with the closest passages. Tuesday: one. Later: one."""
    scores(log(MONDAY, took_ms=100, user=cast.alice), "0.800")
    scores(log(MONDAY, took_ms=300, user=cast.bob), "1.000")
    scores(log(MONDAY, took_ms=200, refused="nothing_found"), "0.000", abstained=True)
    log(MONDAY, took_ms=200, refused="unsure")
    scores(log(TUESDAY, took_ms=50, provider="openai"), None)
    log(TUESDAY + dt.timedelta(days=1))


def report(callers: Callers, **query: Any) -> dict[str, Any]:
    """The report over the two days."""
    response = callers.analyst.get("reports/usage", since=MONDAY.isoformat(), until=TUESDAY.isoformat(), **query)
    assert response.status_code == 200, response.content
    return dict(response.json())


@pytest.mark.usefixtures("two_days")
def test_the_figures_are_right(callers: Callers) -> None:
    """Counts, percentiles and averages by day and provider; an abstention's scores are no part of an average."""
    monday, tuesday = report(callers)["rows"]
    assert monday == {
        "day": "2026-03-02",
        "model_provider": "extractive",
        "questions": 4,
        "answered": 2,
        "closest": 1,
        "refused": 1,
        "latency_p50_ms": 200.0,
        "latency_p95_ms": 285.0,
        "confidence": 0.5,
        "evaluated": 2,
        "relevance": None,
        "groundedness": 0.9,
        "answer_relevance": None,
    }
    assert (tuesday["day"], tuesday["model_provider"], tuesday["questions"]) == ("2026-03-03", "openai", 1)
    assert (tuesday["evaluated"], tuesday["groundedness"]) == (1, None)


@pytest.mark.usefixtures("two_days")
def test_the_total_is_over_all_rows(callers: Callers) -> None:
    """The total's median is that of all questions, not of the days."""
    total = report(callers)["total"]
    assert (total["questions"], total["answered"], total["closest"], total["refused"]) == (5, 3, 1, 1)
    assert (total["evaluated"], total["latency_p50_ms"], total["groundedness"]) == (3, 200.0, 0.9)
    assert report(callers, provider="openai")["total"]["questions"] == 1


def test_an_empty_report_has_no_averages(callers: Callers) -> None:
    """Days without questions give zeros and nulls, not errors."""
    empty = report(callers)
    assert empty["rows"] == []
    assert (empty["total"]["questions"], empty["total"]["latency_p50_ms"]) == (0, None)


@pytest.mark.usefixtures("two_days")
def test_the_csv_holds_the_same_rows_and_is_recorded(callers: Callers, cast: Cast) -> None:
    """A header line and one line per row; who took it is in the audit trail, with figures only."""
    response = callers.analyst.get("reports/usage", since=MONDAY.isoformat(), until=TUESDAY.isoformat(), format="csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(line["day"], line["model_provider"], line["questions"]) for line in lines] == [
        ("2026-03-02", "extractive", "4"),
        ("2026-03-03", "openai", "1"),
    ]
    event = AuditEvent.objects.get(action="export")
    assert (event.actor, event.object_type) == (callers.analyst.user, "usage")
    assert event.details == {"since": "2026-03-02", "until": "2026-03-03", "rows": 2}


@pytest.mark.usefixtures("two_days")
def test_everyone_else_is_refused(callers: Callers) -> None:
    """Without the permission there is no report, whatever one may read."""
    for caller in (callers.alice, callers.bob, callers.charlie):
        for query in ({}, {"format": "csv"}):
            response = caller.get("reports/usage", **query)
            assert response.status_code == 403
            assert b"extractive" not in response.content
    assert not AuditEvent.objects.filter(action="export").exists()


@pytest.mark.parametrize(
    "query",
    [
        {"since": "2026-03-03", "until": "2026-03-02"},
        {"since": "2020-01-01", "until": "2026-03-02"},
        {"since": "yesterday"},
    ],
)
def test_days_that_make_no_report_are_refused(callers: Callers, query: dict[str, str]) -> None:
    """Days in the wrong order, too many of them and what is no day."""
    response = callers.analyst.get("reports/usage", **query)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["since"]
