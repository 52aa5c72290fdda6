"""In a channel that wants it, plain questions are answered when that is sure, and else there is no sign of us."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse

from bot.delivery.engine import deliver, give_up
from bot.delivery.results import Ask
from bot.intake import take_up_again
from bot.models import Reply, SlackEvent, Upload, WatchedThread
from bot.slack.errors import SlackUnavailableError
from core.access.grants import revoke
from core.api import ask, recent_questions
from core.infrastructure.queue import ANSWER
from core.models import Answer as AnswerRow
from core.models import ChannelSetting, Document, Query
from core.quality.gaps.candidates import select_unanswered
from core.testing import Cast, make_document
from core.types import Answer, ConfidenceLevel, Refusal
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, direct, event_body, mention
from tests.integration.bot.ends import refused, unsure
from tests.integration.bot.sentences import ASK_CANTEEN, ASK_VAULT, CANTEEN, VAULT
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fast", "workspace")]

Send = Callable[[dict[str, Any]], BoltResponse]
ASKS_AND_TELLS = {"chat.postMessage", "chat.update", "chat.postEphemeral", "chat.startStream", "conversations.open"}


@pytest.fixture(autouse=True)
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners]),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
    }


@pytest.fixture(autouse=True)
def setting(db: None) -> ChannelSetting:
    return ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_unasked=True)


def plain(text: str, **fields: Any) -> dict[str, Any]:
    """A message in the channel that mentions nobody, unless it does."""
    return event_body("message", text=text, **({"channel_type": "channel"} | fields))


def high(question: str, **options: Any) -> Answer | Refusal:
    """Asks, and is sure of the answer."""
    return sure_by(ConfidenceLevel.HIGH)(question, **options)


def sure_by(level: ConfidenceLevel) -> Ask:
    """Asks, and is as sure of the answer, also where it is read again."""

    def asking(question: str, **options: Any) -> Answer | Refusal:
        result = ask(question, **options)
        if isinstance(result, Answer):
            AnswerRow.objects.filter(query=result.query_id).update(confidence_level=level.value)
        return replace(result, confidence_level=level)

    return asking


def heard(send: Send, text: str = ASK_CANTEEN, **fields: Any) -> SlackEvent:
    """A plain question, stored."""
    body = plain(text, **fields)
    assert send(body).status == 200
    return SlackEvent.objects.get(event_id=body["event_id"])


def said(slack: SlackServer) -> list[dict[str, Any]]:
    """Return all messages to anybody."""
    messages = [message for channel in slack.messages.values() for message in channel]
    return [*messages, *slack.ephemeral, *slack.responses]


def ended(event: SlackEvent) -> tuple[str, str, str, str]:
    """Return how the event ended: its state, the reply's state, the code, and the remaining text."""
    reply = Reply.objects.select_related("event").get(event=event)
    return reply.event.state, reply.state, reply.error_code, reply.event.text


def test_a_sure_answer_is_posted_once_in_the_thread(send: Send, workspace: SlackServer, cast: Cast) -> None:
    """As one message and by one call, with the lines below every answer; then the thread is ours as any other."""
    event = heard(send)
    assert (event.kind, event.user_id, event.thread_ts) == ("unasked", ALICE, event.ts)
    for _ in range(2):
        deliver(event.pk, ask=high)
    (message,) = said(workspace)
    assert (message["thread_ts"], "soup" in str(message["blocks"])) == (event.ts, True)
    assert "feedback_buttons" in str(message["blocks"])
    assert [name for name, _ in workspace.calls if name in ASKS_AND_TELLS] == ["chat.postMessage"]
    assert ended(event) == ("answered", "posted", "", "")
    assert WatchedThread.objects.get().thread_ts == event.ts
    assert [recent.question for recent in recent_questions(cast.alice.pk, audience=cast.audience(cast.alice))] == [
        ASK_CANTEEN
    ]


@pytest.mark.parametrize(
    "asking",
    [refused, sure_by(ConfidenceLevel.MEDIUM), sure_by(ConfidenceLevel.LOW), sure_by(ConfidenceLevel.INSUFFICIENT)],
    ids=["a refusal", "medium", "low", "insufficient"],
)
def test_what_is_not_sure_is_not_said(send: Send, workspace: SlackServer, cast: Cast, asking: Ask) -> None:
    """Nothing is posted, edited or sent to anybody alone; it is no failure, and no recent question of Alice's."""
    event = heard(send)
    deliver(event.pk, ask=asking)
    deliver(event.pk, ask=high)
    assert said(workspace) == []
    assert {name for name, _ in workspace.calls} & ASKS_AND_TELLS == set()
    assert ended(event) == ("silent", "silent", "not_sure", "")
    assert not WatchedThread.objects.exists()
    assert Query.objects.get().question_text == ASK_CANTEEN  # logged as every question
    assert recent_questions(cast.alice.pk, audience=cast.audience(cast.alice)) == ()
    assert not select_unanswered().exists()


