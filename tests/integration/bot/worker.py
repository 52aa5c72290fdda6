"""procrastinate's own worker, for as long as there is something to do."""

import time
from typing import Any

from django.db import connection
from procrastinate.contrib.django import app as procrastinate_app

from core.operations.observation import watch_job

_MOST_LOOKS = 5
_BETWEEN_LOOKS_S = 0.05


def run_worker() -> None:
    """Do what is due, and stop.

    A worker that does not wait ends when it finds nothing, and a row that is locked just then is skipped: where
    something is due still, it looks again, as a worker that waits would.
    """
    connector = procrastinate_app.connector.get_worker_connector()  # type: ignore[attr-defined]
    for look in range(_MOST_LOOKS):
        if look:
            time.sleep(_BETWEEN_LOOKS_S)
        with procrastinate_app.replace_connector(connector) as app:
            around = [*app.worker_defaults["task_middleware"], watch_job]
            app.run_worker(wait=False, install_signal_handlers=False, listen_notify=False, task_middleware=around)
        if not any(is_due for *_, is_due in list_queued()):
            return


def list_queued() -> list[tuple[Any, ...]]:
    """List the queued jobs and the workers, also for a failure to show; each job ends with whether it is due."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT task_name, status, lock, attempts, scheduled_at, now(), worker_id,"
            " (SELECT array_agg(id) FROM procrastinate_workers),"
            " status = 'todo' AND coalesce(scheduled_at, now()) <= now() FROM procrastinate_jobs"
        )
        return cursor.fetchall()
