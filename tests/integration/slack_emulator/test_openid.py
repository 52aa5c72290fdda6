"""Sign in with Slack on the local page: for the browser that the page let in, and for who it plays Slack for."""

import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
from django.test import Client
from jwt.algorithms import ECAlgorithm
from pytest_django import Settings

from core.testing import Cast
from slack_emulator.accounts import find_slack_id

HERE: dict[str, Any] = {"HTTP_HOST": "127.0.0.1:8000"}
BACK = "http://127.0.0.1:8000/admin/sso/slack/callback/"
ASKED = {"client_id": "local", "response_type": "code", "redirect_uri": BACK, "state": "s", "nonce": "n", "scope": "x"}
SECRET = "the-client-secret"


@pytest.fixture(autouse=True)
def _known_client(settings: Settings) -> None:
    settings.SLACK_SIGN_IN_CLIENT_ID, settings.SLACK_SIGN_IN_CLIENT_SECRET = "local", SECRET
    settings.HERE = "http://127.0.0.1:8000"


def _browser(*, let_in: bool = True) -> Client:
    client = Client()
    if let_in:
        client.get("/local/", {"token": "a-token-for-tests"}, **HERE)
    return client


def _authorize(client: Client, person: str = "", **other: str) -> Any:
    address = f"/local/openid/connect/authorize?{urlencode(ASKED | other)}"
    return client.post(address, {"person": person}, **HERE) if person else client.get(address, **HERE)


def _agree(client: Client, person: str) -> str:
    target = _authorize(client, person)["Location"]
    assert target.startswith(f"{BACK}?")
    answered = parse_qs(urlsplit(target).query)
    assert answered["state"] == ["s"]
    return answered["code"][0]


def _exchange(code: str, **other: str) -> dict[str, Any]:
    form = {"code": code, "client_id": "local", "client_secret": SECRET, "redirect_uri": BACK}
    told: dict[str, Any] = Client().post("/local/api/openid.connect.token", form | other, **HERE).json()
    return told


def test_a_person_of_the_page_is_vouched_for(workspace: Cast) -> None:
    """By a token whose signature its published key confirms, with the nonce, and by userInfo."""
    client, alice = _browser(), find_slack_id(workspace.alice)
    assert b"Continue as Alice" in _authorize(client).content
    told = _exchange(_agree(client, alice))
    described = client.get("/local/.well-known/openid-configuration", **HERE).json()
    (key,) = client.get("/local/openid/connect/keys", **HERE).json()["keys"]
    claims = jwt.decode(
        told["id_token"],
        ECAlgorithm.from_jwk(json.dumps(key)),  # type: ignore[arg-type]
        algorithms=["ES256"],
        audience="local",
        issuer=described["issuer"],
    )
    assert {
        name: claims[name] for name in ("sub", "nonce", "email", "email_verified", "https://slack.com/team_id")
    } == {
        "sub": alice,
        "nonce": "n",
        "email": "alice@example.com",
        "email_verified": True,
        "https://slack.com/team_id": "TLOCAL",
    }
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {told['access_token']}"}
    asked = Client().get("/local/api/openid.connect.userInfo", **HERE, **bearer).json()
    assert (asked["ok"], asked["sub"]) == (True, alice)


def test_a_code_is_for_one_time_and_one_client(workspace: Cast) -> None:
    """Neither a second time, nor without the secret, nor for another address."""
    client, alice = _browser(), find_slack_id(workspace.alice)
    code = _agree(client, alice)
    assert _exchange(code, client_secret="guessed") == {"ok": False, "error": "bad_client_secret"}
    assert _exchange(code)["ok"]
    refused = {"ok": False, "error": "invalid_code"}
    assert _exchange(code) == refused
    assert _exchange(_agree(client, alice), redirect_uri="http://127.0.0.1:8000/else") == refused
    assert _exchange("made-up") == refused
    guessed = Client().get("/local/api/openid.connect.userInfo", **HERE, HTTP_AUTHORIZATION="Bearer xoxp-guessed")
    assert guessed.json() == {"ok": False, "error": "invalid_auth"}


def test_a_browser_that_was_not_let_in_is_nobody(workspace: Cast) -> None:
    """It sees no names and gets no code."""
    client, alice = _browser(let_in=False), find_slack_id(workspace.alice)
    for response in (_authorize(client), _authorize(client, alice)):
        assert response.status_code == 403
        assert b"Alice" not in response.content


@pytest.mark.parametrize(
    "other",
    [
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "http://127.0.0.1:9000/admin/sso/slack/callback/"},
        {"client_id": "another"},
        {"response_type": "token"},
    ],
    ids=str,
)
def test_a_code_goes_to_footnote_alone(workspace: Cast, other: dict[str, str]) -> None:
    """To no other client, host or port."""
    assert _authorize(_browser(), find_slack_id(workspace.alice), **other).status_code == 400


def test_no_form_of_another_site_agrees(workspace: Cast) -> None:
    """Without the token of the page's own form."""
    client = Client(enforce_csrf_checks=True)
    client.get("/local/", {"token": "a-token-for-tests"}, **HERE)
    assert _authorize(client, find_slack_id(workspace.alice)).status_code == 403


def test_a_real_slack_takes_it_away(workspace: Cast, settings: Settings) -> None:
    """All of it."""
    settings.SLACK_BOT_TOKEN = "xoxb-real"
    client = _browser()
    for path in (".well-known/openid-configuration", "openid/connect/keys", "api/openid.connect.userInfo"):
        assert client.get(f"/local/{path}", **HERE).status_code == 404
    assert _authorize(client).status_code == 404
