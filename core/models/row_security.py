"""The floor under the rule of access: row-level security on chunks, of which migration 0004 holds the policies.

The database shows no chunk unless the transaction says for which audience it reads, or that it looks after the
library. A query that forgot `visible_to` gives what the audience may read, and one outside of both gives nothing.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from core.types import Audience


@contextmanager
def reading(audience: Audience) -> Iterator[None]:
    """A transaction in which the database shows the chunks that the audience may read, and no others."""
    role_sets = json.dumps([sorted(str(role) for role in roles) for roles in audience.role_sets])
    with _row_security(audience=role_sets, maintenance=""):
        yield


@contextmanager
def maintenance() -> Iterator[None]:
    """A transaction in which the database shows and takes every chunk: for ingestion and what looks after the library.

    Never for what a person asked to see.
    """
    with _row_security(audience="", maintenance="on"):
        yield


@contextmanager
def _row_security(*, audience: str, maintenance: str) -> Iterator[None]:
    """Local to the transaction: whoever gets the connection next from the pool finds neither set."""
    with transaction.atomic():
        before = _set_row_security(audience, maintenance)
        yield
        _set_row_security(*before)  # of an outer block; when this one fails, its savepoint takes them back


def _set_row_security(audience: str, maintenance: str) -> tuple[str, str]:
    """Set both settings and return what they were."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH before AS MATERIALIZED (SELECT coalesce(current_setting('footnote.audience', true), '') AS audience,"
            " coalesce(current_setting('footnote.maintenance', true), '') AS maintenance)"
            " SELECT audience, maintenance, set_config('footnote.audience', %s, true),"
            " set_config('footnote.maintenance', %s, true) FROM before",
            [audience, maintenance],
        )
        row = cursor.fetchone()
    return row[0], row[1]
