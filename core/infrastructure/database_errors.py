"""Errors of the database as errors of ours: the one place that says which of them mean that it is away.

Who reports on the database, as the health check and the system checks do, catches every DatabaseError instead: to them
a database that refuses a statement is as unfit as one that is away. The worker's own loop sees psycopg's errors, since
procrastinate's connections are not Django's.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError

from core.errors import DatabaseUnavailableError

# The server cannot be reached, or it gave up a statement for want of time or memory: later it may succeed. Any other
# DatabaseError is a fault of ours, and no later attempt mends it.
DATABASE_AWAY = (OperationalError, InterfaceError)


def translate_error(error: Exception) -> Exception:
    """DatabaseUnavailableError for an error that means that the database is away; any other error as it is."""
    return DatabaseUnavailableError() if isinstance(error, DATABASE_AWAY) else error


@contextmanager
def translate_database_errors() -> Iterator[None]:
    """Raise DatabaseUnavailableError where the block finds the database away."""
    try:
        yield
    except DATABASE_AWAY as error:
        raise translate_error(error) from None  # what the driver says names hosts and users, and logs print causes
