"""A workspace that refuses newer blocks gets the same message in older ones, once, and is not asked each time."""

import datetime as dt

import pytest
from django.utils import timezone

from bot.blocks.buttons import FEEDBACK, FEEDBACK_DOWN, FEEDBACK_UP, REMOVE, SHOW_QUOTES, WHY
from bot.delivery.engine import deliver
from bot.intake import Incoming, receive
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack import refused_blocks
from bot.slack.errors import SlackRefusedError
from core.models import ChannelSetting, Document
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, CHANNEL, direct, event_body, mention
from tests.integration.bot.ends import unsure
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = pytest.mark.usefixtures("fast", "workspace")
NEWER = frozenset({"context_actions", "card"})


@pytest.fixture(autouse=True)
def canteen(cast: Cast, fast: None) -> Document:
    """Create a document for everyone in the channel."""
    return make_document("Canteen rules", CANTEEN, roles=[cast.staff])


def ask(kind: SlackEvent.Kind = SlackEvent.Kind.MENTION) -> SlackEvent:
    """Alice asks."""
    body = direct(ASK_CANTEEN) if kind == SlackEvent.Kind.DIRECT else mention(ASK_CANTEEN)
    receive(build_incoming(body, team_id=TEAM, kind=kind))
    return SlackEvent.objects.get(event_id=body["event_id"])


def actions(blocks: list[dict[str, list[dict[str, str]]]]) -> list[str]:
    """Return the actions of the buttons below a message."""
    return [element["action_id"] for block in blocks for element in block.get("elements", []) if "action_id" in element]


@pytest.mark.parametrize("kind", [SlackEvent.Kind.MENTION, SlackEvent.Kind.DIRECT])
def test_the_same_message_goes_out_with_other_buttons(slack: SlackServer, kind: SlackEvent.Kind) -> None:
    """The answer is there once, whole, with a button for each vote."""
    slack.refuses = NEWER
    event = ask(kind)
    deliver(event.pk)
    ((message,),) = [said for said in slack.messages.values() if said]
    assert "soup" in str(message["blocks"])
    assert "Canteen rules" in str(message["blocks"])
    assert actions(message["blocks"]) == [SHOW_QUOTES, WHY, FEEDBACK_UP, FEEDBACK_DOWN]
    assert Reply.objects.get(event=event).state == Reply.State.POSTED


def test_a_workspace_that_takes_them_gets_them(slack: SlackServer) -> None:
    """The pair, and the bin for whoever asked."""
    deliver(ask().pk)
    (message,) = slack.messages[CHANNEL]
    assert actions(message["blocks"]) == [SHOW_QUOTES, WHY, FEEDBACK, REMOVE]
    assert message["blocks"][-1]["elements"][1]["visible_to_user_ids"] == [ALICE]
    assert len(slack.called("chat.update")) == 1


def test_a_refusal_is_remembered_for_half_an_hour(slack: SlackServer) -> None:
    """Then the newest are tried again; another workspace is not concerned."""
    slack.refuses = NEWER
    deliver(ask().pk)
    assert len(slack.called("chat.update")) == 2
    deliver(ask().pk)
    assert len(slack.called("chat.update")) == 3
    assert list(refused_blocks._refused) == [TEAM]
    step, _ = refused_blocks._refused[TEAM]
    refused_blocks._refused[TEAM] = (step, timezone.now() - dt.timedelta(minutes=31))
    slack.refuses = frozenset()
    deliver(ask().pk)
    assert [FEEDBACK in actions(message["blocks"]) for message in slack.messages[CHANNEL]] == [False, False, True]


def test_what_comes_closest_is_shown_without_cards(slack: SlackServer, canteen: Document) -> None:
    """As quotes with the line of their source."""
    slack.refuses = NEWER
    deliver(ask().pk, ask=unsure([canteen]))
    (message,) = slack.messages[CHANNEL]
    assert [block["type"] for block in message["blocks"]] == ["section", "section", "context", "actions"]
    assert message["blocks"][1]["text"]["text"] == f"> {CANTEEN}"
    assert message["blocks"][2]["elements"][0]["text"] == "[1] <https://library.example/canteen-rules|Canteen rules>"


def test_an_answer_that_nobody_asked_for_is_posted_once(slack: SlackServer) -> None:
    """Its first post is the answer itself: the refused one leaves nothing."""
    slack.refuses = NEWER
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_unasked=True)
    body = event_body("message", text=ASK_CANTEEN)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.UNASKED))
    deliver(SlackEvent.objects.get().pk)
    (message,) = slack.messages[CHANNEL]
    assert FEEDBACK_UP in actions(message["blocks"])
    assert len(slack.called("chat.postMessage")) == 2


def test_an_answer_for_one_person_is_shown_where_it_was_pressed(slack: SlackServer) -> None:
    """At the address of a press a refusal is a status; nothing is left for the direct messages."""
    slack.refuses = NEWER
    receive(
        Incoming(
            event_id="cmd-1",
            team_id=TEAM,
            channel_id=CHANNEL,
            user_id=ALICE,
            kind=SlackEvent.Kind.COMMAND,
            text=ASK_CANTEEN,
            response_url=slack.response_url,
        )
    )
    deliver(SlackEvent.objects.get().pk)
    assert [FEEDBACK_UP in actions(said["blocks"]) for said in slack.responses] == [False, True]
    assert not any(slack.messages.values())


def test_a_message_that_is_refused_in_every_form_is_refused(slack: SlackServer) -> None:
    """Nothing is remembered of a workspace that takes none of them: the blocks' age is not the reason."""
    event = ask()
    slack.fail("chat.update", *[Failure(error="invalid_blocks")] * 2)
    with pytest.raises(SlackRefusedError):
        deliver(event.pk)
    assert refused_blocks._refused == {}


def test_another_refusal_is_not_tried_again(slack: SlackServer) -> None:
    """Only blocks have another form."""
    event = ask()
    slack.fail("chat.update", Failure(error="cant_update_message"))
    with pytest.raises(SlackRefusedError):
        deliver(event.pk)
    assert len(slack.called("chat.update")) == 1
