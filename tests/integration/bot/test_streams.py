"""Answers in direct messages are streamed where Slack allows it, and edited where it does not."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from bot.delivery import streams
from bot.delivery.engine import APOLOGY, deliver, give_up
from bot.intake import receive
from bot.listeners.events.messages import question_in
from bot.models import SlackEvent
from bot.slack.errors import SlackUnavailableError
from core import api
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import DIRECT, direct, mention, the_event
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours")


@pytest.fixture(autouse=True)
def _forget_refusals() -> Iterator[None]:
    streams._refused.clear()
    yield
    streams._refused.clear()


@pytest.fixture
def asked(workspace: SlackServer) -> SlackEvent:
    """Alice asks in a direct message."""
    body = direct(ASK_CANTEEN)
    receive(question_in(body, team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
    return SlackEvent.objects.get(event_id=body["event_id"])


def the_message(slack: SlackServer) -> dict[str, Any]:
    """The only message in the direct messages."""
    (message,) = slack.messages[DIRECT]
    return message


def test_an_answer_is_streamed(asked: SlackEvent, workspace: SlackServer) -> None:
    """The stream begins with the first step and ends as the answer, for its asker; its sources and buttons follow."""
    deliver(asked.pk)
    message = the_message(workspace)
    (started,) = workspace.called("chat.startStream")
    assert (started["recipient_user_id"], started["recipient_team_id"]) == (asked.user_id, TEAM)
    assert started["thread_ts"] == asked.ts
    assert "soup" in message["text"]
    assert "Canteen rules" in str(message["blocks"])
    assert message["streaming_state"] == "completed"
    assert set(message["tasks"].values()) == {"complete"}
    assert workspace.called("chat.postMessage") == []
    assert not the_event().reply.is_stream


def test_no_link_is_streamed(asked: SlackEvent, workspace: SlackServer) -> None:
    """A stream cannot be told to unfurl nothing: the answer's words are streamed, its links come by an edit."""
    deliver(asked.pk)
    streamed = [arguments for method, arguments in workspace.calls if method.endswith("Stream")]
    assert "soup" in str(streamed)
    assert "http" not in str(streamed)
    assert "https://library.example/canteen-rules" in str(the_message(workspace)["blocks"])
    assert [method for method, _ in workspace.calls if method.startswith("chat.")][-2:] == [
        "chat.stopStream",
        "chat.update",
    ]


def test_nothing_is_shown_before_it_is_checked(asked: SlackEvent, workspace: SlackServer) -> None:
    """Until the answer is final the stream holds steps and no text."""

    def ask(question: str, **options: Any) -> Answer | Refusal:
        result = api.ask(question, **options)
        assert the_message(workspace)["text"] == ""
        return result

    deliver(asked.pk, ask=ask)
    assert "soup" in the_message(workspace)["text"]


@pytest.mark.parametrize("code", ["unknown_method", "channel_type_not_supported", "missing_scope", "not_allowed"])
def test_a_workspace_that_does_not_stream(asked: SlackEvent, workspace: SlackServer, code: str) -> None:
    """The message is posted and edited instead, and the workspace is not asked for each question."""
    workspace.fail("chat.startStream", Failure(error=code))
    deliver(asked.pk)
    assert "soup" in str(the_message(workspace)["blocks"])
    assert len(workspace.called("chat.update")) == 1
    again = direct(ASK_CANTEEN)
    receive(question_in(again, team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
    deliver(SlackEvent.objects.get(event_id=again["event_id"]).pk)
    assert len(workspace.called("chat.startStream")) == 1


def test_it_can_be_switched_off(asked: SlackEvent, workspace: SlackServer, settings: Settings) -> None:
    """By a setting."""
    settings.SLACK_STREAMING = False
    deliver(asked.pk)
    assert workspace.called("chat.startStream") == []


def test_a_channel_is_not_streamed_to(workspace: SlackServer) -> None:
    """Slack shows a channel's stream to one person alone."""
    body = mention(ASK_CANTEEN)
    receive(question_in(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
    deliver(the_event().pk)
    assert workspace.called("chat.startStream") == []


def test_a_stream_that_slack_has_ended(asked: SlackEvent, workspace: SlackServer) -> None:
    """After some minutes Slack ends a stream by itself: its message is edited into the answer."""

    def ask(question: str, **options: Any) -> Answer | Refusal:
        workspace.streams.clear()
        return api.ask(question, **options)

    deliver(asked.pk, ask=ask)
    message = the_message(workspace)
    assert "soup" in str(message["blocks"])
    assert "Canteen rules" in str(message["blocks"])


class TestRestarts:
    """A stream of an earlier attempt is ended and edited, never written on."""

    def again(self, event: SlackEvent, workspace: SlackServer) -> dict[str, Any]:
        with pytest.raises((SlackUnavailableError, KeyboardInterrupt)):
            deliver(event.pk, ask=self.ask)
        deliver(event.pk)
        return the_message(workspace)

    ask: Callable[..., Answer | Refusal] = staticmethod(api.ask)

    def test_before_its_start_was_recorded(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """It is found in the thread, though it carries no mark of ours."""
        workspace.fail("chat.startStream", Failure(error="", done=True, hang_up=True))
        assert "soup" in str(self.again(asked, workspace)["blocks"])
        assert workspace.streams == set()

    def test_while_asking(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """The steps stay open until the next attempt."""

        def stops(question: str, **_: Any) -> Answer | Refusal:
            raise KeyboardInterrupt

        self.ask = stops
        assert "soup" in str(self.again(asked, workspace)["blocks"])
        assert workspace.streams == set()

    def test_before_its_end_reached_slack(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """Then it is ended empty and edited."""
        workspace.fail("chat.stopStream", Failure(error="", hang_up=True))
        message = self.again(asked, workspace)
        assert str(message).count("Canteen rules") == 1
        assert workspace.streams == set()

    def test_after_its_end_reached_slack(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """The answer is not written a second time below the first."""
        workspace.fail("chat.stopStream", Failure(error="", done=True, hang_up=True))
        message = self.again(asked, workspace)
        assert str(message["blocks"]).count("Canteen rules") == 1

    def test_giving_up(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """The apology takes the stream's place."""
        workspace.fail("chat.stopStream", Failure(error="", hang_up=True))
        with pytest.raises(SlackUnavailableError):
            deliver(asked.pk)
        give_up(asked.pk, code="test")
        assert the_message(workspace)["text"] == APOLOGY
        assert workspace.streams == set()
