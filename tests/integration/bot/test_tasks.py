"""The worker's side: when an answer is tried again, when it is given up, and that a dead worker's jobs go on."""

import datetime as dt
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from procrastinate import RetryDecision
from procrastinate.contrib.django import app as procrastinate_app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.jobs import Job

from bot.delivery import rate_limiting
from bot.delivery.engine import APOLOGY
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.tasks import MAX_ATTEMPTS, Backoff
from core.errors import DatabaseUnavailableError
from core.infrastructure import queue
from core.infrastructure.queue import ANSWER
from core.models import Query
from core.testing import Cast, make_document
from tests.integration.bot.conftest import CHANNEL, mention, the_event
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.worker import run_worker


def decision(error: Exception, *, attempts: int = 0) -> RetryDecision | None:
    job = Job(id=1, queue="default", lock=None, queueing_lock=None, task_name="bot.answer", attempts=attempts)
    return Backoff().get_retry_decision(exception=error, job=job)


def wait_s(error: Exception, *, attempts: int = 0) -> float:
    decided = decision(error, attempts=attempts)
    assert decided is not None
    assert decided.retry_at is not None
    return (decided.retry_at - timezone.now()).total_seconds()


class TestBackoff:
    """Tests of the time of the next attempt."""

    def test_a_refusal_is_final(self) -> None:
        """Slack would refuse the same again; a fault of ours would happen again."""
        assert decision(SlackRefusedError("is_archived")) is None
        assert decision(ValueError("a fault")) is None

    def test_waits_grow_and_differ(self) -> None:
        """From some seconds to about a minute, with jitter."""
        first = {round(wait_s(DatabaseUnavailableError()), 0) for _ in range(40)}
        assert min(first) >= 0
        assert max(first) <= 3
        later = {round(wait_s(SlackUnavailableError("timeout"), attempts=4)) for _ in range(40)}
        assert len(later) > 5
        assert min(later) >= 15
        assert max(later) <= 48

    def test_slacks_own_delay_is_a_minimum(self) -> None:
        """Retry-After is honoured however early the attempt."""
        assert 88 <= wait_s(SlackUnavailableError("ratelimited", retry_after_s=90)) <= 90

    def test_there_is_an_end(self) -> None:
        """The last attempt is not followed by another."""
        assert decision(SlackUnavailableError("timeout"), attempts=MAX_ATTEMPTS - 2) is not None
        assert decision(SlackUnavailableError("timeout"), attempts=MAX_ATTEMPTS - 1) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("fast")
class TestWorker:
    """Jobs as procrastinate's own worker runs them."""

    @pytest.fixture(autouse=True)
    def library(self, transactional_db: None, cast: Cast, fast: None) -> None:
        """One document that Alice and Bob may read."""
        make_document("Canteen rules", CANTEEN, roles=[cast.staff])

    def make_due(self) -> None:
        """Move every retry into the present."""
        with connection.cursor() as cursor:
            cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")
        rate_limiting._pace = rate_limiting.Pace()  # what Slack held is over as well

    def ask(self) -> None:
        receive(build_incoming(mention(ASK_CANTEEN), team_id=TEAM, kind=SlackEvent.Kind.MENTION))

    def test_the_stored_event_is_answered(self, workspace: SlackServer) -> None:
        """From the row to the thread."""
        self.ask()
        run_worker()
        assert "soup" in str(workspace.messages[CHANNEL])
        assert ProcrastinateJob.objects.get(task_name=ANSWER).status == "succeeded"

    def test_a_rate_limit_is_waited_for(self, workspace: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
        """The job is due again no sooner than Slack asked, and then answers."""
        workspace.fail("chat.postMessage", Failure(error="ratelimited", status=429, headers={"Retry-After": "60"}))
        self.ask()
        run_worker()
        job = ProcrastinateJob.objects.get(task_name=ANSWER)
        assert job.status == "todo"
        assert job.scheduled_at is not None
        assert job.scheduled_at > timezone.now() + dt.timedelta(seconds=50)
        self.make_due()
        monkeypatch.setattr(rate_limiting, "_pace", rate_limiting.Pace())  # the minute is over for the channel as well
        run_worker()
        assert the_event().reply.state == Reply.State.POSTED
        assert len(workspace.messages[CHANNEL]) == 1

    def test_trouble_that_stays_ends_with_an_apology(self, workspace: SlackServer) -> None:
        """After the last attempt the placeholder becomes a sentence without internals, and the reply is failed."""
        workspace.fail("chat.update", *[Failure(error="internal_error")] * MAX_ATTEMPTS)
        self.ask()
        for _ in range(MAX_ATTEMPTS):
            run_worker()
            self.make_due()
        (message,) = workspace.messages[CHANNEL]
        assert message["text"] == APOLOGY
        assert "internal_error" not in str(message)
        event = the_event()
        assert (event.state, event.reply.state, event.reply.error_code) == ("failed", "failed", "internal_error")
        assert Query.objects.count() == 1

    def test_a_refusal_of_slacks_is_recorded_at_once(self, workspace: SlackServer) -> None:
        """A channel that is archived is not tried again."""
        workspace.fail("chat.postMessage", *[Failure(error="is_archived")] * 2)
        self.ask()
        run_worker()
        assert the_event().reply.error_code == "is_archived"
        assert ProcrastinateJob.objects.get(task_name=ANSWER).status == "succeeded"

    def test_a_fault_of_ours_is_told_and_fails_the_job(
        self, workspace: SlackServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The asker gets the apology; the operator gets the failed job."""

        def broken(*_: Any, **__: Any) -> None:
            raise ZeroDivisionError("canary K4711")

        monkeypatch.setattr("bot.delivery.rendering.answer", broken)
        self.ask()
        run_worker()
        (message,) = workspace.messages[CHANNEL]
        assert message["text"] == APOLOGY
        assert "K4711" not in str(message)
        assert "K4711" not in caplog.text + str([vars(record) for record in caplog.records])
        assert "test_tasks.py" in str([vars(record).get("places") for record in caplog.records])
        assert the_event().reply.error_code == "ZeroDivisionError"
        assert ProcrastinateJob.objects.get(task_name=ANSWER).status == "failed"

    def test_the_jobs_of_a_dead_worker_are_handed_on(self, workspace: SlackServer) -> None:
        """A job that a worker without a heartbeat holds is answered by another worker."""
        self.ask()
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '10 minutes') RETURNING id"
            )
            cursor.execute("UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s", cursor.fetchone())
        procrastinate_app.configure_task("bot.resume").defer(timestamp=0)  # a worker does so itself once a minute
        run_worker()
        run_worker()
        assert "soup" in str(workspace.messages[CHANNEL])

    def test_a_job_queued_by_a_job_belongs_to_its_transaction(
        self, workspace: SlackServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A rollback in a worker takes back the jobs queued in it as well."""

        def takes_back(*_: Any, **__: Any) -> None:
            with transaction.atomic():
                queue.enqueue(queue.EVALUATE, query_id="taken back")
                transaction.set_rollback(True)
            queue.enqueue(queue.EVALUATE, query_id="kept")

        monkeypatch.setattr("bot.delivery.engine.deliver", takes_back)
        self.ask()
        run_worker()
        queued = ProcrastinateJob.objects.filter(task_name=queue.EVALUATE)
        assert {job.args["query_id"] for job in queued} == {"kept"}
