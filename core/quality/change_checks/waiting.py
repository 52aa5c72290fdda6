"""See if others wait for what the transaction of a try holds."""

from django.db import connection


def is_waited_for() -> bool:
    """Return True if another session waits for what this transaction holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
        )
        [found] = cursor.fetchone()
    return bool(found)
