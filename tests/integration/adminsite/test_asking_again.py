"""Replay and *ask as*: who may press the buttons, what they are shown of what comes of it, and what is recorded."""

from collections.abc import Callable

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from core.models import AuditEvent, Query, QueryLog, User, UserRole
from core.testing import Cast
from tests.integration.adminsite.conftest import CANARIES, VAULT_QUESTION, World

LOOKS = ("core.view_query", "core.view_answer")
AGAIN = (*LOOKS, "core.add_query")
pytestmark = pytest.mark.usefixtures("kept_world", "fast")


def press(browser: Client, query: Query, act: str, **given: str) -> HttpResponse:
    """Press a button at a question."""
    address = reverse("admin:core_conversation_act", args=[query.conversation_id])
    return browser.post(address, {"act": act, "question": str(query.pk), **given}, follow=True)  # type: ignore[return-value]


def replays() -> list[tuple[str, dict[str, object]]]:
    """Return who asked again, with the details in the audit trail."""
    events = AuditEvent.objects.filter(action="replay").order_by("created_at").select_related("actor")
    return [(event.actor.email if event.actor else "", event.details) for event in events]


@pytest.fixture
def asked(world: World) -> Query:
    """The question about the vault, which Alice asked."""
    return world.vault_answer.query


@pytest.mark.parametrize("act", ["replay", "ask_as"])
def test_asking_again_needs_its_right(act: str, staff: Callable[..., Client], asked: Query) -> None:
    """A viewer sees no button and may press none; a link presses none either."""
    desk = staff(*LOOKS)
    page = reverse("admin:core_conversation_change", args=[asked.conversation_id])
    assert f'value="{act}"' not in desk.get(page).content.decode()
    assert press(desk, asked, act).status_code == 403
    assert desk.get(reverse("admin:core_conversation_act", args=[asked.conversation_id])).status_code == 403
    assert replays() == []


def test_as_another_person_needs_the_right_to_decide_who_reads(
    staff: Callable[..., Client], cast: Cast, asked: Query
) -> None:
    """It shows what anybody is shown, and so who may read what."""
    desk = staff(*AGAIN)
    page = reverse("admin:core_conversation_change", args=[asked.conversation_id])
    assert "Ask as them" not in desk.get(page).content.decode()
    assert press(desk, asked, "ask_as", who="person", email=cast.alice.email).status_code == 403
    assert replays() == []


def test_a_replay_is_cut_to_what_its_viewer_may_read(root: Client, cast: Cast, asked: Query) -> None:
    """Outcome and figures of both sides, and of the answers not a word; with Alice's role all of it."""
    shown = press(root, asked, "replay").content.decode()
    assert [canary for canary in CANARIES if canary in shown] == []
    assert shown.count("Withheld: it comes from documents that you may not read.") == 2
    UserRole.objects.create(user=User.objects.get(email="root@example.com"), role=cast.owners)
    shown = press(root, asked, "replay").content.decode()
    assert shown.count("quagmire-7741") >= 2
    assert [who for who, _ in replays()] == ["root@example.com"] * 2


@pytest.mark.parametrize("who", ["me", "asker", "person"])
def test_whoever_asks_as_somebody_is_one_more_reader(
    who: str, staff: Callable[..., Client], cast: Cast, asked: Query
) -> None:
    """Without a role they find nothing as anybody, and neither a count nor an outcome reveals what exists."""
    desk = staff(*AGAIN, "core.decide_who_reads")
    shown = press(desk, asked, "ask_as", who=who, email=cast.alice.email).content.decode()
    assert [canary for canary in CANARIES if canary in shown] == []
    assert "Vault rules" not in shown
    assert "Nothing was found." in shown
    assert "Nothing found" in shown
    assert "You count as one more reader" in shown
    person = User.objects.get(email="desk@example.com") if who == "me" else cast.alice
    assert replays() == [("desk@example.com", {"as": str(person.pk), "own_rights_left_out": False})]


def test_who_may_preview_texts_sees_each_decision(root: Client, cast: Cast, asked: Query) -> None:
    """They see the understood question, the passages, the outcome and the text; Bob would find nothing of the vault."""
    shown = press(root, asked, "ask_as", who="person", email="ALICE@example.com").content.decode()
    for text in (VAULT_QUESTION, "jackdaw ledger", "Vault rules", "quagmire-7741", "The closest passages"):
        assert text in shown, text
    shown = press(root, asked, "ask_as", who="person", email=cast.bob.email).content.decode()
    assert "quagmire-7741" not in shown
    assert "Vault rules" not in shown
    assert [details["own_rights_left_out"] for _, details in replays()] == [True, True]


