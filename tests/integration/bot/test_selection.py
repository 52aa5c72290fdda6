"""Questions about one message alone."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_bolt import BoltRequest, BoltResponse
from slack_sdk.models.views import View

from bot.app import build_app
from bot.blocks.question_windows import ASK_ABOUT_MESSAGE, CUT, QUESTION, READING, TEXT, selection_modal
from bot.delivery.engine import deliver
from bot.models import SlackEvent
from bot.slack.errors import SlackUnavailableError
from core.models import Query
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, CHANNEL, signed
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

NOTICE = "The lift in the east wing is out of order until Thursday. Use the stairs."

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

Send = Callable[[dict[str, Any]], BoltResponse]


@pytest.fixture
def send(slack: SlackServer) -> Send:
    """Sends an interaction, and waits until it is worked on."""

    def sign_and_wait(payload: dict[str, Any]) -> BoltResponse:
        common = {"team": {"id": TEAM}, "user": {"id": ALICE, "team_id": TEAM}, "api_app_id": "A0APP"}
        raw = urlencode({"payload": json.dumps(common | payload)})
        app = build_app()
        headers = signed(raw) | {"content-type": ["application/x-www-form-urlencoded"]}
        response = app.dispatch(BoltRequest(body=raw, headers=headers))
        app.listener_runner.listener_executor.shutdown(wait=True)
        return response

    return sign_and_wait


def submission(question: str, text: str) -> dict[str, Any]:
    """The window, handed in."""
    values = {QUESTION: {QUESTION: {"value": question}}, TEXT: {TEXT: {"value": text}}}
    view = {
        "id": "V1",
        "type": "modal",
        "callback_id": ASK_ABOUT_MESSAGE,
        "private_metadata": CHANNEL,
        "state": {"values": values},
    }
    return {"type": "view_submission", "view": view}


def test_the_window_holds_the_message(send: Send, workspace: SlackServer) -> None:
    """In plain words, to be edited."""
    message = {"ts": "1.1", "text": "See <https://x.example|the plan> &amp; <@U1|Bob>"}
    shortcut = {"type": "message_action", "callback_id": ASK_ABOUT_MESSAGE, "trigger_id": "1.2", "message": message}
    assert send(shortcut | {"channel": {"id": CHANNEL}}).status == 200
    (view,) = workspace.views
    assert [block.get("element", {}).get("initial_value") for block in view["blocks"]] == [None, "See the plan & @Bob"]


@pytest.mark.parametrize("text", ["", "short", "x" * 3000, "long " * 2000], ids=["none", "short", "most", "long"])
def test_the_window_is_one_that_slack_takes(text: str) -> None:
    """Also without text, and with more than fits, which it says."""
    view = selection_modal(text, place=CHANNEL)
    assert View(**view).to_dict() == view
    assert (CUT in str(view)) == (len(text) > 3000)


def test_it_is_answered_from_the_text_alone(send: Send, workspace: SlackServer, cast: Cast) -> None:
    """To the asker's direct messages, whatever else they may read."""
    make_document("Lift rules", "The lift in the east wing carries eight people.", roles=[cast.staff])
    response = send(submission("Until when is the lift in the east wing out of order?", NOTICE))
    assert READING in response.body
    event = SlackEvent.objects.get()
    assert (event.kind, event.channel_id) == ("selection", CHANNEL)
    deliver(event.pk)
    (message,) = workspace.messages["D" + ALICE[1:]]
    assert "until Thursday" in str(message)
    assert message["blocks"][0]["elements"][0]["text"].startswith("You asked: Until when is the lift")
    assert "eight people" not in str(message)
    assert workspace.messages[CHANNEL] == []
    event.refresh_from_db()
    assert (event.text, event.selected_text) == ("", "")
    assert Query.objects.get().selected_text == NOTICE


def test_a_second_attempt_shows_the_same(send: Send, workspace: SlackServer) -> None:
    """The stored answer is its asker's to see."""
    send(submission("Until when is the lift in the east wing out of order?", NOTICE))
    event = SlackEvent.objects.get()
    deliver(event.pk)
    SlackEvent.objects.update(state="received")
    deliver(event.pk)
    assert "until Thursday" in str(workspace.messages["D" + ALICE[1:]])
    assert Query.objects.count() == 1


def test_another_attempt_asks_about_the_same_text(send: Send, workspace: SlackServer, cast: Cast) -> None:
    """Also for somebody whom Footnote does not know, whose answer cannot be looked up again."""
    make_document("Lift rules", "The lift in the east wing is out of order on Sundays.", roles=[cast.staff])
    workspace.users[ALICE]["profile"]["email"] = "nobody@elsewhere.example"
    send(submission("When is the lift in the east wing out of order?", NOTICE))
    event = SlackEvent.objects.get()
    workspace.fail("chat.update", Failure(error="internal_error"))
    with pytest.raises(SlackUnavailableError):
        deliver(event.pk)
    assert SlackEvent.objects.get().selected_text == ""
    deliver(event.pk)
    (message,) = workspace.messages["D" + ALICE[1:]]
    assert "until Thursday" in str(message)
    assert "Sundays" not in str(message)


@pytest.mark.parametrize(
    ("question", "text", "fields"),
    [("", NOTICE, {QUESTION}), ("Why?", "  ", {TEXT}), ("a", "", {QUESTION, TEXT})],
    ids=["question", "text", "both"],
)
def test_what_is_missing_is_said_at_its_field(send: Send, question: str, text: str, fields: set[str]) -> None:
    """Nothing is stored, and nothing of what was typed is lost."""
    answer = json.loads(send(submission(question, text)).body)
    assert answer["response_action"] == "errors"
    assert answer["errors"].keys() == fields
    assert not SlackEvent.objects.exists()


def test_a_window_handed_in_twice_is_answered_once(send: Send) -> None:
    """Slack may repeat a submission."""
    for _ in range(2):
        send(submission("Until when is the lift out of order?", NOTICE))
    assert SlackEvent.objects.count() == 1
