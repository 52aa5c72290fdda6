"""The role that owns the tables and the one that the processes come as, by the statements of docs/postgresql.md."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from psycopg import sql

from core import api
from core.access.audiences import asker_for, audience_of
from core.infrastructure.queue import EVALUATE, enqueue
from core.library.ingestion.indexing import build_where_useful
from core.library.retrieval.vector_index import is_built
from core.models import Chunk, Document, User
from core.models.row_security import bypass_row_security
from core.operations.safe_database import dangers
from core.quality.reports.figures import make_total
from core.quality.reports.period import Period
from core.testing import fast_embedding, make_cast, make_document
from core.types import Answer

GUIDE = Path(__file__).parents[2] / "docs/postgresql.md"
APPLICATION = "footnote_app"
TEXT = "The canteen in the harbour office opens at noon and closes at three."


@contextmanager
def _as(user: str, password: str) -> Iterator[None]:
    """Let Django come as another role."""
    own = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's connection has it
    connection.settings_dict.update({"USER": user, "PASSWORD": password})
    try:
        yield
    finally:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # as above
        connection.settings_dict.update(own)


@pytest.fixture
def application(superuser: psycopg.Connection) -> Iterator[None]:
    """Django comes as the application role that the guide's statements make."""
    section = GUIDE.read_text(encoding="utf-8").partition("## An owner and an application role")[2]
    statements = re.search(r"\n\n((?:    .+\n)+)", section)
    assert statements is not None
    name, password = f"{APPLICATION}_{secrets.token_hex(4)}", secrets.token_urlsafe(12)
    superuser.execute(statements[1].replace(APPLICATION, name).replace("'...'", f"'{password}'"))
    try:
        with _as(name, password):
            yield
    finally:
        role = sql.Identifier(name)
        superuser.execute(sql.SQL("DROP OWNED BY {}").format(role))
        superuser.execute(sql.SQL("DROP ROLE {}").format(role))


def test_the_application_role_can_do_its_work(application: None) -> None:
    """People and grants, ingestion, search, answers, votes and jobs, and what is asked at a start."""
    with fast_embedding():
        cast = make_cast()
        make_document("Canteen rules", TEXT, roles=[cast.staff])
        result = api.ask(
            "When does the canteen in the harbour office open?",
            asker=asker_for(cast.bob),
            audience=audience_of([cast.bob.pk]),
        )
        assert isinstance(result, Answer)
        assert TEXT in str(result)
        api.give_feedback(result.request_id, user_id=cast.bob.pk, verdict="up")
        enqueue(EVALUATE, query_id="0")
        assert make_total(Period.of(None, None)).questions == 1
    assert not User.objects.get(email="bob@example.com").is_staff
    assert dangers() == []


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE core_chunk DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE core_chunk NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY footnote_readers ON core_chunk",
        "ALTER TABLE core_user ADD COLUMN mine text",
        "DROP TABLE core_auditevent",
        "TRUNCATE core_auditevent",
        "CREATE TABLE mine (id int)",
        "CREATE OR REPLACE FUNCTION footnote_maintenance() RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        "SET ROLE footnote",
        "SET ROLE postgres",
    ],
)
def test_the_application_role_cannot_take_the_floor_away(application: None, statement: str) -> None:
    """Whoever could make it say any statement would still see no more than a reader."""
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_application_role_is_held_to_row_security(application: None) -> None:
    """As every role is that owns nothing."""
    with fast_embedding():
        cast = make_cast()
        make_document("Canteen rules", TEXT, roles=[cast.staff])
    assert not Chunk.objects.exists()
    with bypass_row_security():
        assert Chunk.objects.exists()


def test_the_application_role_says_who_can_build_the_index(application: None, caplog: pytest.LogCaptureFixture) -> None:
    """The command by its error; the worker, once searches would use the index, in its log."""
    with fast_embedding():
        make_document("Canteen rules", TEXT, roles=[])
    Document.objects.update(chunk_count=500_000)
    with pytest.raises(CommandError, match="the database user that runs migrate"):
        call_command("vector_index", "--build")
    build_where_useful()
    assert [record.message for record in caplog.records if "vector" in record.message] == ["vector_index_missing"]
    assert not is_built()


@pytest.mark.parametrize("privilege", ["SUPERUSER", "BYPASSRLS"])
def test_a_role_that_row_security_does_not_hold_is_refused(superuser: psycopg.Connection, privilege: str) -> None:
    """Also in a trial: nothing under the application would hold it to what a reader may read."""
    name, password = f"bypassing_{secrets.token_hex(4)}", secrets.token_urlsafe(12)
    role = sql.Identifier(name)
    statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} " + privilege)
    superuser.execute(statement.format(role, sql.Literal(password)))
    try:
        with _as(name, password):
            assert [danger.id for danger in dangers()] == ["footnote.E030"]
    finally:
        superuser.execute(sql.SQL("DROP ROLE {}").format(role))
    assert dangers() == []
