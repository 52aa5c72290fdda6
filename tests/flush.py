"""A pytest plugin: what a test has committed is removed by deleting rows, where they are few.

After each test that commits, Django truncates every table, makes new files for all of them and their indexes, and has
content types, permissions and ready-made groups made again: a third of a second, hundreds of times. Deleting the rows
that are there leaves the same tables in a twentieth of it. Sequences go on counting either way.
"""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

_FEW = 500  # rows; more of them are truncated faster than their foreign keys are looked up
# What an installation begins with. It stays where the test left it as it was.
_BEGINNING = ("auth_group", "auth_group_permissions", "auth_permission", "django_content_type")
# Triggers number the states of the library here, and no number may come twice.
_VERSIONS = "core_libraryversion"
# They are truncated even so: the events of the audit cannot be deleted, and deleted chunks would stay in the index of
# vectors, and take the places of others in searches, until it is vacuumed. With them goes all that refers to them.
_TRUNCATED = (
    ("core_auditevent",),
    (
        "core_changecheckwords",
        "core_chunk",
        "core_citation",
        "core_citationwords",
        "core_contradictionwords",
        "core_examinationwords",
        "core_proposalwords",
        "core_retrievedchunk",
        "core_verifiedsource",
        "core_verifiedsourcewords",
    ),
)

Flush = Callable[[TransactionTestCase], None]


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> Iterator[None]:
    """Every test that commits ends so. Where it left much, or changed a beginning's rows, Django's own way is taken."""
    thorough: Flush = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]
    beginnings: set[str] = set()

    def flush(case: TransactionTestCase) -> None:
        if not beginnings or not delete_rows(beginnings):
            thorough(case)
            beginnings.clear()
            beginnings.add(read_beginning())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", flush)
        yield


@transaction.atomic
def delete_rows(beginnings: set[str]) -> bool:
    """Empty the tables; False, and nothing done, where this is not the way to do it.

    beginnings: what `read_beginning` may return when nothing of what an installation begins with was changed.

    The lock is the one that TRUNCATE takes: what other threads are about to commit is waited for, and seen.
    """
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {', '.join(sorted(tables))} IN ACCESS EXCLUSIVE MODE")
        if read_beginning() not in beginnings:
            return False
        deleted = tables.difference(_BEGINNING, [_VERSIONS], *_TRUNCATED)
        held = _rows(deleted)
        if any(rows == _FEW for rows in held.values()):
            return False
        for together in _TRUNCATED:
            _truncate_used(cursor, together)
        # Of a statement that deletes nothing, too, the triggers make a new state of the library.
        for table in {*held, "core_chunk", "core_roledocumentaccess"}:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - all are tables of ours
    return True


def read_beginning() -> str:
    """Return a hash of what an installation begins with."""
    rows = "(SELECT coalesce(string_agg(t::text, ' ' ORDER BY id), '') FROM {} t)"
    each = " || ".join(rows.format(table) for table in _BEGINNING)
    return str(read_planned(f"SELECT md5({each})")[0][0])


def _rows(tables: set[str]) -> dict[str, int]:
    """The tables that are not empty, with the number of their rows, counted as far as to what is not few."""
    count = "SELECT '{0}', (SELECT count(*) FROM (SELECT FROM {0} LIMIT {1}) r)"
    counts = (count.format(table, _FEW) for table in sorted(tables))
    return {table: rows for table, rows in read_planned(" UNION ALL ".join(counts)) if rows}


def read_planned(statement: str) -> list[Any]:
    """Return the rows of a statement that the server plans once for each connection: planning takes most of its time.

    Django's own cursor sends a statement as if it were a new one each time.
    """
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement.encode(), prepare=True).fetchall()


def _truncate_used(cursor: CursorWrapper, tables: tuple[str, ...]) -> None:
    """Truncate them if one has a file that is not empty: of chunks, no rows would be seen without an audience."""
    sizes = " + ".join(f"pg_relation_size('{table}')" for table in tables)
    cursor.execute(f"SELECT {sizes}")
    if cursor.fetchone()[0]:
        cursor.execute(f"TRUNCATE {', '.join(tables)}")


def end_idle_connections() -> None:
    """End the connections that threads of earlier tests of this process may have left: a restore wants none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state = 'idle'"
        )
