"""Each question gets exactly one reply, whatever Slack, the model or the worker does in between."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from bot.blocks.message import progress_message
from bot.channels.settings import SWITCHED_OFF
from bot.delivery.engine import APOLOGY, deliver, give_up
from bot.delivery.results import AudienceChangedError, find_result
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.workspace import UnknownTeamError, find_client
from core import api
from core.access.grants import grant, revoke
from core.models import ChannelSetting, Conversation, Document, Query
from core.testing import Cast, make_document
from core.types import Answer, Refusal
from tests.integration.bot.conftest import BOB, CHANNEL, CHARLIE, DIRECT, STRANGER, direct, mention, the_event
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners], section="Opening"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff], section="Hours"),
    }


@pytest.fixture
def heard(workspace: SlackServer) -> Callable[[dict[str, Any]], SlackEvent]:
    """Stores an event as the listeners do."""

    def store(body: dict[str, Any]) -> SlackEvent:
        is_direct = body["event"].get("channel_type") == "im"
        kind = SlackEvent.Kind.DIRECT if is_direct else SlackEvent.Kind.MENTION
        receive(build_incoming(body, team_id=TEAM, kind=kind))
        return SlackEvent.objects.get(event_id=body["event_id"])

    return store


Heard = Callable[[dict[str, Any]], SlackEvent]


def shown(slack: SlackServer, channel: str = CHANNEL) -> str:
    """All text of the only message in a channel."""
    (message,) = slack.messages[channel]
    return f"{message['text']} {message['blocks']}"


def test_a_mention_is_answered_once_in_its_thread(heard: Heard, workspace: SlackServer) -> None:
    """A placeholder comes first and becomes the answer, with its source, unfurling nothing."""
    event = heard(mention(ASK_CANTEEN))
    deliver(event.pk)
    (posted,) = workspace.called("chat.postMessage")
    edited = workspace.called("chat.update")[-1]  # steps may be shown before, where answering takes its time
    assert (posted["channel"], posted["thread_ts"], posted["text"]) == (
        CHANNEL,
        event.ts,
        progress_message("searching").text,
    )
    assert (posted["unfurl_links"], posted["unfurl_media"]) == (False, False)
    assert posted["blocks"][0]["block_id"] == edited["blocks"][0]["block_id"] == f"reply-{event.reply.pk}"
    said = shown(workspace)
    assert "soup" in said
    assert "[1] <https://library.example/canteen-rules|Canteen rules>, section Hours" in said
    assert "Vault" not in said
    event = the_event()
    assert (event.state, event.text) == ("answered", "")
    assert (event.reply.state, event.reply.error_code, event.reply.attempts) == ("posted", "", 1)
    assert event.reply.query == Query.objects.get()
    assert event.reply.ts == workspace.messages[CHANNEL][0]["ts"]


def test_a_delivered_reply_is_not_touched_again(heard: Heard, workspace: SlackServer) -> None:
    """A job that runs twice answers once."""
    event = heard(mention(ASK_CANTEEN))
    deliver(event.pk)
    before = list(workspace.calls)
    deliver(event.pk)
    give_up(event.pk, code="late")
    assert workspace.calls == before
    assert the_event().reply.state == Reply.State.POSTED


def test_in_a_direct_message_the_asker_alone_counts(heard: Heard, workspace: SlackServer) -> None:
    """Alice hears in private what she does not hear in front of Bob."""
    deliver(heard(direct(ASK_VAULT)).pk)
    assert "K7741" in shown(workspace, DIRECT)
    deliver(heard(mention(ASK_VAULT)).pk)
    assert not {"K7741", "Vault rules"} & set(shown(workspace).split())
    assert "K7741" not in shown(workspace)


@pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER, "U0GONE"])
def test_the_forbidden_document_leaves_no_trace(heard: Heard, workspace: SlackServer, user: str) -> None:
    """A person who may not read the document gets a refusal without a word of it."""
    deliver(heard(direct(ASK_VAULT, user=user)).pk)
    said = shown(workspace, DIRECT)
    assert "K7741" not in said
    assert "Vault rules" not in said
    assert "weekdays" not in said
    assert the_event().reply.state == Reply.State.POSTED


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no question."),
        ("  ", "There is no question."),
        ("a", "too short"),
        ("long " * 300, "1,000"),
    ],
    ids=["empty", "blank", "short", "long"],
)
def test_an_invalid_question_is_told_so(heard: Heard, workspace: SlackServer, text: str, sentence: str) -> None:
    """An empty, too short or too long question gets the sentence that says so, and its text is erased."""
    deliver(heard(mention(text)).pk)
    assert sentence in shown(workspace)
    event = the_event()
    assert (event.state, event.text, event.reply.state) == ("answered", "", "posted")


def test_questions_of_a_thread_share_a_conversation(heard: Heard) -> None:
    """The second question of a thread continues the first; another thread is another conversation."""
    for thread in ("1.1", "1.1", "2.2"):
        deliver(heard(mention(ASK_CANTEEN, thread_ts=thread)).pk)
    threads = [query.conversation.slack_thread for query in Query.objects.order_by("created_at")]
    assert threads == ["1.1", "1.1", "2.2"]
    assert Conversation.objects.count() == 2


def test_a_channel_that_is_switched_off_says_so(heard: Heard, workspace: SlackServer) -> None:
    """Nothing is asked and nothing of the documents is shown; direct messages go on."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, enabled=False)
    deliver(heard(mention(ASK_CANTEEN)).pk)
    assert SWITCHED_OFF in shown(workspace)
    assert not Query.objects.exists()
    deliver(heard(direct(ASK_CANTEEN)).pk)
    assert "soup" in shown(workspace, DIRECT)


