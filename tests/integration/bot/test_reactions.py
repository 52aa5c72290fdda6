"""An emoji on a message asks what the message says: once for each message, for everyone who can read it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import BoltRequest, BoltResponse

from bot.app import build_app
from bot.delivery.engine import APOLOGY, deliver, give_up
from bot.models import Reply, SlackEvent, WatchedThread
from bot.slack.errors import SlackUnavailableError
from core.models import Query
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, event_body, mention, signed, the_event
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import BOT_USER, Failure, SlackServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fast", "workspace")]

Send = Callable[[dict[str, Any]], BoltResponse]
TS = "1600000000.000100"


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    """Alice alone may read about the vault; Bob too about the canteen."""
    make_document("Vault rules", VAULT, roles=[cast.owners])
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


@pytest.fixture(autouse=True)
def _emoji(settings: Settings, slack: SlackServer) -> None:
    settings.SLACK_ASK_EMOJI = "eyes"


def written(slack: SlackServer, text: str, *, channel: str = CHANNEL, **fields: Any) -> None:
    """Bob's message in the channel, unless the fields say otherwise."""
    slack.messages[channel].append({"ts": TS, "user": BOB, "text": text, "type": "message"} | fields)


def reaction(name: str = "eyes", *, user: str = ALICE, author: str = BOB, **item: Any) -> dict[str, Any]:
    """The event of an emoji on Bob's message."""
    body = event_body("reaction_added", text="", user=user)
    told = {"type": "reaction_added", "user": user, "reaction": name, "item_user": author, "event_ts": "1.1"}
    body["event"] = told | {"item": {"type": "message", "channel": CHANNEL, "ts": TS} | item}
    return body


def replies(slack: SlackServer) -> list[dict[str, Any]]:
    """Return our messages, wherever they are."""
    return [message for channel in slack.messages.values() for message in channel if message["user"] == BOT_USER]


def test_it_is_answered_in_the_thread_below(send: Send, workspace: SlackServer, cast: Cast) -> None:
    """As a mention is; the one who reacted is the asker."""
    written(workspace, ASK_CANTEEN)
    assert send(reaction("eyes::skin-tone-3")).status == 200
    event = the_event()
    assert (event.kind, event.user_id, event.ts, event.text) == ("reaction", ALICE, TS, "")
    deliver(event.pk)
    (reply,) = replies(workspace)
    assert (reply["thread_ts"], "soup" in str(reply["blocks"])) == (TS, True)
    assert Query.objects.get().user == cast.alice
    assert "asked:" not in str(reply["blocks"])
    assert WatchedThread.objects.get().thread_ts == TS
    event.refresh_from_db()
    assert (event.state, event.text) == ("answered", "")


def test_a_message_of_a_thread_is_answered_in_that_thread(send: Send, workspace: SlackServer) -> None:
    """Not in one of its own, which Slack does not have."""
    written(workspace, "Lunch?", ts="1600000000.000001")
    written(workspace, ASK_CANTEEN, thread_ts="1600000000.000001")
    send(reaction())
    deliver(the_event().pk)
    (reply,) = replies(workspace)
    assert reply["thread_ts"] == "1600000000.000001"


def test_a_message_is_answered_once(send: Send, workspace: SlackServer) -> None:
    """It holds whoever else adds the emoji, and however often Slack reports it."""
    written(workspace, ASK_CANTEEN)
    first = reaction()
    for body in (first, first, reaction(user=BOB), reaction(user=CHARLIE)):
        assert send(body).status == 200
    deliver(the_event().pk)
    deliver(the_event().pk)
    assert len(replies(workspace)) == 1


def test_what_was_asked_by_a_mention_is_not_asked_again(send: Send, workspace: SlackServer) -> None:
    """It has its reply."""
    body = mention(ASK_CANTEEN)
    send(body)
    send(reaction(ts=body["event"]["ts"]))
    assert the_event().kind == "mention"


def test_the_channel_reads_no_more_than_all_of_it_may(send: Send, workspace: SlackServer) -> None:
    """Though Alice, who reacted, may read it; she alone is offered more."""
    written(workspace, ASK_VAULT)
    send(reaction())
    deliver(the_event().pk)
    assert "K7741" not in str(replies(workspace))
    assert [offer["user"] for offer in workspace.ephemeral] == [ALICE]


