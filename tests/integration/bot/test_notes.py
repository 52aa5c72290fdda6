"""Tests of the note below a slash command: there is one, it leads to the answer, and it stays true later."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_bolt import App, BoltRequest

from bot.blocks.asker_notes import ARRIVED, ELSEWHERE
from bot.delivery.engine import APOLOGY, deliver, give_up
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError
from core.testing import Cast, make_document
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, signed
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fast", "workspace")]


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


def typed(app: App, slack: SlackServer, trigger: str, *, user: str = ALICE, url: str | None = None) -> dict[str, Any]:
    """The acknowledgement of a question behind the command; empty where nothing is said with it."""
    body = {
        "command": "/footnote",
        "text": ASK_CANTEEN,
        "team_id": TEAM,
        "user_id": user,
        "channel_id": CHANNEL,
        "trigger_id": trigger,
        "response_url": slack.response_url if url is None else url,
    }
    raw = urlencode(body)
    headers = signed(raw) | {"content-type": ["application/x-www-form-urlencoded"]}
    response = app.dispatch(BoltRequest(body=raw, headers=headers))
    assert response.status == 200
    if not response.body:
        return {}
    said: dict[str, Any] = json.loads(response.body)
    check_blocks(said["blocks"], surface="message")
    return said


def event(trigger: str) -> SlackEvent:
    return SlackEvent.objects.get(event_id=f"command-{trigger}")


def test_the_first_command_of_somebody_opens_the_direct_messages_and_leads_there(
    prompt_app: App, workspace: SlackServer
) -> None:
    """In one note, a moment later; no second one follows when the answer is there."""
    assert typed(prompt_app, workspace, "1.1") == {}
    (note,) = workspace.responses
    assert (note["text"], note["response_type"]) == (ELSEWHERE, "ephemeral")
    assert f"<https://app.slack.com/client/{TEAM}/{DIRECT}|" in str(note["blocks"])
    check_blocks(note["blocks"], surface="message")
    assert Reply.objects.get().note_url == ""
    deliver(event("1.1").pk)
    assert len(workspace.responses) == 1


def test_the_note_comes_at_once_where_the_direct_messages_are_known(prompt_app: App, workspace: SlackServer) -> None:
    """Without asking Slack, once, and to each person of their own."""
    typed(prompt_app, workspace, "1.1")
    deliver(event("1.1").pk)
    workspace.calls.clear()
    workspace.responses.clear()
    second = typed(prompt_app, workspace, "2.2")
    assert second["text"] == ELSEWHERE
    assert f"<https://app.slack.com/client/{TEAM}/{DIRECT}|" in second["blocks"][0]["text"]["text"]
    assert workspace.calls == []
    deliver(event("2.2").pk)
    assert workspace.responses == []
    assert typed(prompt_app, workspace, "3.3", user=BOB) == {}


def test_where_the_direct_messages_cannot_be_opened_now_the_worker_tells(
    prompt_app: App, workspace: SlackServer
) -> None:
    """Once, where the answer is."""
    workspace.fail("conversations.open", Failure(error="ratelimited", status=429))
    typed(prompt_app, workspace, "1.1")
    assert workspace.responses == []
    deliver(event("1.1").pk)
    assert [note["text"] for note in workspace.responses] == [ARRIVED]


def test_a_command_without_an_address_for_notes_is_told_with_its_acknowledgement(
    app: App, workspace: SlackServer
) -> None:
    """Nothing could be said there later."""
    said = typed(app, workspace, "1.1", url="")
    assert (said["text"], "http" in str(said["blocks"])) == (ELSEWHERE, False)


def test_the_last_note_leads_to_the_answer(app: App, workspace: SlackServer) -> None:
    """Once, when it is posted, to who typed the command alone; the address is not kept."""
    typed(app, workspace, "1.1")
    deliver(event("1.1").pk)
    deliver(event("1.1").pk)
    (answer,) = workspace.messages[DIRECT]
    (note,) = workspace.responses
    assert (note["text"], note["response_type"], note["replace_original"]) == (ARRIVED, "ephemeral", True)
    assert f"https://test.slack.com/archives/{DIRECT}/p{answer['ts'].replace('.', '')}" in str(note["blocks"])
    assert "soup" not in str(note)
    assert Reply.objects.get().note_url == ""


def test_an_apology_is_pointed_to_as_well(app: App, workspace: SlackServer) -> None:
    """And nothing is where even that could not be said."""
    typed(app, workspace, "1.1")
    give_up(event("1.1").pk, code="fault")
    assert workspace.messages[DIRECT][0]["text"] == APOLOGY
    assert [note["text"] for note in workspace.responses] == [ARRIVED]
    typed(app, workspace, "2.2")
    workspace.fail("chat.postMessage", Failure(error="restricted_action"))
    give_up(event("2.2").pk, code="fault")
    assert len(workspace.responses) == 1
    assert set(Reply.objects.values_list("state", "note_url")) == {("failed", "")}


@pytest.mark.parametrize("method", ["respond", "chat.getPermalink"])
@pytest.mark.parametrize("status", [200, 404, 429, 500])
def test_a_note_that_slack_does_not_take_changes_nothing(
    app: App, workspace: SlackServer, method: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The reply is final, and the log has a code."""
    typed(app, workspace, "1.1")
    workspace.fail(method, Failure(error="no_way", status=status))
    caplog.set_level("INFO")
    deliver(event("1.1").pk)
    assert Reply.objects.get().state == Reply.State.POSTED
    assert "soup" in str(workspace.messages[DIRECT])
    refused = (method, status) != ("respond", 200)  # an address takes what it answers 200 to
    assert ("note_not_shown" in caplog.text) == refused


@pytest.mark.parametrize("url", ["", "http://169.254.169.254/latest", "https://slack.com@evil.example/x"])
def test_an_address_that_is_not_slacks_is_not_written_to(app: App, workspace: SlackServer, url: str) -> None:
    """The answer comes all the same."""
    typed(app, workspace, "1.1", url=url)
    deliver(event("1.1").pk)
    assert (workspace.responses, len(workspace.messages[DIRECT])) == ([], 1)


def test_an_attempt_that_comes_too_early_tells_nothing(app: App, workspace: SlackServer) -> None:
    """Only the one that posts the answer does."""
    typed(app, workspace, "1.1")
    workspace.fail("chat.postMessage", Failure(error="ratelimited", status=429))
    with pytest.raises(SlackUnavailableError):
        deliver(event("1.1").pk)
    assert workspace.responses == []
    deliver(event("1.1").pk)
    assert len(workspace.responses) == 1
