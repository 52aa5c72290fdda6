"""The page of benchmarks: a table, filters, and charts of one run."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.models import BenchmarkResult
from core.quality.benchmarks.measuring import store
from tests.integration.rest.test_benchmarks import EARLY, LATE, measurement

LIST = reverse("admin:core_benchmarkresult_changelist")


@pytest.fixture
def two_runs(db: None) -> None:
    """In the later one the planner for two shares, the plain way for one of them, and each for one kind of readers."""
    store([measurement("ivf")], run="20260302", measured_at=EARLY, library="synthetic")
    later = [measurement("planner", share=100.0), measurement("planner", share=0.1), measurement("plain", share=0.1)]
    store(later, run="20260303", measured_at=LATE, library="synthetic")
    before = BenchmarkResult.objects.get(strategy="ivf")
    BenchmarkResult.objects.filter(pk=before.pk).update(created_at=before.created_at - dt.timedelta(days=1))


def drawn(response: Any, chart: str) -> dict[str, list[float | None]]:
    """The lines of a chart by their names."""
    return {line["label"]: line["data"] for line in json.loads(response.context[chart])["datasets"]}


@pytest.mark.usefixtures("two_runs")
def test_the_charts_show_the_newest_run_by_share(root: Client) -> None:
    """A line for each way, and a gap where it was not measured; the table has all rows."""
    response = root.get(LIST)
    assert json.loads(response.context["recall_chart"])["labels"] == ["100 %", "0.1 %"]
    assert drawn(response, "recall_chart") == {"planner": [0.995, 0.995], "plain": [None, 0.995]}
    assert drawn(response, "time_chart") == {"planner": [1.25, 1.25], "plain": [None, 1.25]}
    page = response.content.decode()
    assert page.count("<canvas") == 2
    assert "Run 20260303." in page
    assert response.context["cl"].result_count == 4
    assert "1.2 / 4.5" in page
    assert "1 / 2 / 0" in page


@pytest.mark.usefixtures("two_runs")
def test_a_point_is_the_worst_of_its_readers(root: Client) -> None:
    """Of two measurements of one way at one share the lower recall and the longer time."""
    worse = BenchmarkResult.objects.get(strategy="plain")
    BenchmarkResult.objects.create(
        index_type="hnsw",
        strategy="plain",
        recall_at_k=0.25,
        query_latency_ms=0.5,
        memory_usage_mb=1,
        corpus_size=2000,
        selectivity=worse.selectivity,
        details=worse.details,
    )
    response = root.get(LIST)
    assert (drawn(response, "recall_chart")["plain"], drawn(response, "time_chart")["plain"]) == (
        [None, 0.25],
        [None, 1.25],
    )


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize(
    ("query", "count", "run"),
    [
        ({"run": "20260302"}, 1, "20260302"),
        ({"run": "20260303"}, 3, "20260303"),
        ({"strategy": "ivf"}, 1, "20260302"),
        ({"index_type": "hnsw"}, 4, "20260303"),
    ],
)
def test_filters_choose_rows_and_run(root: Client, query: dict[str, str], count: int, run: str) -> None:
    """The charts are of the newest run that the filters leave."""
    response = root.get(LIST, query)
    assert (response.context["cl"].result_count, response.context["run"]) == (count, run)


@pytest.mark.django_db
def test_without_a_run_there_is_no_chart(root: Client) -> None:
    """Neither on an empty page nor for a measurement that belongs to none."""
    assert "<canvas" not in root.get(LIST).content.decode()
    BenchmarkResult.objects.create(
        index_type="hnsw", query_latency_ms=1.5, recall_at_k=0.97, memory_usage_mb=10, corpus_size=1000
    )
    response = root.get(LIST)
    assert response.context["cl"].result_count == 1
    assert "<canvas" not in response.content.decode()


@pytest.mark.usefixtures("two_runs")
def test_the_page_is_read_only_and_closed_to_others(root: Client, staff: Callable[..., Client]) -> None:
    """Results are looked at with their permission, and changed by nobody."""
    row = BenchmarkResult.objects.first()
    assert row is not None
    assert root.post(reverse("admin:core_benchmarkresult_change", args=[row.pk]), {}).status_code == 403
    assert root.get(reverse("admin:core_benchmarkresult_add")).status_code == 403
    response = staff("core.view_role").get(LIST)
    assert (response.status_code, b"20260303" in response.content) == (403, False)
