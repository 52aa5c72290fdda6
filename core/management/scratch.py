"""A database for one measurement: made, used, and removed."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from core.errors import FootnoteError


class ScratchDatabaseError(FootnoteError):
    """The database for the measurement could not be made. The database user needs the right CREATEDB, and no other
    measurement may be running."""


@contextmanager
def scratch_database() -> Iterator[None]:
    """Within the block, the product's tables are empty ones of its own, on the configured server.

    They are in a database beside the configured one, its name followed by "_benchmark"; one that a measurement left
    behind, because it was killed, is replaced. ScratchDatabaseError when it cannot be made. For commands alone: every
    thread of the process sees the other database.
    """
    live = connection.settings_dict["NAME"]
    of_tests = connection.settings_dict["TEST"]
    name_for_tests = of_tests["NAME"]
    of_tests["NAME"] = f"{live}_benchmark"
    _disconnect()
    try:
        _create()
        yield
    finally:
        if connection.settings_dict["NAME"] != live:
            connection.creation.destroy_test_db(live, verbosity=0)
            _disconnect()
        of_tests["NAME"] = name_for_tests


def _create() -> None:
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    except SystemExit as error:  # Django's way out, after it has printed why
        raise ScratchDatabaseError from error


def _disconnect() -> None:
    """Leave no connection in the pool: it would go on to be one to the other database."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # only PostgreSQL has one
