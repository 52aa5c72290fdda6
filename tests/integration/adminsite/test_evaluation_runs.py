"""The pages of runs over datasets: a table by kind, what changed, and a chart from run to run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from core.models import Alert, AuditEvent, EvaluationRun, EvaluationRunLine, Query
from core.quality.evaluation.datasets.metrics import LineFigures, figures
from core.quality.evaluation.datasets.verdict import Verdict
from core.testing import Cast
from tests.integration.asked import make_question

LIST = reverse("admin:core_evaluationrun_changelist")
START = reverse("admin:core_evaluationrun_start")
ALERTS = reverse("admin:core_alert_changelist")


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
    """A row of the tables on the page; what begins with + is green there, and with ! red."""
    colours = {"+": ' class="fn-good"', "!": ' class="fn-bad-text"'}
    return "<tr>" + "".join(f"<td{colours.get(text[:1], '')}>{text.lstrip('+!')}</td>" for text in texts) + "</tr>"


def test_a_run_shows_its_figures_by_kind(root: Client, two_runs: list[EvaluationRun]) -> None:
    """And over all."""
    page = page_of(root, two_runs[0])
    figure = ("4", "0.667", "–", "–", "–", "–", "0.333", "+1", "0", "+0", "12", "12")
    assert cells("plain", *figure) in page
    assert cells("all", *figure) in page
    assert "There is no earlier run over this dataset." in page
    assert "Of 2 questions that have an answer: right 2 (100%)" in page


def test_a_run_shows_what_changed_since_the_one_before(root: Client, two_runs: list[EvaluationRun]) -> None:
    """Unchanged questions are not named there."""
    page = page_of(root, two_runs[1])
    for row in (
        cells("!broken", "alpha", "plain", "+answered rightly", "!answered wrongly"),
        cells("+mended", "beta", "plain", "!abstained wrongly", "+answered rightly"),
        cells("not asked again", "delta", "", "", ""),
        cells("new", "epsilon", "", "", ""),
    ):
        assert row in page
    assert "<td>gamma</td>" not in page


def test_what_is_right_is_green_also_where_it_is_to_abstain(root: Client, db: None) -> None:
    """In the lines and in the figures by kind; figures that got better are green, those that fell red."""
    make_run(alpha="answered_rightly", beta="answered_wrongly", gamma="abstained_rightly")
    later = make_run(alpha="answered_wrongly", beta="answered_wrongly", gamma="abstained_rightly")
    page = page_of(root, later)
    assert '<span class="fn-good">abstained rightly</span>' in page
    assert '<span class="fn-bad-text">answered wrongly</span>' in page
    assert cells("Right", "0.667", "!0.333") in page
    Alert.objects.create(run=later, metric="right_share", score="0.333", threshold="0.617")
    assert "right share: right_share 0.333 under 0.617" in page_of(root, later)
    assert reverse("admin:core_evaluationrun_change", args=[later.pk]) in root.get(ALERTS).content.decode()
    assert str(later) in root.get("/admin/").content.decode()


def test_lines_are_named_by_their_questions_for_who_may_see_those(
    root: Client, staff: Callable[..., Client], cast: Cast
) -> None:
    """A look at them is in the audit trail; others see the lines' ids, and so does everybody once they are erased."""
    before, later = make_run(alpha="answered_rightly"), make_run(alpha="answered_wrongly")
    query = make_question(cast.alice)
    EvaluationRunLine.objects.update(query_log=query.log)
    page = page_of(root, later)
    assert page.count("What of the basilisk?") == 2  # in the lines, and among what changed
    assert AuditEvent.objects.filter(action="read_text", object_id=str(later.pk)).count() == 1
    browser = staff("core.view_evaluationrun", "core.view_evaluationrunline")
    page = page_of(browser, later)
    assert "basilisk" not in page
    assert page.count("alpha") >= 2
    assert AuditEvent.objects.filter(action="read_text").count() == 1
    Query.objects.update(question_text="", erased_at=timezone.now())
    assert "alpha" in page_of(root, later)
    assert AuditEvent.objects.filter(action="read_text").count() == 1
    assert before.lines.count() == 1


@pytest.mark.usefixtures("db")
def test_a_run_is_started_from_the_admin(
    root: Client, staff: Callable[..., Client], settings: Settings, tmp_path: Path, cast: Cast
) -> None:
    """By who may; a second press queues nothing, and a dataset that cannot be asked is refused with the reason."""
    settings.EVALUATION_DATASETS = str(tmp_path)
    assert "There is no dataset" in root.get(START).content.decode()
    (tmp_path / "crane.jsonl").write_text(json.dumps({"question": "What is it?", "as": cast.bob.email}))
    (tmp_path / "gone.jsonl").write_text(json.dumps({"question": "What is it?", "as": "gone@example.com"}))
    assert "Start a run" in root.get(LIST).content.decode()
    refused = root.post(START, {"dataset": "gone.jsonl"})
    assert "gone@example.com" in refused.content.decode()
    assert root.post(START, {"dataset": "../crane.jsonl"}).status_code == 200
    for said in ("It appears here when the worker begins it.", "is queued already"):
        assert said in root.post(START, {"dataset": "crane.jsonl"}, follow=True).content.decode()
    jobs = ProcrastinateJob.objects.filter(task_name="core.run_dataset")
    assert [job.args for job in jobs] == [{"dataset": "crane.jsonl"}]
    event = AuditEvent.objects.get(action="create", object_type="evaluationrun")
    assert event.details == {"dataset": "crane.jsonl"}
    browser = staff("core.view_evaluationrun")
    assert browser.get(START).status_code == 403
    assert browser.post(START, {"dataset": "crane.jsonl"}).status_code == 403


@pytest.mark.usefixtures("db")
def test_a_run_of_many_lines_costs_no_more_queries(
    root: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Lines, questions and changes are read at once."""
    make_run(**{f"line{number}": "answered_rightly" for number in range(60)})
    run = make_run(**{f"line{number}": "answered_wrongly" for number in range(60)})
    with django_assert_max_num_queries(34):
        page_of(root, run)


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
