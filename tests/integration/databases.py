"""Another database for a test, beside the session's."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from core.operations.rehearsal.place import drop_database


@contextmanager
def other_database(*, with_tables: bool = False, template: str = "template1") -> Iterator[str]:
    """Within the block Django comes to a database without rows; gives its name. For tests that may commit.

    with_tables: with those of the session's database, which are made by the migrations of a new one. template: a copy
    of another database, which nobody may be connected to.
    """
    before, name = connection.settings_dict["NAME"], f"footnote_other_{secrets.token_hex(4)}"
    with connection._nodb_cursor() as cursor:
        if with_tables:
            template = connection.settings_dict["TEST"]["TEMPLATE"]
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        cursor.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off')  # as in the session's
    go_to(name)
    try:
        yield name
    finally:
        go_to(before)
        with connection._nodb_cursor() as cursor:
            drop_database(cursor.connection, name)


def go_to(name: str) -> None:
    """Let Django come to another database of the server."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's connection has it
    connection.settings_dict["NAME"] = name
