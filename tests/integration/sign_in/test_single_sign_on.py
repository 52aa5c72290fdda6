"""Single sign-on against a real OpenID provider: who is let in, and everything because of which nobody is."""

import copy
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from core.models import AuditEvent, User
from tests.integration.sign_in.conftest import PASSWORD, is_in, sign_in
from tests.integration.sign_in.provider import OTHER_KEY, Claims, Provider, expired, running

pytestmark = pytest.mark.django_db
DANA = {"email": "Dana@example.org", "email_verified": True}
PEOPLE: dict[str, Claims] = {
    "dana": DANA,
    "unverified": DANA | {"email_verified": False},
    "unsaid": {"email": "dana@example.org"},
    "as-a-word": DANA | {"email_verified": "false"},
    "unknown": {"email": "mallory@example.org", "email_verified": True},
    "nameless": {"email_verified": True},
    "gone": {"email": "gone@example.org", "email_verified": True},
    "reader": {"email": "reader@example.org", "email_verified": True},
}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Provider, str]]:
    """One provider for all tests, and its address."""
    provider = Provider(PEOPLE)
    with running(provider) as issuer:
        yield provider, issuer


@pytest.fixture
def provider(served: tuple[Provider, str], settings: Settings, dana: User) -> Provider:
    """The provider, set up. Dana may use the admin; Gone might have, and Reader never could."""
    User.objects.create_superuser("gone@example.org", is_active=False)
    User.objects.create_user("reader@example.org")
    provider, issuer = served
    provider.reset()
    providers = copy.deepcopy(settings.SOCIALACCOUNT_PROVIDERS)
    app = providers["openid_connect"]["APPS"][0]
    app |= {"client_id": "footnote", "secret": "secret", "settings": {"server_url": issuer}}
    settings.SOCIALACCOUNT_PROVIDERS = providers
    settings.OIDC_ISSUER, settings.OIDC_NAME = issuer, "Example SSO"
    return provider


def _to_provider(client: Client, next_url: str = "") -> str:
    return client.get("/admin/sso/", {"next": next_url} if next_url else {})["Location"]


def _back_from(address: str, sub: str) -> str:
    """Agree at the provider, and return where it sends the browser."""
    answer = requests.post(address, data={"sub": sub}, allow_redirects=False, timeout=30)
    target = urlsplit(answer.headers["Location"])
    return f"{target.path}?{target.query}"


def _sign_in(client: Client, sub: str) -> None:
    client.get(_back_from(_to_provider(client), sub))


def test_who_is_known_and_vouched_for_is_let_in(provider: Provider) -> None:
    """To where they wanted to go, in a new session; nothing of the provider is stored."""
    client = Client()
    assert b"Sign in with Example SSO" in client.get("/admin/login/").content
    address = _to_provider(client, "/admin/core/role/")
    asked = parse_qs(urlsplit(address).query)
    assert {"state", "nonce", "code_challenge"} <= set(asked)
    assert asked["code_challenge_method"] == ["S256"]
    assert client.get(_back_from(address, "dana"))["Location"] == "/admin/core/role/"
    assert is_in(client)
    assert not SocialAccount.objects.exists()
    assert AuditEvent.objects.get(action="sign_in").details == {"single_sign_on": True, "second_factor": False}
    assert User.objects.get(email="dana@example.org").check_password(PASSWORD)


@pytest.mark.parametrize(
    ("sub", "reason"),
    [
        ("unverified", "unverified"),
        ("unsaid", "unverified"),
        ("as-a-word", "unverified"),
        ("unknown", "unknown"),
        ("nameless", "unknown"),
        ("gone", "inactive"),
        ("reader", "no_administrator"),
    ],
)
def test_who_is_not_meant_to_be_let_in_is_not(provider: Provider, sub: str, reason: str) -> None:
    """All hear the same. Nobody is registered, and the audit trail says why."""
    before = User.objects.count()
    client = Client()
    _sign_in(client, sub)
    assert not is_in(client)
    assert b"You could not be signed in through single sign-on" in client.get("/admin/login/").content
    assert User.objects.count() == before
    event = AuditEvent.objects.get(action="sign_in_failed")
    assert event.details == {"reason": reason}
    assert "@" not in event.object_id


