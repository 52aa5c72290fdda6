"""A refusal says what there is for its readers, and offers questions that are asked by pressing them."""

from typing import Any

import pytest

from bot.blocks.refusal import INSTEAD, NOTHING_FOR_ALL
from bot.delivery.engine import deliver
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import SlackEvent
from core.models import Document
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, direct, mention
from tests.integration.bot.ends import refused
from tests.integration.bot.presses import press
from tests.integration.bot.slack_server import TEAM, SlackServer

# Clicks are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

QUESTION = "What of the vault and the canteen in the harbour office?"
OFFERED = "What should I know about canteen soup?"


@pytest.fixture(autouse=True)
def library(transactional_db: None, cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read the house rules; Bob too the guide."""
    house, guide = "The vault in the harbour office has codes.", "The canteen in the harbour office has soup."
    return {
        "house": make_document("House rules", house, roles=[cast.owners], collection="House", section="Vault codes"),
        "guide": make_document("Staff guide", guide, roles=[cast.staff], collection="Staff", section="Canteen soup"),
    }


def asked(body: dict[str, Any]) -> SlackEvent:
    """A question that was refused."""
    kind = SlackEvent.Kind.DIRECT if body["event"].get("channel_type") else SlackEvent.Kind.MENTION
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    event = SlackEvent.objects.get(event_id=body["event_id"])
    deliver(event.pk, ask=refused)
    return event


def offers(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The buttons with questions below a message."""
    buttons = [e for block in message["blocks"] if block["type"] == "actions" for e in block["elements"]]
    return [button for button in buttons if button["action_id"].startswith("ask_instead")]


def pressed(button: dict[str, Any], *, user: str, **place: str) -> SlackEvent:
    """Press a button, and deliver the resulting event."""
    press(button["action_id"], button["value"], user=user, **place)
    event = SlackEvent.objects.order_by("-received_at")[0]
    deliver(event.pk)
    return event


def test_a_channel_is_told_of_what_all_of_it_may_read(workspace: SlackServer) -> None:
    """Nothing of what Alice alone may read, neither by name nor in a count."""
    asked(mention(QUESTION))
    (message,) = workspace.messages[CHANNEL]
    said = str(message["blocks"])
    assert "I looked in 1 document that everyone here may read: Staff (1)." in said
    assert INSTEAD in said
    assert [button["text"]["text"] for button in offers(message)] == [OFFERED]
    assert "House" not in said
    assert "Vault" not in said


def test_where_nothing_is_for_everyone_it_says_so(workspace: SlackServer) -> None:
    """With Charlie in the channel there is nothing to name, and nothing is offered."""
    workspace.members[CHANNEL].append(CHARLIE)
    asked(mention(QUESTION))
    (message,) = workspace.messages[CHANNEL]
    assert NOTHING_FOR_ALL in str(message["blocks"])
    assert offers(message) == []


def test_pressing_one_asks_it_in_the_thread_once(workspace: SlackServer) -> None:
    """Whoever presses is named as the asker; the next who presses the same gets no second answer."""
    first = asked(mention(QUESTION))
    (offer,) = offers(workspace.messages[CHANNEL][0])
    event = pressed(offer, user=BOB, thread=first.thread_ts)
    answer = workspace.messages[CHANNEL][1]
    assert (answer["thread_ts"], event.kind, event.user_id) == (first.thread_ts, "mention", BOB)
    assert f"<@{BOB}> asked: {OFFERED}" in str(answer["blocks"][0])
    assert "soup" in str(answer["blocks"])
    press(offer["action_id"], offer["value"], user=ALICE, thread=first.thread_ts)
    assert SlackEvent.objects.count() == 2


def test_pressing_one_in_direct_messages_asks_it_there(workspace: SlackServer) -> None:
    """Below the question that was refused."""
    first = asked(direct(QUESTION))
    offer = next(o for o in offers(workspace.messages[DIRECT][0]) if o["text"]["text"] == OFFERED)
    event = pressed(offer, user=ALICE, channel=DIRECT, thread=first.thread_ts)
    answer = workspace.messages[DIRECT][1]
    assert (answer["thread_ts"], event.kind) == (first.thread_ts, "direct")
    assert f"You asked: {OFFERED}" in str(answer["blocks"][0])
    assert "soup" in str(answer["blocks"])


def test_pressing_one_that_one_person_alone_saw_answers_them_alone(workspace: SlackServer) -> None:
    """In its place, where the channel reads nothing of it."""
    asked(mention(QUESTION))
    before = str(workspace.messages)
    (offer,) = offers(workspace.messages[CHANNEL][0])
    event = pressed(offer, user=BOB, response_url=workspace.response_url)
    assert (event.kind, str(workspace.messages)) == ("command", before)
    assert "soup" in str(workspace.responses[-1])


def test_a_press_shows_nobody_more_than_they_may_read(workspace: SlackServer) -> None:
    """A question about documents that the presser may not read is refused as if it had been typed."""
    asked(direct(QUESTION))
    offer = next(o for o in offers(workspace.messages[DIRECT][0]) if "vault" in o["text"]["text"])
    pressed(offer, user=BOB, channel="D0BOB", thread="")
    said = [block for message in workspace.messages["D0BOB"] for block in message["blocks"][1:]]
    assert "codes" not in str(said)
    assert "House" not in str(said)


@pytest.mark.parametrize("value", ["", "req_20260102_0a1b2c3d", "x" * 1500, "x" * 300 + " What?"])
def test_a_press_of_something_else_asks_nothing(value: str) -> None:
    """A value that no button of ours has."""
    press("ask_instead_0", value, user=ALICE)
    assert not SlackEvent.objects.exists()
