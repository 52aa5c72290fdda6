"""Test the database that a start is given: obstacles are reported before anything waits for it."""

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from adminsite import pgvector
from adminsite.launcher.database import problem

pytestmark = pytest.mark.django_db


def _with(**settings: str | int) -> BaseDatabaseWrapper:
    """The tests' connection, with other settings."""
    other = connection.copy()
    other.settings_dict = connection.settings_dict | settings
    return other


def test_nothing_is_wrong_with_the_database_of_the_tests() -> None:
    """Otherwise the tests below would prove nothing."""
    assert problem(connection) is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"NAME": "not_there"}, 'database "not_there" does not exist'), ({"PORT": 1, "HOST": "127.0.0.1"}, "refused")],
)
def test_the_servers_own_reason_is_told(settings: dict[str, str | int], said: str) -> None:
    """With where to look, in one line."""
    told = problem(_with(**settings))
    assert told is not None
    assert said in told
    assert "DATABASE_URL" in told
    assert "\n" not in told


def test_an_old_pgvector_is_told_with_both_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """And with the ways out."""
    monkeypatch.setattr(pgvector, "MINIMUM", (999, 0, 0))
    told = problem(connection)
    assert told is not None
    assert " is too old: " in told
    assert "ALTER EXTENSION vector UPDATE" in told
    assert "remove DATABASE_URL" in told
