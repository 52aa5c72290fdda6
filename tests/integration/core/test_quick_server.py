"""The tests' own server is made quick, and no other one is touched."""

from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from core.infrastructure.embedded.credentials import Credentials
from tests.quick_server import HOME, SETTINGS, quicken_server


def test_the_server_of_another_home_keeps_its_settings(tmp_path: Path) -> None:
    """It may hold somebody's library: nothing is even asked of it."""
    credentials = Credentials(base=str(tmp_path), port=1, password="one", superuser_password="two")
    credentials.save(tmp_path / "postgres.json")
    quicken_server(tmp_path, port=1)  # where nobody answers


def test_a_given_database_keeps_its_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A server at another port is not that of the home, and a home may have none."""
    monkeypatch.setattr("tests.quick_server.HOME", tmp_path)
    quicken_server(tmp_path, port=2)
    Credentials(base=str(tmp_path), port=1, password="one", superuser_password="two").save(tmp_path / "postgres.json")
    quicken_server(tmp_path, port=2)
    with pytest.raises(psycopg.OperationalError):
        quicken_server(tmp_path, port=1)


@pytest.mark.skipif(settings.FOOTNOTE_HOME.resolve() != HOME, reason="these tests run in a home of somebody's choice")
def test_the_tests_server_waits_for_no_disk(superuser: psycopg.Connection) -> None:
    """And hashes a password once for each connection."""
    shown = {name: superuser.execute("SELECT current_setting(%s)", [name]).fetchone() for name in SETTINGS}
    assert shown == {name: (value,) for name, value in SETTINGS.items()}
    kept = superuser.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [connection.settings_dict["USER"]])
    assert kept.fetchone()[0].startswith("SCRAM-SHA-256$1:")  # type: ignore[index]
