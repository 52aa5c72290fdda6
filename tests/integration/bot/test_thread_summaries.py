"""Whoever asks in a thread what was decided gets the words of those who wrote there, and nothing of them is kept."""

from typing import Any

import pytest
from django.apps import apps
from django.db import models

from bot.blocks.thread_summary import NO_DECISION, NOTHING_SAID, UNREADABLE
from bot.delivery.engine import deliver
from bot.intake import receive
from bot.listeners.message_events import build_incoming
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackUnavailableError
from core.models import Query
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, direct, mention
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import BOT_USER, TEAM, Failure, SlackServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

ROOT = "1600000000.000001"
DECIDED = "OK: we decided to paint the zeppelin blue <https://evil.example/x|here> & green."


def write(slack: SlackServer, text: str, *, user: str = BOB, number: int = 1, **fields: Any) -> str:
    """Let somebody write in the thread, or in another place."""
    ts = f"1600000000.{number:06d}"
    message = {"ts": ts, "thread_ts": ROOT, "user": user, "text": text, "type": "message"} | fields
    slack.messages[CHANNEL].append(message)
    return ts


def ask(text: str, **fields: Any) -> Reply:
    """Let Alice ask in the thread, and the worker reply."""
    body = mention(text, user=ALICE, **{"thread_ts": ROOT} | fields)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
    event = SlackEvent.objects.get(event_id=body["event_id"])
    deliver(event.pk)
    return Reply.objects.get(event=event)


def last_blocks(slack: SlackServer) -> str:
    """Return what the bot said last, as Slack got it."""
    return str(slack.messages[CHANNEL][-1]["blocks"])


def test_a_decision_is_quoted_with_its_author_and_link(workspace: SlackServer) -> None:
    """Show the words as they were written: no link or mention of theirs works, and only the permalink is a link."""
    write(workspace, "What colour for the zeppelin?", user=ALICE)
    ts = write(workspace, DECIDED, number=2)
    reply = ask("what was decided here?")
    said = last_blocks(workspace)
    assert "OK: we decided to paint the zeppelin blue here &amp; green." in said
    assert f"<@{BOB}>" in said
    assert f"https://test.slack.com/archives/{CHANNEL}/p{ts.replace('.', '')}" in said
    assert "evil.example" not in said
    assert (reply.state, reply.event.state, reply.error_code) == ("posted", "answered", "thread_summary")
    assert workspace.messages[CHANNEL][-1]["thread_ts"] == ROOT


def test_an_address_that_is_not_slacks_is_no_link(workspace: SlackServer) -> None:
    """Quote the words without it."""
    write(workspace, DECIDED)
    elsewhere = b'{"ok": true, "permalink": "https://slack.com.evil.example/archives/C0GENERAL/p1"}'
    workspace.fail("chat.getPermalink", Failure(error="", raw=elsewhere))
    ask("what was decided here?")
    assert "paint the zeppelin blue" in last_blocks(workspace)
    assert "evil.example" not in last_blocks(workspace)


def test_nothing_of_the_thread_is_stored(workspace: SlackServer) -> None:
    """Look into every column of text of every table."""
    write(workspace, DECIDED)
    ask("what was decided here?")
    assert Query.objects.count() == 0
    for model in apps.get_models():
        if not model._meta.managed or model._meta.proxy:
            continue
        names = [f.name for f in model._meta.concrete_fields if isinstance(f, models.CharField | models.TextField)]
        for name in names:
            assert not model._base_manager.filter(**{f"{name}__icontains": "zeppelin"}).exists(), (model, name)


def test_what_bots_wrote_is_not_quoted(workspace: SlackServer) -> None:
    """Leave out Footnote's own answers, whose readers were others, and the messages of other bots."""
    write(workspace, "We decided to sell the zeppelin.", user=BOT_USER)
    write(workspace, "We decided to burn the zeppelin.", user="U0OTHER", bot_id="B0OTHER", number=2)
    write(workspace, "joined and we decided to go", subtype="channel_join", number=3)
    ask("what was decided here?")
    assert NOTHING_SAID in last_blocks(workspace)


def test_where_nothing_was_decided_that_is_said(workspace: SlackServer) -> None:
    """Say it above the main points."""
    write(workspace, "The printer is broken again and Acme knows it.")
    ask("what was decided here?")
    assert NO_DECISION in last_blocks(workspace)
    assert "The printer is broken again and Acme knows it." in last_blocks(workspace)


def test_other_threads_and_later_messages_are_left_out(workspace: SlackServer) -> None:
    """Read the thread of the question, up to the question."""
    write(workspace, "We decided on red.", thread_ts="1600000000.000009", number=9)
    write(workspace, "We decided on blue.", ts="1900000000.000001")
    ask("what was decided here?")
    assert NOTHING_SAID in last_blocks(workspace)


def test_a_thread_that_cannot_be_read_is_said_to_be_so(workspace: SlackServer) -> None:
    """Say what helps."""
    workspace.fail("conversations.replies", Failure(error="not_in_channel"))
    ask("summarize this thread")
    assert UNREADABLE in last_blocks(workspace)


def test_a_question_about_documents_is_answered_from_documents(workspace: SlackServer, cast: Cast) -> None:
    """In a thread as well."""
    make_document("Canteen rules", CANTEEN, roles=[cast.staff])
    write(workspace, DECIDED)
    reply = ask(ASK_CANTEEN)
    assert reply.query is not None
    assert "zeppelin" not in last_blocks(workspace)


@pytest.mark.usefixtures("workspace")
def test_the_first_message_of_a_thread_is_a_question() -> None:
    """Sum up nothing where there is nothing above."""
    reply = ask("what was decided here?", thread_ts=None)
    assert reply.error_code != "thread_summary"


def test_direct_messages_have_no_thread_of_people(workspace: SlackServer) -> None:
    """Take it as a question there."""
    body = direct("what was decided here?", user=BOB, thread_ts=ROOT)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.DIRECT))
    event = SlackEvent.objects.get(event_id=body["event_id"])
    deliver(event.pk)
    assert Reply.objects.get(event=event).error_code != "thread_summary"


def test_a_second_attempt_says_the_same_once(workspace: SlackServer) -> None:
    """Post one message, also where the first attempt broke off after the sign of work."""
    write(workspace, DECIDED)
    body = mention("what was decided here?", user=ALICE, thread_ts=ROOT)
    receive(build_incoming(body, team_id=TEAM, kind=SlackEvent.Kind.MENTION))
    event = SlackEvent.objects.get(event_id=body["event_id"])
    workspace.fail("chat.update", Failure(error="", hang_up=True))
    with pytest.raises(SlackUnavailableError):
        deliver(event.pk)
    deliver(event.pk)
    ours = [m for m in workspace.messages[CHANNEL] if m.get("user") == BOT_USER]
    assert len(ours) == 1
    assert "zeppelin" in str(ours[0]["blocks"])
