"""Test that expiring tokens are renewed in time, once, by one process, and losses are reported."""

import datetime as dt
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.fernet import Fernet
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse
from slack_sdk import WebClient

from bot.models import Installation, SlackEvent
from bot.slack.encryption import decrypt, encrypt
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.renewal import MARGIN, MARGIN_ON_USE
from bot.slack.workspace import UnknownTeamError, find_client, renew_tokens
from core.models import AuditEvent, User
from tests.integration.bot.conftest import SECRET, mention
from tests.integration.bot.grid_server import LIFE_S, GridServer
from tests.integration.bot.killed import Killer, after
from tests.integration.bot.slack_server import TEAM, Failure

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[3]
KEY = Fernet.generate_key().decode()
SECOND_TEAM = "T0SECOND"
# A process that says when it is ready, and asks for the token of a team when it is told to.
PROCESS = """
import django, sys
django.setup()
from bot.slack.workspace import find_client
print("ready", flush=True)
sys.stdin.readline()
print(find_client(sys.argv[1]).token, flush=True)
"""

Send = Callable[..., BoltResponse]


@pytest.fixture
def slack(settings: Settings) -> Iterator[GridServer]:
    """A Slack whose tokens expire, with an app that workspaces install by OAuth."""
    with GridServer() as server:
        settings.LOCAL_PAGE = False
        settings.SLACK_API_URL = server.url
        settings.SLACK_SIGNING_SECRET = SECRET
        settings.SLACK_BOT_TOKEN = ""
        settings.SLACK_CLIENT_ID, _, settings.SLACK_CLIENT_SECRET = server.client.partition(":")
        settings.SLACK_TOKEN_KEYS = [KEY]
        settings.SECURE_SSL_REDIRECT = False
        server.tokens.clear()
        yield server


def add(slack: GridServer, expires_in: dt.timedelta, team: str = TEAM) -> tuple[Installation, str]:
    """Add an installation whose token expires then. Returns it and its token."""
    token, refresh_token = slack.add_pair(team)
    row = Installation.objects.create(
        team_id=team,
        bot_user_id="U0BOT",
        encrypted_token=encrypt(token),
        encrypted_refresh_token=encrypt(refresh_token),
        token_expires_at=timezone.now() + expires_in,
        installed_at=timezone.now(),
    )
    return row, token


def of(row: Installation) -> tuple[bool, str]:
    """Return whether an installation is in use, and why not, as the database has it."""
    row.refresh_from_db()
    return row.is_active, row.ended_because


def test_installing_stores_what_renews_the_token(slack: GridServer, caplog: pytest.LogCaptureFixture) -> None:
    """Encrypted, with its end; neither token is in the database, on the page or in a log line."""
    caplog.set_level(logging.DEBUG)
    token, refresh_token = slack.add_pair(TEAM)
    slack.add_code("code", team=TEAM, token=token, refresh_token=refresh_token, expires_in=LIFE_S)
    browser = Client()
    browser.force_login(User.objects.create_superuser("root@example.com"))
    state = parse_qs(urlsplit(browser.get("/slack/install")["Location"]).query)["state"][0]
    page = browser.get("/slack/oauth_redirect", {"state": state, "code": "code"})
    row = Installation.objects.get()
    assert decrypt(row.encrypted_refresh_token) == refresh_token
    assert row.token_expires_at is not None
    assert dt.timedelta(hours=11) < row.token_expires_at - timezone.now() < dt.timedelta(hours=13)
    Installation.objects.update(token_expires_at=timezone.now() + MARGIN)
    renew_tokens()
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(i)::text FROM bot_installation i")
        stored = cursor.fetchone()[0]
    assert slack.exchanged == [refresh_token]
    for secret in (*slack.tokens, *slack.refresh_tokens, refresh_token):
        assert secret not in stored + page.content.decode() + caplog.text + repr(row.__dict__)


def test_what_expires_before_long_is_renewed(slack: GridServer) -> None:
    """And nothing else; each once, and the next time with what came of it."""
    soon, first = add(slack, MARGIN - dt.timedelta(seconds=1))
    add(slack, MARGIN + dt.timedelta(minutes=1), SECOND_TEAM)
    renew_tokens()
    renew_tokens()
    second = find_client(TEAM).token
    assert (slack.exchanged, second != first, slack.tokens[second or ""]) == (["xoxe-refresh-1"], True, TEAM)
    Installation.objects.filter(pk=soon.pk).update(token_expires_at=timezone.now())
    renew_tokens()
    assert slack.exchanged[1:] == ["xoxe-refresh-3"]
    assert find_client(TEAM).token not in (first, second)


def test_who_uses_a_token_renews_it_when_no_worker_has(slack: GridServer) -> None:
    """Shortly before its end alone, and not inside of a transaction, which could roll back what Slack would not."""
    row, token = add(slack, MARGIN_ON_USE + dt.timedelta(minutes=1))
    assert find_client(TEAM).token == token
    Installation.objects.filter(pk=row.pk).update(token_expires_at=timezone.now() + MARGIN_ON_USE)
    with transaction.atomic():
        assert find_client(TEAM).token == token
    assert slack.exchanged == []
    assert find_client(TEAM).token != token
    assert slack.exchanged == ["xoxe-refresh-1"]


def test_acknowledging_waits_for_no_renewal(slack: GridServer, send: Send) -> None:
    """Slack waits for it: an event is stored though the token is over and Slack's Web API away."""
    add(slack, dt.timedelta(hours=-1))
    slack.fail("oauth.v2.access", *[Failure(error="", hang_up=True)] * 3)
    assert send(mention("When does the canteen open?")).status == 200
    assert SlackEvent.objects.get().team_id == TEAM
    assert slack.exchanged == []


