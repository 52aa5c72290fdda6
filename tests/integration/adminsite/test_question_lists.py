"""Lists name questions by their words where the viewer may read them, find them by these, and lead to their page."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from core import api
from core.models import Answer, AuditEvent, Conversation, Query, QueryLog, User
from core.testing import Cast
from tests.integration.adminsite.conftest import CANARIES, VAULT_QUESTION, World
from tests.integration.adminsite.test_conversation_page import page_of
from tests.integration.rows import multiply

LISTS = ("query", "answer", "feedback", "alert", "querylog", "evaluationresult", "conversation")
OTHERS = [name for name in LISTS if name not in ("query", "conversation")]
UNREADABLE = "A question that you may not read"


def list_of(name: str) -> str:
    """The address of a list."""
    return reverse(f"admin:core_{name}_changelist")


def looks() -> list[tuple[str, str, dict[str, int]]]:
    """Return which lists showed whom how many questions of others."""
    events = AuditEvent.objects.filter(action="read_text").order_by("created_at").select_related("actor")
    return [(event.actor.email if event.actor else "", event.object_type, event.details) for event in events]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_names_questions_and_leads_to_their_page(name: str, root: Client, world: World) -> None:
    """By words, not by ids of requests; found by some of the words; and the look is recorded with how many."""
    shown = root.get(list_of(name), {"q": "vault CODE"}).content.decode()
    query = world.vault_answer.query
    assert VAULT_QUESTION in shown
    path, _, asked = page_of(query).partition("?")
    assert re.search(rf'href="{path}\?[^"]*{asked}[^"]*#q-{query.pk}"', shown)
    assert query.request_id not in shown
    assert looks() == [("root@example.com", name, {"questions": 1})]
    assert [canary for canary in CANARIES if canary in shown] == []


@pytest.mark.parametrize("name", OTHERS)
def test_without_the_right_to_questions_a_list_neither_shows_nor_finds_them(
    name: str, staff: Callable[..., Client], world: World
) -> None:
    """A search for words of the question, or for words of none, finds the same: nothing."""
    desk = staff(f"core.view_{name}")
    shown = desk.get(list_of(name)).content.decode()
    assert UNREADABLE in shown
    assert "vault" not in shown
    assert reverse("admin:core_conversation_change", args=[world.vault_answer.query.conversation_id]) not in shown
    for words in ("vault", VAULT_QUESTION, "zebra"):
        assert desk.get(list_of(name), {"q": words}).context["cl"].result_count == 0
    assert looks() == []


def test_ones_own_question_is_read_and_found(staff: Callable[..., Client], world: World) -> None:
    """Also without the right to those of others, and without being recorded."""
    desk = staff("core.view_answer")
    Query.objects.filter(pk=world.vault_answer.query_id).update(user=User.objects.get(email="desk@example.com"))
    listed = desk.get(list_of("answer"), {"q": "vault"})
    assert [row.pk for row in listed.context["cl"].result_list] == [world.vault_answer.pk]
    assert VAULT_QUESTION in listed.content.decode()
    assert looks() == []


def test_an_erased_question_is_found_by_none_of_its_words(root: Client, cast: Cast, world: World) -> None:
    """The row stays, and says why there is no text."""
    api.erase_texts(before=world.vault_answer.created_at.replace(year=2999), of=cast.alice)
    assert root.get(list_of("answer"), {"q": "vault"}).context["cl"].result_count == 0
    shown = root.get(list_of("answer")).content.decode()
    assert "Erased: the text is no longer kept." in shown
    assert VAULT_QUESTION not in shown


def test_figures_without_a_question_say_so(root: Client, world: World) -> None:
    """The log keeps the figures of questions that were refused before they were stored; they lead to themselves."""
    QueryLog.objects.update(query=None)
    shown = root.get(list_of("querylog")).content.decode()
    assert "No question is kept here" in shown
    assert UNREADABLE not in shown
    assert reverse("admin:core_querylog_change", args=[QueryLog.objects.earliest("created_at").pk]) in shown


def test_a_search_by_words_of_the_answer_finds_nothing(root: Client, world: World) -> None:
    """Nor by those of the rewritten question, which may be words of documents."""
    for name in LISTS:
        for canary in ("quagmire", "jackdaw", "cockatrice", "griffin"):
            assert root.get(list_of(name), {"q": canary}).context["cl"].result_count == 0, (name, canary)


def test_dates_are_written_in_one_style(root: Client, world: World) -> None:
    """As 2026-01-02 10:15, on each list."""
    for name in LISTS:
        shown = root.get(list_of(name)).content.decode()
        assert re.search(r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b", shown), name
        assert not re.search(r"\b[ap]\.m\.|\b(Jan|Feb|Sept?|Oct|Nov|Dec)\. \d", shown), name


def test_lists_cost_as_much_with_a_hundred_thousand_questions(
    root: Client, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """It holds for plain lists and for searches."""
    query = world.vault_answer.query
    multiply(Conversation.objects.get(pk=query.conversation_id), 1000)
    others = "(SELECT array_agg(id) FROM core_conversation)"
    multiply(query, 100_000, request_id="'req_copy_' || n", conversation_id=f"({others})[1 + mod(n, 1000)]")
    for name in ("query", "conversation", "alert"):
        for address in ({}, {"q": "zebra"}):
            with django_assert_max_num_queries(16):
                assert root.get(list_of(name), address).status_code == 200
    assert Answer.objects.count() == 2
