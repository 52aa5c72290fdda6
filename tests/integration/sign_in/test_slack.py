"""Sign in with Slack against a real OpenID provider: who may open documents then, and that they may do nothing else."""

import copy
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from core.models import AuditEvent, SlackIdentity, SlackWorkspace, User
from core.testing import Cast, make_document
from tests.integration.sign_in.conftest import is_in
from tests.integration.sign_in.provider import OTHER_KEY, Claims, Provider, expired, running

pytestmark = pytest.mark.usefixtures("fast")
TEAM, ACCOUNT = "https://slack.com/team_id", "https://slack.com/user_id"


def _account(email: str, team: str = "T1", account: str = "U1", *, verified: bool = True) -> Claims:
    return {"email": email, "email_verified": verified, TEAM: team, ACCOUNT: account}


PEOPLE: dict[str, Claims] = {
    "alice": _account("Alice@example.com"),
    "dana": _account("dana@example.org", account="U2"),
    "unverified": _account("alice@example.com", verified=False),
    "unknown": _account("mallory@example.com"),
    "gone": _account("gone@example.com"),
    "elsewhere": _account("alice@example.com", team="T9"),
    "teamless": {"email": "alice@example.com", "email_verified": True},
    "nameless": {TEAM: "T1", ACCOUNT: "U1"},
}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Provider, str]]:
    """One provider for all tests, and its address."""
    provider = Provider(PEOPLE)
    with running(provider) as issuer:
        yield provider, issuer


@pytest.fixture
def slack(served: tuple[Provider, str], settings: Settings, cast: Cast, dana: User) -> Provider:
    """The provider in the place of Slack. The workspace T1 is one that Footnote answers in."""
    User.objects.create_user("gone@example.com", is_active=False)
    SlackWorkspace.objects.meet("T1", "Harbour")
    provider, issuer = served
    provider.reset()
    provider.change = lambda claims: claims | {k: v for k, v in PEOPLE[claims["sub"]].items() if k in (TEAM, ACCOUNT)}
    providers = copy.deepcopy(settings.SOCIALACCOUNT_PROVIDERS)
    app = providers["openid_connect"]["APPS"][1]
    app |= {"client_id": "footnote", "secret": "secret", "settings": app["settings"] | {"server_url": issuer}}
    settings.SOCIALACCOUNT_PROVIDERS = providers
    settings.SLACK_SIGN_IN_CLIENT_ID = "footnote"
    return provider


def _sign_in(client: Client, sub: str, next_url: str = "") -> str:
    """Agree at the provider. Returns where that leads."""
    asked = client.get("/sign-in/slack/", {"next": next_url} if next_url else {})["Location"]
    answer = requests.post(asked, data={"sub": sub}, allow_redirects=False, timeout=30)
    target = urlsplit(answer.headers["Location"])
    return client.get(f"{target.path}?{target.query}")["Location"]


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
        ("elsewhere", "workspace"),
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


def test_an_account_that_the_bot_knows_comes_from_any_workspace(slack: Provider, cast: Cast) -> None:
    """As of one organisation with many; but only as that person."""
    identity = {"team_id": "T9", "slack_user_id": "U1", "checked_at": timezone.now()}
    known = SlackIdentity.objects.create(user=cast.bob, **identity)
    client = Client()
    _sign_in(client, "elsewhere")
    assert b"You read documents as" not in client.get("/sign-in/").content
    SlackIdentity.objects.filter(pk=known.pk).update(user=cast.alice)
    _sign_in(client, "elsewhere")
    assert b"You read documents as Alice" in client.get("/sign-in/").content


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
    """Whatever stands in the address that somebody was sent."""
    client = Client()
    assert b"evil.example" not in client.get("/sign-in/", {"next": "https://evil.example/"}).content
    assert _sign_in(client, "alice", "https://evil.example/") == "/sign-in/"
    assert b"evil.example" not in client.get("/sign-in/", {"next": "//evil.example/"}).content


def test_a_session_ends_when_it_is_idle_or_its_person_has_left(slack: Provider, cast: Cast, settings: Settings) -> None:
    """By what is so at that moment."""
    client = Client()
    _sign_in(client, "alice")
    User.objects.filter(pk=cast.alice.pk).update(is_active=False)
    assert b"You read documents as" not in client.get("/sign-in/").content
    User.objects.filter(pk=cast.alice.pk).update(is_active=True)
    assert b"You read documents as Alice" in client.get("/sign-in/").content
    settings.SESSION_COOKIE_AGE = -1
    assert b"You read documents as" not in client.get("/sign-in/").content


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
