"""Sign in with Slack against a real OpenID provider: who may open documents then, and that they may do nothing else."""

import copy
import datetime as dt
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from cryptography.fernet import Fernet
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings
from slack_bolt import BoltContext

from bot.installations.oauth import end_installation
from bot.listeners.directory_changes import on_user_change
from bot.models import Installation
from bot.slack.encryption import encrypt
from core.models import AuditEvent, SlackIdentity, SlackWorkspace, User
from core.testing import Cast, make_document
from tests.integration.bot.slack_server import TEAM, TOKEN, Failure, SlackServer
from tests.integration.sign_in.conftest import ACCOUNT_CLAIM, ELSEWHERE, TEAM_CLAIM, is_in, reads_as
from tests.integration.sign_in.provider import OTHER_KEY, Claims, Provider, expired, running

pytestmark = pytest.mark.usefixtures("fast")
HOUR_S = 3600


def _account(email: str, team: str = TEAM, account: str = "U1", *, verified: bool = True) -> Claims:
    return {"email": email, "email_verified": verified, TEAM_CLAIM: team, ACCOUNT_CLAIM: account}


PEOPLE: dict[str, Claims] = {
    "alice": _account("Alice@example.com"),
    "dana": _account("dana@example.org", account="U2"),
    "guest": _account("bob@example.com", account="U3"),
    "closed": _account("bob@example.com", account="U4"),
    "moved": _account("bob@example.com", account="U1"),
    "stranger": _account("alice@example.com", account="U404"),
    "unverified": _account("alice@example.com", verified=False),
    "unknown": _account("mallory@example.com"),
    "gone": _account("gone@example.com"),
    "elsewhere": _account("alice@example.com", team=ELSEWHERE, account="U9"),
    "pretender": _account("alice@example.com", team=ELSEWHERE),
    "organisation": _account("alice@example.com", team=ELSEWHERE, account="U5"),
    "teamless": {"email": "alice@example.com", "email_verified": True},
    "nameless": {TEAM_CLAIM: TEAM, ACCOUNT_CLAIM: "U1"},
}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Provider, str]]:
    """One provider for all tests, and its address."""
    provider = Provider(PEOPLE)
    with running(provider) as issuer:
        yield provider, issuer


@pytest.fixture
def slack(served: tuple[Provider, str], settings: Settings, workspace: SlackServer, cast: Cast, dana: User) -> Provider:
    """The provider in the place of Slack, and the workspace that Footnote answers in."""
    User.objects.create_user("gone@example.com", is_active=False)
    SlackWorkspace.objects.meet(TEAM, "Harbour")
    provider, issuer = served
    provider.reset()
    signed = (TEAM_CLAIM, ACCOUNT_CLAIM)
    provider.change = lambda claims: claims | {k: v for k, v in PEOPLE[claims["sub"]].items() if k in signed}
    providers = copy.deepcopy(settings.SOCIALACCOUNT_PROVIDERS)
    app = providers["openid_connect"]["APPS"][1]
    app |= {"client_id": "footnote", "secret": "secret", "settings": app["settings"] | {"server_url": issuer}}
    settings.SOCIALACCOUNT_PROVIDERS = providers
    settings.SLACK_SIGN_IN_CLIENT_ID = "footnote"
    return provider


@pytest.fixture
def installation(slack: Provider, workspace: SlackServer, settings: Settings) -> Installation:
    """The workspace has installed the app by OAuth, and so do others."""
    settings.SLACK_BOT_TOKEN, settings.SLACK_TOKEN_KEYS = "", [Fernet.generate_key().decode()]
    settings.SLACK_CLIENT_ID, _, settings.SLACK_CLIENT_SECRET = workspace.client.partition(":")
    return Installation.objects.create(
        team_id=TEAM, bot_user_id="U0BOT", installed_at=timezone.now(), encrypted_token=encrypt(TOKEN)
    )


def _sign_in(client: Client, sub: str, next_url: str = "") -> str:
    """Agree at the provider. Returns where that leads."""
    asked = client.get("/sign-in/slack/", {"next": next_url} if next_url else {})["Location"]
    answer = requests.post(asked, data={"sub": sub}, allow_redirects=False, timeout=30)
    target = urlsplit(answer.headers["Location"])
    return client.get(f"{target.path}?{target.query}")["Location"]


