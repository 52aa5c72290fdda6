"""Restoring a backup: the originals, which do no harm, then the database in one transaction."""

import re
import tempfile
import time
from pathlib import Path

from django.core.files.base import File
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from core.errors import BackupError
from core.library.originals.storage import build_name, get_storage, list_failures
from core.operations.backup import programs
from core.operations.backup.archive import DUMP, Manifest, iterate_originals, place_of, verify
from core.operations.backup.taking import Progress

# What a restore leaves to the server that it is made on: who may do what there, and pgvector, which a superuser
# installs. The schema is made where it is not there yet, for the guide's statements may have made it.
_NOT_OURS = re.compile(r"^\d+; \d+ \d+ (?:EXTENSION|COMMENT - EXTENSION|ACL|DEFAULT ACL|SCHEMA|COMMENT - SCHEMA) ")
_BEFORE = """
\\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS reporting;
"""
# Numbers of states that were given before the backup and after it must not come again: processes keep what they read
# by them. So the count goes on from a random number, as it began.
_AFTER = """
SELECT setval('public.footnote_changes', (random() * 1e15)::bigint + 1);
UPDATE public.core_libraryversion SET change = nextval('public.footnote_changes');
"""
# The relations in the two schemas that belong to no extension, as in empty.sql.
_RELATIONS = """
SELECT n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('public', 'reporting') AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                  AND d.deptype = 'e')
"""
EMPTYING = Path(__file__).with_name("empty.sql")
_NAMED = 3  # migrations in a message
_CLOSING_S = 5.0


def restore(folder: Path, *, replace: bool, progress: Progress) -> Manifest:
    """Bring back what a backup holds, and return its manifest. The migrations that came since are not applied yet.

    replace: put it in the place of what the database holds. Without it a database that holds anything is refused.
    BackupError, in one line, when the backup is damaged or too new, the database is in use, or PostgreSQL refuses;
    then the database is as it was.
    """
    manifest = Manifest.read(folder)
    refuse_newer(manifest)
    _refuse_occupied(replace=replace)
    with progress("Checking", manifest.originals) as done:
        verify(folder, manifest, done)
    with progress("Originals", manifest.originals) as done:
        for sha256 in iterate_originals(folder):
            _copy_in(sha256, folder)
            done(1)
    load(folder / DUMP, replace=replace)
    return manifest


def refuse_newer(manifest: Manifest) -> None:
    """Raise BackupError where the backup has migrations of Footnote that this version does not know."""
    known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    unknown = [
        f"{app}.{name}"
        for app, names in manifest.migrations.items()
        for name in names
        if (app, name) not in known and app in {"core", "bot"}
    ]
    if unknown:
        raise BackupError(
            f"The backup is of Footnote {manifest.version}, whose tables this version does not know "
            f"({', '.join(unknown[:_NAMED])}). Install that version or a newer one."
        )


def _refuse_occupied(*, replace: bool) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # only PostgreSQL has one; its idle ones would count
    others = _count_others()
    if holds_something() and not replace:
        used = f", and {others} other connections use it" if others else ""
        raise BackupError(
            f"The database is not empty{used}. Name an empty one in DATABASE_URL. To lose what it holds now, stop web, "
            "bot and worker, take a backup of it, and say --replace."
        )
    if others:
        raise BackupError(
            f"{others} other connections use the database. Stop web, bot and worker, and whatever else is connected."
        )


def holds_something() -> bool:
    """Return True if the database has a table, a view or a sequence of its own."""
    with connection.cursor() as cursor:
        cursor.execute(_RELATIONS)
        return cursor.fetchone() is not None


def _count_others() -> int:
    """Count the other connections to the database, once those that were closed just now had time to go.

    PostgreSQL lists a connection until its process has ended, which is a moment after the client closed it.
    """
    patience = time.monotonic() + _CLOSING_S
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type ="
                " 'client backend' AND pid <> pg_backend_pid()"
            )
            others: int = cursor.fetchone()[0]
        if not others or time.monotonic() > patience:
            return others
        time.sleep(0.05)


def _copy_in(sha256: str, folder: Path) -> None:
    storage = get_storage()
    try:
        if not storage.exists(build_name(sha256)):
            with place_of(folder, sha256).open("rb") as file:
                storage.save(build_name(sha256), File(file))
    except list_failures() as error:
        raise BackupError(f"The storage of originals refuses: {error}. The database was not changed.") from error


def load(dump: Path, *, replace: bool) -> None:
    """Make the tables and their rows. One transaction: the database holds all of it, or what it held before."""
    with tempfile.TemporaryDirectory() as work:
        contents, script = Path(work, "contents"), Path(work, "restore.sql")
        listed = programs.run("pg_restore", ["--list", str(dump)], is_connected=False)
        contents.write_text("\n".join(line for line in listed.splitlines() if not _NOT_OURS.match(line)))
        before, after = Path(work, "before.sql"), Path(work, "after.sql")
        before.write_text(_BEFORE)
        after.write_text(_AFTER)
        programs.run(
            "pg_restore",
            ["--no-owner", "--no-acl", f"--use-list={contents}", f"--file={script}", str(dump)],
            is_connected=False,
        )
        files = [f"--file={path}" for path in (before, *([EMPTYING] if replace else []), script, after)]
        programs.run("psql", ["--no-psqlrc", "--quiet", "--single-transaction", *files])
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # as above; what they prepared was of other tables
