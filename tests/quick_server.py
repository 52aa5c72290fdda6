"""Spare the embedded server of the tests what no test tries: a machine that fails, and passwords that are guessed.

A server that keeps its files through a power cut waits for the disk hundreds of times a minute. And libpq hashes the
password four thousand times for each new connection, of which a test with threads opens several: a tenth of the time of
the bot's tests.
"""

from pathlib import Path

import psycopg
from psycopg import sql

from core.infrastructure.embedded.credentials import ROLE, SUPERUSER, Credentials

# The home of `make test`. In every other one may be somebody's library.
HOME = Path(__file__).resolve().parents[1] / "var" / "tests"

# Commits go on waiting for the log to be written, without which a replica is sent nothing for up to 0.6 s.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "checkpoint_timeout": "1h"}


def quicken_server(home: Path, port: int) -> None:
    """Change the server's settings if it is the one of the tests' own home; port is where the tests' database is."""
    credentials = Credentials.load(home / "postgres.json") if home.resolve() == HOME else None
    if credentials is None or credentials.port != port:
        return
    with psycopg.connect(credentials.superuser_url("postgres"), autocommit=True) as server:
        for name, value in SETTINGS.items():
            server.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        server.execute("SELECT pg_reload_conf()")
        server.execute("SET scram_iterations = 1")
        passwords = {ROLE: credentials.password, SUPERUSER: credentials.superuser_password}
        for role, password in passwords.items():
            statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
            server.execute(statement.format(sql.Identifier(role), sql.Literal(password)))
