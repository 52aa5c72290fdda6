"""PostgreSQL's own programs: which ones, how they reach the database, and what they say when they fail."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.db import connection
from psycopg.conninfo import make_conninfo

from core.errors import BackupError, DatabaseUnavailableError
from core.infrastructure.embedded.binaries import Binaries

# Row-level security shows no chunk to a session that does not say that it looks after the library.
_MAINTENANCE = "-c footnote.maintenance=on"


def run(program: str, arguments: Sequence[str], *, is_connected: bool = True) -> str:
    """Run one of PostgreSQL's programs on the configured database, and return what it wrote.

    arguments: without passwords, which go by the environment. BackupError with its last line when it fails.
    """
    command = [str(_find_program(program)), *arguments]
    environment = dict(os.environ)
    if is_connected:
        conninfo, password = _read_connection()
        command.append(f"--dbname={conninfo}")
        environment["PGPASSWORD"] = password
    try:
        # Files that it makes are for their owner alone.
        done = subprocess.run(
            command, env=environment, check=False, capture_output=True, text=True, umask=0o077, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise BackupError(f"{program} cannot be run: {error.strerror}.") from error
    if done.returncode:
        raise BackupError(f"{program} failed: {_find_reason(done.stderr)}.")
    return done.stdout


def _read_connection() -> tuple[str, str]:
    """Return the database's connection string without the password, and the password."""
    connection.ensure_connection()
    reached = connection.connection.info
    # What the environment says counts as a default, which psycopg leaves out.
    options = reached.get_parameters().get("options", os.environ.get("PGOPTIONS", ""))
    return make_conninfo(reached.dsn, options=f"{options} {_MAINTENANCE}".strip()), reached.password


def _find_program(program: str) -> Path:
    """Return the program from PATH if it is as new as the server, else the one that comes along.

    BackupError where neither will do: pg_dump refuses a server that is newer than itself.
    """
    connection.ensure_connection()
    server = connection.connection.info.server_version // 10000
    found = [Path(path) for path in (shutil.which(program),) if path]
    try:
        found.append(Binaries.installed().program(program))
    except DatabaseUnavailableError:  # the package was left out of this installation
        if not found:
            raise BackupError(
                f"{program} was not found. Install PostgreSQL's client programs, {server} or newer."
            ) from None
    for path in found:
        if _read_version(path) >= server:
            return path
    raise BackupError(
        f"{program} is older than the server, which is PostgreSQL {server}. Install that version's client programs, "
        "and put them first in PATH."
    )


@cache
def _read_version(path: Path) -> int:
    """Return the major version of a program; 0 where it cannot be run."""
    try:
        said = subprocess.run([str(path), "--version"], check=False, capture_output=True, text=True).stdout
    except OSError:
        return 0
    numbers = re.findall(r"\d+", said)
    return int(numbers[0]) if numbers else 0


def _find_reason(errors: str) -> str:
    """Return the first line that says what went wrong: what follows only says where."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    telling = [line for line in lines if "error:" in line.lower()] or lines or ["it said nothing"]
    return telling[0].rstrip(".")