def _age(client: Client, **seconds: int) -> None:
    """Let a reader's session be as old as if so many seconds had passed since it began, or was seen."""
    session = client.session
    session["slack_reader"] |= {name: int(time.time()) - old for name, old in seconds.items()}
    session.save()


def test_a_person_opens_what_they_may_read(slack: Provider, cast: Cast) -> None:
    """And is taken to where they wanted to go; the audit trail has both ends, with ids alone."""
    document = make_document("Vault rules", "The vault opens at nine.", roles=[cast.owners])
    client, address = Client(), f"/documents/{document.pk}/"
    assert client.get(address)["Location"] == f"/sign-in/?next=%2Fdocuments%2F{document.pk}%2F"
    assert b"/sign-in/slack/?next=%2Fdocuments%2F" in client.get("/sign-in/", {"next": address}).content
    assert _sign_in(client, "alice", address) == address
    shown = client.get(address)
    assert b"The vault opens at nine." in shown.content
    assert b"Signed in as Alice" in shown.content
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get(address).status_code == 302
    events = AuditEvent.objects.filter(action__in=["sign_in", "sign_out"]).order_by("created_at")
    assert [(event.action, event.actor, event.details) for event in events] == [
        ("sign_in", cast.alice, {"slack": True}),
        ("sign_out", cast.alice, {"slack": True}),
    ]


def test_an_administrator_who_came_by_slack_is_none(slack: Provider, dana: User) -> None:
    """Neither the admin nor REST knows the session: for those, one signs in as an administrator."""
    client = Client()
    assert _sign_in(client, "dana") == "/sign-in/"
    assert b"You read documents as Dana" in client.get("/sign-in/").content
    assert not is_in(client)
    assert client.get("/api/v1/documents/").status_code in (401, 403)


@pytest.mark.parametrize(
    ("sub", "reason"),
    [
        ("unverified", "unverified"),
        ("unknown", "unknown"),
        ("nameless", "unknown"),
        ("gone", "inactive"),
        ("guest", "account"),
        ("closed", "account"),
        ("moved", "account"),
        ("stranger", "account"),
        ("elsewhere", "workspace"),
        ("pretender", "workspace"),
        ("teamless", "workspace"),
    ],
)
def test_who_is_not_meant_to_be_let_in_is_not(
    slack: Provider, served: tuple[Provider, str], sub: str, reason: str
) -> None:
    """All hear the same. Nobody is registered, and the audit trail says why."""
    before, client = User.objects.count(), Client()
    assert _sign_in(client, sub) == "/sign-in/"
    shown = client.get("/sign-in/").content
    assert b"You could not be signed in with Slack." in shown
    assert b"You read documents as" not in shown
    assert User.objects.count() == before
    assert AuditEvent.objects.get(action="sign_in_failed").details == {"reason": reason}


def test_an_account_of_another_workspace_of_the_organisation_is_let_in(slack: Provider, cast: Cast) -> None:
    """Slack may also say that it is of the own workspace; the bot's stored accounts do not count."""
    SlackIdentity.objects.create(team_id=ELSEWHERE, slack_user_id="U5", user=cast.bob, checked_at=timezone.now())
    SlackIdentity.objects.create(team_id=ELSEWHERE, slack_user_id="U9", user=cast.alice, checked_at=timezone.now())
    client = Client()
    _sign_in(client, "elsewhere")
    assert reads_as(client) == ""
    _sign_in(client, "organisation")
    assert reads_as(client) == "Alice"
    assert dict(SlackIdentity.objects.values_list("slack_user_id", "user")) == {"U5": cast.alice.pk}