def test_closest_passages_are_no_answer(send: Send, workspace: SlackServer, library: dict[str, Document]) -> None:
    """Nobody gets them either."""
    event = heard(send)
    deliver(event.pk, ask=unsure([library["canteen"]]))
    assert (said(workspace), ended(event)[2]) == ([], "not_sure")


def test_what_not_all_may_read_is_not_said(send: Send, workspace: SlackServer) -> None:
    """Nor is Alice, who may, offered it: she has not asked us."""
    event = heard(send, ASK_VAULT)
    deliver(event.pk)
    assert (said(workspace), ended(event)[2]) == ([], "not_sure")


def test_who_reads_it_is_asked_again_before_it_is_posted(send: Send, workspace: SlackServer) -> None:
    """Charlie joins while the answer is found."""
    event = heard(send)

    def ask_and_let_in(question: str, **options: Any) -> Answer | Refusal:
        result = high(question, **options)
        workspace.members[CHANNEL].append(CHARLIE)
        return result

    deliver(event.pk, ask=ask_and_let_in)
    assert (said(workspace), ended(event)[1]) == ([], "silent")


def test_readers_that_keep_changing_are_told_nothing(send: Send, workspace: SlackServer, cast: Cast) -> None:
    """An asker would get an apology here."""
    event = heard(send)

    def ask_and_hide(question: str, **options: Any) -> Answer | Refusal:
        """Revoke the documents found, and create as many others."""
        old = list(Document.objects.filter(title__startswith="Canteen"))
        result = high(question, **options)
        revoke(cast.staff, old, by=None)
        make_document(f"Canteen rules {Query.objects.count()}", CANTEEN, roles=[cast.staff])
        return result

    deliver(event.pk, ask=ask_and_hide)
    assert (said(workspace), ended(event)) == ([], ("silent", "silent", "audience_changed", ""))


@pytest.mark.parametrize(
    "text",
    [
        "Lunch is at noon.",
        "and soup",
        "thanks!",
        "Hello everyone, how are you?",
        ":tada: ??",
        "See <https://x.example/?page=1|the plan>",
        "<@U0BOB> what does the canteen serve?",
        "<!here> what does the canteen serve?",
        "<!subteam^S1> what does the canteen serve?",
        "",
    ],
)
def test_what_is_no_question_to_everyone_is_not_stored(send: Send, workspace: SlackServer, text: str) -> None:
    """A remark, thanks, a link, and whatever is said to somebody."""
    assert send(plain(text)).status == 200
    assert (SlackEvent.objects.count(), workspace.calls) == (0, [])


@pytest.mark.parametrize(
    "fields",
    [
        {"thread_ts": "1600000000.000001"},
        {"subtype": "thread_broadcast", "thread_ts": "1600000000.000001"},
        {"subtype": "channel_topic"},
        {"bot_id": "B0OTHER"},
        {"user": BOT_USER},
        {"subtype": "file_share", "files": [{"id": "F1"}]},
        {"channel": "C0OTHER"},
    ],
    ids=str,
)
def test_it_stands_at_the_top_of_the_channel_and_is_a_persons(send: Send, fields: dict[str, Any]) -> None:
    """In a thread people speak to each other, and files are for them too."""
    assert send(plain(ASK_CANTEEN, **fields)).status == 200
    assert not SlackEvent.objects.exists()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("changed", [{"answers_unasked": False}, {"enabled": False}])
def test_an_administrator_decides(
    send: Send, workspace: SlackServer, setting: ChannelSetting, changed: dict[str, bool]
) -> None:
    """Also after it was heard."""
    event = heard(send)
    ChannelSetting.objects.filter(pk=setting.pk).update(**changed)
    deliver(event.pk, ask=high)
    assert (said(workspace), ended(event)) == ([], ("silent", "silent", "switched_off", ""))
    send(plain(ASK_CANTEEN))
    assert SlackEvent.objects.count() == 1


def test_it_excludes_mention_only(setting: ChannelSetting) -> None:
    """In the database too."""
    with pytest.raises(IntegrityError), transaction.atomic():
        ChannelSetting.objects.filter(pk=setting.pk).update(mention_only=True)


