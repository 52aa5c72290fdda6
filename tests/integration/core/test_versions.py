"""The versions of the library: every change is another state, and writers do not wait for each other."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection

from core.models.versions import current_versions

pytestmark = pytest.mark.django_db(transaction=True)

_SLOTS = 64
# The triggers fire for a statement that changes no row, too.
_CHANGE = "UPDATE {} SET id = id WHERE false"
_TABLES = {"grants": "core_roledocumentaccess", "chunks": "core_chunk"}


@contextmanager
def _connected(slot: int | None = None) -> Iterator[psycopg.Connection]:
    """Another connection, with a process of this slot, which waits for no lock longer than five seconds."""
    parameters = connection.get_connection_params()
    parameters.pop("pool", None)
    for _ in range(100 * _SLOTS):
        beside = psycopg.connect(**parameters)
        if slot is None or beside.info.backend_pid % _SLOTS == slot:
            break
        beside.close()
    else:
        pytest.fail(f"No connection came to have slot {slot}.")
    with beside:
        beside.execute("SET lock_timeout = '5s'")
        beside.commit()
        yield beside


def test_writers_with_the_same_slot_do_not_wait_for_each_other() -> None:
    """And what each commits is another state, in whatever order they do."""
    seen = [current_versions()]
    with _connected() as first, _connected(first.info.backend_pid % _SLOTS) as second:
        first.execute(_CHANGE.format(_TABLES["grants"]))
        second.execute(_CHANGE.format(_TABLES["chunks"]))
        second.execute(_CHANGE.format(_TABLES["grants"]))  # waited for the first before
        first.execute(_CHANGE.format(_TABLES["chunks"]))  # and this for the second: a deadlock
        for writer in (second, first):
            writer.commit()
            seen.append(current_versions())
    assert len({each.grants for each in seen}) == 3
    assert len({each.chunks for each in seen}) == 3


def test_a_writer_that_gives_up_frees_its_slot() -> None:
    """Else each that did would take another one for good."""
    with _connected() as first:
        first.execute(_CHANGE.format(_TABLES["grants"]))
        first.rollback()
        with _connected(first.info.backend_pid % _SLOTS) as second:
            second.execute(_CHANGE.format(_TABLES["grants"]))
            second.commit()
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT count(*) FROM core_libraryversion WHERE kind = 'grants' AND slot = %s",
                    [second.info.backend_pid % _SLOTS],
                )
                assert cursor.fetchone() == (1,)
