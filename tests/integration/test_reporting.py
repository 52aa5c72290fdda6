"""The views for programs that draw charts of SQL, read by a role that has nothing else."""

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from core import api
from core.access.audiences import asker_for
from core.models import User
from core.testing import Cast, fast_embedding, make_cast, make_document
from core.types import Answer, Refusal

GUIDE = (Path(__file__).parents[2] / "docs/reporting.md").read_text(encoding="utf-8")
CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
QUESTION = "When does the canteen in the harbour office open?"


@pytest.fixture
def reports(superuser: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """A connection of the role that the guide's statements make."""
    statements = GUIDE.partition("## A role that only reads")[2].partition("This role")[0]
    password = secrets.token_hex(8)
    for statement in re.findall(r"^    (.+;)$", statements, re.MULTILINE):
        superuser.execute(sql.SQL(statement.replace("'...'", f"'{password}'")))
    own = connection.settings_dict
    try:
        with psycopg.connect(
            host=own["HOST"], port=own["PORT"], dbname=own["NAME"], user="reports", password=password, autocommit=True
        ) as opened:
            yield opened
    finally:
        superuser.execute("DROP OWNED BY reports")
        superuser.execute("DROP ROLE reports")


@pytest.fixture
def asked(transactional_db: None) -> tuple[Cast, Answer, Refusal]:
    """An answer that was voted for, and a refusal."""
    cast = make_cast()
    with fast_embedding():
        make_document("Canteen rules", CANTEEN, roles=[cast.staff], collection="Canteen shelf")
        answer = api.ask(QUESTION, asker=asker_for(cast.bob), audience=cast.audience(cast.bob))
        refusal = api.ask(QUESTION, asker=asker_for(cast.charlie), audience=cast.audience(cast.charlie))
    assert isinstance(answer, Answer)
    assert isinstance(refusal, Refusal)
    api.give_feedback(answer.request_id, user_id=cast.bob.pk, verdict="up", comment="Just what I wanted to know.")
    return cast, answer, refusal


def rows(reports: psycopg.Connection, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    return reports.execute(sql.SQL(query)).fetchall()


def test_the_figures_are_those_of_the_questions(
    reports: psycopg.Connection, asked: tuple[Cast, Answer, Refusal]
) -> None:
    """One row for each question, with what came of it."""
    cast, answer, refusal = asked
    found = rows(reports, "SELECT request_id, person_id, outcome, refusal_reason, citations FROM reporting.questions")
    assert set(found) == {
        (answer.request_id, cast.bob.pk, "answered", None, 1),
        (refusal.request_id, cast.charlie.pk, "refused", "nothing_found", 0),
    }
    assert rows(reports, "SELECT request_id, verdict FROM reporting.votes") == [(answer.request_id, "up")]
    assert rows(reports, "SELECT collection, roles FROM reporting.documents") == [("Canteen shelf", 1)]
    assert (cast.bob.pk, "staff") in rows(reports, "SELECT person_id, role FROM reporting.person_roles")


def test_the_guides_examples_run(reports: psycopg.Connection, asked: tuple[Cast, Answer, Refusal]) -> None:
    """They run unchanged; one of them is checked by its figures."""
    examples = re.findall(r"(?:^    .+\n)+", GUIDE.partition("## Examples")[2], re.MULTILINE)
    assert len(examples) == 3
    found = [rows(reports, example) for example in examples]
    assert [found[0][0][1:3], found[2]] == [(2, 1), [("Canteen shelf", 1)]]


def test_every_column_is_described(reports: psycopg.Connection) -> None:
    """In the guide, under its view."""
    columns = rows(
        reports,
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'reporting'",
    )
    assert len(columns) > 40
    for view, column in columns:
        section = GUIDE.partition(f"**`reporting.{view}`**")[2].partition("**`reporting.")[0]
        assert f"`{column}`" in section, (view, column)


def test_no_text_and_no_name_is_in_any_view(reports: psycopg.Connection, asked: tuple[Cast, Answer, Refusal]) -> None:
    """Neither of a question, an answer, a document or a comment, nor of a person."""
    views = rows(reports, "SELECT table_name FROM information_schema.views WHERE table_schema = 'reporting'")
    assert len(views) == 7
    everything = str([rows(reports, f"TABLE reporting.{view}") for (view,) in views]).casefold()
    forbidden = ["noon", "harbour", "canteen rules", "just what i wanted"]
    forbidden += [text.casefold() for person in User.objects.all() for text in (person.email, person.display_name)]
    assert [text for text in forbidden if text in everything] == []


@pytest.mark.parametrize("table", ["core_chunk", "core_query", "core_user", "core_answer", "core_document"])
def test_the_role_reads_nothing_else(
    reports: psycopg.Connection, asked: tuple[Cast, Answer, Refusal], table: str
) -> None:
    """No table of Footnote's, and it writes nothing through a view."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(reports, f"TABLE {table}")
    with pytest.raises(psycopg.Error):
        reports.execute("DELETE FROM reporting.documents")
