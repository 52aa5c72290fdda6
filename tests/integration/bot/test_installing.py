"""Installing the app in many workspaces: by an administrator's browser alone, each with a token of its own."""

import datetime as dt
import logging
import time
from collections.abc import Callable
from importlib import import_module
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings
from slack_bolt import BoltResponse

from bot.app import build_app
from bot.identity import audiences
from bot.installations import manifest, oauth
from bot.models import Installation, SlackEvent
from bot.slack.encryption import NoTokenKeyError, UnreadableTokenError, decrypt, encrypt
from bot.slack.workspace import UnknownTeamError, find_client
from core.models import AuditEvent, SlackIdentity, SlackWorkspace, User
from core.testing import Cast
from core.types import Audience
from tests.integration.bot.conftest import ALICE, event_body, mention
from tests.integration.bot.slack_server import TEAM, TOKEN, Failure, SlackServer

pytestmark = pytest.mark.django_db

SECOND_TEAM, SECOND_TOKEN = "T0SECOND", "xoxb-of-the-second-team"
KEY = Fernet.generate_key().decode()

Send = Callable[..., BoltResponse]


@pytest.fixture(autouse=True)
def many(slack: SlackServer, settings: Settings) -> SlackServer:
    """An app that workspaces install by OAuth."""
    settings.SLACK_BOT_TOKEN = ""
    settings.SLACK_CLIENT_ID, _, settings.SLACK_CLIENT_SECRET = slack.client.partition(":")
    settings.SLACK_TOKEN_KEYS = [KEY]
    settings.SECURE_SSL_REDIRECT = False
    slack.tokens.clear()
    return slack


@pytest.fixture
def administrator(db: None) -> User:
    return User.objects.create_superuser("root@example.com")


@pytest.fixture
def browser(administrator: User) -> Client:
    """The administrator's browser."""
    client = Client()
    client.force_login(administrator)
    return client


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Whatever any logger says."""
    caplog.set_level(logging.DEBUG)
    return caplog


def begin(browser: Client) -> str:
    """Go to the page that begins, and return the state that Slack is given."""
    response = browser.get("/slack/install")
    assert response.status_code == 302
    return parse_qs(urlsplit(response["Location"]).query)["state"][0]


def come_back(browser: Client, **query: str) -> HttpResponse:
    """Slack sends the browser back."""
    response: HttpResponse = browser.get("/slack/oauth_redirect", query)
    return response


def install(
    browser: Client, slack: SlackServer, *, team: str = TEAM, token: str = TOKEN, **fields: Any
) -> HttpResponse:
    """The whole way, with a code that Slack knows."""
    slack.add_code(f"code-{token}", team=team, token=token, **fields)
    return come_back(browser, state=begin(browser), code=f"code-{token}")


def test_who_may_install_but_not_decide_who_reads_does_not(many: SlackServer) -> None:
    """A workspace's addresses say who its people are: to connect one is to decide who reads."""
    desk = User.objects.create_user("desk@example.com", is_staff=True)
    desk.user_permissions.add(Permission.objects.get(codename="add_installation"))
    client = Client()
    client.force_login(desk)
    assert client.get("/slack/install").status_code == 403
    assert client.get("/slack/oauth_redirect", {"code": "x", "state": "y"}).status_code == 403
    desk.user_permissions.add(Permission.objects.get(codename="decide_who_reads"))
    assert client.get("/slack/install").status_code == 302


def test_an_administrator_installs_the_app(browser: Client, administrator: User, many: SlackServer) -> None:
    """Slack's address names the app and every scope of the manifest; then there is an installation with its token."""
    sent = browser.get("/slack/install")["Location"]
    asked = parse_qs(urlsplit(sent).query)
    assert sent.startswith("https://slack.com/oauth/v2/authorize?")
    assert asked["client_id"] == ["client-id"]
    assert asked["scope"] == [",".join(manifest.list_bot_scopes())]
    response = install(browser, many)
    assert response.status_code == 200
    assert "Workspace T0TEST" in response.content.decode()
    installation = Installation.objects.get()
    assert (installation.team_id, installation.team_name) == (TEAM, "Workspace T0TEST")
    assert (installation.bot_user_id, installation.bot_id, installation.app_id) == ("U0BOT", "B0BOT", "A0APP")
    assert (installation.scopes, installation.installed_by) == ("app_mentions:read,chat:write", "U0INSTALLER")
    assert installation.is_active
    assert find_client(TEAM).token == TOKEN
    audit = AuditEvent.objects.get(action="install")
    assert (audit.actor, audit.object_id) == (administrator, TEAM)


