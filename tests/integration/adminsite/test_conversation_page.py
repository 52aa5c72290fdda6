"""One page per conversation: what happened, in its order, by the rights of who looks, and each look recorded."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from adminsite.admin.base import WITHHELD
from core import api
from core.access.audiences import asker_for, audience_of
from core.models import Alert, AuditEvent, Conversation, Query, User, UserRole
from core.testing import Cast
from core.types import Refusal
from tests.integration.adminsite.conftest import CANARIES, VAULT_QUESTION, World
from tests.integration.rows import multiply

ALL = ("answer", "query", "feedback", "evaluationresult", "alert", "document", "chunk", "querylog")
# In the order of the page.
PARTS = ("Asked", "Understood as", "Searched", "Steps", "Statements", "Said", "Confidence", "Evaluation", "Alerts")
pytestmark = pytest.mark.usefixtures("kept_world", "fast")


def page_of(query: Query, **address: str) -> str:
    """Return the address of a question's page."""
    asked = "&".join(f"{name}={value}" for name, value in {"question": str(query.pk), **address}.items())
    return f"{reverse('admin:core_conversation_change', args=[query.conversation_id])}?{asked}"


def readings() -> list[tuple[str, str, list[str]]]:
    """Return the viewers of conversations, and the questions that were shown to them."""
    events = AuditEvent.objects.filter(action="read_text", object_type="conversation").order_by("created_at")
    return [(event.actor.email if event.actor else "", event.object_id, event.details["questions"]) for event in events]


@pytest.fixture
def asked(world: World) -> Query:
    """The question about the vault."""
    return world.vault_answer.query


@pytest.fixture
def reader(root: Client, administrator: User, cast: Cast) -> Client:
    """An administrator who may read what Alice may."""
    UserRole.objects.create(user=administrator, role=cast.owners)
    return root


def test_passages_that_the_viewer_may_not_read_are_withheld_and_not_a_refusal(
    root: Client, cast: Cast, world: World, settings: Settings
) -> None:
    """Alice was shown the closest passages, and was not told that nothing was found."""
    settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
    told = api.ask(
        "Who keeps the rules of the vault?", asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk])
    )
    assert isinstance(told, Refusal)
    assert told.closest
    shown = root.get(page_of(Query.objects.get(request_id=told.request_id))).content.decode()
    said = shown[shown.rindex("<dt>Said</dt>") :].partition("</dd>")[0]
    assert WITHHELD in said
    assert "could not find" not in said


def test_all_of_a_question_stands_on_one_page_in_its_order(reader: Client, asked: Query) -> None:
    """The question, what it was taken for, passages with titles, the answer with quotes, scores, vote and alert."""
    shown = reader.get(page_of(asked)).content.decode()
    places = [shown.index(f"<dt>{part}</dt>") for part in (*PARTS, "Votes", "Time and cost", "Technical")]
    assert places == sorted(places)
    for text in (
        VAULT_QUESTION,
        "What of the jackdaw ledger in the vault?",
        "Vault rules",
        "Section Lockwork section",
        "quagmire-7741",
        "A comment of the cockatrice",
        "Context relevance",
        "is below 0.85",
    ):
        assert text in shown, text
    assert shown.index(VAULT_QUESTION) < shown.index("jackdaw ledger") < shown.index("A comment of the cockatrice")


def test_the_page_has_its_name_once(reader: Client, asked: Query) -> None:
    """In the title of the browser's tab, and in the path above the page just so."""
    shown = reader.get(reverse("admin:core_conversation_change", args=[asked.conversation_id])).content.decode()
    (title,) = re.findall(r"<title>(.*?)</title>", shown, re.DOTALL)
    name = str(asked.conversation)
    assert title.split("|")[0].strip() == name
    assert title.count(name[1:]) == 1
    assert re.search(rf">\s*{name}\s*</a\s*>", shown)


def test_who_may_read_no_document_sees_figures_and_no_word_of_one(root: Client, asked: Query) -> None:
    """Title, section, rewriting, quote, answer and comment are withheld; the events are shown."""
    shown = root.get(page_of(asked)).content.decode()
    assert [canary for canary in CANARIES if canary in shown] == []
    assert "Vault rules" not in shown
    assert "A passage that you may not read" in shown
    assert "Withheld" in shown
    assert VAULT_QUESTION in shown


@pytest.mark.parametrize("missing", ["answer", "feedback", "evaluationresult", "alert"])
def test_a_part_needs_the_right_to_it(
    missing: str, staff: Callable[..., Client], cast: Cast, asked: Query, world: World
) -> None:
    """Without the permission of the page that showed a part by itself, it is not here either."""
    desk = staff(*(f"core.view_{name}" for name in ALL if name != missing))
    UserRole.objects.create(user=User.objects.get(email="desk@example.com"), role=cast.owners)
    shown = desk.get(page_of(asked)).content.decode()
    part = {"answer": "Said", "feedback": "Votes", "evaluationresult": "Evaluation", "alert": "Alerts"}[missing]
    assert f"<dt>{part}</dt>" not in shown
    assert ("A comment of the cockatrice" in shown) is (missing != "feedback")


