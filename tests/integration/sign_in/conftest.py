"""An administrator with a password that is quick to check, and a workspace of Slack's."""

import time
from collections.abc import Iterator

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from core.models import User
from tests.integration.bot.slack_server import TEAM, TOKEN, SlackServer

STEP_S = 30  # of a code
ENOUGH_S = 5.0  # in which a test gives it: no step but the present one counts
PASSWORD = "correct horse battery staple"
TEAM_CLAIM, ACCOUNT_CLAIM = "https://slack.com/team_id", "https://slack.com/user_id"  # of Slack's tokens
ELSEWHERE = "T0ELSEWHERE"  # a workspace that Footnote does not answer in


@pytest.fixture(autouse=True)
def _signing_in(settings: Settings) -> None:
    """Plain http."""
    settings.SECURE_SSL_REDIRECT = False
    cache.clear()  # of the codes that were used


@pytest.fixture
def dana(db: None) -> User:
    """Create a user of the admin."""
    return User.objects.create_superuser("dana@example.org", PASSWORD, display_name="Dana")


@pytest.fixture
def workspace(settings: Settings) -> Iterator[SlackServer]:
    """The workspace of the token in the settings, with its accounts."""
    with SlackServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL, settings.SLACK_BOT_TOKEN = server.url, TOKEN
        server.add_user("U1", "alice@example.com")
        server.add_user("U2", "dana@example.org")
        server.add_user("U3", "bob@example.com", is_restricted=True)
        server.add_user("U4", "bob@example.com", deleted=True)
        server.add_user("U5", "alice@example.com", enterprise_user={"teams": [TEAM, ELSEWHERE]})
        yield server


def reads_as(client: Client) -> str:
    """As whom the browser reads documents; empty where as nobody."""
    said = client.get("/sign-in/").content.decode()
    return said.partition("You read documents as ")[2].partition(".")[0]


def sign_in(client: Client, password: str = PASSWORD, email: str = "dana@example.org", **environ: str) -> int:
    """Send the form: 302 when it was right, 200 when the page is shown once more."""
    form = {"username": email, "password": password, "next": "/admin/"}
    return client.post("/admin/login/", form, **environ).status_code  # type: ignore[arg-type]


def is_in(client: Client) -> bool:
    """Return True if the browser may use the admin."""
    return client.get("/admin/").status_code == 200


def code_of(secret: str) -> str:
    """Return the authenticator app's code; near the end of its thirty seconds, the next one."""
    left = STEP_S - time.time() % STEP_S
    if left < ENOUGH_S:
        time.sleep(left)
    return format_hotp_value(hotp_value(secret, int(time.time()) // STEP_S))