class TestChangingReaders:
    """Tests that readers are determined again when the answer is ready."""

    def test_somebody_joins_while_the_answer_is_made(self, heard: Heard, workspace: SlackServer) -> None:
        """With Charlie in the channel the answer for Alice and Bob is not shown any more."""
        event = heard(mention(ASK_CANTEEN))

        def ask(question: str, **options: Any) -> Answer | Refusal:
            result = api.ask(question, **options)
            if CHARLIE not in workspace.members[CHANNEL]:
                assert isinstance(result, Answer)
                workspace.members[CHANNEL].append(CHARLIE)
            return result

        deliver(event.pk, ask=ask)
        assert "soup" not in shown(workspace)
        assert "Canteen" not in shown(workspace)
        assert the_event().reply.state == Reply.State.POSTED

    def test_a_grant_is_revoked_while_the_answer_is_made(
        self, heard: Heard, workspace: SlackServer, cast: Cast, library: dict[str, Document]
    ) -> None:
        """The same people, with one right less."""
        event = heard(direct(ASK_VAULT))

        def ask(question: str, **options: Any) -> Answer | Refusal:
            result = api.ask(question, **options)
            revoke(cast.owners, [library["vault"]], by=None)
            return result

        deliver(event.pk, ask=ask)
        assert "K7741" not in shown(workspace, DIRECT)

    def test_closest_passages_are_looked_at_again(
        self, heard: Heard, cast: Cast, library: dict[str, Document], settings: Settings
    ) -> None:
        """They are words of documents as an answer's are, though nothing is answered."""
        settings.ANSWER_FROM, settings.CLOSEST_FROM = 1.0, 0.0
        event = heard(direct(ASK_VAULT))

        def ask(question: str, **options: Any) -> Answer | Refusal:
            result = api.ask(question, **options)
            assert isinstance(result, Refusal)
            assert "K7741" in str(result.closest)
            revoke(cast.owners, [library["vault"]], by=None)
            return result

        result = find_result(find_client(TEAM), event.reply, ask=ask, on_step=lambda step: None)
        assert isinstance(result, Refusal)
        assert {citation.document_name for citation in result.closest} == {"Canteen rules"}

    def test_readers_who_never_settle_get_a_sentence(
        self, heard: Heard, cast: Cast, library: dict[str, Document]
    ) -> None:
        """After three rounds the reply says why, instead of asking for ever."""
        event = heard(direct(ASK_VAULT))
        rounds = 0

        def ask(question: str, **options: Any) -> Answer | Refusal:
            nonlocal rounds
            rounds += 1
            grant(cast.owners, [library["vault"]], by=None)
            result = api.ask(question, **options)
            revoke(cast.owners, [library["vault"]], by=None)
            return result

        with pytest.raises(AudienceChangedError):
            deliver(event.pk, ask=ask)
        assert rounds == 3
        assert Query.objects.count() == 3