def test_the_text_of_a_passage_needs_the_right_to_chunks(
    staff: Callable[..., Client], cast: Cast, asked: Query
) -> None:
    """Title and place are shown to who may read the document, the text to who may look at chunks besides."""
    desk = staff("core.view_query")
    UserRole.objects.create(user=User.objects.get(email="desk@example.com"), role=cast.owners)
    shown = desk.get(page_of(asked)).content.decode()
    assert "Vault rules" in shown
    assert "quagmire-7741" not in shown


def test_the_page_needs_the_right_to_questions(staff: Callable[..., Client], asked: Query) -> None:
    """All the other rights open neither list nor page, and press no button."""
    desk = staff(*(f"core.view_{name}" for name in ALL if name != "query"), "core.change_alert")
    assert desk.get(page_of(asked)).status_code == 403
    assert desk.get(reverse("admin:core_conversation_changelist")).status_code == 403
    posted = desk.post(reverse("admin:core_conversation_act", args=[asked.conversation_id]), {"act": "acknowledge"})
    assert posted.status_code == 403
    assert readings() == []


def test_each_look_is_recorded_with_what_it_showed(root: Client, asked: Query) -> None:
    """Once for each view; not for one's own question."""
    address = page_of(asked)
    for _ in range(2):
        root.get(address)
    assert readings() == [("root@example.com", str(asked.conversation_id), [asked.request_id])] * 2
    Query.objects.filter(conversation=asked.conversation_id).update(user=User.objects.get(email="root@example.com"))
    root.get(address)
    assert len(readings()) == 2


def test_an_erased_question_is_empty_here_too(reader: Client, asked: Query) -> None:
    """Its figures stay, and nobody read anything."""
    api.erase_texts(before=asked.created_at + timedelta(seconds=1), of=asked.user)
    shown = reader.get(page_of(asked)).content.decode()
    assert VAULT_QUESTION not in shown
    assert "quagmire-7741</p>" not in shown
    assert "cockatrice" not in shown
    assert "Erased: the text is no longer kept." in shown
    assert readings() == []


def test_a_selected_text_is_its_askers(reader: Client, world: World) -> None:
    """Neither the text nor what was quoted from it is shown to another administrator."""
    query = Query.objects.get(context_mode="selected_text")
    shown = reader.get(page_of(query)).content.decode()
    assert "griffin paste" not in shown
    assert "a selected text of" in shown


def test_an_alert_is_acknowledged_at_its_question(root: Client, world: World, asked: Query) -> None:
    """By POST, with an audit row, back to the question; only an alert of that question."""
    address = reverse("admin:core_conversation_act", args=[asked.conversation_id])
    form = {"act": "acknowledge", "alert": str(world.alert.pk), "question": str(asked.pk)}
    assert root.get(address, form).status_code == 403
    other = Query.objects.exclude(pk=asked.pk).get()
    elsewhere = reverse("admin:core_conversation_act", args=[other.conversation_id])
    root.post(elsewhere, {**form, "question": str(other.pk)})
    assert root.post(elsewhere, form).status_code == 404
    assert root.post(address, {**form, "question": "none"}).status_code == 404
    assert Alert.objects.get().acknowledged_at is None
    answer = root.post(address, form)
    assert answer["Location"] == f"{page_of(asked)}#q-{asked.pk}"
    assert Alert.objects.get().acknowledged_by == User.objects.get(email="root@example.com")
    assert AuditEvent.objects.filter(action="acknowledge", object_id=str(world.alert.pk)).count() == 1
    assert "Acknowledged by Root" in root.get(page_of(asked)).content.decode()


def test_acknowledging_needs_the_right_to_change_alerts(
    staff: Callable[..., Client], world: World, asked: Query
) -> None:
    """A viewer sees no button and may press none."""
    desk = staff("core.view_query", "core.view_alert")
    assert 'value="acknowledge"' not in desk.get(page_of(asked)).content.decode()
    form = {"act": "acknowledge", "alert": str(world.alert.pk), "question": str(asked.pk)}
    assert desk.post(reverse("admin:core_conversation_act", args=[asked.conversation_id]), form).status_code == 403
    assert Alert.objects.get().acknowledged_at is None


def test_a_long_conversation_is_paged_and_costs_as_much_as_a_short_one(
    reader: Client, cast: Cast, world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Fifty questions, each with passages, an answer and filters of its own; opened at one of them."""
    conversation = Conversation.objects.create(user=cast.alice, origin="rest")
    for number in range(12):
        api.ask(
            f"{VAULT_QUESTION} Number {number}",
            asker=asker_for(cast.alice),
            audience=audience_of([cast.alice.pk]),
            conversation=conversation.pk,
        )
    last = Query.objects.filter(conversation=conversation).order_by("-created_at")[0]
    multiply(last, 38, request_id="'req_copy_' || n", created_at="now() + n * interval '1 second'")
    assert Query.objects.filter(conversation=conversation).count() == 50
    reader.get(page_of(last))
    with django_assert_max_num_queries(30):
        shown = reader.get(page_of(last)).content.decode()
    assert f'id="q-{last.pk}"' in shown
    assert "Page 2 of 5" in shown
    assert shown.count('id="q-') == 10
