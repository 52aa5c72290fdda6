"""Answers of a provider that were forged, stolen, mixed up or sent twice, at both doors: none lets anybody in."""

import base64
import copy
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client
from jwt.algorithms import RSAAlgorithm
from pytest_django import Settings

from core.models import User
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.sign_in.conftest import ACCOUNT_CLAIM, TEAM_CLAIM, is_in, reads_as
from tests.integration.sign_in.provider import KEY, OTHER_KEY, Claims, Provider, running

pytestmark = pytest.mark.django_db
DANA = {"email": "dana@example.org", "email_verified": True}
PEOPLE: dict[str, Claims] = {"dana": DANA, "mallory": DANA | {"email": "mallory@example.org"}}
OIDC, SLACK = "oidc", "slack"
BEGIN = {OIDC: "/admin/sso/", SLACK: "/sign-in/slack/"}
HOUR_S = 3600
PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
MODULUS = str(json.loads(RSAAlgorithm.to_jwk(KEY.public_key()))["n"]).encode()


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Provider, str]]:
    """One provider for all tests, and its address."""
    provider = Provider(PEOPLE)
    with running(provider) as issuer:
        yield provider, issuer


@pytest.fixture
def provider(served: tuple[Provider, str], settings: Settings, dana: User, workspace: SlackServer) -> Provider:
    """The provider, set up at both doors as if it were two. Dana may use the admin, and so may Mallory."""
    User.objects.create_superuser("mallory@example.org")
    provider, issuer = served
    provider.reset()
    provider.change = lambda claims: claims | {TEAM_CLAIM: TEAM, ACCOUNT_CLAIM: "U2"}
    providers = copy.deepcopy(settings.SOCIALACCOUNT_PROVIDERS)
    for app in providers["openid_connect"]["APPS"]:
        app |= {"client_id": "footnote", "secret": "secret", "settings": app["settings"] | {"server_url": issuer}}
    settings.SOCIALACCOUNT_PROVIDERS = providers
    settings.OIDC_ISSUER, settings.SLACK_SIGN_IN_CLIENT_ID = issuer, "footnote"
    return provider


def _ask(client: Client, door: str = OIDC) -> str:
    return client.get(BEGIN[door])["Location"]


