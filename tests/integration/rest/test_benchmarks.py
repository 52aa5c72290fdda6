"""The benchmark report: every figure, narrowed by run and way, and only for those who may read reports."""

import csv
import datetime as dt
import io

import pytest

from core.models import AuditEvent
from core.quality.benchmarks.measuring import Measurement, as_json, store
from tests.integration.rest.conftest import Callers

EARLY, LATE = (dt.datetime(2026, 3, day, 12, tzinfo=dt.UTC) for day in (2, 3))


def measurement(strategy: str, *, index_type: str = "hnsw", share: float = 10.0) -> Measurement:
    """Some figures."""
    return Measurement(
        strategy=strategy,
        index_type=index_type,
        grants="topic",
        share=share,
        audience="channel",
        recall_at_k=0.995,
        recall_min=0.9,
        latency_p50_ms=1.25,
        latency_p95_ms=4.5,
        short_results=1,
        duplicates=2,
        forbidden=0,
        memory_usage_mb=12.5,
        given_up=0,
        build_s=3.5,
        corpus_size=2000,
        permitted=200,
        k=20,
        candidates=400,
        questions=100,
        seed=7,
    )


@pytest.fixture
def two_runs(db: None) -> None:
    """One of two ways, and a later one of one."""
    store([measurement("planner"), measurement("plain")], run="first", measured_at=EARLY, library="synthetic")
    store([measurement("planner", index_type="exact")], run="second", measured_at=LATE, library="live")


@pytest.mark.usefixtures("two_runs")
def test_the_report_holds_every_figure(callers: Callers) -> None:
    """As they were measured, with the run that they belong to, the newest first."""
    body = callers.analyst.get("reports/benchmarks").json()
    assert (body["count"], body["results"][0]["run"]) == (3, "second")
    assert {(row["run"], row["strategy"], row["index_type"]) for row in body["results"]} == {
        ("first", "planner", "hnsw"),
        ("first", "plain", "hnsw"),
        ("second", "planner", "exact"),
    }
    [row] = [row for row in body["results"] if row["strategy"] == "plain"]
    of_run = {"run": "first", "measured_at": "2026-03-02T12:00:00+00:00", "library": "synthetic"}
    assert {**row, "measured_at": dt.datetime.fromisoformat(row["measured_at"]).isoformat()} == {
        **as_json(measurement("plain")),
        **of_run,
    }


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"run": "first"}, {("first", "planner"), ("first", "plain")}),
        ({"strategy": "planner"}, {("first", "planner"), ("second", "planner")}),
        ({"index_type": "exact"}, {("second", "planner")}),
        ({"run": "first", "strategy": "plain"}, {("first", "plain")}),
        ({"run": "third"}, set()),
    ],
)
def test_the_report_can_be_narrowed(callers: Callers, query: dict[str, str], expected: set[tuple[str, str]]) -> None:
    """By run, way and index; what is not there gives nothing."""
    rows = callers.analyst.get("reports/benchmarks", **query).json()["results"]
    assert {(row["run"], row["strategy"]) for row in rows} == expected


@pytest.mark.usefixtures("two_runs")
def test_the_csv_holds_all_rows_and_is_recorded(callers: Callers) -> None:
    """Not a page of them; the same columns as JSON; who took it is in the audit trail."""
    response = callers.analyst.get("reports/benchmarks", format="csv", page_size=1)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(io.StringIO(response.content.decode())))
    listed = callers.analyst.get("reports/benchmarks").json()["results"]
    assert [list(line) for line in lines] == [list(row) for row in listed]
    assert {(line["run"], line["strategy"], line["recall_at_k"], line["latency_p50_ms"]) for line in lines} == {
        ("first", "planner", "0.995", "1.25"),
        ("first", "plain", "0.995", "1.25"),
        ("second", "planner", "0.995", "1.25"),
    }
    event = AuditEvent.objects.get(action="export")
    assert (event.actor, event.object_type, event.details) == (callers.analyst.user, "benchmarkresult", {"rows": 3})


@pytest.mark.usefixtures("two_runs")
def test_who_may_not_read_reports_is_refused(callers: Callers) -> None:
    """In both forms, and nothing is recorded."""
    for caller in (callers.alice, callers.bob, callers.charlie):
        for query in ({}, {"format": "csv"}):
            response = caller.get("reports/benchmarks", **query)
            assert response.status_code == 403
            assert b"planner" not in response.content
    assert not AuditEvent.objects.filter(action="export").exists()
