"""The job that scores an answer."""

from procrastinate.contrib.django import app
from procrastinate.jobs import Job
from pytest_django.fixtures import Settings

from core.errors import EvaluationError
from core.infrastructure.queue import EVALUATE
from core.models import Document, EvaluationResult
from core.testing import fetch_chunks
from tests.integration.evaluation.conftest import INSPECTION, Asked


def test_the_job_scores_the_answer_of_its_query(manual: Document, asked: Asked) -> None:
    """By the name and with the argument under which answering queues it."""
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    other = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    app.tasks[EVALUATE](query_id=str(query.pk))
    assert set(EvaluationResult.objects.values_list("query_log__query", flat=True)) == {query.pk}
    assert other.pk != query.pk


def test_jobs_that_were_queued_before_evaluation_was_switched_off_do_nothing(
    manual: Document, asked: Asked, settings: Settings
) -> None:
    """So that switching it off stops a judge's costs at once."""
    settings.EVALUATION_ENABLED = False
    query = asked(chunks=fetch_chunks(manual), answer=INSPECTION)
    app.tasks[EVALUATE](query_id=str(query.pk))
    assert not EvaluationResult.objects.exists()


def test_a_failed_evaluation_is_tried_again_twice_and_later() -> None:
    """Then its error stays in the record."""
    task = app.tasks[EVALUATE]
    job = Job(id=1, queue="default", lock=None, queueing_lock=None, task_name=EVALUATE)
    decisions = [task.get_retry_exception(EvaluationError(), job.evolve(attempts=done)) for done in range(3)]
    assert [decision is not None for decision in decisions] == [True, True, False]
