"""Test that each event is stored once, with its job, before Slack hears that it arrived."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from slack_bolt import App, BoltRequest, BoltResponse

from bot import app as bot_app
from bot.models import Reply, SlackEvent
from core.infrastructure.queue import ANSWER
from tests.integration.bot.conftest import CHANNEL, DIRECT, direct, event_body, mention, signed, the_event
from tests.integration.bot.slack_server import BOT_USER, TEAM, SlackServer

Send = Callable[..., BoltResponse]

pytestmark = pytest.mark.django_db


def stored() -> set[str]:
    return set(SlackEvent.objects.values_list("event_id", flat=True))


def test_a_mention_is_stored_with_its_reply_and_its_job(send: Send, slack: SlackServer) -> None:
    """One event, one pending reply in the message's own thread, one job that names the event; Slack is not called."""
    body = mention("When does the canteen open?")
    assert send(body).status == 200
    event = the_event()
    assert (event.event_id, event.team_id, event.channel_id) == (body["event_id"], TEAM, CHANNEL)
    assert (event.kind, event.state) == ("mention", "received")
    assert (event.reply.state, event.reply.thread_ts, event.reply.ts) == ("pending", event.ts, "")
    job = ProcrastinateJob.objects.get(task_name=ANSWER)
    assert (job.task_name, job.args) == (ANSWER, {"event": str(event.pk)})
    assert slack.calls == []


def test_a_direct_message_is_a_question(send: Send) -> None:
    """A message in a direct channel is stored as such."""
    assert send(direct("When does the canteen open?")).status == 200
    assert the_event().kind == SlackEvent.Kind.DIRECT


def test_a_reply_in_a_thread_is_answered_in_that_thread(send: Send) -> None:
    """The reply belongs to the thread that the question was asked in."""
    send(mention("And on Sunday?", thread_ts="1699999999.000001"))
    assert the_event().reply.thread_ts == "1699999999.000001"


def test_questions_of_one_thread_are_answered_in_order(send: Send) -> None:
    """Jobs of the same thread share a lock; another thread has another one."""
    for thread in ("1.1", "1.1", "2.2"):
        send(mention("Again?", thread_ts=thread))
    locks = list(ProcrastinateJob.objects.order_by("id").values_list("lock", flat=True))
    assert locks[0] == locks[1] != locks[2]


def test_a_repeated_event_is_stored_once(send: Send) -> None:
    """Slack's retry of the same event is acknowledged and changes nothing."""
    body = mention("When does the canteen open?")
    assert [send(body).status for _ in range(3)] == [200, 200, 200]
    assert (SlackEvent.objects.count(), Reply.objects.count(), ProcrastinateJob.objects.count()) == (1, 1, 1)


@pytest.mark.parametrize("first", ["message", "app_mention"])
def test_a_mention_told_in_two_events_is_stored_once(send: Send, first: str) -> None:
    """A mention comes as `message` and as `app_mention` with one ts, in any order."""
    pair = [mention("Open?"), event_body("message", text=f"<@{BOT_USER}> Open?", channel_type="channel")]
    pair[1]["event"]["ts"] = pair[0]["event"]["ts"]
    for body in sorted(pair, key=lambda body: body["event"]["type"] != first):
        assert send(body).status == 200
    assert the_event().kind == SlackEvent.Kind.MENTION
    assert ProcrastinateJob.objects.count() == 1


def test_the_same_ts_in_another_channel_is_another_message(send: Send) -> None:
    """A ts names a message within its channel only."""
    bodies = [mention("Open?"), mention("Open?", channel="C0OTHER")]
    bodies[1]["event"]["ts"] = bodies[0]["event"]["ts"]
    for body in bodies:
        send(body)
    assert stored() == {body["event_id"] for body in bodies}


@pytest.mark.parametrize(
    "body",
    [
        direct("I am a bot", bot_id="B0OTHER", subtype="bot_message"),
        direct("I am an app", bot_id="B0OTHER"),
        direct("I am you", user=BOT_USER),
        direct("edited", subtype="message_changed", hidden=True),
        direct("", subtype="message_deleted", hidden=True),
        direct("joined", subtype="channel_join"),
        direct("topic", subtype="channel_topic"),
        direct("reminder", user="USLACKBOT"),
        {**direct("nobody"), "event": {"type": "message", "channel": DIRECT, "channel_type": "im", "ts": "1.1"}},
        event_body("message", text="Just talking", channel_type="channel"),
        event_body("message", text="Just talking in a thread", channel_type="channel", thread_ts="1.1"),
        event_body("message", text="We talk as a group", channel_type="mpim"),
        event_body("message", text="<@U0OTHER> hello", channel_type="channel"),
        mention("a bot mentions us", bot_id="B0OTHER"),
    ],
    ids=lambda body: str(body["event"].get("text") or body["event"].get("subtype") or "no author"),
)
def test_what_is_no_question_is_acknowledged_and_forgotten(send: Send, body: dict[str, Any]) -> None:
    """Bots, ourselves, edits, notices and talk among people are acknowledged; nothing is stored."""
    assert send(body).status == 200
    assert stored() == set()


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
def test_a_message_with_a_file_or_shown_in_the_channel_is_a_question(send: Send, subtype: str) -> None:
    """These two subtypes are messages that a person typed."""
    send(direct("What does this say?", subtype=subtype))
    assert the_event().text == "What does this say?"


