"""A question that got no answer is asked again in other words: in a window, and answered where it was opened."""

import json
from typing import Any

import pytest
from slack_bolt import BoltResponse
from slack_sdk.models.views import View

from bot.app import build_app
from bot.blocks.buttons import ASK_IN_OTHER_WORDS
from bot.blocks.modals import Interaction
from bot.blocks.question_windows import ASK_REWORDED, QUESTION, rewording_modal
from bot.delivery.engine import deliver
from bot.intake import Incoming, receive
from bot.listeners.interaction import FAILED
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from core.models import Query
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, direct, mention
from tests.integration.bot.ends import refused
from tests.integration.bot.presses import dispatched, press
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

# Clicks are worked on in threads of their own, which see only what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

WRITTEN = "What is eaten at noon?"


@pytest.fixture(autouse=True)
def _library(transactional_db: None, cast: Cast, fast: None) -> None:
    """Alice alone may read about the vault; Bob too about the canteen."""
    make_document("Vault rules", VAULT, roles=[cast.owners])
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


def asked(incoming: Incoming) -> SlackEvent:
    """A question that was refused."""
    receive(incoming)
    event = SlackEvent.objects.get(event_id=incoming.event_id)
    deliver(event.pk, ask=refused)
    return event


def in_channel() -> SlackEvent:
    return asked(build_incoming(mention(WRITTEN), team_id=TEAM, kind=SlackEvent.Kind.MENTION))


def in_direct_messages() -> SlackEvent:
    return asked(build_incoming(direct(WRITTEN), team_id=TEAM, kind=SlackEvent.Kind.DIRECT))


def button_below(event: SlackEvent) -> str:
    """The value of the button below the reply."""
    reply = Reply.objects.select_related("query").get(event=event)
    assert reply.query
    return reply.query.request_id


def opened(slack: SlackServer, value: str, *, user: str, **place: str) -> dict[str, Any]:
    """The window that a press opens."""
    press(ASK_IN_OTHER_WORDS, value, user=user, **place)
    view: dict[str, Any] = slack.views[-1]
    return view


def prefilled(view: dict[str, Any]) -> str | None:
    value: str | None = view["blocks"][0]["element"].get("initial_value")
    return value


def submit(view: dict[str, Any], question: str, *, user: str, view_id: str = "V0") -> BoltResponse:
    """Hand the window in as it was shown."""
    state = {"values": {QUESTION: {QUESTION: {"type": "plain_text_input", "value": question}}}}
    return dispatched(
        build_app(),
        {
            "type": "view_submission",
            "team": {"id": TEAM, "domain": "test"},
            "user": {"id": user, "team_id": TEAM},
            "api_app_id": "A0APP",
            "trigger_id": "1.2.abc",
            "view": {**view, "id": view_id, "state": state},
        },
    )


def answered(event_id: str) -> SlackEvent:
    """Deliver the event of a window."""
    event = SlackEvent.objects.get(event_id=event_id)
    deliver(event.pk)
    return event


def test_it_is_answered_in_the_channels_thread_once(workspace: SlackServer) -> None:
    """With the name of who asked, however often Slack sends the window; another window asks another question."""
    first = in_channel()
    view = opened(workspace, button_below(first), user=BOB, thread=first.thread_ts)
    for _ in range(2):
        assert (submit(view, ASK_CANTEEN, user=BOB).status, SlackEvent.objects.count()) == (200, 2)
    event = answered("view-V0")
    answer = workspace.messages[CHANNEL][1]
    assert (answer["thread_ts"], event.kind, event.user_id) == (first.thread_ts, "mention", BOB)
    assert f"<@{BOB}> asked: {ASK_CANTEEN}" in str(answer["blocks"][0])
    assert "soup" in str(answer["blocks"])
    submit(view, ASK_CANTEEN, user=BOB, view_id="V1")
    assert SlackEvent.objects.count() == 3


def test_it_is_answered_in_direct_messages(workspace: SlackServer) -> None:
    """In the thread of the question that was refused."""
    first = in_direct_messages()
    view = opened(workspace, button_below(first), user=ALICE, channel=DIRECT, thread=first.thread_ts)
    assert prefilled(view) == WRITTEN
    submit(view, ASK_VAULT, user=ALICE)
    event = answered("view-V0")
    assert (event.kind, workspace.messages[DIRECT][1]["thread_ts"]) == ("direct", first.thread_ts)
    assert "K7741" in str(workspace.messages[DIRECT][1])


def test_it_begins_a_thread_below_what_stands_in_none(workspace: SlackServer) -> None:
    """As the reply to a slash command does, in the direct messages."""
    first = asked(
        Incoming(
            event_id="command-1",
            team_id=TEAM,
            channel_id=CHANNEL,
            user_id=ALICE,
            kind=SlackEvent.Kind.COMMAND,
            text=WRITTEN,
        )
    )
    view = opened(workspace, button_below(first), user=ALICE, channel=DIRECT, thread="", ts="5.5")
    submit(view, ASK_CANTEEN, user=ALICE)
    event = answered("view-V0")
    assert (event.kind, event.thread_ts) == ("direct", "5.5")


