"""The report of runs over datasets: every figure, narrowed by dataset and model, for those who may read reports."""

import pytest
from django.utils import timezone

from core.models import EvaluationRun
from core.quality.evaluation.datasets.metrics import figures
from tests.integration.rest.conftest import Callers


def make_run(dataset: str, *, model: str = "extractive/sentences", ended: bool = True) -> EvaluationRun:
    """A run without questions."""
    return EvaluationRun.objects.create(
        dataset=dataset,
        dataset_hash="0" * 64,
        model_provider=model.partition("/")[0],
        model=model,
        prompt_hash="1" * 64,
        embedding_model="by hand",
        chunks=12,
        figures=figures([]) if ended else {},
        finished_at=timezone.now() if ended else None,
    )


@pytest.fixture
def three_runs(db: None) -> None:
    """Two over one dataset, the later of them broken off, and one over another."""
    make_run("corpus.jsonl")
    make_run("samples.jsonl", model="ollama/qwen")
    make_run("corpus.jsonl", ended=False)


@pytest.mark.usefixtures("three_runs")
def test_the_report_holds_every_figure(callers: Callers) -> None:
    """The newest first, with what was asked of which model; a run that was broken off has no figures."""
    body = callers.analyst.get("reports/evaluations").json()
    assert [(row["dataset"], row["finished_at"] is None) for row in body["results"]] == [
        ("corpus.jsonl", True),
        ("samples.jsonl", False),
        ("corpus.jsonl", False),
    ]
    run = EvaluationRun.objects.get(dataset="samples.jsonl")
    row = body["results"][1]
    assert (row.pop("started_at"), row.pop("finished_at")) != (None, None)
    assert row == {
        "id": str(run.pk),
        "dataset": "samples.jsonl",
        "dataset_hash": "0" * 64,
        "model_provider": "ollama",
        "model": "ollama/qwen",
        "prompt_hash": "1" * 64,
        "embedding_model": "by hand",
        "chunks": 12,
        "figures": figures([]),
    }
    assert body["results"][0]["figures"] == {}


@pytest.mark.usefixtures("three_runs")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"dataset": "corpus.jsonl"}, ["corpus.jsonl", "corpus.jsonl"]),
        ({"model": "ollama/qwen"}, ["samples.jsonl"]),
        ({"dataset": "other.jsonl"}, []),
    ],
)
def test_the_report_can_be_narrowed(callers: Callers, query: dict[str, str], expected: list[str]) -> None:
    """By dataset and model; what is not there gives nothing."""
    rows = callers.analyst.get("reports/evaluations", **query).json()["results"]
    assert [row["dataset"] for row in rows] == expected


@pytest.mark.usefixtures("three_runs")
def test_who_may_not_read_reports_is_refused(callers: Callers) -> None:
    """Whatever they may read in the library."""
    for caller in (callers.alice, callers.bob, callers.charlie):
        response = caller.get("reports/evaluations")
        assert response.status_code == 403
        assert b"corpus" not in response.content
