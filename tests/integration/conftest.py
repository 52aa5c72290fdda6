"""Share fixtures among several kinds of tests with a database."""

from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from core.asking.confidence.threshold_values import forget_thresholds
from core.infrastructure.embedded.credentials import Credentials
from core.library.ingestion.sandbox import process
from tests.integration.templates import Templates


@pytest.fixture(scope="session")
def templates() -> Iterator[Templates]:
    """The sandbox's templates, which tests use one after another."""
    kept = Templates()
    yield kept
    kept.end()


@pytest.fixture(autouse=True)
def _kept_templates(templates: Templates, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox starts no process where one waits. How it starts and ends them is tried in the unit tests."""
    monkeypatch.setattr(process, "Template", templates)


@pytest.fixture(autouse=True)
def _own_thresholds() -> None:
    """A test goes by no thresholds that another one put live some seconds before."""
    forget_thresholds()


@pytest.fixture
def superuser(transactional_db: None) -> Iterator[psycopg.Connection]:
    """A superuser in the tests' database, which only the embedded server has."""
    credentials = Credentials.load(settings.FOOTNOTE_HOME / "postgres.json")
    if credentials is None or credentials.port != int(connection.settings_dict["PORT"]):
        pytest.skip("the database is given, and its superuser is not known")
    with psycopg.connect(credentials.superuser_url(connection.settings_dict["NAME"]), autocommit=True) as database:
        yield database
