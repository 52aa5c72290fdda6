"""A workspace with Alice, Bob, Charlie and a channel, and Slack's signature under what is sent to the bot."""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from pytest_django.fixtures import Settings
from slack_bolt import App, BoltRequest, BoltResponse
from slack_bolt.lazy_listener.thread_runner import ThreadLazyListenerRunner
from slack_sdk.signature import SignatureVerifier

from bot.app import build_app
from bot.delivery import sessions
from bot.models import SlackEvent
from bot.slack import refused_blocks
from core.testing import Cast
from tests.integration.bot.killed import Killer
from tests.integration.bot.slack_server import BOT_USER, TEAM, TOKEN, SlackServer
from tests.job_queue import empty_queue

SECRET = "signing-secret-of-the-tests"
CHANNEL = "C0GENERAL"
DIRECT = "D0ALICE"
ALICE, BOB, CHARLIE, STRANGER = "U0ALICE", "U0BOB", "U0CHARLIE", "U0STRANGER"

_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def _empty_queue(db: None) -> Iterator[None]:
    """Before and after each test the queue is empty."""
    empty_queue()
    yield
    empty_queue()


@pytest.fixture
def slack(settings: Settings) -> Iterator[SlackServer]:
    """A server that plays Slack, which the settings point to."""
    with SlackServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL = server.url
        settings.SLACK_BOT_TOKEN = TOKEN
        settings.SLACK_SIGNING_SECRET = SECRET
        settings.GUEST_ROLE = ""
        sessions._refused.clear()  # what another test's server refused
        refused_blocks._refused.clear()
        yield server


@pytest.fixture
def workspace(slack: SlackServer, cast: Cast) -> SlackServer:
    """Alice and Bob are in #general with the bot; Charlie and a stranger have accounts."""
    slack.add_user(BOT_USER, None, is_bot=True)
    slack.add_user(ALICE, "Alice@Example.COM")
    slack.add_user(BOB, "bob@example.com")
    slack.add_user(CHARLIE, "charlie@example.com")
    slack.add_user(STRANGER, "nobody@elsewhere.example")
    slack.members[CHANNEL] = [ALICE, BOT_USER, BOB]
    return slack


@pytest.fixture
def app(slack: SlackServer) -> App:
    """The Bolt app, as the web process builds it."""
    return build_app()


@pytest.fixture(scope="session")
def killer(django_db_setup: None) -> Iterator[Killer]:
    """Starts processes that are killed."""
    with Killer.started() as process:
        yield process


class _AtOnce(Executor):
    """Runs what it is given in the thread that gives it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run, and be done."""
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@pytest.fixture
def prompt_app(app: App) -> App:
    """The app, which does at once what it usually does in other threads, and so sees what is not committed."""
    runner = app.listener_runner
    runner.lazy_listener_runner = ThreadLazyListenerRunner(logger=runner.logger, executor=_AtOnce())
    return app


@pytest.fixture
def send(app: App) -> Callable[..., BoltResponse]:
    """Return a function that sends a body as Slack does over HTTP: signed, now, unless set otherwise."""

    def sign_and_dispatch(body: dict[str, Any], *, secret: str = SECRET, at: float | None = None) -> BoltResponse:
        raw = json.dumps(body)
        return app.dispatch(BoltRequest(body=raw, headers=signed(raw, secret=secret, at=at)))

    return sign_and_dispatch


def signed(raw: str, *, secret: str = SECRET, at: float | None = None) -> dict[str, Any]:
    """Slack's headers for a raw body."""
    timestamp = str(int(at or time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=raw)
    return {
        "content-type": ["application/json"],
        "x-slack-request-timestamp": [timestamp],
        "x-slack-signature": [signature],
    }


def event_body(kind: str, *, text: str, user: str = ALICE, channel: str = CHANNEL, **fields: Any) -> dict[str, Any]:
    """An event as Slack wraps it, with an id and a ts of its own."""
    number = next(_numbers)
    ts = f"1700000000.{number:06d}"
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "api_app_id": "A0APP",
        "event_id": f"Ev{number:08d}",
        "event_time": 1700000000,
        "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True, "enterprise_id": None}],
        "event": {"type": kind, "channel": channel, "user": user, "text": text, "ts": ts, "event_ts": ts} | fields,
    }


def mention(text: str, **fields: Any) -> dict[str, Any]:
    """A mention in the channel."""
    return event_body("app_mention", text=f"<@{BOT_USER}> {text}", **fields)


def direct(text: str, **fields: Any) -> dict[str, Any]:
    """A direct message."""
    return event_body("message", **({"text": text, "channel": DIRECT, "channel_type": "im"} | fields))


def the_event() -> SlackEvent:
    """The only event that is stored."""
    return SlackEvent.objects.select_related("reply").get()