class TestInstallations:
    """Tests of the workspaces that count: those in which the app is installed."""

    def test_one_that_has_ended_lets_nobody_in(self, slack: Provider, installation: Installation) -> None:
        """The workspace is still in the admin, with its readers' access."""
        client = Client()
        _sign_in(client, "alice")
        assert reads_as(client) == "Alice"
        Installation.objects.all().end()
        assert SlackWorkspace.objects.filter(team_id=TEAM).exists()
        other = Client()
        _sign_in(other, "alice")
        assert (reads_as(client), reads_as(other)) == ("", "")
        assert AuditEvent.objects.get(action="sign_in_failed").details == {"reason": "workspace"}

    def test_its_end_holds_whatever_is_written_down_later(
        self, slack: Provider, installation: Installation, cast: Cast
    ) -> None:
        """As by an answer that was under way."""
        client = Client()
        _sign_in(client, "alice")
        Installation.objects.all().end()
        SlackIdentity.objects.create(team_id=TEAM, slack_user_id="U1", user=cast.alice, checked_at=timezone.now())
        assert reads_as(client) == ""

    def test_the_one_token_ends_with_the_app(self, slack: Provider) -> None:
        """There is no installation then; an earlier end, reported late, ends nothing."""
        client = Client()
        _sign_in(client, "alice")
        end_installation(TEAM, before=timezone.now() - dt.timedelta(hours=1), because="app_uninstalled")
        assert reads_as(client) == "Alice"
        end_installation(TEAM, before=timezone.now(), because="app_uninstalled")
        assert reads_as(client) == ""


def test_while_slack_cannot_be_asked_nobody_is_let_in(slack: Provider, workspace: SlackServer) -> None:
    """A guest might come."""
    workspace.fail("users.info", Failure(error="fatal_error", status=500))
    client = Client()
    _sign_in(client, "alice")
    assert reads_as(client) == ""
    assert AuditEvent.objects.get(action="sign_in_failed").details == {"reason": "provider"}


@pytest.mark.parametrize(
    "change",
    [
        lambda claims: claims | {"aud": "another-client"},
        lambda claims: claims | {"iss": "https://evil.example"},
        lambda claims: claims | {"nonce": "another"},
        expired,
    ],
    ids=["audience", "issuer", "nonce", "expired"],
)
def test_a_token_for_somebody_else_lets_nobody_in(slack: Provider, change: Callable[[Claims], Claims]) -> None:
    """Though its signature is right; nor does one that somebody else signed."""
    honest, client = slack.change, Client()
    slack.change = lambda claims: change(honest(claims))
    _sign_in(client, "alice")
    slack.change, slack.key = honest, OTHER_KEY
    _sign_in(client, "alice")
    assert b"You read documents as" not in client.get("/sign-in/").content


def test_it_leads_to_no_other_site(slack: Provider) -> None:
    """The target in the address does not matter."""
    client = Client()
    assert b"evil.example" not in client.get("/sign-in/", {"next": "https://evil.example/"}).content
    assert _sign_in(client, "alice", "https://evil.example/") == "/sign-in/"
    assert b"evil.example" not in client.get("/sign-in/", {"next": "//evil.example/"}).content


@pytest.mark.parametrize(
    ("change", "still"),
    [
        ({"profile": {"email": "alice@example.com", "status_text": "On holiday"}}, True),
        ({"deleted": True}, False),
        ({"is_restricted": True}, False),
        ({"is_ultra_restricted": True}, False),
        ({"profile": {"email": "bob@example.com"}}, False),
        ({"profile": {"email": "nobody@example.com"}}, False),
        ({"is_email_confirmed": False}, False),
    ],
    ids=["status", "closed", "guest", "single-channel guest", "another's address", "unknown", "unconfirmed"],
)
def test_a_session_ends_with_the_account(
    change: dict[str, Any], still: bool, slack: Provider, workspace: SlackServer
) -> None:
    """At the next request after Slack has said so."""
    client = Client()
    _sign_in(client, "alice")
    workspace.users["U1"] |= change
    on_user_change({"event": {"user": workspace.users["U1"]}}, BoltContext({"team_id": TEAM}))
    assert reads_as(client) == ("Alice" if still else "")


