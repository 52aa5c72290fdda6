"""A database that a command can work with. Footnote's own is prepared by the first command that needs it."""

import os
import sys
from collections.abc import Sequence

import django
from django.core.management import call_command, get_commands
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.errors import FootnoteError

_OURS = frozenset({"adminsite", "bot", "slack_emulator", "core"})  # the applications whose commands use the tables
_BESIDE = frozenset({"createsuperuser"})
# The first prepares all, the worker is a service and waits for nobody, a restore brings its tables along, a rehearsal
# leaves the database as it is, and the version is printed in any case.
_BY_THEMSELVES = frozenset({"start", "worker", "restore", "rehearse_upgrade", "verify_receipt", "version"})
_ADVISORY_LOCK = 7_042_002  # any number that nothing else in the database uses as an advisory lock


class UnpreparedDatabaseError(FootnoteError):
    """The database that DATABASE_URL names is not prepared for this version of Footnote. Run: manage.py migrate"""


def prepare_for(arguments: Sequence[str]) -> None:
    """Bring the tables up to date for a command line, if it needs them and the database is Footnote's own.

    UnpreparedDatabaseError when it is another: its administrator decides when it changes.
    """
    if not _needs_tables(arguments) or not is_behind():
        return
    if os.environ.get("DATABASE_URL"):
        raise UnpreparedDatabaseError
    sys.stderr.write("Preparing the database ...\n")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_ADVISORY_LOCK])
        try:
            if is_behind():  # another command may have had the same thought
                call_command("migrate", interactive=False, verbosity=0)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_ADVISORY_LOCK])


def _needs_tables(arguments: Sequence[str]) -> bool:
    command = arguments[1] if len(arguments) > 1 else ""
    if command in _BY_THEMSELVES or {"-h", "--help"} & set(arguments):
        return False
    django.setup()
    return command in _BESIDE or get_commands().get(command) in _OURS


def is_behind() -> bool:
    """Return True if migrations are missing. DatabaseError when the database is away."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
