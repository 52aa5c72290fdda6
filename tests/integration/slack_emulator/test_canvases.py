"""Canvases on the local page: the real listeners and worker make one, and the methods refuse as Slack does."""

import pytest
from django.test import Client
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.blocks.research import CANVAS, OPEN_CANVAS, START
from bot.slack.workspace import LOCAL_TEAM_ID
from core.testing import Cast, make_document
from slack_emulator import features
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalCanvas
from tests.integration.bot.test_progress import wait_until
from tests.integration.bot.test_researches import work
from tests.integration.slack_emulator.conftest import direct_id, page_post, page_state

SOUP = "The canteen in the harbour office serves soup at noon."
MARKDOWN = {"type": "markdown", "markdown": "## Soup"}


def refused(slack: WebClient, method: str, **arguments: object) -> str:
    """The code with which a call is refused."""
    with pytest.raises(SlackApiError) as caught:
        slack.api_call(method, json=arguments)
    return str(caught.value.response["error"])


def test_a_research_becomes_a_canvas(
    slack: WebClient, browser: Client, workspace: Cast, monkeypatch: pytest.MonkeyPatch, fast: None
) -> None:
    """From the wish in the direct messages to the text behind the link, and without the scope to a sentence."""
    make_document("Canteen rules", SOUP, roles=[workspace.staff], section="Soup")
    channel = direct_id(workspace.alice)
    page_post(browser, "messages", workspace.alice, channel=channel, text="research the canteen in the harbour office")
    ts = page_state(browser, workspace.alice, channel)["messages"][-1]["ts"]

    def said() -> str:
        return str(page_state(browser, workspace.alice, channel, ts)["thread"][-1])

    def press(action_id: str) -> None:
        message = page_state(browser, workspace.alice, channel, ts)["thread"][-1]
        buttons = [(block["block_id"], one) for block in message["blocks"] for one in block.get("elements", [])]
        block_id = next(block for block, one in buttons if one.get("action_id") == action_id)
        place = {"channel": channel, "ts": message["ts"], "block_id": block_id, "action_id": action_id}
        assert page_post(browser, "actions", workspace.alice, **place)[0] == 200

    def settles(words: str) -> bool:
        work()
        return words in said()

    work()
    press(START)
    wait_until(lambda: settles("serves soup at noon"))
    monkeypatch.setattr(features, "MAKES_CANVASES", False)
    press(CANVAS)
    wait_until(lambda: settles("the scope canvases:write"))
    monkeypatch.setattr(features, "MAKES_CANVASES", True)
    press(CANVAS)
    wait_until(lambda: settles(OPEN_CANVAS))
    canvas = LocalCanvas.objects.get()
    assert list(canvas.shared_with.all()) == [workspace.alice]
    shown = browser.get(f"/local/docs/{LOCAL_TEAM_ID}/{canvas.canvas_id}")
    assert "serves soup at noon" in shown.content.decode()
    assert shown.headers["Content-Type"].startswith("text/plain")


def test_what_slack_refuses(slack: WebClient, browser: Client, workspace: Cast) -> None:
    """Another type, a list in a quote, a canvas or a level that there is not; nobody opens what is not shared."""
    listed = {"type": "markdown", "markdown": "> - Soup"}
    assert refused(slack, "canvases.create", document_content={"type": "html"}) == "invalid_arguments"
    assert refused(slack, "canvases.create", document_content=listed) == "canvas_creation_failed"
    canvas_id = str(slack.canvases_create(title="Soup", document_content=MARKDOWN)["canvas_id"])
    assert browser.get(f"/local/docs/{LOCAL_TEAM_ID}/{canvas_id}").status_code == 404
    alice = find_slack_id(workspace.alice)
    place = {"canvas_id": canvas_id, "user_ids": alice}
    assert refused(slack, "canvases.access.set", **place, access_level="owner") == "invalid_arguments"
    assert (
        refused(slack, "canvases.access.set", **place | {"canvas_id": "F0"}, access_level="read") == "canvas_not_found"
    )
    told = slack.canvases_access_set(canvas_id=canvas_id, access_level="read", user_ids=[alice, "U0"])
    assert told["failed_to_update_user_ids"] == ["U0"]