@pytest.mark.parametrize(
    "body",
    [
        reaction("tada"),
        reaction("eyeglasses"),
        reaction(type="file", channel=None, ts=None),
        reaction(channel=DIRECT),
        reaction(author=BOT_USER),
        reaction(user=BOT_USER),
    ],
    ids=["another emoji", "a longer name", "a file", "direct messages", "our message", "our reaction"],
)
def test_another_reaction_is_none_of_ours(send: Send, workspace: SlackServer, body: dict[str, Any]) -> None:
    """It is acknowledged, and nothing is stored or asked of Slack."""
    assert send(body).status == 200
    assert (SlackEvent.objects.count(), workspace.calls) == (0, [])


@pytest.mark.parametrize("name", ["eyes", ""])
def test_no_reaction_is_heard_without_the_setting(workspace: SlackServer, settings: Settings, name: str) -> None:
    """Slack is answered all the same."""
    settings.SLACK_ASK_EMOJI = ""
    written(workspace, ASK_CANTEEN)
    raw = json.dumps(reaction(name))
    assert build_app().dispatch(BoltRequest(body=raw, headers=signed(raw))).status == 200
    assert not SlackEvent.objects.exists()


@pytest.mark.parametrize(
    "message",
    [
        {"text": ASK_CANTEEN, "bot_id": "B0OTHER"},
        {"text": ASK_CANTEEN, "user": BOT_USER},
        {"text": ASK_CANTEEN, "user": "USLACKBOT"},
        {"text": "<@U0BOB> has joined the channel", "subtype": "channel_join"},
        {"text": ""},
        {"text": None},
        {"text": ":tada: !!!"},
        {"text": "<@U0BOB>"},
        {"text": "thanks a lot!"},
        {"text": ASK_CANTEEN, "ts": "1600000000.000777"},
    ],
    ids=str,
)
def test_a_message_that_asks_nothing_is_left_alone(send: Send, workspace: SlackServer, message: dict[str, Any]) -> None:
    """Nothing is said, no sign of work either; that is an end and no failure."""
    written(workspace, **message)
    before = str(workspace.messages)
    send(reaction())
    deliver(the_event().pk)
    deliver(the_event().pk)
    assert str(workspace.messages) == before
    reply = Reply.objects.get()
    assert (reply.state, reply.event.state, reply.error_code) == ("silent", "silent", "no_question")
    assert workspace.ephemeral == []
    assert not Query.objects.exists()


def test_another_bot_asks_nothing(send: Send, workspace: SlackServer) -> None:
    """By no emoji either."""
    workspace.add_user("U0ROBOT", None, is_bot=True)
    written(workspace, ASK_CANTEEN)
    send(reaction(user="U0ROBOT"))
    deliver(the_event().pk)
    assert (replies(workspace), the_event().state) == ([], "silent")


@pytest.mark.parametrize("code", ["not_in_channel", "channel_not_found", "missing_scope", "thread_not_found"])
def test_what_slack_does_not_show_is_left_alone(send: Send, workspace: SlackServer, code: str) -> None:
    """Nobody gets a message."""
    written(workspace, ASK_CANTEEN)
    workspace.fail("conversations.replies", Failure(error=code))
    send(reaction())
    deliver(the_event().pk)
    assert (replies(workspace), the_event().state) == ([], "silent")


def test_slack_away_is_asked_again(send: Send, workspace: SlackServer) -> None:
    """And in the end there is an apology, as for every question."""
    written(workspace, ASK_CANTEEN)
    send(reaction())
    workspace.fail("conversations.replies", *[Failure(error="ratelimited", status=429)] * 2)
    for _ in range(2):
        with pytest.raises(SlackUnavailableError):
            deliver(the_event().pk)
    assert replies(workspace) == []
    give_up(the_event().pk, code="fault")
    assert [reply["text"] for reply in replies(workspace)] == [APOLOGY]


def test_it_is_queued_as_every_question(send: Send, workspace: SlackServer) -> None:
    """One after the other with those of the thread."""
    send(reaction())
    (job,) = ProcrastinateJob.objects.all()
    assert job.lock is not None
    assert job.lock.endswith(f"{CHANNEL}/{TS}")