class TestRestarts:
    """A worker may stop anywhere; the next attempt goes on, and the thread holds one message in the end."""

    def test_after_posting_before_storing(self, heard: Heard, workspace: SlackServer) -> None:
        """The placeholder reached Slack, its answer did not reach us: it is found, not posted again."""
        event = heard(mention(ASK_CANTEEN))
        workspace.messages[CHANNEL] += [{"ts": f"1700000400.{n:06d}", "thread_ts": event.ts} for n in range(5)]
        workspace.fail("chat.postMessage", Failure(error="", done=True, hang_up=True))
        with pytest.raises(SlackUnavailableError):
            deliver(event.pk)
        assert the_event().reply.ts == ""
        deliver(event.pk)
        assert len(workspace.called("chat.postMessage")) == 1
        assert "soup" in str(workspace.messages[CHANNEL][-1])
        assert the_event().reply.state == Reply.State.POSTED

    def test_before_posting(self, heard: Heard, workspace: SlackServer) -> None:
        """The placeholder did not reach Slack: it is posted by the next attempt."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.postMessage", Failure(error="", hang_up=True))
        with pytest.raises(SlackUnavailableError):
            deliver(event.pk)
        deliver(event.pk)
        assert "soup" in shown(workspace)

    def test_while_asking(self, heard: Heard, workspace: SlackServer) -> None:
        """The question is still there and is asked again."""
        event = heard(mention(ASK_CANTEEN))

        def stops(question: str, **_: Any) -> Answer | Refusal:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            deliver(event.pk, ask=stops)
        assert shown(workspace).startswith(progress_message("searching").text)
        deliver(event.pk)
        assert "soup" in shown(workspace)

    def test_after_asking_before_editing(self, heard: Heard, workspace: SlackServer) -> None:
        """The stored answer is shown; the model is not asked twice."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.update", Failure(error="", hang_up=True))
        with pytest.raises(SlackUnavailableError):
            deliver(event.pk)
        assert the_event().text == ""
        deliver(event.pk)
        assert "soup" in shown(workspace)
        assert Query.objects.count() == 1

    def test_after_editing_before_recording(self, heard: Heard, workspace: SlackServer) -> None:
        """The edit is made again with the same words."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.update", Failure(error="", done=True, hang_up=True))
        with pytest.raises(SlackUnavailableError):
            deliver(event.pk)
        before = shown(workspace)
        deliver(event.pk)
        assert shown(workspace) == before

    def test_the_stored_answer_is_checked_as_well(self, heard: Heard, workspace: SlackServer) -> None:
        """A person who joined between two attempts counts: the second attempt asks anew."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.update", Failure(error="internal_error"))
        with pytest.raises(SlackUnavailableError):
            deliver(event.pk)
        workspace.members[CHANNEL].append(CHARLIE)
        deliver(event.pk)
        assert "soup" not in shown(workspace)
        assert set(Query.objects.values_list("question_text", flat=True)) == {ASK_CANTEEN}

    def test_a_deleted_placeholder_is_posted_anew(self, heard: Heard, workspace: SlackServer) -> None:
        """Somebody deletes our message before it is edited."""
        event = heard(mention(ASK_CANTEEN))

        def ask(question: str, **options: Any) -> Answer | Refusal:
            workspace.messages[CHANNEL].clear()
            return api.ask(question, **options)

        with pytest.raises(SlackUnavailableError):
            deliver(event.pk, ask=ask)
        deliver(event.pk)
        assert "soup" in shown(workspace)

    def test_a_thread_that_may_not_be_read(self, heard: Heard, workspace: SlackServer) -> None:
        """Without the scope to look, a message too many is better than none."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.postMessage", Failure(error="", done=True, hang_up=True))
        workspace.fail("conversations.replies", Failure(error="missing_scope"))
        with pytest.raises(SlackUnavailableError):
            deliver(event.pk)
        deliver(event.pk)
        assert "soup" in str(workspace.messages[CHANNEL][-1])


class TestRefusals:
    """Tests of Slack's permanent and temporary refusals."""

    @pytest.mark.parametrize(
        "code", ["not_in_channel", "channel_not_found", "is_archived", "invalid_auth", "restricted_action"]
    )
    def test_a_refused_post_ends_the_reply(self, heard: Heard, workspace: SlackServer, code: str) -> None:
        """The reply is recorded as failed with Slack's code; the question stays, so that it can be tried again."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.postMessage", Failure(error=code), Failure(error=code))
        with pytest.raises(SlackRefusedError) as caught:
            deliver(event.pk)
        assert (caught.value.code, caught.value.retry) == (code, False)
        give_up(event.pk, code=code)
        event = the_event()
        assert (event.state, event.reply.state, event.reply.error_code) == ("failed", "failed", code)
        assert ASK_CANTEEN in event.text
        assert workspace.messages[CHANNEL] == []

    def test_a_refused_edit_becomes_an_apology(self, heard: Heard, workspace: SlackServer) -> None:
        """Blocks that Slack does not take leave no placeholder behind."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.update", *[Failure(error="invalid_blocks")] * 2)  # in older blocks neither
        with pytest.raises(SlackRefusedError):
            deliver(event.pk)
        give_up(event.pk, code="invalid_blocks")
        assert APOLOGY in shown(workspace)
        assert the_event().reply.error_code == "invalid_blocks"

    @pytest.mark.parametrize(
        "failure",
        [
            Failure(error="ratelimited", status=429, headers={"Retry-After": "30"}),
            Failure(error="internal_error"),
            Failure(error="fatal_error", status=500),
            Failure(error="service_unavailable", status=503),
            Failure(error="", hang_up=True),
            Failure(error="broken off", raw=b'{"ok": true,'),
            Failure(
                error="of a proxy", raw=b"<html><body>This page cannot be shown just now, says a proxy.</body></html>"
            ),
        ],
        ids=lambda failure: failure.error or "hang-up",
    )
    def test_a_passing_trouble_is_for_later(self, heard: Heard, workspace: SlackServer, failure: Failure) -> None:
        """The error says that it may be tried again, and no sooner than Slack asks for."""
        event = heard(mention(ASK_CANTEEN))
        workspace.fail("chat.postMessage", failure)
        with pytest.raises(SlackUnavailableError) as caught:
            deliver(event.pk)
        assert caught.value.retry
        assert caught.value.retry_after_s == float(failure.headers.get("Retry-After", 0))
        assert the_event().state == SlackEvent.State.RECEIVED

    def test_a_question_of_the_local_page_stays_there(self, heard: Heard, slack: SlackServer) -> None:
        """It is not answered in a real workspace that is configured later."""
        event = heard(mention(ASK_CANTEEN))
        SlackEvent.objects.filter(pk=event.pk).update(team_id="TLOCAL")
        with pytest.raises(UnknownTeamError):
            deliver(event.pk)
        give_up(event.pk, code="UnknownTeamError")
        assert slack.calls == []
        assert the_event().state == SlackEvent.State.FAILED


def test_the_rule_is_asked_for_the_readers_of_the_moment(heard: Heard, workspace: SlackServer, cast: Cast) -> None:
    """The audience given to `ask` is the channel's, never the asker's own."""
    event = heard(mention(ASK_VAULT))
    given: list[Any] = []

    def ask(question: str, **options: Any) -> Answer | Refusal:
        given.append((question, options["asker"].user_id, options["audience"]))
        return api.ask(question, **options)

    deliver(event.pk, ask=ask)
    assert given == [(ASK_VAULT, cast.alice.pk, cast.audience(cast.alice, cast.bob))]
