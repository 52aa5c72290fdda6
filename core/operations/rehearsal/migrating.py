"""Apply the missing migrations one after the other, and note for each how long it took and what it locked."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.core.management import call_command
from django.core.management.commands.migrate import Command as Migrate
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

_EVERY_S = 0.02
_PATIENCE_S = 5
_TABLES = "SELECT array_agg(oid) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
_LOCKS = """
SELECT c.relname, bool_or(l.mode = 'AccessExclusiveLock') FROM pg_locks l
JOIN pg_class c ON c.oid = l.relation
WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
  AND c.oid = ANY(%s) AND l.pid <> pg_backend_pid()
  AND l.mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')
GROUP BY c.relname
"""
_SIZE = "SELECT pg_database_size(current_database())"


@dataclass(kw_only=True, slots=True)
class Lock:
    """A table that others had to wait for while a migration ran."""

    table: str
    seconds: float
    blocks_reading: bool  # otherwise only writing


@dataclass(kw_only=True, slots=True)
class Applied:
    """A migration that was applied to the copy."""

    name: str  # such as "core.0039_recognised_text"
    seconds: float
    locks: list[Lock] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class Migrated:
    """Holds the figures of the migrations. Sizes are of the database, in bytes."""

    applied: list[Applied] = field(default_factory=list)
    seconds: float = 0.0  # with what comes after the last migration
    bytes_before: int = 0
    bytes_most: int = 0
    bytes_after: int = 0
    at: str = ""  # the migration that is being applied


def list_missing() -> list[str]:
    """Return the migrations that the database lacks, in the order in which they are applied."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def list_applied() -> set[str]:
    """Return the migrations that the database has, with those that one of them has replaced."""
    loader = MigrationExecutor(connection).loader
    applied = set(loader.applied_migrations)
    for key in set(applied) & set(loader.disk_migrations):
        applied.update(loader.disk_migrations[key].replaces)
    return {f"{app}.{name}" for app, name in applied}


def migrate(found: Migrated, *, done: Callable[[str], None]) -> None:
    """Apply what is missing, and write into `found` as it goes on, so that a failure leaves what came before it.

    done: called with the name of each migration when it has been applied. Raises what the migration raises.
    """
    found.bytes_before = found.bytes_most = _measure_size()
    started = time.perf_counter()
    with _watch_locks(found) as watched:
        command = _Timed(found, watched, done)
        call_command(command, interactive=False, verbosity=0)
    found.seconds = time.perf_counter() - started
    found.at = ""
    found.bytes_after = _measure_size()
    found.bytes_most = max(found.bytes_most, found.bytes_after)


class _Watched:
    """Holds the locks that were seen, by migration and table: first and last moment, and whether reading waits."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], list[Any]] = {}

    def note(self, migration: str, table: str, *, blocks_reading: bool) -> None:
        now = time.perf_counter()
        kept = self.seen.setdefault((migration, table), [now, now, False])
        kept[1], kept[2] = now, kept[2] or blocks_reading

    def list_of(self, migration: str) -> list[Lock]:
        """Return a migration's locks, the longest first. What was seen once lasted for one look at most."""
        locks = [
            Lock(table=table, seconds=round(last - first + _EVERY_S, 3), blocks_reading=blocks)
            for (name, table), (first, last, blocks) in list(self.seen.items())
            if name == migration
        ]
        return sorted(locks, key=lambda lock: (-lock.seconds, lock.table))


class _Timed(Migrate):
    """Django's command, which tells of each migration when it begins and when it has ended."""

    def __init__(self, found: Migrated, watched: _Watched, done: Callable[[str], None]) -> None:
        super().__init__()
        self._found, self._watched, self._done = found, watched, done
        self._began = 0.0

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        if action == "apply_start":
            self._found.at = f"{migration.app_label}.{migration.name}"
            self._began = time.perf_counter()
        elif action == "apply_success":
            name, seconds = self._found.at, round(time.perf_counter() - self._began, 3)
            self._found.applied.append(Applied(name=name, seconds=seconds, locks=self._watched.list_of(name)))
            self._found.bytes_most = max(self._found.bytes_most, _measure_size())
            self._done(name)


@contextmanager
def _watch_locks(found: Migrated) -> Iterator[_Watched]:
    """Look at the locks again and again within the block, over a connection of its own."""
    watched, ready, ended = _Watched(), threading.Event(), threading.Event()
    parameters = connection.get_connection_params()
    parameters.pop("pool", None)

    def look() -> None:
        with psycopg.connect(**parameters, autocommit=True) as beside:
            [(tables,)] = beside.execute(_TABLES).fetchall()  # that are there: nobody waits for new ones
            ready.set()
            while not ended.wait(_EVERY_S):
                for table, blocks_reading in beside.execute(_LOCKS, [tables or []]).fetchall():
                    watched.note(found.at, table, blocks_reading=blocks_reading)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    ready.wait(timeout=_PATIENCE_S)
    try:
        yield watched
    finally:
        ended.set()
        thread.join(timeout=_PATIENCE_S)


def _measure_size() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_SIZE)
        (size,) = cursor.fetchone()
    return int(size)
