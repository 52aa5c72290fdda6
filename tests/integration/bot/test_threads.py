"""Test which messages in a channel's thread are for the bot."""

from collections.abc import Callable

import pytest
from slack_bolt import BoltResponse

from bot.channels.unmentioned import watch_thread
from bot.models import Reply, SlackEvent, WatchedThread
from core.models import ChannelSetting
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, event_body, mention
from tests.integration.bot.slack_server import BOT_USER, TEAM

Send = Callable[..., BoltResponse]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("slack")]


@pytest.fixture
def thread(send: Send) -> str:
    """A thread in which Alice has asked and the bot has answered."""
    body = mention("What does the canteen serve?")
    send(body)
    answer(body["event"]["ts"])
    return str(body["event"]["ts"])


def answer(thread: str) -> None:
    """The bot answers what was asked last."""
    reply = Reply.objects.filter(thread_ts=thread).latest("created_at")
    reply.ts = event_body("message", text="")["event"]["ts"]
    watch_thread(reply)


@pytest.fixture
def say(send: Send, thread: str) -> Callable[[str, str], bool]:
    """Somebody writes in the thread without a mention: whether the bot takes it for a question to it."""

    def say_and_look(user: str, text: str) -> bool:
        body = event_body("message", text=text, user=user, channel_type="channel", thread_ts=thread)
        assert send(body).status == 200
        return SlackEvent.objects.filter(event_id=body["event_id"], kind="follow_up").exists()

    return say_and_look


Say = Callable[[str, str], bool]


def test_a_question_after_our_answer_is_for_us(say: Say, thread: str) -> None:
    """Whoever asks it, and again before we have answered; it is answered in the thread."""
    assert say(ALICE, "And on Sundays?")
    assert say(ALICE, "What about bread")
    assert say(BOB, "who cooks there")
    replies = Reply.objects.filter(event__kind="follow_up")
    assert {(reply.channel_id, reply.thread_ts) for reply in replies} == {(CHANNEL, thread)}


def test_a_remark_is_heard_and_not_answered(say: Say) -> None:
    """Thanks get no answer, and the thanker may go on asking."""
    assert not say(ALICE, "Thanks, that helps!")
    assert say(ALICE, "And on Sundays?")


def test_people_who_talk_to_each_other_are_left_alone(say: Say, thread: str) -> None:
    """From the second speaker on, until we are mentioned again."""
    assert not say(ALICE, "Bob, look at this.")
    assert not say(BOB, "Why?")
    assert not say(ALICE, "Is it not odd?")
    assert not say(BOB, "Is it?")


def test_a_mention_brings_us_back(say: Say, send: Send, thread: str) -> None:
    """After our next answer follow-ups are ours again."""
    say(ALICE, "Bob, look at this.")
    say(BOB, "Why?")
    send(mention("What is served on Sundays?", thread_ts=thread))
    answer(thread)
    assert say(BOB, "And on Mondays?")


@pytest.mark.parametrize("other", [f"<@{CHARLIE}>", f"<@{BOB}|bob>", "<!subteam^S1|@cooks>", "<!here>"])
def test_a_question_to_somebody_else_is_not_for_us(say: Say, other: str) -> None:
    """A message that mentions another person, a group or everyone is for them."""
    assert not say(ALICE, f"{other} do you know more?")


def test_another_thread_is_not_ours(send: Send, thread: str) -> None:
    """Neither a thread that we are not in, nor the channel itself."""
    for fields in ({"thread_ts": "1699999999.000001"}, {}):
        send(event_body("message", text="And on Sundays?", channel_type="channel", **fields))
    assert not SlackEvent.objects.filter(kind="follow_up").exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"bot_id": "B1"},
        {"subtype": "message_changed"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message"},
        {"user": BOT_USER},
        {"user": "USLACKBOT"},
        {"hidden": True},
    ],
    ids=str,
)
def test_what_no_person_types_is_not_heard(send: Send, thread: str, fields: dict[str, object]) -> None:
    """Bots, edits, joins and our own messages neither get an answer nor count as speakers."""
    before = WatchedThread.objects.values().get()
    send(event_body("message", text="And on Sundays?", channel_type="channel", thread_ts=thread, **fields))
    assert not SlackEvent.objects.filter(kind="follow_up").exists()
    assert WatchedThread.objects.values().get() == before


def test_an_administrator_can_want_mentions(say: Say) -> None:
    """Per channel; the thread is watched all the same, so that the switch can be turned back."""
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, mention_only=True)
    assert not say(ALICE, "And on Sundays?")
    setting.mention_only = False
    setting.save()
    assert say(ALICE, "And on Sundays?")


def test_a_channel_that_is_switched_off_is_silent(say: Say) -> None:
    """A follow-up there does not even get the notice that answers are off: nobody asked us by name."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, enabled=False)
    assert not say(ALICE, "And on Sundays?")


def test_a_late_event_does_not_count(say: Say, send: Send, thread: str) -> None:
    """An event from before our last answer is not taken for a reaction to it."""
    late = event_body("message", text="And on Sundays?", channel_type="channel", thread_ts=thread)
    late["event"]["ts"] = f"{thread[:-6]}000000"
    send(late)
    assert not SlackEvent.objects.filter(kind="follow_up").exists()


def test_who_spoke_before_our_answer_was_noted_is_not_forgotten(say: Say, thread: str) -> None:
    """Slack shows an answer before we have noted it, and somebody may be quick."""
    assert say(BOB, "And on Sundays?")
    reply = Reply.objects.filter(thread_ts=thread).latest("created_at")
    reply.ts = event_body("message", text="")["event"]["ts"]
    assert not say(ALICE, "Bob, I had it yesterday.")
    watch_thread(reply)
    assert not say(BOB, "Was it any good?")
    assert not say(ALICE, "Is it ever?")


def test_nothing_of_a_remark_is_kept(say: Say) -> None:
    """The speaker and the time are kept, and not the words."""
    say(ALICE, "The canary sings at dawn.")
    assert "canary" not in str(list(WatchedThread.objects.values())) + str(list(SlackEvent.objects.values()))
