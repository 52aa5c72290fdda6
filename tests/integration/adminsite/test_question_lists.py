"""Lists name questions by their words where the viewer may read them, find them by these, and lead to their page."""

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from core import api
from core.models import Answer, AuditEvent, Conversation, Query, QueryLog, User
from core.models.workspaces import LOCAL_TEAM_ID
from core.testing import Cast
from tests.integration.adminsite.conftest import CANARIES, VAULT_QUESTION, World
from tests.integration.adminsite.test_conversation_page import page_of
from tests.integration.rows import multiply

LISTS = ("query", "feedback", "alert", "evaluationresult")
OTHERS = {"answer": "query", "querylog": "query", **{name: name for name in LISTS if name != "query"}}  # by their right
UNREADABLE = "A question that you may not read"
pytestmark = pytest.mark.usefixtures("kept_world", "fast")


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


@pytest.mark.parametrize(("right", "name"), OTHERS.items())
def test_without_the_right_to_questions_a_list_neither_shows_nor_finds_them(
    right: str, name: str, staff: Callable[..., Client], world: World
) -> None:
    """A search for words of the question, or for words of none, finds the same: nothing."""
    desk = staff(f"core.view_{right}")
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
    listed = desk.get(list_of("query"), {"q": "vault"})
    assert [row.pk for row in listed.context["cl"].result_list] == [world.vault_answer.query_id]
    assert VAULT_QUESTION in listed.content.decode()
    assert looks() == []


def test_an_erased_question_is_found_by_none_of_its_words(root: Client, cast: Cast, world: World) -> None:
    """The row stays, and says why there is no text."""
    api.erase_texts(before=world.vault_answer.created_at.replace(year=2999), of=cast.alice)
    assert root.get(list_of("query"), {"q": "vault"}).context["cl"].result_count == 0
    shown = root.get(list_of("query")).content.decode()
    assert "Erased: the text is no longer kept." in shown
    assert VAULT_QUESTION not in shown


def test_figures_without_a_question_say_so(root: Client, world: World) -> None:
    """The log keeps the figures of questions that were refused before they were stored; they lead to themselves."""
    alone = f"{list_of('querylog')}?kept=no"
    assert alone not in root.get(list_of("query")).content.decode()
    log = QueryLog.objects.earliest("created_at")
    QueryLog.objects.filter(pk=log.pk).update(query=None)
    assert alone in root.get(list_of("query")).content.decode()
    listed = root.get(alone)
    assert list(listed.context["cl"].result_list) == [log]
    assert "Figures without a question" in listed.content.decode()
    page = reverse("admin:core_querylog_change", args=[log.pk])
    assert page in listed.content.decode()
    assert root.get(page).status_code == 200


def columns_of(client: Client, **address: str) -> set[str]:
    """Return the headings of the list of questions."""
    found = re.findall(r'class="[^"]*column-(\w+)', client.get(list_of("query"), address).content.decode())
    return {name.removeprefix("show_") for name in found}


@pytest.mark.parametrize(
    ("right", "columns"),
    [
        ("query", {"question", "asker", "origin", "outcome", "asked"}),
        ("answer", {"question", "outcome", "confidence", "citations", "time", "cost", "asked"}),
        ("querylog", {"question", "asker", "outcome", "confidence", "citations", "time", "asked"}),
    ],
)
def test_each_right_has_the_columns_of_the_list_that_it_opened_before(
    right: str, columns: set[str], staff: Callable[..., Client], world: World
) -> None:
    """One right alone shows no more of a question than the list of its own did: not who asked, nor the cost."""
    desk = staff(f"core.view_{right}")
    assert columns_of(desk) == columns
    shown = desk.get(list_of("query"))
    assert ("alice@example.com" in shown.content.decode() or "Alice" in shown.content.decode()) is ("asker" in columns)
    offered = {getattr(spec, "parameter_name", None) or spec.field_path for spec in shown.context["cl"].filter_specs}
    assert ("conversation__origin" in offered) is (right == "query")
    assert ("answer__confidence_level" in offered) is (right == "answer")
    assert ("model_provider" in offered) is (right != "query")


