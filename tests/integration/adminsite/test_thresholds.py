"""The page of thresholds: what others would have done to last month's questions, for those who may read reports."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from core.asking.confidence import threshold
from core.models import Answer, Conversation, Feedback, Query, QueryLog, User
from core.testing import Cast
from tests.integration.adminsite.conftest import CANARIES, World

ADDRESS = "/admin/core/querylog/thresholds/"


@pytest.fixture(autouse=True)
def _as_set(settings: Settings) -> None:
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 0.5, 0.2


def logged(estimate: float | None, *, reason: str = "", provider: str = "extractive", **fields: Any) -> QueryLog:
    """A question as the log holds it."""
    given = {"confidence": 0.1, "agent_steps": 1, "response_time_ms": 5, "trace_id": "0" * 32} | fields
    return QueryLog.objects.create(
        request_id=f"req_{QueryLog.objects.count():08d}",
        estimate=estimate,
        has_sufficient_context=not reason,
        refusal_reason=reason,
        model_provider=provider,
        model="m",
        **given,
    )


def vote(log: QueryLog, user: User, verdict: str) -> None:
    """Somebody says whether it helped."""
    conversation = Conversation.objects.create(origin="command", user=user)
    query = Query.objects.create(
        request_id=log.request_id,
        question_text="What is it?",
        state="COMPLETE",
        context_mode="full_corpus",
        conversation=conversation,
    )
    answer = Answer.objects.create(
        query=query,
        answer_text="!",
        confidence=0.5,
        confidence_level="low",
        has_sufficient_context=True,
        model_provider="m",
        model="m",
        agent_steps=1,
        processing_time_ms=5,
        trace_id="0" * 32,
    )
    Feedback.objects.create(answer=answer, user=user, verdict=verdict)
    QueryLog.objects.filter(pk=log.pk).update(query=query)


def rows(table: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return a table's cells by their first one."""
    return {row[0].partition(" ")[0]: row[1:] for row in table["rows"]}


def test_each_threshold_counts_what_it_would_have_done(root: Client) -> None:
    """From a value on it counts, to the hundredth; what was refused for another reason, or long ago, is not there."""
    for estimate, reason in ((0.95, ""), (0.5, ""), (0.29, "unsure"), (0.2, "unsure"), (0.19, "nothing_found")):
        logged(estimate, reason=reason)
    logged(None, confidence=0.7)  # from before the estimate was logged
    for reason in ("ambiguous", "model_unavailable", "invalid_question", "over_quota"):
        logged(0.9, reason=reason)
    QueryLog.objects.filter(pk=logged(0.9).pk).update(created_at=timezone.now() - dt.timedelta(days=31))
    (kind,) = root.get(ADDRESS).context["kinds"]
    assert kind["title"] == "Without a language model"
    answers, closest = rows(kind["answer_table"]), rows(kind["closest_table"])
    assert (answers["0.50"][:3], closest["0.20"][:2]) == (("3", "2", "1"), ("2", "1"))
    assert answers["0.55"][:3] == ("2", "3", "1")
    assert answers["0.95"][:3] == ("1", "4", "1")
    assert answers["0.10"][:3] == ("6", "0", "0")  # nothing comes closest under what is an answer
    assert closest["0.25"][:2] == ("1", "2")
    assert closest["0.15"][:2] == ("3", "0")
    assert max(closest) == "0.50"
    chart = json.loads(kind["answer_chart"])
    place = chart["labels"].index("0.55")
    assert [dataset["data"][place] for dataset in chart["datasets"]] == [2, 3, 1]


def test_what_a_page_about_a_topic_asks_is_not_counted(root: Client, cast: Cast) -> None:
    """It quotes sections of which no estimate decided."""
    vote(logged(0.3), cast.bob, "up")
    (kind,) = root.get(ADDRESS).context["kinds"]
    assert rows(kind["answer_table"])["0.50"][1] == "1"
    Conversation.objects.update(origin="research")
    assert root.get(ADDRESS).context["kinds"] == []


