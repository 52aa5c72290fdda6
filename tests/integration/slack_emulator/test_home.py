"""The Home tab and the shortcuts at messages."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings
from slack_bolt import Ack
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from core.testing import Cast
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalHome, add_message
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.views import check_home
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

Json = dict[str, Any]
SECTION: Json = {"type": "section", "text": {"type": "mrkdwn", "text": "You may read 3 documents."}}
BUTTON: Json = {"type": "button", "action_id": "again", "text": {"type": "plain_text", "text": "Ask again"}}
HOME: Json = {"type": "home", "blocks": [SECTION, {"type": "actions", "block_id": "b", "elements": [BUTTON]}]}


def _refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def test_who_opens_the_home_tab_sees_what_the_bot_publishes(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing
) -> None:
    """The bot hears of it each time, with what is there; what it publishes is for that person alone."""
    heard: list[Json] = []

    def on_open(event: Json, client: WebClient) -> None:
        heard.append(event)
        client.views_publish(user_id=event["user"], view=HOME)

    hearing(lambda app: app.event("app_home_opened")(on_open))
    assert page_state(browser, workspace.alice)["home"] is None
    for _ in range(2):
        assert page_post(browser, "home", workspace.alice) == (200, {})
    shown = page_state(browser, workspace.alice)["home"]
    assert [block["type"] for block in shown["blocks"]] == ["section", "actions"]
    assert [(e["user"], e["channel"], e["tab"], "view" in e) for e in heard] == [
        (find_slack_id(workspace.alice), direct_id(workspace.alice), "home", False),
        (find_slack_id(workspace.alice), direct_id(workspace.alice), "home", True),
    ]
    assert heard[1]["view"]["id"] == shown["id"]
    assert page_state(browser, workspace.bob)["home"] is None


def test_a_publication_must_know_what_it_replaces(slack: WebClient, workspace: Cast) -> None:
    """The hash is optional; the view keeps its id. Nobody else's tab changes."""
    alice = find_slack_id(workspace.alice)
    first = slack.views_publish(user_id=alice, view=HOME)["view"]
    second = slack.views_publish(user_id=alice, view=HOME, hash=first["hash"])["view"]
    assert (second["id"], second["hash"] != first["hash"]) == (first["id"], True)
    assert _refusal(slack.views_publish, user_id=alice, view=HOME, hash=first["hash"]) == "hash_conflict"
    assert _refusal(slack.views_publish, user_id="UNOBODY", view=HOME) == "invalid_arguments"
    assert LocalHome.objects.get().user == workspace.alice


@pytest.mark.parametrize(
    "change",
    [
        {"type": "modal"},
        {"title": {"type": "plain_text", "text": "x"}},
        {"private_metadata": "x" * 3001},
        {"blocks": [SECTION] * 101},
        {"blocks": [{"type": "markdown", "text": "x"}]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_home_tab_that_slack_would_refuse_is_refused(change: Json) -> None:
    """It has no title, and the blocks that other views have."""
    assert check_home(HOME | {"blocks": [SECTION] * 100})
    with pytest.raises(RefusedCallError):
        check_home(HOME | change)


def test_a_press_on_the_home_tab_names_the_view(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing
) -> None:
    """It may open a modal. Nobody presses on another person's tab."""
    heard: list[Json] = []

    def on_press(ack: Ack, body: Json) -> None:
        ack()
        heard.append(body)

    hearing(lambda app: app.action("again")(on_press))
    view = slack.views_publish(user_id=find_slack_id(workspace.alice), view=HOME)["view"]
    press = {"view_id": view["id"], "block_id": "b", "action_id": "again"}
    assert page_post(browser, "actions", workspace.bob, **press)[0] == 404
    assert page_post(browser, "actions", workspace.alice, **press)[0] == 200
    [body] = heard
    assert (body["container"], body["view"]["type"]) == ({"type": "view", "view_id": view["id"]}, "home")
    assert "channel" not in body
    modal = {"type": "modal", "title": {"type": "plain_text", "text": "x"}, "blocks": [SECTION]}
    assert slack.views_open(trigger_id=body["trigger_id"], view=modal)["ok"]


def test_a_shortcut_carries_the_message(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """The message, its channel, a trigger and an address: what a modal about it needs."""
    heard: list[Json] = []

    def on_shortcut(ack: Ack, body: Json) -> None:
        ack()
        heard.append(body)

    hearing(lambda app: app.shortcut("ask_about_message")(on_shortcut))
    root = say(workspace.bob, "The boiler is inspected on 1 March.")
    reply = say(workspace.alice, "And in autumn?", thread_ts=root.ts)
    [shortcut] = page_state(browser, workspace.alice)["shortcuts"]
    choose = {"channel": GENERAL, "ts": reply.ts, "callback_id": shortcut["callback_id"]}
    assert page_post(browser, "shortcuts", workspace.alice, **choose) == (200, {})
    [body] = heard
    assert (body["type"], body["callback_id"], body["user"]["id"]) == (
        "message_action",
        "ask_about_message",
        find_slack_id(workspace.alice),
    )
    assert (body["channel"], body["message_ts"]) == ({"id": GENERAL, "name": "general"}, reply.ts)
    assert (body["message"]["text"], body["message"]["thread_ts"]) == ("And in autumn?", root.ts)
    assert body["trigger_id"]
    assert "/local/respond/" in body["response_url"]


def test_a_shortcut_is_offered_only_where_slack_offers_it(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """Not at ephemeral messages, not at those of other channels, and none that the app does not have."""
    hearing(lambda app: None)
    psst = add_message(channel(GENERAL), only_for=workspace.alice, text="psst")
    theirs = say(workspace.alice, "secret", OWNERS)
    root = say(workspace.alice, "question")
    for who, place, ts, callback_id in (
        (workspace.alice, GENERAL, psst.ts, "ask_about_message"),
        (workspace.bob, OWNERS, theirs.ts, "ask_about_message"),
        (workspace.alice, GENERAL, root.ts, "other"),
    ):
        assert page_post(browser, "shortcuts", who, channel=place, ts=ts, callback_id=callback_id)[0] == 404


def test_the_emoji_that_asks_is_offered_beside_the_shortcuts(
    workspace: Cast, browser: Client, hearing: Hearing, settings: Settings
) -> None:
    """While there is one; the app hears of it as from Slack."""
    settings.SLACK_ASK_EMOJI = "eyes"
    heard: list[dict[str, Any]] = []
    hearing(lambda app: app.event("reaction_added")(lambda body: heard.append(body)))
    root = say(workspace.bob, "The boiler is inspected on 1 March.")
    choice = page_state(browser, workspace.alice)["shortcuts"][-1]
    assert choice["name"] == "React with :eyes:"
    choose = {"channel": GENERAL, "ts": root.ts, "callback_id": choice["callback_id"]}
    assert page_post(browser, "shortcuts", workspace.alice, **choose) == (200, {})
    [body] = heard
    assert {name: body["event"][name] for name in ("user", "reaction", "item_user", "item")} == {
        "user": find_slack_id(workspace.alice),
        "reaction": "eyes",
        "item_user": find_slack_id(workspace.bob),
        "item": {"type": "message", "channel": GENERAL, "ts": root.ts},
    }
    settings.SLACK_ASK_EMOJI = ""
    assert page_post(browser, "shortcuts", workspace.alice, **choose)[0] == 404