@pytest.mark.parametrize(("right", "kept"), [("answer", "log"), ("querylog", "answer")])
def test_without_the_right_to_questions_those_alone_are_listed_that_have_what_may_be_seen(
    right: str, kept: str, staff: Callable[..., Client], world: World
) -> None:
    """A question that is being answered, or has figures alone, is not counted; nor is its state told or asked for."""
    query = world.vault_answer.query
    QueryLog.objects.filter(query=query).update(query=None) if kept == "answer" else query.answer.delete()
    desk = staff(f"core.view_{right}")
    listed = desk.get(list_of("query")).context["cl"].result_list
    assert [row.pk for row in listed] == [row.pk for row in Query.objects.exclude(pk=query.pk)]
    assert desk.get(reverse("admin:core_query_change", args=[query.pk])).status_code == 404
    assert desk.get(list_of("query"), {"outcome": "open"}).context["cl"].result_count == 1
    assert desk.get(list_of("query"), {"conversation__origin__exact": "rest"}).status_code == 400


@pytest.mark.parametrize("right", ["answer", "querylog"])
def test_a_question_leads_to_what_its_viewer_may_see(right: str, staff: Callable[..., Client], world: World) -> None:
    """Without the right to questions to the page of the answer or of the figures, without the conversation."""
    query = world.vault_answer.query
    page = staff(f"core.view_{right}").get(reverse("admin:core_query_change", args=[query.pk]), follow=True)
    row = world.vault_answer if right == "answer" else QueryLog.objects.get(query=query)
    assert page.redirect_chain == [(reverse(f"admin:core_{right}_change", args=[row.pk]), 302)]
    assert page.status_code == 200
    assert VAULT_QUESTION not in page.content.decode()
    assert [canary for canary in CANARIES if canary in page.content.decode()] == []


def test_old_addresses_lead_to_the_question(root: Client, world: World) -> None:
    """Of the question, its answer, its figures and its conversation; what their lists were narrowed by is kept."""
    query = world.vault_answer.query
    log = QueryLog.objects.get(query=query)
    for name, row in (("query", query), ("answer", world.vault_answer), ("querylog", log)):
        moved = root.get(reverse(f"admin:core_{name}_change", args=[row.pk]))
        assert (moved.status_code, moved["Location"]) == (302, f"{page_of(query)}#q-{query.pk}")
    questions = list_of("query")
    for name, asked, narrowed in (
        ("conversation", "q=alice%40example.com", "q=alice%40example.com"),
        ("conversation", "origin__exact=rest&is_active__exact=1", "conversation__origin__exact=rest&conversation=1"),
        ("answer", "confidence_level__exact=high", "answer__confidence_level__exact=high"),
        ("answer", "refusal_reason__exact=unsure", "outcome=unsure"),
        ("querylog", "has_sufficient_context__exact=0", "outcome=unanswered"),
        ("querylog", "model_provider=extractive&o=-3", "model_provider=extractive"),
        ("query", "state__exact=FAILED", "outcome=failed"),
    ):
        moved = root.get(f"{list_of(name)}?{asked}")
        assert (moved.status_code, moved["Location"]) == (302, f"{questions}?{narrowed}"), (name, asked)
        assert root.get(moved["Location"]).status_code == 200, (name, asked)
    assert root.get(list_of("answer"))["Location"] == questions
    by_key = root.get(list_of("answer"), {"id__exact": str(world.vault_answer.pk)}, follow=True)
    assert by_key.redirect_chain[-1][0] == f"{page_of(query)}#q-{query.pk}"


@pytest.mark.parametrize("name", ["conversation", "answer", "querylog"])
def test_an_old_address_is_shut_to_whom_its_list_was(name: str, staff: Callable[..., Client], world: World) -> None:
    """The other rights do not open it."""
    others = {"query", "answer", "querylog"} - {"query" if name == "conversation" else name}
    assert staff(*(f"core.view_{one}" for one in sorted(others))).get(list_of(name)).status_code == 403


def test_questions_are_narrowed_by_how_they_ended(root: Client, cast: Cast, world: World) -> None:
    """Answered, the closest passages, refused for any reason or one, failed, stopped, or still open."""
    open_one, failed, stopped, refused = (
        Query.objects.create(
            request_id=f"req_{state}",
            question_text="How deep is the harbour?",
            context_mode="full_corpus",
            conversation=world.vault_answer.query.conversation,
            user=cast.bob,
            state=state,
        )
        for state in ("NEW", "FAILED", "STOPPED", "NO_CONTENT_FOUND")
    )
    log = QueryLog.objects.filter(query=world.vault_answer.query)
    other = Query.objects.exclude(user=cast.bob).exclude(pk=world.vault_answer.query_id).get()
    Answer.objects.filter(query=other).update(query=refused, refusal_reason="unsure", answer_text=None, message="No.")
    assert log.exists()
    for outcome, expected in {
        "answered": {world.vault_answer.query},
        "unanswered": {refused},
        "unsure": {refused},
        "over_quota": set(),
        "failed": {failed},
        "stopped": {stopped},
        "open": {open_one},
        "none of these": set(Query.objects.all()),
    }.items():
        found = root.get(list_of("query"), {"outcome": outcome}).context["cl"].result_list
        assert {row.pk for row in found} == {row.pk for row in expected}, outcome