def test_the_token_is_nowhere_in_the_clear(
    browser: Client, many: SlackServer, logged: pytest.LogCaptureFixture
) -> None:
    """Not in the database, not on the page, not in a log line, not in what the row prints."""
    response = install(browser, many)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(i)::text FROM bot_installation i")
        (row,) = cursor.fetchone()
    installation = Installation.objects.get()
    assert TOKEN not in row
    assert TOKEN not in response.content.decode()
    assert TOKEN not in logged.text
    assert TOKEN not in f"{installation!r} {installation} {installation.__dict__}"
    assert decrypt(installation.encrypted_token) == TOKEN


@pytest.mark.parametrize("path", ["/slack/install", "/slack/oauth_redirect"])
def test_nobody_else_installs(path: str, cast: Cast, client: Client, browser: Client, settings: Settings) -> None:
    """A stranger is sent to sign in, a person without the permission is refused, and without OAuth there is no page."""
    assert client.get(path)["Location"].startswith("/admin/login/")
    client.force_login(cast.alice)
    assert client.get(path).status_code == 403
    settings.SLACK_CLIENT_SECRET = ""
    assert browser.get(path).status_code == 404
    assert not Installation.objects.exists()


class TestRefused:
    """Ways in which an installation ends without one."""

    def refused(self, response: HttpResponse, words: str) -> None:
        assert response.status_code == 400
        assert words in response.content.decode()
        assert not Installation.objects.exists()

    def test_a_state_that_was_never_issued(self, browser: Client, many: SlackServer) -> None:
        """Somebody else's link does not install their workspace with our administrator's hands."""
        many.add_code("code", team=TEAM, token=TOKEN)
        begin(browser)
        self.refused(come_back(browser, state="guessed", code="code"), "started in another browser")
        browser.cookies["slack-app-oauth-state"] = "guessed"
        self.refused(come_back(browser, state="guessed", code="code"), "started in another browser")
        assert many.called("oauth.v2.access") == []

    def test_a_state_is_used_once(self, browser: Client, many: SlackServer) -> None:
        """The second return with it is refused."""
        state = begin(browser)
        come_back(browser, state=state, code="wrong")
        many.add_code("code", team=TEAM, token=TOKEN)
        self.refused(come_back(browser, state=state, code="code"), "started in another browser")

    def test_the_state_of_another_browser(self, browser: Client, many: SlackServer, client: Client) -> None:
        """Even with the cookie a session that did not begin cannot end."""
        many.add_code("code", team=TEAM, token=TOKEN)
        state = begin(browser)
        client.force_login(User.objects.create_superuser("other@example.com"))
        client.cookies["slack-app-oauth-state"] = state
        self.refused(come_back(client, state=state, code="code"), "started in another browser")

    def test_a_state_that_is_too_old(self, browser: Client, many: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
        """After ten minutes one has to begin again."""
        many.add_code("code", team=TEAM, token=TOKEN)
        state = begin(browser)
        later = time.time() + oauth.STATE_LIFE_S + 1
        monkeypatch.setattr(oauth.time, "time", lambda: later)
        self.refused(come_back(browser, state=state, code="code"), "started in another browser")

    def test_a_person_who_says_no(self, browser: Client) -> None:
        """Slack names the reason; one that it does not know is not repeated."""
        self.refused(come_back(browser, error="access_denied", state=begin(browser)), "did not allow Footnote")
        said = come_back(browser, error="<script>alert(1)</script>", state=begin(browser))
        self.refused(said, "Slack ended the installation")
        assert "alert(1)" not in said.content.decode()

    def test_a_code_that_slack_does_not_know(
        self, browser: Client, logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is not logged either, also where something has switched all loggers on."""
        for _ in range(2):
            said = come_back(browser, state=begin(browser), code="code-that-is-wrong")
            self.refused(said, "did not accept the code")
            for name in list(logging.root.manager.loggerDict):
                monkeypatch.setattr(logging.getLogger(name), "disabled", False)
        self.refused(come_back(browser, state=begin(browser)), "not send a code")
        ours = [record.getMessage() for record in logged.records if record.name.startswith(("bot", "slack"))]
        assert "code-that-is-wrong" not in " ".join(ours)

    def test_what_could_not_be_used(self, browser: Client, many: SlackServer, settings: Settings) -> None:
        """No workspace and no organisation, a token that ends at no time, no token, and no key to store it under."""
        nowhere = {"is_enterprise_install": True, "team": None, "enterprise": None}
        self.refused(install(browser, many, **nowhere), "did not say where")
        self.refused(install(browser, many, refresh_token="xoxe-1"), "when its token expires")
        self.refused(install(browser, many, access_token=None), "not send a bot token")
        settings.SLACK_TOKEN_KEYS = []
        self.refused(install(browser, many), "SLACK_TOKEN_KEYS is not set")

    def test_slack_away(self, browser: Client, many: SlackServer) -> None:
        """The person learns that it was Slack."""
        many.fail("oauth.v2.access", Failure(error="", hang_up=True))
        response = install(browser, many)
        assert response.status_code == 502
        assert "could not be reached" in response.content.decode()
        assert not Installation.objects.exists()


def two_teams(browser: Client, slack: SlackServer) -> None:
    install(browser, slack)
    install(browser, slack, team=SECOND_TEAM, token=SECOND_TOKEN)


def of_team(body: dict[str, Any], team: str) -> dict[str, Any]:
    return body | {"team_id": team, "authorizations": [{**body["authorizations"][0], "team_id": team}]}


def test_each_team_is_answered_by_its_own_token(browser: Client, many: SlackServer, cast: Cast, send: Send) -> None:
    """Two teams with two tokens ask; each reply is posted with the token of the team that asked."""
    from bot.delivery.engine import deliver

    two_teams(browser, many)
    many.used.clear()
    for team, token in ((TEAM, TOKEN), (SECOND_TEAM, SECOND_TOKEN)):
        body = of_team(mention("When does the canteen open?", channel=f"C0OF{team}"), team)
        assert send(body).status == 200
        deliver(SlackEvent.objects.get(event_id=body["event_id"]).pk)
        assert {used for _, used in many.used} == {token}
        assert "chat.postMessage" in {method for method, _ in many.used}
        assert len(many.messages[f"C0OF{team}"]) == 1
        many.used.clear()


def test_installing_asks_what_everyone_may_be_shown(browser: Client, many: SlackServer, cast: Cast) -> None:
    """The page says so until it is decided; a workspace that was installed before is asked about as well."""
    waits = "decide in the admin, under Workspaces, what everyone may be shown"
    assert waits in install(browser, many).content.decode()
    met = SlackWorkspace.objects.get()
    assert (met.team_id, met.name, met.decided_at) == (TEAM, "Workspace T0TEST", None)
    SlackWorkspace.objects.update(decided_at=timezone.now())
    assert waits not in install(browser, many).content.decode()
    SlackWorkspace.objects.all().delete()
    import_module("bot.migrations.0006_channel_kinds").meet_workspaces(apps, None)
    assert SlackWorkspace.objects.undecided().get().name == "Workspace T0TEST"


def test_each_workspace_decides_for_itself(browser: Client, many: SlackServer, cast: Cast) -> None:
    """Roles of everyone in one workspace count for nothing in the public channels of another."""
    two_teams(browser, many)
    decided = SlackWorkspace.objects.get(team_id=SECOND_TEAM)
    decided.roles.add(cast.staff)
    SlackWorkspace.objects.filter(pk=decided.pk).update(decided_at=timezone.now())
    found = {}
    for team in (TEAM, SECOND_TEAM):
        alice, channel = many.add_user(f"U0ALICE{team}", "alice@example.com", team_id=team), f"C0OF{team}"
        many.members[channel], many.channels[channel] = [alice], {"is_private": False}
        found[team] = audiences.find_channel_audience(
            find_client(team), team_id=team, channel_id=channel, slack_user_id=alice
        )
    assert found == {TEAM: Audience.nobody(), SECOND_TEAM: Audience.of([{cast.staff.pk}])}


def test_a_team_without_an_installation_gets_nothing(browser: Client, many: SlackServer, send: Send) -> None:
    """Its events are signed as all events of the app are, yet nothing is stored and Slack is not called."""
    install(browser, many)
    many.calls.clear()
    send(of_team(mention("When does the canteen open?"), "T0UNKNOWN"))
    assert not SlackEvent.objects.exists()
    assert many.calls == []
    with pytest.raises(UnknownTeamError):
        find_client("T0UNKNOWN")


@pytest.mark.parametrize(
    ("kind", "fields", "ends"),
    [
        ("app_uninstalled", {}, True),
        ("tokens_revoked", {"tokens": {"bot": ["U0BOT"]}}, True),
        ("tokens_revoked", {"tokens": {"oauth": ["U0ALICE"]}}, False),
    ],
    ids=["uninstalled", "the bot's token revoked", "a person's token revoked"],
)
def test_a_workspace_ends_its_installation(
    kind: str, fields: dict[str, Any], ends: bool, browser: Client, many: SlackServer, cast: Cast, send: Send
) -> None:
    """At once: the token is erased, nobody is known there any more, and its next event is not taken. Others stay."""
    two_teams(browser, many)
    for team in (TEAM, SECOND_TEAM):
        SlackIdentity.objects.create(team_id=team, slack_user_id=ALICE, user=cast.alice, checked_at=timezone.now())
    event = {"type": kind, **fields}
    body = event_body(kind, text="") | {"event": event, "event_time": int(time.time())}
    assert send(body).status == 200
    left = {SECOND_TEAM} | ({TEAM} - {TEAM} if ends else {TEAM})
    assert set(Installation.objects.filter(is_active=True).values_list("team_id", flat=True)) == left
    assert set(Installation.objects.exclude(encrypted_token="").values_list("team_id", flat=True)) == left
    assert set(SlackIdentity.objects.values_list("team_id", flat=True)) == left
    assert AuditEvent.objects.filter(action="end_installation", object_id=TEAM).count() == int(ends)
    send(mention("When does the canteen open?"))
    assert SlackEvent.objects.exists() is not ends


def test_installing_again_replaces_what_was(browser: Client, many: SlackServer, send: Send) -> None:
    """The new token counts; the late event of the earlier installation's end does not end the new one."""
    install(browser, many)
    Installation.objects.update(installed_at=timezone.now() - dt.timedelta(hours=1))
    Installation.objects.all().end()
    install(browser, many, token="xoxb-new")
    assert find_client(TEAM).token == "xoxb-new"
    assert Installation.objects.count() == 1
    late = event_body("app_uninstalled", text="") | {"event": {"type": "app_uninstalled"}}
    send(late | {"event_time": int(time.time()) - 600})
    assert find_client(TEAM).token == "xoxb-new"


def test_a_wrong_key_is_told_as_such(browser: Client, many: SlackServer, settings: Settings, send: Send) -> None:
    """The error names the setting. The event is not acknowledged, so that Slack sends it again meanwhile."""
    install(browser, many)
    settings.SLACK_TOKEN_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(UnreadableTokenError, match="SLACK_TOKEN_KEYS"):
        find_client(TEAM)
    assert send(mention("When does the canteen open?")).status == 500
    assert not SlackEvent.objects.exists()


def test_keys_are_changed_without_installing_again(browser: Client, many: SlackServer, settings: Settings) -> None:
    """A new key before the old one, then everything is encrypted by it, then the old one goes."""
    install(browser, many)
    new = Fernet.generate_key().decode()
    settings.SLACK_TOKEN_KEYS = [new, KEY]
    said = StringIO()
    call_command("reencrypt_slack_tokens", stdout=said)
    assert said.getvalue() == "1 token(s) are encrypted with the first key.\n"
    settings.SLACK_TOKEN_KEYS = [new]
    assert find_client(TEAM).token == TOKEN
    settings.SLACK_TOKEN_KEYS = [KEY]
    with pytest.raises(CommandError, match=TEAM):
        call_command("reencrypt_slack_tokens")


def test_a_trial_needs_no_key(settings: Settings) -> None:
    """With DEBUG one is derived from SECRET_KEY; a real installation has to set one."""
    settings.SLACK_TOKEN_KEYS = []
    with pytest.raises(NoTokenKeyError):
        encrypt("xoxb-1")
    settings.DEBUG = True
    stored = encrypt("xoxb-1")
    assert "xoxb-1" not in stored
    assert decrypt(stored) == "xoxb-1"
    settings.SECRET_KEY = "another"
    with pytest.raises(UnreadableTokenError):
        decrypt(stored)


def test_bolt_makes_no_store_of_its_own(monkeypatch: pytest.MonkeyPatch, slack: SlackServer) -> None:
    """Bolt reads the same environment variables, and would keep tokens in files."""
    monkeypatch.setenv("SLACK_CLIENT_ID", "client-id")
    monkeypatch.setenv("SLACK_CLIENT_SECRET", "client-secret")
    flow = build_app().oauth_flow
    assert flow is not None
    assert {type(flow.settings.installation_store).__module__, type(flow.settings.state_store).__module__} == {
        "bot.installations.oauth"
    }


def test_a_forged_end_ends_nothing(browser: Client, many: SlackServer, send: Send) -> None:
    """Without Slack's signature nobody removes an installation."""
    install(browser, many)
    body = event_body("app_uninstalled", text="") | {"event": {"type": "app_uninstalled"}}
    assert send(body | {"event_time": int(time.time())}, secret="another").status == 401
    assert Installation.objects.get().is_active