def _agree(asked: str, sub: str = "dana") -> dict[str, str]:
    """Agree at the provider. Returns with what it sends the browser back."""
    answer = requests.post(asked, data={"sub": sub}, allow_redirects=False, timeout=30)
    return {name: value[0] for name, value in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def _come_back(client: Client, answer: dict[str, str], door: str = OIDC) -> None:
    client.get(f"/admin/sso/{door}/callback/", answer)


def _sign_in(client: Client) -> None:
    _come_back(client, _agree(_ask(client)))


def _is_somebody(client: Client) -> bool:
    """Return True if the browser may use the admin, or read documents."""
    return is_in(client) or bool(reads_as(client))


@pytest.mark.parametrize("door", BEGIN)
def test_the_truth_lets_in(door: str, provider: Provider) -> None:
    """Else nothing below would show anything."""
    client = Client()
    _come_back(client, _agree(_ask(client, door)), door)
    assert _is_somebody(client)


def _part(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _by_hand(claims: Claims, key: bytes, **header: str) -> str:
    """A token whose signature is that of a secret, as no library makes it of a public key."""
    signed = ".".join(_part(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": "one"} | header, claims))
    return f"{signed}.{_part(hmac.digest(key, signed.encode(), hashlib.sha256))}"


def _embedding_its_key(claims: Claims) -> str:
    header = {"kid": "one", "jwk": json.loads(RSAAlgorithm.to_jwk(OTHER_KEY.public_key()))}
    return jwt.encode(claims, OTHER_KEY, algorithm="RS256", headers=header)


def _of_another_signature(claims: Claims) -> str:
    """The claims of one token with the signature of another."""
    other = jwt.encode(claims | {"sub": "mallory"}, KEY, algorithm="RS256", headers={"kid": "one"})
    return ".".join(
        [*jwt.encode(claims, KEY, headers={"kid": "one"}, algorithm="RS256").split(".")[:2], other.split(".")[2]]
    )


@pytest.mark.parametrize(
    "sign",
    [
        lambda claims: jwt.encode(claims, None, algorithm="none", headers={"kid": "one"}),
        lambda claims: _by_hand(claims, b"", alg="none"),
        lambda claims: _by_hand(claims, PEM),
        lambda claims: _by_hand(claims, MODULUS),
        lambda claims: _by_hand(claims, b"secret"),
        lambda claims: _by_hand(claims, PEM, alg="RS256"),
        lambda claims: jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "two"}),
        lambda claims: jwt.encode(claims, KEY, algorithm="RS256"),
        _embedding_its_key,
        _of_another_signature,
        lambda claims: "not.a.token",
        lambda claims: "",
        lambda claims: None,
    ],
    ids=[
        "none",
        "none with a signature",
        "public key as a secret",
        "modulus as a secret",
        "client's secret",
        "public key named RS256",
        "unknown key",
        "no key named",
        "key of its own",
        "another signature",
        "no token",
        "empty",
        "missing",
    ],
)
def test_a_forged_signature_lets_nobody_in(sign: Callable[[Claims], str | None], provider: Provider) -> None:
    """Whatever its header says of how it was signed, and with what."""
    provider.sign = sign
    client = Client()
    _sign_in(client)
    assert not is_in(client)


def _without(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


@pytest.mark.parametrize(
    "change",
    [
        *(_without(name) for name in ("iss", "sub", "aud", "exp", "iat", "nonce")),
        lambda claims: claims | {"aud": ["another"]},
        lambda claims: claims | {"aud": []},
        lambda claims: claims | {"aud": ["footnote", "another"]},
        lambda claims: claims | {"aud": ["footnote", "another"], "azp": "another"},
        lambda claims: claims | {"azp": "another"},
        lambda claims: claims | {"iss": claims["iss"] + "/"},
        lambda claims: claims | {"iss": [claims["iss"]]},
        lambda claims: claims | {"iat": int(time.time()) + HOUR_S, "exp": int(time.time()) + 2 * HOUR_S},
        lambda claims: claims | {"nbf": int(time.time()) + HOUR_S},
        lambda claims: claims | {"exp": "never"},
        lambda claims: claims | {"exp": None},
        lambda claims: claims | {"nonce": ""},
        lambda claims: claims | {"nonce": [claims["nonce"]]},
        lambda claims: claims | {"sub": ""},
    ],
    ids=[
        *(f"no {name}" for name in ("iss", "sub", "aud", "exp", "iat", "nonce")),
        "for others",
        "for nobody",
        "for several",
        "for several, given to another",
        "given to another",
        "nearly the issuer",
        "issuers",
        "of the future",
        "not yet",
        "never ends",
        "no end",
        "empty nonce",
        "nonces",
        "empty subject",
    ],
)
def test_a_token_that_is_not_for_this_sign_in_lets_nobody_in(
    change: Callable[[Claims], Claims], provider: Provider
) -> None:
    """Though its signature is right."""
    provider.change = change
    client = Client()
    _sign_in(client)
    assert not is_in(client)


@pytest.mark.parametrize(("aud", "azp"), [(["footnote"], None), (["footnote", "account"], "footnote")], ids=str)
def test_a_token_for_several_that_was_given_to_us_lets_in(aud: list[str], azp: str | None, provider: Provider) -> None:
    """As some providers write it."""
    provider.change = lambda claims: claims | {"aud": aud} | ({"azp": azp} if azp else {})
    client = Client()
    _sign_in(client)
    assert is_in(client)


@pytest.mark.parametrize("door", BEGIN)
@pytest.mark.parametrize("thief", ["own state", "no state", "empty state", "guessed state", "the victim's browser"])
def test_an_answer_of_another_browser_is_refused(thief: str, door: str, provider: Provider) -> None:
    """Neither does a stolen code let the thief in, nor is somebody signed in as the thief by what they were sent."""
    victim, other = Client(), Client()
    stolen, own = _agree(_ask(victim, door)), _agree(_ask(other, door), "mallory")
    match thief:
        case "own state":
            _come_back(other, stolen | {"state": own["state"]}, door)
        case "no state":
            _come_back(other, {"code": stolen["code"]}, door)
        case "empty state":
            _come_back(other, stolen | {"state": ""}, door)
        case "guessed state":
            _come_back(other, stolen | {"state": "0" * 16}, door)
        case _:
            _come_back(victim, own, door)
            _come_back(victim, own | {"state": stolen["state"]}, door)
    assert not _is_somebody(victim)
    assert not _is_somebody(other)


@pytest.mark.parametrize("door", BEGIN)
def test_an_answer_is_taken_once_in_its_time_and_at_its_own_door(door: str, provider: Provider) -> None:
    """That of the administrators' provider is none of Slack's, nor the other way round."""
    (other_door,) = set(BEGIN) - {door}
    client = Client()
    _come_back(client, _agree(_ask(client, door)), other_door)
    assert not _is_somebody(client)
    late = _agree(_ask(client, door))
    session = client.session
    stored, at, provider_id = session["socialaccount_states"][late["state"]]
    session["socialaccount_states"][late["state"]] = (stored, at - 601, provider_id)
    session.save()
    _come_back(client, late, door)
    assert not _is_somebody(client)
    answer = _agree(_ask(client, door))
    _come_back(client, answer | {"error": "access_denied"}, door)
    _come_back(client, answer, door)
    assert not _is_somebody(client)


@pytest.mark.parametrize(
    ("told", "always", "lets_in"),
    [
        ("its own", False, True),
        ("its own", True, True),
        (None, False, True),
        (None, True, False),
        ("https://evil.example", False, False),
        ("", True, False),
    ],
)
def test_an_answer_says_from_whom_it_comes(
    told: str | None, always: bool, lets_in: bool, served: tuple[Provider, str], provider: Provider
) -> None:
    """If the provider promises one, an answer without an issuer is refused; another issuer's code is not used."""
    provider.described = {"authorization_response_iss_parameter_supported": always}
    client = Client()
    answer = _agree(_ask(client))
    _come_back(client, answer if told is None else answer | {"iss": served[1] if told == "its own" else told})
    assert is_in(client) is lets_in
    assert len(provider.exchanged) == int(lets_in)


def test_a_code_is_exchanged_with_the_verifier_of_its_own_challenge(provider: Provider) -> None:
    """So who stole it on the way has no use for it; at Slack, which knows none, the secret and the nonce are left."""
    client, challenges = Client(), []
    for _ in range(2):
        asked = _ask(client)
        challenges.append(parse_qs(urlsplit(asked).query)["code_challenge"][0])
        _come_back(client, _agree(asked))
    sent = [_part(hashlib.sha256(form["code_verifier"].encode()).digest()) for form in provider.exchanged]
    assert sent == challenges
    assert len(set(sent)) == 2


CONFUSABLE = {
    "other case": ("KISS@Example.ORG", True),
    "spaces around": (" kiss@example.org\n", True),
    "Kelvin": ("\u212aiss@example.org", False),
    "long s": ("ki\u017fs@example.org", False),
    "dotless": ("k\u0131ss@example.org", False),
    "full width": ("\uff4biss@example.org", False),
    "Cyrillic": ("ki\u0455s@example.org", False),
    "zero width": ("kiss\u200b@example.org", False),
    "composed": ("kis\u0301s@example.org", False),
    "ideographic dot": ("kiss@example\u3002org", False),
    "null": ("kiss@example.org\x00", False),
    "two": ("kiss@example.org,mallory@example.org", False),
    "with a name": ("Kiss <kiss@example.org>", False),
    "quoted": ('"kiss"@example.org', False),
    "sub-address": ("kiss+admin@example.org", False),
    "a list": (["kiss@example.org"], False),
    "an object": ({"kiss@example.org": True}, False),
    "true": (True, False),
}


@pytest.mark.parametrize(("email", "lets_in"), CONFUSABLE.values(), ids=CONFUSABLE)
def test_an_address_is_one_mailbox(email: Any, lets_in: bool, provider: Provider) -> None:
    """Capital and small letters from A to Z are the same; nothing that only looks like it is, or is folded to it."""
    User.objects.create_superuser("kiss@example.org")
    provider.change = lambda claims: claims | {"email": email, "email_verified": True}
    client = Client()
    _sign_in(client)
    assert is_in(client) is lets_in


@pytest.mark.parametrize("verified", ["true", "True", 1, [True], None, {}], ids=repr)
def test_an_address_is_verified_or_not(verified: Any, provider: Provider) -> None:
    """By the one value that says so; that of userinfo does not replace the token's."""
    provider.change = lambda claims: claims | DANA | {"email_verified": verified}
    client = Client()
    _sign_in(client)
    assert not is_in(client)
