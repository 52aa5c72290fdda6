"""Share fixtures among several kinds of tests with a database."""

from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from core.embedded.credentials import Credentials


@pytest.fixture
def superuser(transactional_db: None) -> Iterator[psycopg.Connection]:
    """A superuser in the tests' database, which only the embedded server has."""
    credentials = Credentials.load(settings.FOOTNOTE_HOME / "postgres.json")
    if credentials is None or credentials.port != int(connection.settings_dict["PORT"]):
        pytest.skip("the database is given, and its superuser is not known")
    with psycopg.connect(credentials.superuser_url(connection.settings_dict["NAME"]), autocommit=True) as database:
        yield database
