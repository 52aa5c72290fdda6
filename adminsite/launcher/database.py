"""Can Footnote use the database that it was given? Asked before anything waits for it."""

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper

from adminsite import pgvector

_CONNECT_TIMEOUT_S = 10


def problem(connection: BaseDatabaseWrapper) -> str | None:
    """Describe why the database cannot be used, and what to do; None when it can.

    It is asked over a connection of its own: the pool waits, and keeps the server's reason to itself.
    """
    parameters = connection.get_connection_params() | {"connect_timeout": _CONNECT_TIMEOUT_S}
    try:
        psycopg.connect(**parameters).close()
    except psycopg.OperationalError as error:
        return (
            f"The database cannot be reached: {in_one_line(error)}. Check the address, the name and the password in "
            "DATABASE_URL, and that the server is running."
        )
    unsuitable = pgvector.problem(connection)
    if unsuitable:
        return (
            f"{unsuitable} Install pgvector {pgvector.minimum_in_words()} or newer on the server that DATABASE_URL "
            "names (if an older version was in use, run in the database: ALTER EXTENSION vector UPDATE), or remove "
            "DATABASE_URL to use the PostgreSQL that comes with Footnote."
        )
    return None


def in_one_line(error: BaseException) -> str:
    """Return the database's message, without line breaks and without a full stop."""
    return " ".join(str(error).split()).rstrip(".")