def test_what_is_set_is_among_the_rows(root: Client, settings: Settings) -> None:
    """Also where it lies between them."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 0.42, 0.17
    logged(0.42)
    (kind,) = root.get(ADDRESS).context["kinds"]
    for table, name, ends in (
        ("answer_table", "0.42 (current)", ("1", "0", "0")),
        ("closest_table", "0.17 (current)", ("0", "0")),
    ):
        assert [row[1:-1] for row in kind[table]["rows"] if row[0] == name] == [ends]


def test_what_a_language_model_wrote_stands_whatever_is_set(root: Client) -> None:
    """Its answers are counted in each row; about the rest of its questions the estimate decides."""
    logged(0.05, provider="openai")
    logged(0.3, provider="openai", reason="unsure")
    logged(0.6, provider="extractive")  # shown in its place
    own, written = root.get(ADDRESS).context["kinds"]
    assert (own["title"], written["title"], written["settled"]) == (
        "Without a language model",
        "With a language model",
        1,
    )
    assert rows(written["answer_table"])["0.95"][:3] == ("1", "1", "0")
    assert rows(written["answer_table"])["0.30"][:3] == ("2", "0", "0")
    assert rows(own["answer_table"])["0.95"][:3] == ("0", "1", "0")


def test_votes_stand_where_their_questions_lie(root: Client, cast: Cast) -> None:
    """So that one sees what people said of what a higher value would take away."""
    first, second = logged(0.52), logged(0.54)
    vote(first, cast.alice, "up")
    vote(second, cast.bob, "down")
    (kind,) = root.get(ADDRESS).context["kinds"]
    votes = {value: cells[-1] for value, cells in rows(kind["answer_table"]).items()}
    assert votes["0.50"] == "1 up, 1 down"
    assert {said for value, said in votes.items() if value != "0.50"} == {"–"}


def test_shares_of_right_answers_are_listed_with_what_is_known(
    root: Client, cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the datasets and by the votes here; of what a language model wrote nothing is known of the estimate."""
    monkeypatch.setattr(threshold, "load_fit", lambda _: {"known": {"right": {"90": 60, "60": 8}, "wrong": {"60": 12}}})
    settings.ANSWERS_RIGHT = 0.85
    table = root.get(ADDRESS).context["promises"]
    assert rows(table)["85%"] == ("0.61", "60 of 60 (100%)")
    assert rows(table)["75%"] == ("0.00", "68 of 80 (85%)")
    assert ("85% (current)", "0.61", "60 of 60 (100%)") in table["rows"]
    for _ in range(5):
        vote(logged(0.9), cast.alice, "down")
        vote(logged(0.9, provider="openai"), cast.bob, "down")
    assert rows(root.get(ADDRESS).context["promises"])["95%"] == ("never", "–")


def test_it_holds_no_text_and_says_when_there_is_nothing(root: Client, world: World) -> None:
    """Neither of questions nor of answers; without questions it says so."""
    shown = root.get(ADDRESS).content.decode()
    assert "With another ANSWER_FROM" in shown
    assert [canary for canary in (*CANARIES, "harbour") if canary in shown] == []
    QueryLog.objects.all().delete()
    assert "No question in the last 30 days was decided by a threshold" in root.get(ADDRESS).content.decode()


def test_who_may_read_reports_sees_it(staff: Callable[..., Client]) -> None:
    """From the sidebar; to others, also those who may view the log, it is closed."""
    browser = staff("core.view_querylog")
    assert browser.get(ADDRESS).status_code == 403
    assert ADDRESS not in browser.get("/admin/advanced/").content.decode()
    User.objects.filter(email="desk@example.com").delete()
    browser = staff("core.view_reports")
    assert browser.get(ADDRESS).status_code == 200
    assert ADDRESS in browser.get("/admin/advanced/").content.decode()


def test_it_costs_a_fixed_number_of_queries(
    root: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """However many questions there are, the database counts them; three are for the session."""
    for number in range(30):
        logged(number / 30, provider="openai" if number % 2 else "extractive")
    with django_assert_max_num_queries(15):
        root.get(ADDRESS)