def test_what_another_workspace_is_told_of_a_stranger_ends_nothing(slack: Provider, workspace: SlackServer) -> None:
    """As in a channel that both share: only that the account is closed."""
    client = Client()
    _sign_in(client, "alice")
    seen = workspace.users["U1"] | {"is_stranger": True, "profile": {}}
    on_user_change({"event": {"user": seen}}, BoltContext({"team_id": ELSEWHERE}))
    assert reads_as(client) == "Alice"
    on_user_change({"event": {"user": seen | {"deleted": True}}}, BoltContext({"team_id": ELSEWHERE}))
    assert reads_as(client) == ""


@pytest.mark.parametrize("change", [{"is_active": False}, {"email": "alice.new@example.com"}], ids=str)
def test_a_session_ends_with_its_person_for_good(change: dict[str, Any], slack: Provider, cast: Cast) -> None:
    """As with another address here, for which Slack has not vouched; it does not go on when that is undone."""
    client = Client()
    _sign_in(client, "alice")
    before = {name: getattr(cast.alice, name) for name in change}
    User.objects.filter(pk=cast.alice.pk).update(**change)
    assert reads_as(client) == ""
    User.objects.filter(pk=cast.alice.pk).update(**before)
    assert reads_as(client) == ""


@pytest.mark.parametrize(
    ("began", "seen", "still"),
    [
        (12 * HOUR_S - 60, 60, True),
        (12 * HOUR_S + 60, 0, False),
        (HOUR_S, HOUR_S - 60, True),
        (HOUR_S + 60, HOUR_S + 60, False),
    ],
    ids=["late", "too long", "quiet", "too quiet"],
)
def test_a_session_ends_when_it_is_idle_and_after_its_time(began: int, seen: int, still: bool, slack: Provider) -> None:
    """However busy it is; no request puts that end off."""
    client = Client()
    _sign_in(client, "alice")
    _age(client, began=began, seen=seen)
    assert reads_as(client) == ("Alice" if still else "")
    _age(client, began=12 * HOUR_S + 60) if still else None
    assert reads_as(client) == ""


@pytest.mark.parametrize("by", ["token", "installation"])
def test_a_request_costs_one_query_for_all_of_it(
    by: str, slack: Provider, request: pytest.FixtureRequest, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Besides the session's."""
    if by == "installation":
        request.getfixturevalue("installation")
    client = Client()
    _sign_in(client, "alice")
    with django_assert_num_queries(2):
        client.get("/sign-in/")


def test_the_session_gets_another_key(slack: Provider) -> None:
    """One that was planted before is worth nothing after."""
    client = Client()
    client.get("/sign-in/slack/")
    before = client.cookies["sessionid"].value
    _sign_in(client, "alice")
    assert client.cookies["sessionid"].value != before


def test_what_another_page_asks_meanwhile_does_not_sign_out(slack: Provider) -> None:
    """Under the name that the session had before: its answer may come after the new name did."""
    client = Client()
    client.get("/sign-in/slack/")
    other = Client(headers={"cookie": f"sessionid={client.cookies['sessionid'].value}"})
    _sign_in(client, "alice")
    late = other.get("/sign-in/")
    assert b"You read documents as" not in late.content
    assert "sessionid" not in late.cookies
    assert not client.post("/sign-out/").cookies["sessionid"].value  # who signs out takes it back


def test_an_administrators_provider_does_not_stand_in_for_slack(slack: Provider, settings: Settings) -> None:
    """An answer of one is taken at the address of that one alone."""
    client = Client()
    asked = client.get("/sign-in/slack/")["Location"]
    answer = requests.post(asked, data={"sub": "dana"}, allow_redirects=False, timeout=30)
    target = urlsplit(answer.headers["Location"])
    assert target.path == "/admin/sso/slack/callback/"
    assert set(parse_qs(target.query)) == {"code", "state"}
    client.get(f"/admin/sso/oidc/callback/?{target.query}")
    assert not is_in(client)


def test_nothing_of_it_is_there_until_it_is_set_up(db: None) -> None:
    """Neither the button nor the addresses."""
    client = Client()
    assert b"/sign-in/slack/" not in client.get("/sign-in/").content
    assert client.get("/sign-in/slack/").status_code == 404
    assert client.get("/admin/sso/slack/callback/", {"code": "1", "state": "2"}).status_code == 404
