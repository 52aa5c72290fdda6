"""Runs that nobody waits for: queued, on a schedule, and alarming when a figure fell since the last."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from adminsite.dashboard.usage import usage
from core.access.audiences import asker_for, audience_of
from core.access.grants import revoke
from core.api import ask, recent_questions
from core.infrastructure.queue import RUN_DATASET
from core.models import Alert, Document, EvaluationRun, Query, User
from core.quality.evaluation.datasets.comparison import raise_alerts
from core.quality.evaluation.datasets.dataset import DatasetError
from core.quality.evaluation.datasets.starting import (
    check_dataset,
    list_datasets,
    queue_run,
    queue_scheduled,
    run_dataset,
)
from core.quality.gaps.assigning import assign_new_questions
from core.quality.reports.figures import make_report
from core.quality.reports.grouping import Grouping
from core.quality.reports.period import Period
from core.tasks import run_dataset as run_dataset_task
from core.tasks import run_scheduled_datasets
from core.testing import Cast, make_document
from tests.integration.evaluation.conftest import INSPECTION, QUESTION, REPORT

OPERA = "What does a ticket to the opera house cost?"


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """The folder of datasets, with one that Bob is asked in."""
    settings.EVALUATION_DATASETS = str(tmp_path)
    write(
        tmp_path / "crane.jsonl",
        {"question": QUESTION, "as": "bob@example.com", "expected": "every six weeks", "source": "crane manual"},
        {"question": OPERA, "as": "bob@example.com", "expected": None},
    )
    return tmp_path


@pytest.fixture
def crane(cast: Cast, fast: None) -> Document:
    """A manual that Bob may read."""
    return make_document("Crane manual", INSPECTION, REPORT, roles=[cast.staff])


def write(path: Path, *lines: dict[str, Any]) -> None:
    """A dataset of these lines."""
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")


def make_run(**figures: Any) -> EvaluationRun:
    """A run that has ended with these figures."""
    return EvaluationRun.objects.create(
        dataset="crane.jsonl",
        dataset_hash="0" * 64,
        model="m",
        embedding_model="e",
        chunks=1,
        figures=figures,
        finished_at=timezone.now(),
    )


def queued() -> list[dict[str, Any]]:
    """The arguments of the runs that wait."""
    return list(ProcrastinateJob.objects.filter(task_name=RUN_DATASET).values_list("args", flat=True))


@pytest.mark.usefixtures("db")
def test_what_cannot_be_asked_is_said_before_anything_is(folder: Path, cast: Cast) -> None:
    """A name that is a path, a file that is none, a line that names nobody, somebody who is not active here."""
    write(folder / "nobody.jsonl", {"question": QUESTION})
    write(folder / "gone.jsonl", {"question": QUESTION, "as": "gone@example.com"})
    (folder / "broken.jsonl").write_text("{")
    assert list_datasets() == ["broken.jsonl", "crane.jsonl", "gone.jsonl", "nobody.jsonl"]
    check_dataset("crane.jsonl")
    for name, reason in (
        ("../crane.jsonl", "no dataset"),
        ("other.jsonl", "no dataset"),
        ("nobody.jsonl", "must say who asks"),
        ("gone.jsonl", "gone@example.com"),
        ("broken.jsonl", "not JSON"),
    ):
        with pytest.raises(DatasetError, match=reason):
            check_dataset(name)
    type(cast.bob).objects.filter(pk=cast.bob.pk).update(is_active=False)
    with pytest.raises(DatasetError, match=r"bob@example\.com"):
        check_dataset("crane.jsonl")


@pytest.mark.usefixtures("folder")
def test_a_run_whose_answers_got_worse_raises_alerts(crane: Document, cast: Cast) -> None:
    """The first run has nothing to be compared with; when Bob may no longer read the manual, half comes out wrong."""
    run_dataset_task(dataset="crane.jsonl")
    first = EvaluationRun.objects.get()
    assert (first.figures["right_share"], first.figures["abstained_rightly"]) == (1.0, 1.0)
    assert not Alert.objects.exists()
    revoke(cast.staff, [crane], by=None)
    second = run_dataset("crane.jsonl")
    alerts = {alert.metric: (alert.score, alert.threshold) for alert in second.alerts.all()}
    assert alerts == {
        "right_share": (Decimal("0.500"), Decimal("0.950")),
        "right_source": (Decimal("0.000"), Decimal("0.950")),
        "answer_contains": (Decimal("0.000"), Decimal("0.950")),
    }
    assert {alert.subject for alert in second.alerts.all()} == {str(second)}
    raise_alerts(second)
    assert Alert.objects.count() == 3


@pytest.mark.usefixtures("db")
def test_a_small_fall_and_a_run_over_other_questions_raise_nothing(settings: Settings) -> None:
    """But what must never happen is always an alert."""
    settings.EVALUATION_ALERT_DROP = 0.1
    make_run(right_share=0.9, precision=None)
    assert raise_alerts(make_run(right_share=0.8, precision=0.5)) == []
    assert [alert.metric for alert in raise_alerts(make_run(right_share=0.69))] == ["right_share"]
    other = make_run(right_share=0.1)
    EvaluationRun.objects.filter(pk=other.pk).update(dataset_hash="1" * 64)
    other.refresh_from_db()
    assert raise_alerts(other) == []
    faulty = make_run(questions=4, forbidden_shown=1, quotes=8, unsupported=2)
    found = {alert.metric: alert.score for alert in raise_alerts(faulty)}
    assert found == {"nothing_forbidden": Decimal("0.750"), "quotes_supported": Decimal("0.750")}


@pytest.mark.usefixtures("db", "folder")
def test_a_dataset_waits_once(settings: Settings) -> None:
    """Whoever queues it; the schedule queues what the settings name, and nothing else."""
    run_scheduled_datasets(timestamp=0)
    assert queued() == []
    settings.EVALUATION_SCHEDULE_DATASETS = ["crane.jsonl"]
    assert queue_scheduled() == ["crane.jsonl"]
    assert not queue_run("crane.jsonl")
    run_scheduled_datasets(timestamp=0)
    assert queued() == [{"dataset": "crane.jsonl"}]
    assert queue_run("other.jsonl", delay_s=60)
    later = ProcrastinateJob.objects.get(args={"dataset": "other.jsonl"}).scheduled_at
    assert later is not None
    assert later > timezone.now()


def test_what_a_run_asks_is_no_use_of_the_product(folder: Path, crane: Document, cast: Cast) -> None:
    """Its questions are in no report, no gap and nobody's recent questions; what Bob asks himself is."""
    run_dataset("crane.jsonl")
    assert set(Query.objects.values_list("conversation__origin", flat=True)) == {"evaluation"}
    asked = {"asker": asker_for(cast.bob), "audience": audience_of([cast.bob.pk])}
    today, viewer = Period.last(1), User.objects.create_superuser("root@example.com")
    for own in (0, 1):
        assert assign_new_questions() == own
        assert make_report(today, Grouping.DAY, viewer=viewer).total.questions == own
        assert usage(today).total.questions == own
        assert len(recent_questions(cast.bob.pk, audience=asked["audience"], limit=5)) == own
        if not own:
            ask(OPERA, **asked)
