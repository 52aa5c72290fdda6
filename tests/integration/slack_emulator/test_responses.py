"""Commands and presses give the bot an address at which it may answer."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from slack_bolt import Ack
from slack_sdk.webhook import WebhookClient

from bot.slack.workspace import LOCAL_TEAM_ID
from core.testing import Cast
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LIFETIME, LocalMessage, ResponseAddress, add_message, create_response_address
from slack_emulator.payloads.interactions import build_response_url
from tests.integration.slack_emulator.conftest import (
    GENERAL,
    OWNERS,
    Hearing,
    channel,
    direct_id,
    page_post,
    page_state,
    say,
)

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}
BUTTONS = {
    "type": "actions",
    "block_id": "b",
    "elements": [{"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}],
}
PRESS = {"block_id": "b", "action_id": "go"}

pytestmark = pytest.mark.usefixtures("slack")


def _texts(browser: Client, person: Any) -> list[tuple[str, bool]]:
    return [(m["text"], m["only_you"]) for m in page_state(browser, person)["messages"]]


def test_a_command_reaches_the_bot_as_slack_sends_it(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """Signed, as a form, with its text apart from its name; the acknowledgement is shown to who typed it alone."""
    heard: list[dict[str, Any]] = []

    def on_command(ack: Ack, command: dict[str, Any]) -> None:
        heard.append(command)
        ack(text="Searching", blocks=[SECTION])

    hearing(lambda app: app.command("/footnote")(on_command))
    typed = "/footnote type:minutes  How warm & wet?"
    assert page_post(browser, "commands", workspace.alice, channel=GENERAL, text=typed) == (200, {})
    [command] = heard
    assert {
        name: command[name] for name in ("command", "text", "user_id", "channel_id", "channel_name", "team_id")
    } == {
        "command": "/footnote",
        "text": "type:minutes  How warm &amp; wet?",
        "user_id": find_slack_id(workspace.alice),
        "channel_id": GENERAL,
        "channel_name": "general",
        "team_id": LOCAL_TEAM_ID,
    }
    assert command["trigger_id"]
    assert _texts(browser, workspace.alice) == [("Searching", True)]
    assert _texts(browser, workspace.bob) == []


def test_a_command_can_be_answered_later(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """At its address, for the person alone or for all. Slack replaces nothing there, so each answer is a message."""
    urls: list[str] = []

    def on_command(ack: Ack, command: dict[str, Any]) -> None:
        ack("Searching")
        urls.append(command["response_url"])

    hearing(lambda app: app.command("/footnote")(on_command))
    page_post(browser, "commands", workspace.bob, channel=GENERAL, text="/footnote")
    webhook = WebhookClient(urls[0])
    assert webhook.send(text="for you", replace_original=True).status_code == 200
    assert webhook.send(text="for all", response_type="in_channel").status_code == 200
    assert _texts(browser, workspace.bob) == [("Searching", True), ("for you", True), ("for all", False)]
    assert _texts(browser, workspace.alice) == [("for all", False)]


@pytest.mark.parametrize(
    ("text", "status"), [("/other x", 400), ("/", 400), ("/footnotes", 400), ("/footnote x", 502)], ids=str
)
def test_a_command_that_nobody_hears_says_so(
    workspace: Cast, browser: Client, hearing: Hearing, text: str, status: int
) -> None:
    """An unknown one, and one that the bot does not listen to."""
    hearing(lambda app: None)
    answered, said = page_post(browser, "commands", workspace.alice, channel=GENERAL, text=text)
    assert (answered, bool(said["error"])) == (status, True)
    assert page_post(browser, "commands", workspace.bob, channel=OWNERS, text="/footnote x")[0] == 404
    assert not LocalMessage.objects.exists()


def test_a_press_on_an_ephemeral_message_can_replace_it(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """In place, with the ts that it had; as from Slack, the press does not say what the message held."""
    bodies: list[dict[str, Any]] = []

    def on_press(ack: Ack, body: dict[str, Any]) -> None:
        ack()
        bodies.append(body)

    hearing(lambda app: app.action("go")(on_press))
    psst = add_message(channel(GENERAL), only_for=workspace.bob, text="more?", blocks=[BUTTONS])
    assert page_post(browser, "actions", workspace.alice, channel=GENERAL, ts=psst.ts, **PRESS)[0] == 404
    assert page_post(browser, "actions", workspace.bob, channel=GENERAL, ts=psst.ts, **PRESS)[0] == 200
    [body] = bodies
    assert "message" not in body
    assert body["container"] == {
        "type": "message",
        "message_ts": psst.ts,
        "channel_id": GENERAL,
        "is_ephemeral": True,
    }
    webhook = WebhookClient(body["response_url"])
    webhook.send(text="the answer", blocks=[SECTION], replace_original=True)
    [shown] = page_state(browser, workspace.bob)["messages"]
    assert (shown["ts"], shown["text"], [b["type"] for b in shown["blocks"]]) == (psst.ts, "the answer", ["section"])
    webhook.send(delete_original=True)
    assert _texts(browser, workspace.bob) == []


def test_a_press_on_a_public_message_can_answer_the_presser_alone(workspace: Cast, browser: Client) -> None:
    """The message stays unless it is to be replaced; a person's own message cannot be."""
    answer = add_message(channel(GENERAL), text="answer", blocks=[SECTION])
    url = build_response_url(create_response_address(workspace.alice, answer.channel, answer))
    WebhookClient(url).send(text="thanks")
    assert _texts(browser, workspace.alice) == [("answer", False), ("thanks", True)]
    WebhookClient(url).send(text="changed", replace_original=True)
    assert _texts(browser, workspace.bob) == [("changed", False)]
    theirs = say(workspace.bob, "mine")
    url = build_response_url(create_response_address(workspace.alice, theirs.channel, theirs))
    assert WebhookClient(url).send(delete_original=True).status_code == 400
    WebhookClient(url).send(text="beside it", replace_original=True)
    assert _texts(browser, workspace.bob) == [("changed", False), ("mine", False)]


def test_an_address_is_good_five_times_for_half_an_hour(workspace: Cast) -> None:
    """As Slack's are; what was refused does not count, and another address is not known."""
    place = channel(direct_id(workspace.bob))
    address = create_response_address(workspace.bob, place)
    webhook = WebhookClient(build_response_url(address))
    assert webhook.send(text="").status_code == 400
    assert [webhook.send(text=str(n)).status_code for n in range(6)] == [200] * 5 + [404]
    assert "used_url" in webhook.send(text="x").body
    old = create_response_address(workspace.bob, place)
    ResponseAddress.objects.filter(pk=old.pk).update(created_at=timezone.now() - LIFETIME - timedelta(seconds=1))
    assert "expired_url" in WebhookClient(build_response_url(old)).send(text="x").body
    assert "no_service" in WebhookClient(build_response_url(address) + "x").send(text="x").body
    assert [m.text for m in place.messages.all()] == ["0", "1", "2", "3", "4"]


def test_a_bad_payload_is_refused(workspace: Cast) -> None:
    """By the same rules as a posted message."""
    url = build_response_url(create_response_address(workspace.bob, channel(GENERAL)))
    refused = WebhookClient(url).send(text="x", blocks=[{"type": "sektion"}])
    assert (refused.status_code, "invalid_blocks" in refused.body) == (400, True)
    assert not LocalMessage.objects.exists()
