"""Set up in the embedded server what needs a superuser: the application's role, its database and pgvector."""

import psycopg
from psycopg import sql

from core.errors import DatabaseUnavailableError
from core.infrastructure.embedded.credentials import ROLE, Credentials


def prepare_databases(credentials: Credentials) -> None:
    """Bring the role, the database and the extension to their present form. Harmless when they are there.

    The role is no superuser. It may create databases, for tests; those get pgvector, which only a superuser may
    install, from the template.
    """
    try:
        with psycopg.connect(credentials.superuser_url("template1"), autocommit=True) as template:
            _ensure_prepared(template)
            _ensure_role_and_database(template, credentials.password)
        with psycopg.connect(credentials.superuser_url(ROLE), autocommit=True) as database:
            _ensure_prepared(database)
    except psycopg.Error as error:
        raise DatabaseUnavailableError(f"The embedded PostgreSQL could not be set up: {error}") from error


def _ensure_prepared(connection: psycopg.Connection) -> None:
    connection.execute("SET client_min_messages = warning")
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("ALTER EXTENSION vector UPDATE")  # after an upgrade of the package
    # Under row-level security PostgreSQL uses an index only for conditions that cannot reveal hidden rows, by an error
    # for example. Matching words cannot; PostgreSQL leaves saying so to whoever runs it.
    connection.execute("ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF")


def _ensure_role_and_database(connection: psycopg.Connection, password: str) -> None:
    role = sql.Identifier(ROLE)
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
        statement = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}")
        connection.execute(statement.format(role, sql.Literal(password)))
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [ROLE]).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(role, role))
