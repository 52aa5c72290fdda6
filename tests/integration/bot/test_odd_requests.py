"""Requests that are not as they should be: none is believed, none is lost, and none is the end of the bot."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from slack_bolt import App, BoltRequest, BoltResponse
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from bot import app as bot_app
from bot.app import TimedSocketMode, build_socket_mode_app
from bot.models import SlackEvent
from core.infrastructure.measures.families import REGISTRY
from core.testing import make_cast
from tests.integration.bot.conftest import ALICE, CHANNEL, direct, event_body, mention, signed, the_event
from tests.integration.bot.presses import dispatched
from tests.integration.bot.slack_server import TEAM, TOKEN, SlackServer

Send = Callable[..., BoltResponse]

pytestmark = pytest.mark.django_db


def stored() -> set[str]:
    return set(SlackEvent.objects.values_list("event_id", flat=True))


def without(body: dict[str, Any], *names: str) -> dict[str, Any]:
    """A body in which something is missing, from itself and from its event."""
    event = {name: value for name, value in body["event"].items() if name not in names}
    return {name: value for name, value in body.items() if name not in names} | {"event": event}


@contextmanager
def database_away() -> Iterator[None]:
    """Nobody listens where the database was."""
    pool = connection.settings_dict["OPTIONS"]["pool"]
    port, timeout = connection.settings_dict["PORT"], pool["timeout"]
    _reconnect(port="1", timeout=0.2)
    try:
        yield
    finally:
        _reconnect(port=port, timeout=timeout)


def _reconnect(*, port: Any, timeout: float) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined] # PostgreSQL's has one
    connection.settings_dict["PORT"] = port
    connection.settings_dict["OPTIONS"]["pool"]["timeout"] = timeout


@pytest.mark.parametrize("missing", ["x-slack-signature", "x-slack-request-timestamp"])
def test_one_header_of_two_is_not_believed(app: App, missing: str) -> None:
    """The signature needs its time, and the time its signature."""
    raw = json.dumps(mention("Open?"))
    headers = {name: value for name, value in signed(raw).items() if name != missing}
    assert app.dispatch(BoltRequest(body=raw, headers=headers)).status == 401
    assert stored() == set()


def test_a_replay_changes_nothing(app: App) -> None:
    """Within its five minutes a recorded request is known, after them refused."""
    raw = json.dumps(mention("Open?"))
    recorded = signed(raw)
    assert [app.dispatch(BoltRequest(body=raw, headers=recorded)).status for _ in range(2)] == [200, 200]
    assert SlackEvent.objects.count() == 1
    old = signed(raw, at=time.time() - 360)
    assert app.dispatch(BoltRequest(body=raw, headers=old)).status == 401


def test_a_retry_is_stored_when_the_first_was_lost(app: App) -> None:
    """X-Slack-Retry-Num says that Slack sent it before, not that we have it."""
    raw = json.dumps(mention("Open?"))
    for number in ("1", "2"):
        headers = signed(raw) | {"x-slack-retry-num": [number], "x-slack-retry-reason": ["http_timeout"]}
        assert app.dispatch(BoltRequest(body=raw, headers=headers)).status == 200
    assert the_event().state == SlackEvent.State.RECEIVED


def test_events_out_of_order_are_all_stored(send: Send) -> None:
    """A later message may come first: each is a question of its thread."""
    later, earlier = mention("And on Sunday?"), mention("When does it open?")
    later["event"]["ts"], earlier["event"]["ts"] = "1700000009.000001", "1700000001.000001"
    later["event"]["thread_ts"] = earlier["event"]["ts"]
    assert [send(body).status for body in (later, earlier)] == [200, 200]
    assert set(SlackEvent.objects.values_list("ts", "thread_ts")) == {
        ("1700000009.000001", "1700000001.000001"),
        ("1700000001.000001", "1700000001.000001"),
    }


@pytest.mark.parametrize("missing", ["event_id", "channel", "ts", "user", "team_id"])
@pytest.mark.parametrize("make", [mention, direct], ids=["mention", "direct message"])
def test_an_event_that_lacks_something_is_not_sent_again(
    send: Send, make: Callable[[str], dict[str, Any]], missing: str
) -> None:
    """It would be no better the next time: it is acknowledged, and not stored."""
    body = without(make("Open?"), missing)
    status = send(body).status
    if missing == "team_id":  # Bolt finds the team in the authorizations
        assert (status, len(stored())) == (200, 1)
    else:
        assert (status, stored()) == (200, set())


@pytest.mark.parametrize(
    "body",
    [
        event_body("star_added", text="", user=ALICE),
        event_body("message", text="", subtype="some_future_subtype", channel_type="channel"),
        event_body("app_rate_limited", text=""),
    ],
    ids=["unknown event", "unknown subtype", "rate limited"],
)
def test_an_unknown_event_is_acknowledged(send: Send, body: dict[str, Any]) -> None:
    """Slack counts what is not, and in the end sends nothing any more."""
    assert send(body).status == 200
    assert stored() == set()


class TestEndpoint:
    """POST /slack/events of the web process."""

    @pytest.fixture(autouse=True)
    def _own_app(self, slack: SlackServer) -> None:
        bot_app.get_app.cache_clear()

    def post(self, raw: str, **changed: str) -> Any:
        headers = {name: values[0] for name, values in signed(raw).items() if name != "content-type"} | changed
        client = Client(raise_request_exception=False)
        return client.post("/slack/events", data=raw, content_type="application/json", headers=headers, secure=True)

    def test_a_huge_body_is_refused(self) -> None:
        """Slack sends nothing like it; it is not read into memory."""
        assert self.post(json.dumps(mention("x" * 3_000_000))).status_code == 413
        assert stored() == set()

    @pytest.mark.parametrize("raw", ["[]", "null", '"text"', "7", "{}"])
    def test_json_of_another_form_is_no_fault_of_ours(self, raw: str) -> None:
        """Signed or not, it is refused, and nothing is stored."""
        assert self.post(raw).status_code in (400, 404)
        assert stored() == set()

    @pytest.mark.parametrize("timestamp", ["", "soon", "-1", "1.5", "9" * 30])
    def test_a_time_that_is_none_is_not_believed(self, timestamp: str) -> None:
        """Whatever the header says, the request is refused, and it is no fault of ours."""
        assert self.post(json.dumps(mention("Open?")), **{"x-slack-request-timestamp": timestamp}).status_code == 401
        assert stored() == set()

    def test_the_challenge_is_given_back(self) -> None:
        """Slack believes an address that repeats its challenge."""
        response = self.post(json.dumps({"type": "url_verification", "challenge": "c-4711", "token": "t"}))
        assert (response.status_code, "c-4711" in response.content.decode()) == (200, True)


@pytest.mark.django_db(transaction=True)
def test_while_the_database_is_away_nothing_is_acknowledged(send: Send) -> None:
    """Slack hears 500, and what it sends again is stored as soon as the database is back."""
    body = mention("Open?")
    with database_away():
        assert send(body).status == 500
    assert send(body).status == 200
    assert stored() == {body["event_id"]}


@pytest.mark.django_db(transaction=True)
def test_after_the_database_was_restarted_nothing_fails(send: Send) -> None:
    """Connections from before are noticed before they are used, or at the latest when Slack sends again."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined] # what other tests left in it is not what this is about
    send(mention("Open?"))
    connection.close()  # its own goes back to the pool
    parameters = connection.get_connection_params()
    parameters.pop("pool", None)
    with psycopg.connect(**parameters) as beside:
        beside.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    body = mention("And now?")
    assert 200 in (send(body).status for _ in range(4))  # Slack sends four times
    assert len(stored()) == 2


