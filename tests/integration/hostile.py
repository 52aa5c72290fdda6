"""Check after every hostile request that rows and log are as before, and that the process answers."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from core.models.row_security import bypass_row_security
from tests.flush import read_planned

# Stands in whatever text a hostile request holds; no log line may hold it.
MARK = "xylograph-4711"
# What an answer would hold that tells of our insides.
INTERNALS = (
    "Traceback",
    "site-packages",
    "psycopg",
    "django.",
    "rest_framework",
    "SELECT ",
    "<class ",
    "object at 0x",
    "core.models",
    ".py",
)
# Sessions and tokens say when they were last used, and requests are counted, also those that are refused.
OF_VISITS = frozenset({"django_session", "core_authtoken", "core_requestcount"})


@contextmanager
def nothing_written(*besides: str) -> Iterator[None]:
    """No row of any table comes, goes or changes within the block, but for those of the tables named."""
    before = _rows()
    yield
    after = _rows()
    changed = {table for table in before if before[table] != after[table]}
    assert changed - set(besides) == set()


def _rows() -> dict[str, tuple[int, int]]:
    """Count the rows of each table, with a checksum of their content."""
    with bypass_row_security():
        return {table: (count, content) for table, count, content in read_planned(_build_statement())}


@cache
def _build_statement() -> str:
    """Build the statement that reads all tables. The server plans it once for each connection."""
    tables = {model._meta.db_table for model in apps.get_models()} - OF_VISITS
    each = (
        f"SELECT '{table}', count(*), coalesce(sum(hashtextextended(t::text, 0)), 0) FROM {table} t"  # noqa: S608 - names of our own tables
        for table in sorted(tables & set(connection.introspection.table_names()))
    )
    return " UNION ALL ".join(each)


def assert_says_nothing_internal(said: str) -> None:
    """A person can read it, and nobody learns from it how Footnote is made."""
    assert [word for word in INTERNALS if word in said] == []


def assert_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """No line of the log, as it is written, holds a text that was sent."""
    handler = next(handler for handler in logging.getLogger().handlers if handler.name == "stderr")
    assert [line for record in caplog.records if MARK in (line := handler.format(record))] == []


def assert_alive() -> None:
    """The process answers those who watch over it."""
    assert Client().get("/livez").json() == {"status": "ok"}
