"""The place of a rehearsal: the server beside the database, on which the copy is made, found again and dropped.

Copies are known by their names. While a rehearsal runs it holds a lock, so whoever has the lock knows that copies which
are there were left behind by a rehearsal that was interrupted, or are kept, which their comment says.
"""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from psycopg import sql

from core.errors import RehearsalError
from core.infrastructure.embedded import find_folder

_BESIDE = ("postgres", "template1")  # databases that every server has, and from which another can be made
_ADVISORY_LOCK = 7_042_117  # any number that nothing else in those databases uses as an advisory lock
_NAMED = "footnote_rehearsal_"  # what the names of copies begin with
_KEPT = "kept"  # the comment of those that are to stay
_ROOM = 1.2  # of the copy's size: migrations write tables anew, and PostgreSQL a log of what they do
_RIGHTS = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
_COPIES = """
SELECT datname, coalesce(shobj_description(oid, 'pg_database'), '') FROM pg_database
WHERE starts_with(datname, %s) AND pg_has_role(datdba, 'USAGE') ORDER BY datname
"""


def name_source() -> str:
    """Return the name of the configured database."""
    return str(connection.settings_dict["NAME"])


class Place:
    """A connection beside the databases, with the lock of rehearsals."""

    def __init__(self, beside: psycopg.Connection) -> None:
        self._beside = beside

    @classmethod
    @contextmanager
    def open(cls) -> Iterator["Place"]:
        """Connect, and hold the lock within the block. RehearsalError where another rehearsal runs, or none can."""
        beside = _connect_beside()
        try:
            (is_ours,) = _read_row(beside, "SELECT pg_try_advisory_lock(%s)", [_ADVISORY_LOCK])
            if not is_ours:
                raise RehearsalError("Another rehearsal runs on this server. Wait for it to end.")
            yield cls(beside)
        finally:
            beside.close()

    def measure(self, name: str) -> int:
        """Return the size of a database in bytes. RehearsalError where there is none of that name."""
        try:
            return int(_read_row(self._beside, "SELECT pg_database_size(%s::name)", [name])[0])
        except psycopg.Error as error:
            raise RehearsalError(f"The database {name} cannot be looked at: {_read_message(error)}.") from None

    def drop_left_behind(self) -> list[str]:
        """Drop the copies of rehearsals that were interrupted, and return their names. Those that were kept stay."""
        left = [name for name, comment in self._list_copies() if comment != _KEPT]
        for name in left:
            self.drop(name)
        return left

    def list_kept(self) -> list[str]:
        """Return the names of copies that --keep left."""
        return [name for name, comment in self._list_copies() if comment == _KEPT]

    def refuse_without_right(self) -> None:
        """Raise RehearsalError where the user may make no databases."""
        if not _read_row(self._beside, _RIGHTS)[0]:
            raise RehearsalError(
                "The database user may not create databases. As a superuser run: ALTER ROLE "
                f"{connection.settings_dict['USER']} CREATEDB. Or make an empty database with pgvector that it owns, "
                "and name it with --into."
            )

    def refuse_without_room(self, size: int) -> None:
        """Raise RehearsalError where the server's disk is this machine's, and has too little room for such a copy."""
        free = find_free()
        if free is not None and free < size * _ROOM:
            raise RehearsalError(
                f"The copy needs about {in_words(int(size * _ROOM))} on the disk of the database, where "
                f"{in_words(free)} are free. Make room, or rehearse on a server that has more."
            )

    def copy(self, source: str) -> tuple[str, bool]:
        """Make the copy, and return its name, and False where it is empty because PostgreSQL may not copy the files.

        It does so for the owner while nobody is connected; who wants to connect meanwhile waits.
        """
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # only PostgreSQL has one; its idle ones would count
        try:
            return self.create(template=source), True
        except (psycopg.errors.ObjectInUse, psycopg.errors.InsufficientPrivilege):
            return self.create_empty(), False
        except psycopg.Error as error:
            raise RehearsalError(f"The copy cannot be made: {_read_message(error)}.") from None

    def create_empty(self) -> str:
        """Make an empty database for the copy, and return its name."""
        try:
            return self.create(template=None)
        except psycopg.Error as error:
            raise RehearsalError(f"The copy cannot be made: {_read_message(error)}.") from None

    def create(self, *, template: str | None) -> str:
        """Make a database and return its name. template: of which it is a copy; None for an empty one."""
        name = f"{_NAMED}{secrets.token_hex(4)}"
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template:
            statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
        self._beside.execute(statement)
        try:
            # It is thrown away, so nothing of it has to outlive a crash.
            self._beside.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))
        except BaseException:
            self.drop(name)
            raise
        return name

    def keep(self, name: str) -> None:
        """Note that the copy is to stay."""
        comment = sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), sql.Literal(_KEPT))
        self._beside.execute(comment)

    def drop(self, name: str) -> None:
        """Drop a copy, with whoever is still connected to it. RehearsalError, with its name, where it stays."""
        try:
            drop_database(self._beside, name)
        except psycopg.Error as error:
            raise RehearsalError(
                f"The copy {name} cannot be dropped: {_read_message(error)}. Drop it yourself."
            ) from None

    def _list_copies(self) -> list[tuple[str, str]]:
        return self._beside.execute(_COPIES, [_NAMED]).fetchall()


def drop_database(server: psycopg.Connection, name: str) -> None:
    """Drop a database, if there is one of that name, and end who is connected to it. psycopg.Error where it stays.

    PostgreSQL refuses to end the sessions by force where it has a worker of its own in the database, as autovacuum
    after many rows were written. Dropping without force sends that one away, and waits for it.
    """
    statement = sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name))
    try:
        server.execute(statement + sql.SQL(" WITH (FORCE)"))
    except psycopg.errors.InsufficientPrivilege:
        server.execute(statement)


def find_free() -> int | None:
    """Return the free bytes of the embedded server's disk; None where another server is used, on whatever machine."""
    folder = find_folder(settings.FOOTNOTE_HOME, port=connection.get_connection_params().get("port", ""))
    return shutil.disk_usage(folder).free if folder else None


def in_words(size: int) -> str:
    """Return a number of bytes as people read it."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size / 1000:.0f} kB"


def _connect_beside() -> psycopg.Connection:
    parameters = connection.get_connection_params()
    parameters.pop("pool", None)
    reason = ""
    for name in _BESIDE:
        try:
            return psycopg.connect(**(parameters | {"dbname": name}), autocommit=True)
        except psycopg.OperationalError as error:
            reason = " ".join(str(error).split()).rstrip(".")
    raise RehearsalError(f"No database beside {name_source()} can be connected to: {reason}.")


def _read_row(beside: psycopg.Connection, statement: str, values: Sequence[object] | None = None) -> tuple[Any, ...]:
    """Return the one row of a statement of this module's."""
    return beside.execute(statement.encode(), values).fetchall()[0]


def _read_message(error: psycopg.Error) -> str:
    return (error.diag.message_primary or type(error).__name__).rstrip(".")
