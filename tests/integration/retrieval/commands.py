"""Running a benchmark's command, and looking at the server that it ran on."""

import json
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db import connection


def run(command: str, *arguments: object) -> tuple[list[dict[str, Any]], str]:
    """The lines of JSON, and what was said besides."""
    out, err = StringIO(), StringIO()
    call_command(command, *map(str, arguments), "--json", stdout=out, stderr=err)
    return [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def databases() -> set[str]:
    """The names of the databases that are this process's: the tests' and what a benchmark makes beside it.

    The server may have more, of tests that another process runs at the same time.
    """
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [name])
        return {name for (name,) in cursor.fetchall()}