def test_words_of_a_document_are_not_searched_for_those_who_may_not_read_it(
    root: Client, cast: Cast, asked: Query
) -> None:
    """The standalone question names the vault: for Bob it is asked in its own words."""
    UserRole.objects.create(user=User.objects.get(email="root@example.com"), role=cast.owners)
    assert "jackdaw" not in press(root, asked, "ask_as", who="person", email=cast.bob.email).content.decode()


def test_a_selected_text_is_tried_by_its_asker_alone(root: Client, cast: Cast, world: World) -> None:
    """Also as its asker; and a replay of it shows nothing of it."""
    query = Query.objects.get(context_mode="selected_text")
    shown = press(root, query, "ask_as", who="asker").content.decode()
    assert "selected text, which is its asker&#x27;s alone" in shown
    assert "griffin paste" not in press(root, query, "replay").content.decode()
    assert replays()[0][1] != {"as": str(cast.alice.pk)}


@pytest.mark.parametrize(("email", "said"), [("nobody@example.com", "Nobody active has this e-mail address.")])
def test_who_is_nobody_is_said(email: str, said: str, root: Client, asked: Query) -> None:
    """On the page of the conversation, and nothing is asked."""
    assert said in press(root, asked, "ask_as", who="person", email=email).content.decode()
    assert replays() == []


def test_an_erased_question_is_not_asked_again(root: Client, asked: Query) -> None:
    """There is nothing left to ask."""
    Query.objects.filter(pk=asked.pk).update(erased_at=asked.created_at)
    assert press(root, asked, "replay").status_code == 403


SEES = (*LOOKS, "core.preview_texts")


def test_a_question_is_shown_as_its_asker_may_read_it(staff: Callable[..., Client], cast: Cast, asked: Query) -> None:
    """One button, beside which stands what the audit trail will say; the page has what the asker was told."""
    desk = staff(*SEES)
    page = desk.get(reverse("admin:core_conversation_change", args=[asked.conversation_id])).content.decode()
    assert "Show as its asker" in page
    assert "the audit trail records: preview as somebody else, by you, as Alice" in page
    assert "quagmire-7741" not in page
    assert "as it was asked" not in page
    assert not AuditEvent.objects.filter(action="preview").exists()
    assert "quagmire-7741" in press(desk, asked, "see_as_asker").content.decode()
    event = AuditEvent.objects.get(action="preview")
    assert (event.actor.email if event.actor else "", event.object_id) == ("desk@example.com", str(cast.alice.pk))
    assert event.details == {"questions": [asked.request_id], "own_rights_left_out": True}


@pytest.mark.parametrize("missing", SEES)
def test_showing_it_as_its_asker_needs_three_rights(missing: str, staff: Callable[..., Client], asked: Query) -> None:
    """Without one of them there is no button, the request is refused, and nothing is recorded or shown."""
    desk = staff(*(right for right in SEES if right != missing))
    page = desk.get(reverse("admin:core_conversation_change", args=[asked.conversation_id])).content.decode()
    assert "Show as its asker" not in page
    answer = press(desk, asked, "see_as_asker")
    assert answer.status_code == 403
    assert "quagmire" not in answer.content.decode()
    assert not AuditEvent.objects.filter(action="preview").exists()


def test_as_its_asker_one_reads_what_the_asker_may_read_now(
    staff: Callable[..., Client], cast: Cast, asked: Query
) -> None:
    """Not what they were told before a role was taken away, and nothing of a question that was erased."""
    desk = staff(*SEES)
    UserRole.objects.filter(user=cast.alice).delete()
    shown = press(desk, asked, "see_as_asker").content.decode()
    assert [canary for canary in CANARIES if canary.casefold() in shown.casefold()] == []
    Query.objects.filter(pk=asked.pk).update(erased_at=asked.created_at)
    assert press(desk, asked, "see_as_asker").status_code == 403
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    Query.objects.filter(pk=asked.pk).update(erased_at=None)
    assert "Nobody active" in press(desk, asked, "see_as_asker").content.decode()


def test_who_may_read_the_answer_needs_no_button(root: Client, administrator: User, cast: Cast, asked: Query) -> None:
    """It is there already, and nothing of a model is said where none led, whatever mode is set."""
    UserRole.objects.create(user=administrator, role=cast.owners)
    QueryLog.objects.update(agent_mode_reason="setting")
    page = root.get(reverse("admin:core_conversation_change", args=[asked.conversation_id])).content.decode()
    assert "quagmire-7741" in page
    assert "Show as its asker" not in page
    assert "The model led" not in page
