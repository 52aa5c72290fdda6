"""Test the output of `manage.py version`, with a database and without."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from core.infrastructure.version import VERSION, find_commit
from core.testing import Cast, make_document

ROOT = Path(__file__).resolve().parents[3]


def _tell() -> dict[str, Any]:
    said = StringIO()
    call_command("version", "--json", stdout=said)
    told: dict[str, Any] = json.loads(said.getvalue())
    return told


def test_what_footnote_stands_on_is_told(cast: Cast, fast: None) -> None:
    """The commit is git's, PostgreSQL's version the server's, the model the library's."""
    make_document("Rules", "The canteen opens at noon.", roles=[cast.staff])
    told = _tell()
    assert (told["version"], told["commit"]) == (VERSION, find_commit() or None)
    database = told["database"]
    assert (database["missing"], database["unknown"]) == ([], [])
    assert (database["embedding_model"], database["embedding_dimension"]) == ("hashing-test-double", 384)
    assert sum(database["chunks_by_cut"].values()) == 1
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        assert cursor.fetchone() == (database["postgresql"],)


@pytest.mark.django_db
def test_a_migration_that_is_missing_is_named() -> None:
    """As the table of applied ones says."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'core' AND name = '0039_recognised_text'")
    assert _tell()["database"]["missing"] == ["core.0039_recognised_text"]


def test_without_a_database_the_version_is_told_and_why_nothing_else() -> None:
    """It is printed by manage.py itself, where Django would print its own version."""
    environment = os.environ | {"DATABASE_URL": "postgres://nobody:secret-word@127.0.0.1:1/nothing"}
    done = subprocess.run(
        [sys.executable, "manage.py", "version"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    first, second = done.stdout.splitlines()
    assert first.startswith(f"Footnote {VERSION}")
    assert second.startswith("The database cannot be reached: ")
    assert "secret-word" not in done.stdout + done.stderr