@pytest.mark.parametrize("text", ["", "   ", "x" * 50_000, "nul \x00 inside"])
def test_any_text_is_stored(send: Send, text: str) -> None:
    """Empty, very long and odd text reaches the row: the asker is to hear what is wrong with it."""
    assert send(direct(text)).status == 200
    assert the_event().text == text.replace("\x00", "")


def test_a_wrong_signature_is_refused(send: Send) -> None:
    """A request signed with another secret is refused and not stored."""
    assert send(mention("Open?"), secret="another").status == 401
    assert stored() == set()


def test_a_changed_body_is_refused(app: App) -> None:
    """A signature holds for the very bytes it was made for."""
    raw = json.dumps(mention("Open?"))
    headers = signed(raw)
    assert app.dispatch(BoltRequest(body=raw.replace("Open", "Shut"), headers=headers)).status == 401
    assert stored() == set()


@pytest.mark.parametrize("offset_s", [-301, 301])
def test_an_old_or_future_request_is_refused(send: Send, offset_s: int) -> None:
    """More than five minutes from now a signature is worth nothing."""
    assert send(mention("Open?"), at=time.time() + offset_s).status == 401
    assert stored() == set()


def test_an_unsigned_request_is_refused(app: App) -> None:
    """Without headers nothing is believed."""
    assert app.dispatch(BoltRequest(body=json.dumps(mention("Open?")), headers={})).status == 401
    assert stored() == set()


def test_a_team_that_is_not_ours_is_not_stored(send: Send) -> None:
    """The local page's team is refused while a real workspace is configured."""
    body = mention("Open?")
    body["team_id"] = body["authorizations"][0]["team_id"] = "TLOCAL"
    send(body)
    assert stored() == set()


@pytest.mark.django_db(transaction=True)
def test_an_event_that_cannot_be_stored_is_not_acknowledged(
    send: Send, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With the queue's table away the row is taken back and Slack hears 500, so that it sends the event again."""
    body = mention("a secret canary K4711")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE procrastinate_jobs RENAME TO procrastinate_jobs_away")
        try:
            assert send(body).status == 500
        finally:
            cursor.execute("ALTER TABLE procrastinate_jobs_away RENAME TO procrastinate_jobs")
    assert stored() == set()
    assert "K4711" not in caplog.text + str([vars(record) for record in caplog.records])
    assert send(body).status == 200
    assert stored() == {body["event_id"]}


class TestEndpoint:
    """POST /slack/events of the web process."""

    @pytest.fixture(autouse=True)
    def _own_app(self, slack: SlackServer) -> None:
        bot_app.get_app.cache_clear()

    def post(self, raw: str | bytes, headers: dict[str, list[str]]) -> int:
        named = {name: values[0] for name, values in headers.items() if name != "content-type"}
        response = Client(enforce_csrf_checks=True).post(
            "/slack/events", data=raw, content_type="application/json", headers=named, secure=True
        )
        return response.status_code

    def test_a_signed_event_is_stored(self) -> None:
        """No CSRF token is asked of Slack."""
        raw = json.dumps(mention("Open?"))
        assert self.post(raw, signed(raw)) == 200
        assert SlackEvent.objects.count() == 1

    def test_the_url_is_verified(self) -> None:
        """Slack's challenge is answered."""
        raw = json.dumps({"type": "url_verification", "challenge": "c1", "token": "t"})
        assert self.post(raw, signed(raw)) == 200

    @pytest.mark.parametrize("raw", [b"{not json", b"\xff\xfe", b""])
    def test_garbage_is_refused(self, raw: bytes) -> None:
        """A body that is neither UTF-8 nor JSON is a bad request, not a fault of ours."""
        assert self.post(raw, signed("x")) in (400, 401)

    def test_without_a_secret_nothing_is_believed(self, settings: Any) -> None:
        """An installation without a signing secret hears nothing over HTTP, however it is signed."""
        settings.SLACK_SIGNING_SECRET = ""
        raw = json.dumps(mention("Open?"))
        assert self.post(raw, signed(raw)) == 404
        assert stored() == set()

    def test_only_post(self) -> None:
        """There is nothing to get."""
        assert Client().get("/slack/events", secure=True).status_code == 405
