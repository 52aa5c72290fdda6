"""A workspace on the local page: everyone in #general, Alice and Bob in #staff, Alice alone in #owners."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from slack_bolt import App
from slack_sdk import WebClient

from bot.app import get_app
from bot.slack import workspace as slack_workspace
from core.models import User
from core.testing import Cast
from slack_emulator.accounts import find_slack_id, open_direct_channel
from slack_emulator.models import LocalChannel, LocalMessage, add_message
from slack_emulator.seeding import SeedChannel, seed_workspace

Hearing = Callable[[Callable[[App], object]], None]
GENERAL, STAFF, OWNERS = "CGENERAL", "CSTAFF", "COWNERS"


@pytest.fixture(autouse=True)
def local_page(settings: Settings) -> Iterator[None]:
    """The local page plays Slack."""
    settings.LOCAL_PAGE = True
    settings.LOCAL_PAGE_TOKEN = "a-token-for-tests"
    settings.SLACK_BOT_TOKEN = ""
    settings.SECURE_SSL_REDIRECT = False
    settings.ROOT_URLCONF = "tests.integration.slack_emulator.urls"
    get_app.cache_clear()
    yield
    get_app.cache_clear()


@pytest.fixture
def workspace(cast: Cast) -> Cast:
    """The cast in its channels."""
    alice, bob, charlie = (person.email for person in (cast.alice, cast.bob, cast.charlie))
    seed_workspace(
        [
            SeedChannel(name="general", members=[alice, bob, charlie], suggestions=["How warm is the boiler?"]),
            SeedChannel(name="staff", members=[alice, bob], topic="Work"),
            SeedChannel(name="owners", members=[alice], is_private=True),
        ],
        direct_suggestions={bob: ["What may I read?"]},
    )
    return cast


@pytest.fixture
def slack(transactional_db: None, local_page: None, settings: Settings, workspace: Cast) -> Iterator[WebClient]:
    """The bot's own client, pointed at the page of a running web process.

    Not pytest-django's `live_server`: it starts once for all tests, before this folder's settings.
    """
    server = LiveServer("127.0.0.1")
    settings.PORT = urlsplit(server.url).port
    get_app.cache_clear()
    yield slack_workspace.get_client()
    server.stop()


@pytest.fixture
def hearing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hearing]:
    """Makes the bot hear what the test registers, and nothing else."""

    def hear(register: Callable[[App], object]) -> None:
        monkeypatch.setattr("bot.app.register", register)
        get_app.cache_clear()

    yield hear
    get_app.cache_clear()


@pytest.fixture
def browser() -> Client:
    """Requests as a browser on this machine makes them, once it was let in."""
    client = Client(headers={"host": "127.0.0.1"})
    client.get("/local/", {"token": "a-token-for-tests"})
    return client


def page_post(browser: Client, path: str, person: User, **body: Any) -> tuple[int, dict[str, Any]]:
    """Send a request of the page's script as that person; return the status and the answer."""
    response = browser.post(f"/local/{path}", {"as": find_slack_id(person), **body}, content_type="application/json")
    return response.status_code, response.json()


def page_state(browser: Client, person: User, channel_id: str = GENERAL, thread: str = "") -> dict[str, Any]:
    """Return the page's state for that person."""
    return dict(
        browser.get("/local/state", {"as": find_slack_id(person), "channel": channel_id, "thread": thread}).json()
    )


def say(person: User, text: str, channel_id: str = GENERAL, *, thread_ts: str = "") -> LocalMessage:
    """A message of a person's that the bot has not heard of."""
    return add_message(channel(channel_id), author=person, text=text, thread_ts=thread_ts)


def channel(channel_id: str) -> LocalChannel:
    """The channel of that id."""
    return LocalChannel.objects.get(channel_id=channel_id)


def direct_id(person: User) -> str:
    """The id of the person's direct messages with Footnote."""
    return open_direct_channel(person).channel_id