@pytest.mark.parametrize("origin", ["evaluation", "recheck", "research"])
def test_what_nobody_asked_is_listed_on_request(origin: str, root: Client, world: World) -> None:
    """Questions of evaluations and of checks of changed sources are no use of Footnote by people."""
    query = world.vault_answer.query
    Conversation.objects.filter(pk=query.conversation_id).update(origin=origin)
    inside, every = {query.pk}, set(Query.objects.values_list("pk", flat=True))
    people = every - set(Query.objects.filter(conversation=query.conversation_id).values_list("pk", flat=True))
    for address, expected in (
        ({}, people),
        ({"q": "vault"}, set()),
        ({"asked_by": "nobody"}, every - people),
        ({"asked_by": "all"}, every),
        ({"conversation__origin__exact": origin}, every - people),
        ({"q": "req_nothing"}, set()),
        ({"q": query.request_id}, inside if query.request_id.startswith("req_") else set()),
    ):
        found = root.get(list_of("query"), address).context["cl"].result_list
        assert {row.pk for row in found} == expected, address


def test_the_list_costs_as_much_for_many_questions_as_for_one(
    root: Client, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Each with a conversation in a channel, an answer and a log of its own."""
    with CaptureQueriesContext(connection) as few:
        root.get(list_of("query"))
    query = world.vault_answer.query
    for number in range(20):
        conversation = Conversation.objects.create(origin="slack", slack_team="T1", slack_channel=f"C{number}")
        asked = Query.objects.create(
            request_id=f"req_many_{number}",
            question_text="How deep is the harbour?",
            context_mode="full_corpus",
            conversation=conversation,
            user=query.user,
        )
        for row in (Answer.objects.get(query=query), QueryLog.objects.get(query=query)):
            row.pk, row.query, row._state.adding = uuid4(), asked, True
            if isinstance(row, QueryLog):
                row.request_id = asked.request_id
            row.save()
    with django_assert_max_num_queries(len(few) + 1):  # the names of channels
        assert len(root.get(list_of("query")).context["cl"].result_list) == 22


def test_a_direct_message_is_named_and_its_id_is_not(root: Client, world: World) -> None:
    conversation = world.vault_answer.query.conversation
    Conversation.objects.filter(pk=conversation.pk).update(origin="slack", slack_team="T1", slack_channel="D024BE91L")

    page = root.get(list_of("query")).content.decode()

    assert "Slack, direct message" in page
    assert "D024BE91L" not in page
    assert "field-show_question" in page  # which the style sheet keeps wide


def test_a_question_from_the_local_page_is_not_said_to_come_from_slack(root: Client, world: World) -> None:
    """In the list, and on the page of its conversation."""
    conversation = world.vault_answer.query.conversation
    Conversation.objects.filter(pk=conversation.pk).update(
        origin="slack", slack_team=LOCAL_TEAM_ID, slack_channel="D024BE91L"
    )
    address = reverse("admin:core_conversation_change", args=[conversation.pk])
    for page in (root.get(list_of("query")), root.get(address)):
        shown = page.content.decode()
        assert "Local page, direct message" in shown
        assert "Slack, direct message" not in shown


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


def test_lists_cost_as_much_with_ten_thousand_questions(
    root: Client, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """It holds for plain lists and for searches."""
    query = world.vault_answer.query
    multiply(Conversation.objects.get(pk=query.conversation_id), 1000)
    others = "(SELECT array_agg(id) FROM core_conversation)"
    multiply(query, 10_000, request_id="'req_copy_' || n", conversation_id=f"({others})[1 + mod(n, 1000)]")
    for name in ("query", "alert"):
        for address in ({}, {"q": "zebra"}):
            with django_assert_max_num_queries(16):
                assert root.get(list_of(name), address).status_code == 200
    assert Answer.objects.count() == 2
