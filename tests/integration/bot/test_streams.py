"""Answers in direct messages are streamed where Slack allows it, and edited where it does not."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from bot.blocks.message import PLAN
from bot.delivery import progress, streams
from bot.delivery.engine import APOLOGY, deliver, give_up
from bot.delivery.progress import Sign
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError
from bot.slack.workspace import find_client
from core import api
from core.models import SlackIdentity, UserRole
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import DIRECT, direct, mention, the_event
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.test_progress import wait_until

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
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
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


def test_the_steps_are_the_tasks_of_a_plan(
    asked: SlackEvent, workspace: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each says how much it works on; before the answer is checked no word, title or heading of a document is there."""
    monkeypatch.setattr(progress, "INTERVAL_S", 0.01)
    seen: list[dict[str, Any]] = []

    def ask(question: str, *, on_step: Callable[[str], None], **options: Any) -> Answer | Refusal:
        def tell_and_wait(step: str) -> None:
            on_step(step)
            wait_until(lambda: the_message(workspace)["tasks"].get(step) == "in_progress")
            wait_until(lambda: the_message(workspace)["details"][step] != "")
            seen.append({**the_message(workspace), "tasks": dict(the_message(workspace)["tasks"])})

        return api.ask(question, on_step=tell_and_wait, **options)

    deliver(asked.pk, ask=ask)
    (started,) = workspace.called("chat.startStream")
    assert started["task_display_mode"] == "plan"
    assert [list(message["tasks"].values()) for message in seen] == [
        ["in_progress"],
        ["complete", "in_progress"],
        ["complete", "complete", "in_progress"],
    ]
    assert seen[-1]["plan"] == PLAN
    assert seen[-1]["details"] == {"searching": "1 document", "reading": "1 passage", "checking": "1 statement"}
    for word in ("Canteen", "soup", "Hours", "library.example"):
        assert word not in str(seen)
    assert set(the_message(workspace)["tasks"].values()) == {"complete"}


def test_a_step_that_passed_unseen_is_shown_as_done(asked: SlackEvent, workspace: SlackServer) -> None:
    """And a step is not gone back to when a search begins anew."""
    surface = streams.StreamSurface(find_client(TEAM), asked.reply)
    surface.begin()
    surface.show(Sign(step="checking", counts=(("reading", 3),)))
    surface.show(Sign(step="reading", counts=(("reading", 3),)))
    message = the_message(workspace)
    assert message["tasks"] == {"searching": "complete", "reading": "complete", "checking": "in_progress"}
    assert message["details"]["reading"] == "3 passages"
    assert len(workspace.called("chat.appendStream")) == 1


def test_no_link_is_streamed(asked: SlackEvent, workspace: SlackServer) -> None:
    """A stream cannot suppress unfurling: the answer's words are streamed, its links come by an edit."""
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
    assert workspace.called("chat.update")
    again = direct(ASK_CANTEEN)
    receive(build_incoming(again, team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
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
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
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


class TestWhileTheModelWrites:
    """The beginning of the answer is streamed, and the answer goes on from it or takes its place."""

    BEGINNING = "The canteen in the harbour office serves soup at noon. [1]"

    @pytest.fixture(autouse=True)
    def _at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(progress, "INTERVAL_S", 0.01)

    def deliver(self, event: SlackEvent, workspace: SlackServer, *previews: str, shown: int = 1) -> list[str]:
        """Answer with these previews, waiting until so many are shown. The texts that Slack was sent, in order."""

        def ask(question: str, *, preview: Callable[[str], None], **options: Any) -> Answer | Refusal:
            for words in previews:
                preview(words)
            wait_until(lambda: len(self.texts(workspace)) >= shown)
            return api.ask(question, preview=preview, **options)

        deliver(event.pk, ask=ask)
        return self.texts(workspace)

    @staticmethod
    def texts(workspace: SlackServer) -> list[str]:
        """The texts that were streamed."""
        calls = [arguments for method, arguments in workspace.calls if method.endswith("Stream")]
        chunks = [chunk for arguments in calls for chunk in arguments.get("chunks") or []]
        return [chunk["text"] for chunk in chunks if chunk["type"] == "markdown_text"]

    def test_the_answer_goes_on_from_its_beginning(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """Nothing is streamed twice, and the message is the whole answer in the end."""
        streamed = self.deliver(asked, workspace, self.BEGINNING)
        assert "".join(streamed).strip() == self.BEGINNING
        assert len(streamed) > 1
        assert "Canteen rules" in str(the_message(workspace)["blocks"])

    def test_another_answer_takes_its_place(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """It is not written behind it."""
        assert self.deliver(asked, workspace, "It serves tea. [1]") == ["It serves tea. [1]"]
        message = the_message(workspace)
        assert "soup" in str(message["blocks"])
        assert "tea" not in str(message)

    def test_a_beginning_that_does_not_go_on(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """The beginning of a later draft is not written behind the first."""
        reply = Reply.objects.get(event=asked)
        place = streams.StreamSurface(find_client(TEAM), reply)
        place.begin()
        for words in ("It serves tea. [1]", self.BEGINNING, "It serves tea. [1]\nAnd cake. [2]"):
            place.show(Sign(step="reading", words=words))
        assert self.texts(workspace) == ["It serves tea. [1]", "\n\nAnd cake. [2]"]

    def test_no_markup_is_streamed(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """A beginning is made inert as an answer is."""
        (first, *_) = self.deliver(asked, workspace, "Ask <!channel> at [here](https://evil.example). [1]")
        assert "<!channel>" not in first
        assert "[here](" not in first

    def test_the_readers_have_changed(self, asked: SlackEvent, workspace: SlackServer, cast: Cast) -> None:
        """The answer is made from a document that the asker may no longer read: its beginning is not shown."""

        def ask(question: str, *, preview: Callable[[str], None], **options: Any) -> Answer | Refusal:
            if UserRole.objects.filter(user=cast.alice).delete()[0]:  # the first time it is asked
                preview(self.BEGINNING)
            return api.ask(question, **options)

        deliver(asked.pk, ask=ask)
        assert "soup" not in str(workspace.calls)

    def test_slack_does_not_say_who_reads(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """Then nothing is shown before the end."""

        def ask(question: str, *, preview: Callable[[str], None], **options: Any) -> Answer | Refusal:
            SlackIdentity.objects.all().delete()
            workspace.fail("users.info", Failure(error="", hang_up=True))
            preview(self.BEGINNING)
            assert self.texts(workspace) == []
            return api.ask(question, preview=preview, **options)

        deliver(asked.pk, ask=ask)
        assert "soup" in str(the_message(workspace)["blocks"])

    def test_an_edited_message_shows_no_beginning(
        self, asked: SlackEvent, workspace: SlackServer, settings: Settings
    ) -> None:
        """Without a stream the model's reply need not be followed."""
        settings.SLACK_STREAMING = False
        given: list[Any] = []

        def ask(question: str, **options: Any) -> Answer | Refusal:
            given.append(options["preview"])
            return api.ask(question, **options)

        deliver(asked.pk, ask=ask)
        assert given == [None]


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

    def test_giving_up_before_its_start_was_recorded(self, asked: SlackEvent, workspace: SlackServer) -> None:
        """It is found, ended, and becomes the apology."""
        workspace.fail("chat.startStream", Failure(error="", done=True, hang_up=True))
        with pytest.raises(SlackUnavailableError):
            deliver(asked.pk)
        give_up(asked.pk, code="test")
        assert the_message(workspace)["text"] == APOLOGY
        assert workspace.streams == set()