def test_two_processes_at_the_same_moment_exchange_once(slack: GridServer) -> None:
    """The second waits for the first, and goes on with what that has stored."""
    add(slack, dt.timedelta(seconds=30))
    slack.delay_s["oauth.v2.access"] = 1.0
    database = urlsplit(django_settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    told = {
        "DATABASE_URL": database,
        "SLACK_API_URL": slack.url,
        "SLACK_BOT_TOKEN": "",
        "SLACK_CLIENT_ID": django_settings.SLACK_CLIENT_ID,
        "SLACK_CLIENT_SECRET": django_settings.SLACK_CLIENT_SECRET,
        "SLACK_TOKEN_KEYS": KEY,
        "DJANGO_SETTINGS_MODULE": "adminsite.settings",
    }
    command, pipe = [sys.executable, "-c", PROCESS, TEAM], subprocess.PIPE
    options: dict[str, Any] = {"cwd": ROOT, "env": {**os.environ, **told}, "stdin": pipe, "stdout": pipe, "text": True}
    with subprocess.Popen(command, **options) as one, subprocess.Popen(command, **options) as other:
        both = (one, other)
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in both:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        found = {process.communicate(timeout=60)[0] for process in both}
    assert slack.exchanged == ["xoxe-refresh-1"]
    assert found == {"xoxe.xoxb-token-2\n"}


def test_a_pair_that_is_lost_ends_the_installation_with_words(slack: GridServer, killer: Killer) -> None:
    """A process dies after Slack's answer: nothing is stored, and the next exchange is refused.

    The audit trail and the admin say why, and what to do; the team's next call is refused, and installing again helps.
    """
    row, _ = add(slack, dt.timedelta(minutes=1))
    killer.kill(renew_tokens, after(WebClient, "oauth_v2_access"))
    assert slack.exchanged == ["xoxe-refresh-1"]
    assert of(row) == (True, "")
    renew_tokens()
    assert slack.exchanged == ["xoxe-refresh-1"] * 2
    assert of(row) == (False, "invalid_refresh_token")
    assert (row.encrypted_token, row.encrypted_refresh_token, row.token_expires_at) == ("", "", None)
    audit = AuditEvent.objects.get(action="end_installation")
    assert (audit.object_id, audit.details) == (TEAM, {"because": "invalid_refresh_token"})
    with pytest.raises(UnknownTeamError):
        find_client(TEAM)
    browser = Client()
    browser.force_login(User.objects.create_superuser("root@example.com"))
    assert "install again" in browser.get("/admin/bot/installation/").content.decode()
    page = browser.get(f"/admin/bot/installation/{row.pk}/change/").content.decode()
    assert "Install the app again: Slack does not accept the token" in page
    renew_tokens()
    assert len(slack.exchanged) == 2


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (Failure(error="", hang_up=True), SlackUnavailableError),
        (Failure(error="ratelimited", status=429, headers={"Retry-After": "1"}), SlackUnavailableError),
        (Failure(error="fatal_error"), SlackUnavailableError),
        (Failure(error="", raw=b'{"ok": true}'), SlackUnavailableError),
        (Failure(error="bad_client_secret"), SlackRefusedError),
    ],
    ids=["hung up", "ratelimited", "fatal_error", "an answer without tokens", "bad_client_secret"],
)
def test_a_failure_is_tried_again(slack: GridServer, failure: Failure, raised: type[Exception]) -> None:
    """While the old token works it is used; after that who needs it hears so. Nothing of the installation changes."""
    row, token = add(slack, dt.timedelta(minutes=1))
    slack.fail("oauth.v2.access", *[failure] * 3)
    renew_tokens()
    assert find_client(TEAM).token == token
    Installation.objects.filter(pk=row.pk).update(token_expires_at=timezone.now())
    with pytest.raises(raised):
        find_client(TEAM)
    assert of(row) == (True, "")
    browser = Client()
    browser.force_login(User.objects.create_superuser("root@example.com"))
    assert "token expired" in browser.get("/admin/bot/installation/").content.decode()
    renew_tokens()
    assert find_client(TEAM).token == "xoxe.xoxb-token-2"
    assert "token expired" not in browser.get("/admin/bot/installation/").content.decode()


def test_what_renews_a_token_changes_its_key_with_it(slack: GridServer, settings: Settings) -> None:
    """Else the installation would end with the old key."""
    add(slack, dt.timedelta(minutes=1))
    new = Fernet.generate_key().decode()
    settings.SLACK_TOKEN_KEYS = [new, KEY]
    call_command("reencrypt_slack_tokens", stdout=StringIO())
    settings.SLACK_TOKEN_KEYS = [new]
    renew_tokens()
    assert find_client(TEAM).token == "xoxe.xoxb-token-2"


def test_without_the_key_nothing_is_exchanged(slack: GridServer, settings: Settings) -> None:
    """A token that could not be stored is not asked for; the others are renewed all the same."""
    lost, _ = add(slack, dt.timedelta(minutes=1))
    settings.SLACK_TOKEN_KEYS = [Fernet.generate_key().decode()]
    add(slack, dt.timedelta(minutes=2), SECOND_TEAM)
    renew_tokens()
    assert slack.exchanged == ["xoxe-refresh-2"]
    assert of(lost) == (True, "")
