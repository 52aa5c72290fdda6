"""Set up tracing and metrics in each process, and the middleware that times and traces jobs."""

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection
from procrastinate import JobContext

from core.asking.verification.reasons import Reason
from core.infrastructure.measures import families
from core.infrastructure.measures.port import serve
from core.infrastructure.queue import ANSWER, INGEST, SYNC
from core.infrastructure.tracing import spans
from core.infrastructure.tracing.export import set_up
from core.library.retrieval.planner import Strategy
from core.types import RefusalReason

# How far from METRICS_PORT a process shows its figures, so that all can have the same settings on one machine.
_PORTS = {"bot": 0, "worker": 1}
# The argument of a task that names the row whose trace the job goes on with.
_ROW_OF = {ANSWER: "event", INGEST: "job", SYNC: "run"}

_WAITED = """
    SELECT extract(epoch FROM max(at) FILTER (WHERE type = 'started')
                              - greatest(max(at) FILTER (WHERE type IN ('deferred', 'deferred_for_retry')), %s))
    FROM procrastinate_events WHERE job_id = %s
"""


def observe(process: str) -> None:
    """Begin the figures of this process, "web", "bot" or "worker", and trace it where an endpoint is set.

    The bot and the worker show theirs at METRICS_PORT and the port after it, if that is set.
    """
    families.prepare(reasons=RefusalReason, dropped=Reason, strategies=Strategy)
    if process in _PORTS and settings.METRICS_PORT:
        port = settings.METRICS_PORT + _PORTS[process]
        serve(settings.METRICS_HOST, port, token=settings.METRICS_TOKEN, with_disk=process == "worker")
    set_up(f"footnote-{process}")


def watch_job(call_next: Callable[[], Any], context: JobContext, worker: Any) -> Any:
    """Procrastinate's middleware around a job, in the job's thread: how long it waited and took, and its span."""
    job = context.job
    task = job.task_name
    _note_wait(context)
    started, outcome = time.perf_counter(), "failed"
    try:
        with _span_of(context):
            result = call_next()
        outcome = "done"
    finally:
        families.job_seconds.labels(task, outcome).observe(time.perf_counter() - started)
    return result


def _span_of(context: JobContext) -> Any:
    job = context.job
    held = {"task": job.task_name, "job_id": job.id, "attempt": job.attempts + 1}
    row = job.task_kwargs.get(_ROW_OF.get(job.task_name, ""))
    return spans.span_of(UUID(str(row)), "job", **held) if row else spans.span("job", **held)


def _note_wait(context: JobContext) -> None:
    """From when a job was due until a worker took it, by the database's clock alone."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_WAITED, [context.job.scheduled_at, context.job.id])
            (waited_s,) = cursor.fetchone()
    except DatabaseError:
        connection.close_if_unusable_or_obsolete()  # the job gets a new one
        return
    if waited_s is not None:
        families.job_wait_seconds.labels(context.job.task_name).observe(max(0.0, float(waited_s)))
