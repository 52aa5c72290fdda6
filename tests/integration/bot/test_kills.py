"""A worker is killed at every step of answering; the next one goes on, and there is exactly one reply.

The worker is procrastinate's own, in a process that is ended with SIGKILL: nothing of it is cleaned up. What in life
takes half a minute, that a worker without a heartbeat counts as dead, is brought about by turning its clock back.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection
from procrastinate.contrib.django import app as procrastinate_app
from procrastinate.contrib.django.models import ProcrastinateJob

from bot import intake
from bot.delivery import after_reply, engine, reactions, results, streams, surfaces, unasked
from bot.delivery.surfaces import build_marker
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack import refused_blocks
from bot.slack.idempotent import IdempotentMessage
from core.asking.answering import pipeline
from core.asking.answering.searches import Searching
from core.infrastructure.queue import ANSWER
from core.models import ChannelSetting
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, DIRECT, direct, event_body, mention
from tests.integration.bot.killed import Killer, Step, after, before, mostly_slow
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.bot.worker import run_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast")]


@pytest.fixture(autouse=True)
def _library(transactional_db: None, cast: Cast, fast: None) -> None:
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])


# The steps of a reply in a channel, in their order.
STEPS = {
    "after the job was claimed": before(engine, "_begin_attempt"),
    "before the sign of work is posted": before(IdempotentMessage, "_post_message"),
    "after the sign of work was posted, before it is recorded": after(IdempotentMessage, "_post_message"),
    "after the sign of work was recorded": before(results, "_ask_core"),
    "after retrieval": after(Searching, "all_aspects"),
    "after the model": before(pipeline, "write"),
    "after the answer was stored": after(results, "_ask_core"),
    "before the answer is shown": before(IdempotentMessage, "edit"),
    "after the answer was shown, before it is recorded": after(surfaces.MessageSurface, "finish"),
    "after it was recorded": before(after_reply, "offer_private_answer"),
}
STREAM_STEPS = {
    "after the stream began, before it is recorded": before(streams.StreamSurface, "_record"),
    "while streaming": before(results, "_ask_core"),
    "before the stream ends": before(streams.StreamSurface, "_end_stream"),
    "after the stream ended, before it is edited": after(streams.StreamSurface, "_end_stream"),
    "after the stream was edited, before it is recorded": after(streams.StreamSurface, "finish"),
}


def ask(body: dict[str, Any], kind: SlackEvent.Kind) -> SlackEvent:
    """Somebody asks."""
    hear(body, kind)
    return SlackEvent.objects.get(event_id=body["event_id"])


def hear(body: dict[str, Any], kind: SlackEvent.Kind = SlackEvent.Kind.MENTION) -> None:
    """Slack says so."""
    intake.receive(build_incoming(body, team_id=TEAM, kind=kind))


def hand_on() -> None:
    """Let a minute pass: the dead worker is noticed, and another one takes its job."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '10 minutes'")
        cursor.execute("DELETE FROM procrastinate_jobs WHERE queueing_lock = 'bot.resume'")  # of a minute that began
    procrastinate_app.configure_task("bot.resume").defer(timestamp=0)
    run_worker()
    run_worker()


@pytest.mark.parametrize("step", mostly_slow(STEPS, always="after the answer was shown, before it is recorded"))
def test_a_killed_worker_leaves_one_reply_in_a_channel(workspace: SlackServer, killer: Killer, step: str) -> None:
    """Whatever it was at."""
    event = ask(mention(ASK_CANTEEN), SlackEvent.Kind.MENTION)
    killer.kill(run_worker, STEPS[step])
    hand_on()
    (message,) = workspace.messages[CHANNEL]
    assert "soup" in str(message["blocks"])
    assert "Canteen rules" in str(message["blocks"])
    reply = Reply.objects.get(event=event)
    assert (reply.state, reply.ts) == (Reply.State.POSTED, message["ts"])
    assert message["blocks"][0]["block_id"] == build_marker(reply)
    assert not ProcrastinateJob.objects.filter(task_name=ANSWER).exclude(status="succeeded").exists()


