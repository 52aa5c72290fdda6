"""The pages of runs over datasets: a table by kind, what changed, and a chart from run to run."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.evaluation.datasets.metrics import LineFigures, figures
from core.evaluation.datasets.verdict import Verdict
from core.models import EvaluationRun, EvaluationRunLine

LIST = reverse("admin:core_evaluationrun_changelist")


def make_run(**outcomes: str) -> EvaluationRun:
    """A run with a line for each id."""
    lines = [
        LineFigures(
            kind="plain",
            verdict=Verdict(outcome=outcome, in_words="right" if outcome == "answered_rightly" else ""),
            refusal_expected=False,
            refusal_too=False,
            answered=outcome.startswith("answered"),
            latency_ms=12.0,
        )
        for outcome in outcomes.values()
    ]
    run = EvaluationRun.objects.create(
        dataset="corpus.jsonl",
        dataset_hash="0" * 64,
        model="extractive/sentences",
        embedding_model="by hand",
        chunks=12,
        figures=figures(lines),
        finished_at=timezone.now(),
    )
    for number, (name, outcome) in enumerate(outcomes.items(), 1):
        EvaluationRunLine.objects.create(
            run=run, number=number, identifier=name, kind="plain", outcome=outcome, latency_ms=12
        )
    return run


@pytest.fixture
def two_runs(db: None) -> list[EvaluationRun]:
    """In the later one a question is broken, one mended, one the same, one new and one not asked."""
    return [
        make_run(alpha="answered_rightly", beta="abstained_wrongly", gamma="answered_rightly", delta="failed"),
        make_run(alpha="answered_wrongly", beta="answered_rightly", gamma="answered_rightly", epsilon="failed"),
    ]


def page_of(root: Client, run: EvaluationRun) -> str:
    """The page of a run."""
    return root.get(reverse("admin:core_evaluationrun_change", args=[run.pk])).content.decode()


def cells(*texts: str) -> str:
    """A row of the tables on the page."""
    return "<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>"


def test_a_run_shows_its_figures_by_kind(root: Client, two_runs: list[EvaluationRun]) -> None:
    """And over all."""
    page = page_of(root, two_runs[0])
    figure = ("4", "0.667", "–", "–", "–", "–", "0.333", "1", "0", "0", "12", "12")
    assert cells("plain", *figure) in page
    assert cells("all", *figure) in page
    assert "There is no earlier run over this dataset." in page
    assert "Of 2 questions that have an answer: right 2 (100%)" in page


def test_a_run_shows_what_changed_since_the_one_before(root: Client, two_runs: list[EvaluationRun]) -> None:
    """What is the same is not named there."""
    page = page_of(root, two_runs[1])
    for row in (
        cells("broken", "alpha", "plain", "answered_rightly", "answered_wrongly"),
        cells("mended", "beta", "plain", "abstained_wrongly", "answered_rightly"),
        cells("not asked again", "delta", "", "", ""),
        cells("new", "epsilon", "", "", ""),
    ):
        assert row in page
    assert "<td>gamma</td>" not in page


def test_the_list_shows_a_chart_of_two_runs_and_none_of_one(root: Client, two_runs: list[EvaluationRun]) -> None:
    """From the earlier to the later one; a run that was broken off has no place in it."""
    make_run()
    EvaluationRun.objects.latest("started_at").lines.all().delete()
    EvaluationRun.objects.filter(pk=EvaluationRun.objects.latest("started_at").pk).update(finished_at=None, figures={})
    response: Any = root.get(LIST)
    drawn = {line["label"]: line["data"] for line in json.loads(response.context["runs_chart"])["datasets"]}
    assert drawn["right"] == [0.667, 0.667]
    assert response.content.decode().count("<canvas") == 1
    two_runs[0].delete()
    assert "<canvas" not in root.get(LIST).content.decode()
