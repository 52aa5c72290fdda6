"""The sidebar's search: people, documents and questions, by the rights of who searches, and at once by them."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from core.models import AuditEvent, Query, User
from tests.integration.adminsite.conftest import VAULT_QUESTION, World
from tests.integration.rows import multiply

pytestmark = pytest.mark.usefixtures("kept_world", "fast")


def find(browser: Client, words: str, **extended: str) -> str:
    """Return the page of search results."""
    return browser.get(reverse("admin:search"), {"s": words, **extended}).content.decode()


@pytest.mark.parametrize("extended", [{}, {"extended": "1"}])
def test_it_finds_pages_people_documents_and_questions(extended: dict[str, str], root: Client, world: World) -> None:
    """In the sidebar and in the palette; the question leads to the page of its conversation."""
    query = world.vault_answer.query
    found = find(root, "vault", **extended)
    assert reverse("admin:core_document_change", args=[world.vault.pk]) in found
    assert VAULT_QUESTION in found
    assert f"{reverse('admin:core_conversation_change', args=[query.conversation_id])}?question={query.pk}" in found
    assert "alice@example.com" in find(root, "ALICE", **extended)
    assert reverse("admin:core_alert_changelist") in find(root, "alert", **extended)


@pytest.mark.parametrize("name", ["query", "user", "document"])
def test_each_kind_needs_the_right_to_its_list(name: str, staff: Callable[..., Client], world: World) -> None:
    """With one right there is one kind; and what is not found looks as what is not there."""
    desk = staff(f"core.view_{name}")
    assert (VAULT_QUESTION in find(desk, "vault")) is (name == "query")
    assert ("Vault rules" in find(desk, "vault")) is (name == "document")
    assert ("alice@example.com" in find(desk, "alice@")) is (name == "user")
    if name != "query":
        assert find(desk, "harbour office") == find(desk, "zebra zebra")


def test_that_questions_were_shown_is_recorded(root: Client, world: World) -> None:
    """With how many, and not for a search that shows none, or one's own."""
    find(root, "zebra")
    find(root, "canteen rules")
    assert not AuditEvent.objects.filter(action="read_text").exists()
    find(root, "harbour")
    event = AuditEvent.objects.get(action="read_text")
    assert (str(event.actor), event.object_type, event.details) == ("Root", "query", {"questions": 2})
    Query.objects.update(user=event.actor)
    find(root, "harbour")
    assert AuditEvent.objects.filter(action="read_text").count() == 1


def test_a_right_that_is_taken_away_finds_nothing_more(staff: Callable[..., Client], world: World) -> None:
    """Nothing found before is kept."""
    desk = staff("core.view_query")
    assert VAULT_QUESTION in find(desk, "vault")
    user = User.objects.get(email="desk@example.com")
    user.user_permissions.remove(Permission.objects.get(codename="view_query"))
    assert VAULT_QUESTION not in find(desk, "vault")


def test_an_erased_question_is_not_found(root: Client, world: World) -> None:
    """By none of its words, also where they were left."""
    Query.objects.update(erased_at=world.vault_answer.created_at)
    assert VAULT_QUESTION not in find(root, "vault")


@pytest.mark.parametrize("words", ["", "v", " ", "\0", "\0v"])
def test_next_to_nothing_is_not_searched_for(words: str, root: Client, world: World) -> None:
    """One letter would find everything."""
    assert find(root, words) == ""


def test_nobody_else_may_search(client: Client, world: World) -> None:
    """A user without access to the admin is sent to sign in."""
    assert client.get(reverse("admin:search"), {"s": "vault"}).status_code == 302
    client.force_login(User.objects.get(email="alice@example.com"))
    assert client.get(reverse("admin:search"), {"s": "vault"}).status_code == 302


def test_many_rows_cost_no_more_queries_and_show_no_more(
    root: Client, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Five of each kind, of thousands."""
    multiply(world.vault_answer.query, 3000, request_id="'req_copy_' || n")
    multiply(User.objects.get(email="alice@example.com"), 3000, email="'vault' || n || '@example.com'")
    find(root, "vault")
    with django_assert_max_num_queries(8):
        found = find(root, "vault")
    assert found.count("Question of") == 5
    assert found.count("@example.com") == 5