@pytest.mark.parametrize("step", mostly_slow(STREAM_STEPS, always="before the stream ends"))
def test_a_killed_worker_leaves_one_reply_in_direct_messages(workspace: SlackServer, killer: Killer, step: str) -> None:
    """Its stream has ended, and has the answer once."""
    event = ask(direct(ASK_CANTEEN), SlackEvent.Kind.DIRECT)
    killer.kill(run_worker, STREAM_STEPS[step])
    hand_on()
    (message,) = workspace.messages[DIRECT]
    shown = str(message["blocks"]) + ("" if "soup" in str(message["blocks"]) else message["text"])
    assert shown.count("serves soup at noon") == 1
    assert str(message["blocks"]).count("Canteen rules") == 1
    assert workspace.streams == set()
    assert Reply.objects.get(event=event).state == Reply.State.POSTED


@pytest.mark.parametrize("step", ["before the row", "after the row, before Slack hears of it"])
def test_a_killed_bot_loses_no_question_and_doubles_none(workspace: SlackServer, killer: Killer, step: str) -> None:
    """Slack sends again what was not acknowledged, and it is answered once."""
    body = mention(ASK_CANTEEN)
    killer.kill(
        partial(hear, body), before(intake, "_queue_answer") if step == "before the row" else after(intake, "receive")
    )
    assert SlackEvent.objects.count() == (0 if step == "before the row" else 1)
    hear(body)
    run_worker()
    (message,) = workspace.messages[CHANNEL]
    assert "soup" in str(message["blocks"])
    assert message["thread_ts"] == body["event"]["ts"]


def test_a_private_answer_is_said_once(workspace: SlackServer, killer: Killer) -> None:
    """Each message, which only the asker sees, replaces the one before."""
    incoming = intake.Incoming(
        event_id="cmd-1",
        team_id=TEAM,
        channel_id=CHANNEL,
        user_id=ALICE,
        kind=SlackEvent.Kind.PRIVATE,
        text=ASK_CANTEEN,
        response_url=workspace.response_url,
    )
    intake.receive(incoming)
    killer.kill(run_worker, after(surfaces.ResponseSurface, "finish"))
    hand_on()
    working, first, second = workspace.responses
    assert first == second
    assert first["replace_original"] is working["replace_original"] is True
    assert all(not messages for messages in workspace.messages.values())


REFUSED = frozenset({"context_actions", "card"})


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        (SlackEvent.Kind.MENTION, after),
        (SlackEvent.Kind.DIRECT, before),
        (SlackEvent.Kind.UNASKED, after),
        pytest.param(SlackEvent.Kind.MENTION, before, marks=pytest.mark.slow),
        pytest.param(SlackEvent.Kind.DIRECT, after, marks=pytest.mark.slow),
        pytest.param(SlackEvent.Kind.UNASKED, before, marks=pytest.mark.slow),
    ],
)
def test_a_worker_killed_after_its_blocks_were_refused_leaves_one_reply(
    workspace: SlackServer, killer: Killer, kind: SlackEvent.Kind, step: Callable[..., Step]
) -> None:
    """In the blocks that the workspace takes; what nobody asked for is posted at once, all else is edited."""
    workspace.refuses = REFUSED
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_unasked=True)
    said = {
        SlackEvent.Kind.MENTION: mention(ASK_CANTEEN),
        SlackEvent.Kind.DIRECT: direct(ASK_CANTEEN),
        SlackEvent.Kind.UNASKED: event_body("message", text=ASK_CANTEEN),
    }[kind]
    event = ask(said, kind)
    killer.kill(run_worker, step(refused_blocks, "_note_refusal"))
    hand_on()
    (message,) = workspace.messages[DIRECT if kind == SlackEvent.Kind.DIRECT else CHANNEL]
    assert "soup" in str(message["blocks"])
    assert "feedback_up" in str(message["blocks"])
    reply = Reply.objects.get(event=event)
    assert (reply.state, reply.ts) == (Reply.State.POSTED, message["ts"])
    assert message["blocks"][0]["block_id"] == build_marker(reply)
    assert not ProcrastinateJob.objects.filter(task_name=ANSWER).exclude(status="succeeded").exists()


