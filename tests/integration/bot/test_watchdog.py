"""A connection that looks well and hears nothing is noticed, made anew, and in the end given up."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.socket_mode.builtin import SocketModeClient, connection

from bot import __main__ as main
from bot import app as bot_app
from bot import watchdog
from bot.app import TimedSocketMode
from bot.models import SocketHeartbeat
from bot.watchdog import Patience, watch
from tests.integration.bot.slack_server import TOKEN, Failure, SlackServer
from tests.integration.bot.socket_server import SocketServer, socket_server

LIMIT_S = 30.0
READ_S = 0.3
SHORT = Patience(look_every_s=0.1, silence_s=0.4, attempts=2)
NEVER_S = 600.0  # without pings slack_sdk does not connect anew by itself


@pytest.fixture(autouse=True)
def _short_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent connection is closed when a read of it ends, for which slack_sdk waits three seconds."""
    establish = connection._establish_new_socket_connection

    def establish_impatiently(*args: Any, **kwargs: Any) -> Any:
        established = establish(*args, **kwargs)
        established.settimeout(READ_S)
        return established

    monkeypatch.setattr(connection, "_establish_new_socket_connection", establish_impatiently)


@contextmanager
def connected(slack: SlackServer, server: SocketServer, *, ping_s: float) -> Iterator[SocketModeClient]:
    """A client of slack_sdk's, connected to the server."""
    slack.socket_url = server.url
    web = WebClient(token=TOKEN, base_url=slack.url, retry_handlers=[])
    client = SocketModeClient(app_token=TOKEN, web_client=web, ping_interval=ping_s)
    client.connect()
    try:
        yield client
    finally:
        server.close()  # before, or the client waits for its read to time out
        closing = threading.Thread(target=client.close)
        closing.start()
        while closing.is_alive():  # a session that begins in the moment of the close takes back that it has to end
            client.current_session_state.terminated = True
            closing.join(0.05)


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Set at the latest when a test would take too long."""
    event = threading.Event()
    timer = threading.Timer(LIMIT_S, event.set)
    timer.start()
    yield event
    timer.cancel()


def stop_after(stop: threading.Event, beats: int) -> Callable[[], None]:
    """A heartbeat that stops the watch once it has beaten so often."""
    left = iter(range(beats - 1))

    def beat() -> None:
        if next(left, None) is None:
            stop.set()

    return beat


def never() -> None:
    raise AssertionError("it was taken for alive")


def test_a_connection_that_answers_is_left_alone(slack: SlackServer, stop: threading.Event) -> None:
    """Each look at it is a heartbeat; there is one connection, and the stop is a good end."""
    with socket_server(True) as server, connected(slack, server, ping_s=0.05) as client:
        assert watch(client, stop, patience=SHORT, beat=stop_after(stop, 5))
        assert server.connections == 1


def test_a_connection_on_which_no_pong_ever_comes_is_made_anew(slack: SlackServer, stop: threading.Event) -> None:
    """slack_sdk waits for it for ever: for it the connection is active. The second one answers, and goes on."""
    with socket_server(False, True) as server, connected(slack, server, ping_s=0.05) as client:
        assert client.is_connected()
        patience = Patience(look_every_s=0.5, silence_s=1.0, attempts=9)  # slack_sdk needs a moment to change over
        assert watch(client, stop, patience=patience, beat=stop_after(stop, 1))
        assert server.connections > 1


def test_when_connecting_anew_does_not_help_it_gives_up(slack: SlackServer, stop: threading.Event) -> None:
    """After the attempts that it has, and says so by its result; not once was it alive."""
    with socket_server(False) as server, connected(slack, server, ping_s=NEVER_S) as client:
        assert not watch(client, stop, patience=SHORT, beat=never)
        assert not stop.is_set()
        assert server.connections == 1 + SHORT.attempts


def test_when_slack_gives_no_new_address_it_gives_up(slack: SlackServer, stop: threading.Event) -> None:
    """A refusal and an outage are failed attempts, not the end of the watch by an error."""
    with socket_server(False) as server, connected(slack, server, ping_s=NEVER_S) as client:
        slack.fail("apps.connections.open", Failure(error="invalid_auth"), Failure(error="fatal_error", status=503))
        assert not watch(client, stop, patience=SHORT, beat=never)
        assert server.connections == 1


def test_when_a_thread_of_the_client_has_ended_it_gives_up(slack: SlackServer, stop: threading.Event) -> None:
    """No connection helps when nobody takes from it."""
    with socket_server(True) as server, connected(slack, server, ping_s=0.05) as client:
        client.message_processor.event.set()
        client.closed = True
        client.message_processor.thread.join(LIMIT_S)
        assert not watch(client, stop, patience=SHORT, beat=lambda: None)


def test_a_process_that_cannot_hear_ends(
    slack: SlackServer, stop: threading.Event, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With an exit code of its own and a line that says so, for whatever starts it again."""
    handlers: list[TimedSocketMode] = []

    class Remembered(TimedSocketMode):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            handlers.append(self)

    monkeypatch.setattr(bot_app, "TimedSocketMode", Remembered)
    monkeypatch.setattr(watchdog, "Patience", lambda: SHORT)
    with socket_server(False) as server:
        slack.socket_url = server.url
        try:
            assert main._run_socket_mode(TOKEN, stop) == main.EXIT_DEAF
        finally:
            server.close()
            handlers[0].close()
    assert "Slack is not heard any more: this process ends, so that it is started anew" in caplog.messages


@pytest.mark.django_db
def test_the_heartbeat_is_one_row() -> None:
    """However often it beats."""
    SocketHeartbeat.beat()
    first = SocketHeartbeat.objects.get().alive_at
    SocketHeartbeat.beat()
    assert SocketHeartbeat.objects.get().alive_at > first
