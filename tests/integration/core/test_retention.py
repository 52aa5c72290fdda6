"""Erasing texts: what is gone everywhere, what stays, and who is left alone."""

import datetime as dt
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from procrastinate.contrib.django import app
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask, give_feedback, recent_questions, stored_quotes, stored_result
from core.asking.history import retention
from core.asking.history.retention import ERASED, erase_texts
from core.errors import NotFoundError
from core.models import Answer, AuditEvent, Citation, Feedback, Query, QueryLog, RetrievedChunk, User
from core.models.row_security import bypass_row_security
from core.tasks import erase_old_texts
from core.testing import Cast, make_document
from core.types import Answer as Answered
from core.types import Filters

pytestmark = pytest.mark.usefixtures("fast")

VAULT = "The vault in the harbour office opens with the code quagmire-7741 on weekdays."
ASKED = "With which code does the vault in the harbour office open, dear cockatrice?"
SELECTED = "The griffin paste dries within four hours on wood."
ABOUT_SELECTED = "Within how many hours does griffin paste dry on basilisk wood?"
COMMENT = "As the jackdaw ledger says."
TYPED_OR_QUOTED = ("quagmire", "cockatrice", "griffin", "basilisk", "jackdaw", "Zanzibar")
LIBRARY = ("core_document", "core_chunk", "core_collection")  # what the documents themselves say


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> None:
    """Alice may read about the vault."""
    make_document("Zanzibar vault rules", VAULT, roles=[cast.owners], section="Lockwork section")


def asked(person: User, question: str = ASKED, *, days_ago: int = 0, **options: Any) -> str:
    """The request id of a question that was asked so many days ago."""
    result = ask(question, asker=asker_for(person), audience=audience_of([person.pk]), **options)
    Query.objects.filter(request_id=result.request_id).update(created_at=timezone.now() - dt.timedelta(days=days_ago))
    return result.request_id


def everything_kept() -> dict[str, str]:
    """All rows of all tables but the library's, as text by table."""
    with bypass_row_security(), connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = sorted({name for (name,) in cursor.fetchall()} - set(LIBRARY))
        kept = {}
        for table in tables:
            cursor.execute(f"SELECT coalesce(string_agg(t::text, chr(10)), '') FROM \"{table}\" t")  # noqa: S608
            kept[table] = cursor.fetchone()[0]
    return kept


def tables_with(*marks: str) -> dict[str, set[str]]:
    """Return the tables that have any of the marks, each with its marks."""
    held = {table: {mark for mark in marks if mark in text} for table, text in everything_kept().items()}
    return {table: found for table, found in held.items() if found}


def of_records() -> list[Any]:
    """The rows that reports are made of."""
    return [
        list(QueryLog.objects.order_by("pk").values()),
        list(RetrievedChunk.objects.order_by("pk").values()),
        list(Citation.objects.order_by("pk").values_list("answer", "number", "document", "chunk", "page_number")),
        list(Answer.objects.order_by("pk").values_list("pk", "confidence", "refusal_reason", "processing_time_ms")),
        list(Feedback.objects.values_list("answer", "user", "verdict", "reasons")),
        list(Query.objects.order_by("pk").values_list("pk", "request_id", "user", "state", "created_at")),
    ]


def run(*options: str) -> str:
    """Return the output of `manage.py erase_texts`."""
    out = StringIO()
    call_command("erase_texts", *options, stdout=out)
    return out.getvalue()


def test_no_table_keeps_a_word(cast: Cast) -> None:
    """Questions, selected text, filters, answers, quotes, refusals and comments are empty; no figure has changed."""
    answered = asked(cast.alice, filters=Filters(source="Zanzibar"))
    selected = asked(cast.alice, ABOUT_SELECTED, selected_text=SELECTED)
    refused = asked(cast.bob, "Which basilisk did the cockatrice marry?")
    give_feedback(answered, user_id=cast.alice.pk, verdict="down", reasons=["wrong"], comment=COMMENT)
    assert set().union(*tables_with(*TYPED_OR_QUOTED).values()) == set(TYPED_OR_QUOTED)
    before = of_records()
    assert erase_texts(before=timezone.now()) == 3
    assert tables_with(*TYPED_OR_QUOTED) == {}
    assert of_records() == before
    assert Citation.objects.count() >= 2
    rows = Query.objects.filter(request_id__in=[answered, selected, refused])
    assert {(row.question_text, row.selected_text, row.erased_at is None) for row in rows} == {("", None, False)}
    assert {(row.answer_text, row.message) for row in Answer.objects.all()} == {("", ""), (None, ERASED)}


