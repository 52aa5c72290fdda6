"""The queue of jobs between tests."""

from django.db import connection


def empty_queue() -> None:
    """Remove the jobs and the workers, which are no rows of Django's models: nothing else removes those of a test.

    A worker that was killed counts as alive for half a minute.
    """
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
        cursor.execute("DELETE FROM procrastinate_workers")
