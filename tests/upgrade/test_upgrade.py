"""The oldest release's database is brought up to date with all it holds, and serves; and the promised way back."""

import datetime as dt
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from bot.models import Installation, Reply, SlackEvent
from core import api
from core.access import audit
from core.access.audiences import asker_for, audience_of
from core.models import Answer as StoredAnswer
from core.models import Chunk, Citation, Document, EmbeddingModel, Query, RoleDocumentAccess, User
from core.models.row_security import as_audience, bypass_row_security
from core.operations.backup import programs
from core.operations.installation import describe_installation
from core.types import Answer, Refusal
from tests.integration.databases import other_database

DUMP = Path(__file__).with_name("footnote-0.1.0.sql.gz")
# Constraints against NULL keep the name of a column of before, a sequence starts anywhere, and what was restored writes
# the types of a list's members otherwise.
ACCIDENTAL = re.compile(r" CONSTRAINT \w+_not_null(?= NOT NULL)|(?<=START WITH )\d{9,}|::character varying|::text|\[\]")
LAST_OF_0_3 = "0001_squashed_0039_recognised_text"  # as far as 0.3.0 went: what came later can be undone


@pytest.fixture(scope="module")
def upgraded(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dt.datetime]:
    """The database of 0.1.0 after today's migrations; when it was brought up to date."""
    dump = tmp_path_factory.mktemp("dump") / "dump.sql"
    dump.write_bytes(gzip.decompress(DUMP.read_bytes()))
    with django_db_blocker.unblock(), other_database():
        programs.run("psql", ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={dump}"])
        call_command("migrate", interactive=False, verbosity=0)
        yield timezone.now()


pytestmark = pytest.mark.usefixtures("upgraded")


def _person(name: str) -> User:
    return User.objects.get(email=f"{name}@example.com")


def _ask(name: str, question: str) -> Answer | Refusal:
    person = _person(name)
    return api.ask(question, asker=asker_for(person), audience=audience_of([person.pk]))


def test_everything_is_there(upgraded: dt.datetime) -> None:
    """People, roles, grants, chunks with their vectors, answers with what they cite, Slack's rows, jobs."""
    assert set(User.objects.values_list("email", flat=True)) == {
        f"{n}@example.com" for n in ("alice", "bob", "charlie")
    }
    titles = {"Staff Handbook: Leave", "Staff Handbook: Expenses and Travel", "Staff Handbook: For Supervisors"}
    assert set(Document.objects.values_list("title", flat=True)) == titles
    assert RoleDocumentAccess.objects.count() == 5
    with bypass_row_security():
        assert Chunk.objects.exclude(embedding=None).count() == 14
    assert EmbeddingModel.objects.get().dimension == 384
    asked = Query.objects.filter(created_at__lt=upgraded)  # and not by another test
    answers = StoredAnswer.objects.filter(query__in=asked).exclude(answer_text=None)
    assert (asked.count(), answers.count(), Citation.objects.filter(answer__in=answers).count()) == (3, 2, 3)
    assert (SlackEvent.objects.count(), Reply.objects.filter(state="posted").count()) == (2, 2)
    assert Installation.objects.get().team_id == "T0ACME"
    assert describe_installation().missing == []
    audit.seal()
    assert audit.verify().broken_at is None


def _dump_tables() -> list[str]:
    """All that the database has but rows, in lines without an order: columns come in the order that they were added."""
    dump = programs.run("pg_dump", ["--schema-only", "--no-owner", "--restrict-key=none"])
    lines = (ACCIDENTAL.sub("", line).rstrip(",") for line in dump.splitlines() if not line.startswith("--"))
    # Where there was a type, parentheses held it.
    return sorted(re.sub(r"[()]", "", line) if "ARRAY[" in line else line for line in lines if line)


def test_the_tables_are_those_of_a_new_database() -> None:
    """New tables are made in one step, by migrations that replace those which the old database went through."""
    with other_database(with_tables=True):
        new = _dump_tables()
    assert _dump_tables() == new
    assert any("footnote_readers" in line for line in new)


@pytest.mark.parametrize(("name", "documents", "chunks"), [("alice", 3, 14), ("bob", 2, 9), ("charlie", 0, 0)])
def test_each_reads_what_they_could(name: str, documents: int, chunks: int) -> None:
    """By the rule of access, and by the database below it."""
    audience = audience_of([_person(name).pk])
    assert Document.objects.visible_to(audience).count() == documents
    assert not Chunk.objects.exists()
    with as_audience(audience):
        assert Chunk.objects.count() == chunks


def test_questions_are_answered() -> None:
    """From vectors that the first release made, and for nobody who could not read them then."""
    result = _ask("alice", "How many weeks of parental leave does each parent have?")
    assert isinstance(result, Answer)
    assert "20 weeks" in str(result)
    assert isinstance(_ask("charlie", "How many weeks of parental leave does each parent have?"), Refusal)
    [earlier] = Query.objects.filter(user=_person("bob"))  # whom no other test lets ask
    again = api.stored_result(earlier.request_id, audience=audience_of([_person("bob").pk]), viewer=_person("bob").pk)
    assert "140 crowns" in str(again)


def test_the_way_back_that_is_promised(client: Client) -> None:
    """The tables go back to those of the release before, and forward again, with what they hold."""
    try:
        call_command("migrate", "core", LAST_OF_0_3, interactive=False, verbosity=0)
        assert describe_installation().missing
        assert client.get("/readyz").json()["checks"]["migrations"] == "missing"
    finally:
        call_command("migrate", interactive=False, verbosity=0)
    assert RoleDocumentAccess.objects.count() == 5


def test_tables_of_a_newer_version_are_told() -> None:
    """An older Footnote runs on them, if it is the release before; and a backup of them is refused by it."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('core', '9999_later', now())")
    try:
        said = describe_installation()
        assert said.unknown == ["core.9999_later"]
        assert any("core.9999_later" in line for line in said.list_lines())
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