def test_what_is_erased_is_as_if_it_were_not_there(cast: Cast) -> None:
    """Neither its asker nor anybody else finds it, votes on it, or sees its quotes."""
    request_id = asked(cast.alice)
    audience = cast.audience(cast.alice)
    assert isinstance(stored_result(request_id, audience=audience), Answered)
    erase_texts(before=timezone.now())
    with pytest.raises(NotFoundError):
        stored_result(request_id, audience=audience, viewer=cast.alice.pk)
    with pytest.raises(NotFoundError):
        give_feedback(request_id, user_id=cast.alice.pk, verdict="down", comment=COMMENT)
    assert stored_quotes(request_id, audience=audience) == ()
    assert recent_questions(cast.alice.pk, audience=audience, limit=5) == ()
    assert Feedback.objects.count() == 0


def test_only_what_is_old_enough_and_of_the_person(cast: Cast) -> None:
    """Later questions and other people's keep every word."""
    old, new, others = asked(cast.alice, days_ago=40), asked(cast.alice, days_ago=5), asked(cast.bob, days_ago=40)
    assert erase_texts(before=timezone.now() - dt.timedelta(days=30), of=cast.alice, by=cast.bob) == 1
    texts = dict(Query.objects.values_list("request_id", "question_text"))
    assert texts == {old: "", new: ASKED, others: ASKED}
    event = AuditEvent.objects.get(action="erase text")
    assert (event.actor, event.object_id, event.details) == (cast.bob, str(cast.alice.pk), {"questions": 1})


def test_a_question_on_its_way_is_left(cast: Cast) -> None:
    """Its answer would be written beside an empty question; one that never ended is erased an hour later."""
    on_its_way, left_over = asked(cast.alice), asked(cast.alice, days_ago=1)
    Query.objects.update(state="RETRIEVAL_COMPLETE")
    assert erase_texts(before=timezone.now()) == 1
    texts = dict(Query.objects.values_list("request_id", "question_text"))
    assert texts == {on_its_way: ASKED, left_over: ""}


def test_many_are_erased_some_at_a_time(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, each once, with an audit row for each transaction."""
    monkeypatch.setattr(retention, "_AT_ONCE", 2)
    for _ in range(3):
        asked(cast.alice)
    assert erase_texts(before=timezone.now()) == 3
    assert erase_texts(before=timezone.now()) == 0
    assert [event.details["questions"] for event in AuditEvent.objects.filter(action="erase text")] == [1, 2]


@pytest.mark.parametrize(("days", "expected"), [(0, ASKED), (31, ASKED), (30, "")])
def test_every_night_by_the_retention_period(cast: Cast, settings: Settings, days: int, expected: str) -> None:
    """Without a period nothing is erased."""
    settings.RETENTION_DAYS = days
    asked(cast.alice, days_ago=30)
    erase_old_texts(timestamp=0)
    assert Query.objects.get().question_text == expected


def test_the_worker_does_it_by_itself() -> None:
    """The task is one of those that procrastinate's worker starts by the clock."""
    app.perform_import_paths()
    periodic = {task.task.name: task.cron for task in app.periodic_registry.periodic_tasks.values()}
    assert periodic["core.erase_old_texts"] == "30 3 * * *"


class TestCommand:
    """`manage.py erase_texts`."""

    def test_a_trial_counts_and_erases_nothing(self, cast: Cast) -> None:
        """In words and as JSON."""
        asked(cast.alice)
        assert run("--of", "ALICE@example.com", "--dry-run") == "The text of 1 question would be erased.\n"
        assert json.loads(run("--older-than", "0", "--dry-run", "--json")) == {"questions": 1, "erased": False}
        assert Query.objects.get().question_text == ASKED

    def test_it_erases(self, cast: Cast) -> None:
        """And says how many; a second time there is nothing to erase."""
        asked(cast.alice)
        assert run("--of", "alice@example.com", "--as", "bob@example.com") == "The text of 1 question is erased.\n"
        assert json.loads(run("--of", "alice@example.com", "--json")) == {"questions": 0, "erased": True}
        assert AuditEvent.objects.get(action="erase text").actor == cast.bob

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ((), "Give --older-than DAYS, --of EMAIL, or both."),
            (("--older-than", "-1"), "--older-than must be a number of days from 0."),
            (("--of", "nobody@example.com"), "nobody@example.com"),
        ],
    )
    def test_what_it_cannot_use_it_names(self, cast: Cast, options: tuple[str, ...], said: str) -> None:
        """Nothing is erased, and the exit code is 2."""
        asked(cast.alice)
        with pytest.raises(CommandError) as refused:
            run(*options)
        assert said in str(refused.value)
        assert refused.value.returncode == 2
        assert Query.objects.get().question_text == ASKED