def test_nobody_learns_by_a_quota_what_was_overheard(send: Send, workspace: SlackServer, settings: Settings) -> None:
    """An overheard question is silent over the quota, and counts for nobody who asks."""
    settings.SLACK_PERSON_QUOTA, settings.SLACK_CHANNEL_QUOTA = "2/hour", "2/hour"
    events = [heard(send) for _ in range(3)]
    for event in events:
        deliver(event.pk, ask=refused)
    assert [ended(event)[2] for event in events] == ["not_sure", "not_sure", "over_quota"]
    assert said(workspace) == []
    for body in (mention(ASK_CANTEEN), mention(ASK_CANTEEN)):
        send(body)
        deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk)
    assert all("soup" in str(message) for message in said(workspace))
    over = heard(send)
    deliver(over.pk, ask=high)
    assert (ended(over)[2], len(said(workspace))) == ("over_quota", 2)


def test_a_message_is_heard_once(send: Send) -> None:
    """However often Slack sends it, with one job in the line of its thread."""
    body = plain(ASK_CANTEEN)
    for _ in range(3):
        assert send(body).status == 200
    (job,) = ProcrastinateJob.objects.filter(task_name=ANSWER)
    assert job.lock is not None
    assert job.lock.endswith(f"{CHANNEL}/{body['event']['ts']}")


@pytest.mark.parametrize("code", ["fault", "ratelimited"])
def test_a_failure_is_silent_too(send: Send, workspace: SlackServer, code: str) -> None:
    """It is recorded, without the words: nobody has asked for another attempt."""
    event = heard(send)
    give_up(event.pk, code=code)
    assert (said(workspace), ended(event)) == ([], ("failed", "failed", code, ""))
    assert not take_up_again(Reply.objects.get(event=event).pk)


def test_slack_away_is_waited_for_in_silence(send: Send, workspace: SlackServer) -> None:
    """The answer is posted once in the end, also when the post that broke off had gone through."""
    event = heard(send)
    workspace.fail("chat.postMessage", Failure(error="", hang_up=True, done=True))
    with pytest.raises(SlackUnavailableError):
        deliver(event.pk, ask=high)
    deliver(event.pk, ask=high)
    (message,) = said(workspace)
    assert "soup" in str(message)
    assert ended(event) == ("answered", "posted", "", "")
    assert not Query.objects.filter(is_overheard=True).exists()


def test_what_was_posted_is_not_unsaid(send: Send, workspace: SlackServer) -> None:
    """A second attempt finds the message, and asks nothing anew though who reads has changed."""
    event = heard(send)
    workspace.fail("chat.postMessage", Failure(error="", hang_up=True, done=True))
    with pytest.raises(SlackUnavailableError):
        deliver(event.pk, ask=high)
    workspace.members[CHANNEL].append(CHARLIE)
    deliver(event.pk, ask=refused)
    assert (len(said(workspace)), ended(event)[1]) == (1, "posted")


class TestEmoji:
    """The emoji that asks, on a message that was overheard."""

    @pytest.fixture(autouse=True)
    def _emoji(self, settings: Settings, slack: SlackServer) -> None:
        settings.SLACK_ASK_EMOJI = "eyes"

    def react(self, send: Send, slack: SlackServer, event: SlackEvent) -> SlackEvent:
        """Bob adds it."""
        slack.messages[CHANNEL].insert(0, {"ts": event.ts, "user": ALICE, "text": ASK_CANTEEN})
        body = event_body("reaction_added", text="", user=BOB)
        item = {"type": "message", "channel": CHANNEL, "ts": event.ts}
        body["event"] = {"type": "reaction_added", "user": BOB, "reaction": "eyes", "item_user": ALICE, "item": item}
        assert send(body).status == 200
        return SlackEvent.objects.get(event_id=body["event_id"])

    def test_it_asks_what_we_were_silent_about(self, send: Send, workspace: SlackServer) -> None:
        """And is answered, as a question of the one who added it."""
        event = heard(send)
        deliver(event.pk, ask=refused)
        deliver(self.react(send, workspace, event).pk, ask=refused)
        assert len(said(workspace)) == 2  # the message, and our refusal

    def test_it_asks_nothing_that_we_have_answered(self, send: Send, workspace: SlackServer) -> None:
        """Once per message."""
        event = heard(send)
        deliver(event.pk, ask=high)
        reaction = self.react(send, workspace, event)
        deliver(reaction.pk, ask=high)
        assert (len(said(workspace)), ended(reaction)[1]) == (2, "silent")

    def test_who_asks_is_answered_in_place_of_who_does_not(self, send: Send, workspace: SlackServer) -> None:
        """The emoji came before the worker."""
        event = heard(send)
        deliver(self.react(send, workspace, event).pk, ask=high)
        deliver(event.pk, ask=high)
        assert (len(said(workspace)), ended(event)[2]) == (2, "asked")


def test_in_direct_messages_everything_is_asked(send: Send) -> None:
    """And mentions are in the channel, whatever is set there."""
    for body in (direct(ASK_CANTEEN), mention(ASK_CANTEEN)):
        send(body)
    assert set(SlackEvent.objects.values_list("kind", flat=True)) == {"direct", "mention"}