def test_what_one_person_alone_saw_is_answered_for_them_alone(workspace: SlackServer) -> None:
    """In its place; the channel reads nothing of it."""
    value = button_below(in_channel())
    before = str(workspace.messages)
    view = opened(workspace, value, user=ALICE, response_url=workspace.response_url)
    submit(view, ASK_VAULT, user=ALICE)
    assert answered("view-V0").kind == "command"
    assert "K7741" in str(workspace.responses[-1])
    assert str(workspace.messages) == before


@pytest.mark.parametrize("user", [ALICE, BOB])
def test_what_stands_in_the_channel_is_prefilled_for_everyone_there(workspace: SlackServer, user: str) -> None:
    """The question as it was written, whoever presses."""
    first = in_channel()
    assert prefilled(opened(workspace, button_below(first), user=user, thread=first.thread_ts)) == WRITTEN


@pytest.mark.parametrize("place", [{}, {"channel": "D0BOB"}, {"channel": "C0OTHER"}], ids=str)
def test_what_was_asked_in_private_is_prefilled_for_its_asker_alone(
    workspace: SlackServer, place: dict[str, str]
) -> None:
    """Whoever else got hold of the button gets an empty window, wherever they press."""
    value = button_below(in_direct_messages())
    for user, shown in ((BOB, None), (CHARLIE, None), (ALICE, WRITTEN)):
        assert prefilled(opened(workspace, value, user=user, **place)) == shown


@pytest.mark.parametrize("channel", ["C0OTHER", "D0BOB"])
def test_what_stands_in_a_channel_is_not_prefilled_elsewhere(workspace: SlackServer, channel: str) -> None:
    """A reader of that place may not be able to read this channel."""
    assert prefilled(opened(workspace, button_below(in_channel()), user=BOB, channel=channel)) is None


@pytest.mark.parametrize("value", ["", "req_20260102_0a1b2c3d", "x" * 1500])
def test_an_unknown_button_opens_an_empty_window(workspace: SlackServer, value: str) -> None:
    """As one does whose question is not kept any more."""
    assert prefilled(opened(workspace, value, user=ALICE)) is None
    value = button_below(in_channel())
    Query.objects.update(question_text="", erased_at="2026-01-01T00:00Z")
    assert prefilled(opened(workspace, value, user=ALICE)) is None


@pytest.mark.parametrize("question", ["", "x", "?!?!", "x " * 600])
def test_what_cannot_be_a_question_is_said_at_its_field(workspace: SlackServer, question: str) -> None:
    """And nothing is stored."""
    view = opened(workspace, button_below(in_channel()), user=ALICE)
    said = json.loads(submit(view, question, user=ALICE).body)
    assert (said["response_action"], list(said["errors"])) == ("errors", [QUESTION])
    assert SlackEvent.objects.count() == 1


@pytest.mark.parametrize(
    "kept", ["", "{}", '{"request_id": "", "channel_id": ""}', '{"request_id": "", "channel_id": "C0", "more": 1}']
)
def test_a_window_of_another_form_is_refused(workspace: SlackServer, kept: str) -> None:
    """It does not say where to answer."""
    view = rewording_modal(Interaction(request_id="", channel_id=CHANNEL), "")
    assert submit({**view, "private_metadata": kept}, ASK_CANTEEN, user=ALICE).status == 400
    assert not SlackEvent.objects.exists()


def test_a_window_that_slack_does_not_open(workspace: SlackServer) -> None:
    """The presser gets a message."""
    value = button_below(in_channel())
    workspace.fail("views.open", Failure(error="expired_trigger_id"))
    press(ASK_IN_OTHER_WORDS, value, user=ALICE)
    (told,) = workspace.ephemeral
    assert (told["user"], told["text"]) == (ALICE, FAILED)


def test_a_question_about_one_message_has_no_such_button(workspace: SlackServer) -> None:
    """The window would not hold the text that it is about."""
    asked(
        Incoming(
            event_id="view-1",
            team_id=TEAM,
            channel_id=CHANNEL,
            user_id=ALICE,
            kind=SlackEvent.Kind.SELECTION,
            text=WRITTEN,
            selected_text=CANTEEN,
        )
    )
    assert ASK_IN_OTHER_WORDS not in str(workspace.messages)


@pytest.mark.parametrize("question", ["", "short", "x" * 1000, "long " * 400], ids=["none", "short", "most", "long"])
def test_the_window_is_one_that_slack_takes(question: str) -> None:
    """Also without a question, and with the longest."""
    view = rewording_modal(Interaction(request_id="r", channel_id=CHANNEL, response_url="x" * 1000), question)
    assert View(**view).to_dict() == view
    assert view["callback_id"] == ASK_REWORDED
    assert len(view["private_metadata"]) <= 3000