@pytest.mark.parametrize(
    "change",
    [
        lambda claims: claims | {"aud": "another-client"},
        lambda claims: claims | {"iss": "https://evil.example"},
        lambda claims: claims | {"nonce": "another"},
        lambda claims: {name: value for name, value in claims.items() if name != "nonce"},
        expired,
    ],
    ids=["audience", "issuer", "nonce", "no nonce", "expired"],
)
def test_a_token_for_somebody_else_lets_nobody_in(provider: Provider, change: Callable[[Claims], Claims]) -> None:
    """Though its signature is right."""
    provider.change = change
    client = Client()
    _sign_in(client, "dana")
    assert not is_in(client)
    assert AuditEvent.objects.get(action="sign_in_failed").details == {"reason": "provider"}


def test_a_token_that_somebody_else_signed_lets_nobody_in(provider: Provider) -> None:
    """Whoever can change what comes over the network has no key."""
    provider.key = OTHER_KEY
    client = Client()
    _sign_in(client, "dana")
    assert not is_in(client)


def test_the_userinfo_of_somebody_else_is_not_believed(provider: Provider) -> None:
    """It is of the subject of the token, or of nobody."""
    provider.userinfo = {"sub": "dana", "email": "dana@example.org", "email_verified": True}
    client = Client()
    _sign_in(client, "unknown")
    assert not is_in(client)


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(provider: Provider) -> None:
    """Neither another's, nor one's own for the second time."""
    mine, other = Client(), Client()
    address = _back_from(_to_provider(other), "dana")
    mine.get(address)
    assert not is_in(mine)
    other.get(address)
    assert is_in(other)
    other.post("/admin/logout/")
    other.get(address)
    assert not is_in(other)


def test_who_has_a_second_factor_is_asked_for_it(provider: Provider, dana: User) -> None:
    """Single sign-on takes the password's place, not the code's."""
    TOTP.activate(dana, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    client = Client()
    _sign_in(client, "dana")
    assert not is_in(client)
    assert b"authenticator app" in client.get("/admin/second-factor/code/").content


def test_whom_the_provider_vouches_for_needs_no_second_factor_of_ours(provider: Provider, settings: Settings) -> None:
    """One is required, and the provider makes its own demands."""
    settings.ADMIN_REQUIRE_MFA = True
    client = Client()
    _sign_in(client, "dana")
    assert is_in(client)


def test_a_vouched_person_does_not_stand_in_for_another(provider: Provider, dana: User, settings: Settings) -> None:
    """In a browser where Dana's code is still asked for, somebody else's password opens no more than it does."""
    settings.ADMIN_REQUIRE_MFA = True
    TOTP.activate(dana, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    User.objects.create_superuser("erin@example.org", PASSWORD)
    client = Client()
    _sign_in(client, "dana")
    sign_in(client, email="erin@example.org")
    assert client.get("/admin/")["Location"] == reverse("mfa_activate_totp")


def test_answers_that_nobody_asked_for_fill_no_table(provider: Provider) -> None:
    """Anybody can call the address to which the provider leads back."""
    for number in range(8):
        Client().get("/admin/sso/oidc/callback/", {"code": "1", "state": str(number)})
    assert AuditEvent.objects.count() == 5


def test_a_provider_that_is_away_is_a_message(provider: Provider, settings: Settings) -> None:
    """And no error page."""
    providers = copy.deepcopy(settings.SOCIALACCOUNT_PROVIDERS)
    providers["openid_connect"]["APPS"][0]["settings"] = {"server_url": "http://127.0.0.1:9"}
    settings.SOCIALACCOUNT_PROVIDERS = providers
    client = Client()
    assert _to_provider(client) == "/admin/login/"
    assert b"could not be signed in" in client.get("/admin/login/").content


def test_nothing_of_it_is_there_until_it_is_set_up(dana: User) -> None:
    """Neither the button nor the addresses."""
    client = Client()
    assert b"/admin/sso/" not in client.get("/admin/login/").content
    assert client.get("/admin/sso/").status_code == 404
    assert client.get("/admin/sso/oidc/callback/", {"code": "1", "state": "2"}).status_code == 404


def test_it_leads_to_no_other_site(provider: Provider) -> None:
    """The target in the address does not matter."""
    client = Client()
    address = _to_provider(client, "https://evil.example/")
    assert client.get(_back_from(address, "dana"))["Location"] == "/admin/"