REACTION_STEPS = {
    "before the message is read": before(reactions, "_find_message"),
    "after it was kept": after(reactions, "take_question"),
    **{step: STEPS[step] for step in list(STEPS)[2:6]},
}


@pytest.mark.parametrize("step", mostly_slow(REACTION_STEPS, always="after it was kept"))
def test_a_killed_worker_leaves_one_reply_to_an_emoji(workspace: SlackServer, killer: Killer, step: str) -> None:
    """In the thread of the message."""
    ts, began = "1600000000.000002", "1600000000.000001"
    workspace.messages[CHANNEL].append({"ts": ts, "thread_ts": began, "user": BOB, "text": ASK_CANTEEN})
    intake.receive(
        intake.Incoming(
            event_id="Ev1",
            team_id=TEAM,
            channel_id=CHANNEL,
            user_id=ALICE,
            kind=SlackEvent.Kind.REACTION,
            ts=ts,
            thread_ts=ts,
        )
    )
    killer.kill(run_worker, REACTION_STEPS[step])
    hand_on()
    _, message = workspace.messages[CHANNEL]
    assert ("soup" in str(message["blocks"]), message["thread_ts"]) == (True, began)
    assert Reply.objects.get().state == Reply.State.POSTED


UNASKED_STEPS = {
    "before the answer is found": before(results, "_ask_core"),
    "after the answer was stored": after(results, "_ask_core"),
    "before it is posted": before(IdempotentMessage, "_post_message"),
    "after it was posted, before that is recorded": after(IdempotentMessage, "_post_message"),
    "after that was recorded": after(surfaces.MessageSurface, "finish"),
    "at the end": after(unasked, "answer_if_sure"),
}


@pytest.mark.parametrize("is_sure", [True, False])
@pytest.mark.parametrize("step", mostly_slow(UNASKED_STEPS, always="after it was posted, before that is recorded"))
def test_a_killed_worker_leaves_one_answer_to_what_nobody_asked_or_none(
    workspace: SlackServer, killer: Killer, step: str, is_sure: bool
) -> None:
    """And no sign of work, whether it was killed or not."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_unasked=True)
    asked = ASK_CANTEEN if is_sure else "Who paints the lighthouse?"
    event = ask(event_body("message", text=asked), SlackEvent.Kind.UNASKED)
    if is_sure or step in list(UNASKED_STEPS)[:2]:
        killer.kill(run_worker, UNASKED_STEPS[step])
    hand_on()
    told = [message for channel in workspace.messages.values() for message in channel] + workspace.ephemeral
    assert ["soup" in str(message) for message in told] == [True] * is_sure
    assert not workspace.called("chat.update") or is_sure
    assert "Searching" not in str(workspace.calls)
    reply = Reply.objects.select_related("event").get(event=event)
    assert (reply.state, reply.event.text) == ("posted" if is_sure else "silent", "")
    assert not ProcrastinateJob.objects.filter(task_name=ANSWER).exclude(status="succeeded").exists()


@pytest.mark.parametrize("step", [before, after])
def test_a_command_is_told_once_where_its_answer_is(
    workspace: SlackServer, killer: Killer, step: Callable[..., Step]
) -> None:
    """By a worker that is killed right after it, and not at all by one that is killed before; there is one answer."""
    incoming = intake.Incoming(
        event_id="cmd-1",
        team_id=TEAM,
        channel_id=CHANNEL,
        user_id=ALICE,
        kind=SlackEvent.Kind.COMMAND,
        text=ASK_CANTEEN,
        note_url=workspace.response_url,
    )
    intake.receive(incoming)
    killer.kill(run_worker, step(after_reply, "point_to_reply"))
    hand_on()
    (message,) = workspace.messages[DIRECT]
    assert "soup" in str(message["blocks"])
    assert len(workspace.responses) == (1 if step is after else 0)
    assert Reply.objects.get().state == Reply.State.POSTED