@pytest.mark.django_db(transaction=True)
def test_slow_clicks_do_not_keep_events_waiting(send: Send, app: App, workspace: SlackServer) -> None:
    """Thirty clicks are acknowledged and wait for Slack; a question is stored meanwhile."""
    workspace.delay_s["views.open"] = 1.5
    payload = {
        "type": "block_actions",
        "team": {"id": TEAM},
        "user": {"id": ALICE, "team_id": TEAM},
        "trigger_id": "1.2.abc",
        "container": {"type": "message", "message_ts": "2.2", "channel_id": CHANNEL},
        "actions": [{"type": "button", "action_id": "show_quotes", "block_id": "b", "value": "req_20990101_00000000"}],
    }
    for _ in range(30):
        assert dispatched(app, payload).status == 200
    assert send(mention("Open?")).status == 200
    assert len(workspace.called("views.open")) < 30
    assert len(stored()) == 1
    app.listener_runner.listener_executor.shutdown(wait=True)
    assert len(workspace.called("views.open")) == 30


def test_an_intake_takes_few_queries(send: Send, django_assert_num_queries: Any) -> None:
    """An event, a reply and a job are inserted between the ends of a transaction: here of a savepoint."""
    with django_assert_num_queries(5):
        send(mention("Open?"))


class Ear(SocketModeClient):
    """The SDK's client, not connected; it keeps what it would send."""

    def __init__(self) -> None:
        super().__init__(app_token=TOKEN)
        self.acknowledged: list[str] = []

    def send_socket_mode_response(self, response: Any) -> None:
        """Keep the acknowledgement."""
        assert isinstance(response, SocketModeResponse)
        self.acknowledged.append(response.envelope_id)


def count_timed() -> float:
    """Count the timed requests over Socket Mode."""
    return REGISTRY.get_sample_value("footnote_acknowledge_seconds_count", {"transport": "socket"}) or 0.0


@pytest.mark.django_db(transaction=True)
def test_socket_mode_outlives_the_database(slack: SlackServer) -> None:
    """An event is not acknowledged while it cannot be stored, and stored once when Slack sends it again."""
    make_cast()
    ear = Ear()
    handler = TimedSocketMode(build_socket_mode_app(), TOKEN)
    timed = count_timed()
    body = mention("Open?")

    def hear(envelope: str, attempt: int) -> None:
        request = SocketModeRequest(type="events_api", envelope_id=envelope, payload=body, retry_attempt=attempt)
        handler.handle(ear, request)

    with database_away():
        hear("1", 0)
    assert ear.acknowledged == []
    hear("2", 1)
    hear("3", 2)
    assert ear.acknowledged == ["2", "3"]
    assert count_timed() == timed + 3
    assert stored() == {body["event_id"]}
