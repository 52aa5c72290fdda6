"""Test the misuse of codes, tokens and addresses: each is refused in words, and nothing is granted or lost."""

import datetime as dt
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from django.db import connection, transaction
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken
from pytest_django import Settings

from adminsite.programs.validator import ENDED
from core.models import AuditEvent, AuthToken, ConnectedProgram, User
from core.testing import Cast
from tests.integration.programs.conftest import Flow, Program, error_of, sent_back

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "back",
    [
        "https://elsewhere.example/callback",
        "https://agent.example/callback?more=1",
        "https://agent.example/callback/",
        "https://agent.example:8443/callback",
        "https://agent.example@elsewhere.example/callback",
        "http://agent.example/callback",
        "http://127.0.0.1:41234/other",
        "http://localhost:41234/callback",
    ],
)
def test_nothing_is_sent_where_the_program_did_not_say(back: str, flow: Flow) -> None:
    """The person sees an error; the browser goes nowhere."""
    page = flow.look(redirect_uri=back)
    assert page.status_code == 400
    assert "an address that it has not named as its own" in page.text
    assert "location" not in page.headers


def test_a_program_on_the_own_machine_has_any_port(flow: Flow) -> None:
    """RFC 8252, section 7.3: it takes the port that it finds free."""
    flow.back = "http://127.0.0.1:50001/callback"
    assert flow.connect()["access_token"]


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request", "challenge"),
        ({"code_challenge_method": "plain"}, "invalid_request", "S256"),
        ({"code_challenge_method": None}, "invalid_request", "S256"),
        ({"code_challenge": "short"}, "invalid_request", "S256"),
        ({"code_challenge": "x" * 200}, "invalid_request", "S256"),
        ({"response_type": "token"}, "unauthorized_client", ""),
        ({"scope": "ask reports"}, "invalid_scope", ""),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target", "/mcp alone"),
        ({"resource": "http://127.0.0.1/api/v1/"}, "invalid_target", "/mcp alone"),
    ],
)
def test_what_may_not_be_asked_is_told_to_the_program(
    changed: dict[str, str | None], error: str, words: str, flow: Flow
) -> None:
    """With its state and our issuer, so that it knows whose answer that is; no code is made."""
    told = sent_back(flow.look(**changed))
    assert (told["error"], told["state"], told["iss"]) == (error, flow.state, flow.site)
    assert words in told.get("error_description", "")
    assert "code" not in told
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "/oauth/authorize",
        "/oauth/authorize?client_id=%zz",
        "/oauth/authorize?client_id=a&client_id=b&response_type=code",
        "/oauth/authorize?client_id=a%00b&response_type=code",
        "/oauth/authorize?client_id=%ff%fe&state=%00",
    ],
)
def test_an_address_that_makes_no_sense_is_an_error_on_the_page(address: str, flow: Flow) -> None:
    """And no fault of ours."""
    page = flow.browser.get(address)
    assert page.status_code == 400
    assert "The program cannot be connected" in page.text


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_a_form_that_makes_no_sense_is_an_error(path: str, flow: Flow) -> None:
    """For programs, in JSON or, of a token that there is not, without one."""
    sent: tuple[dict[str, str], ...] = (
        {},
        {"grant_type": "refresh_token"},
        {"grant_type": "refresh_token", "client_id": "a\0b", "refresh_token": "x", "token": "x"},
        {"grant_type": "authorization_code", "client_id": "x" * 5000, "code": "x", "token": "x"},
    )
    for form in sent:
        refused = flow.post(path, **form)
        assert refused.status_code in (400, 401)
        assert refused.json()["error"] in {"invalid_request", "invalid_client", "unsupported_grant_type"}
    assert flow.post(f"{path}?client_id=%zz", token="x", grant_type="refresh_token").status_code == 400


def test_who_denies_gives_nothing(flow: Flow) -> None:
    """The program hears so."""
    told = sent_back(flow.answer("deny"))
    assert (told["error"], told["state"], told["iss"]) == ("access_denied", flow.state, flow.site)
    assert not ConnectedProgram.objects.exists()
    assert not Grant.objects.exists()


def test_no_parameter_spares_the_page(flow: Flow) -> None:
    """Whoever runs on the person's machine can pose as a program that was allowed before."""
    flow.connect()
    for spared in ({"approval_prompt": "auto"}, {"prompt": "none"}, {"prompt": "login"}, {"prompt": "create"}):
        page = flow.look(**spared)
        assert page.status_code == 200
        assert "ask Footnote for you?" in page.text


def test_no_other_page_presses_the_button(flow: Flow) -> None:
    """Without the page's own token nothing happens, and no page may show it within another."""
    page = flow.look()
    assert page.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"].startswith("max-age=0")
    assert flow.browser.post(flow.address(), data={"allow": "yes"}).status_code == 403
    assert not ConnectedProgram.objects.exists()


def test_who_is_not_signed_in_is_sent_to_sign_in(flow: Flow, program: Program) -> None:
    """Before anything is fetched: nobody makes Footnote ask addresses without being known."""
    flow.browser.cookies.clear()
    page = flow.look()
    assert page.status_code == 302
    assert page.headers["location"].startswith("/sign-in/?next=%2Foauth%2Fauthorize")
    assert "Sign in to connect a program" in flow.browser.get(page.headers["location"]).text
    assert flow.redeem("a" * 30).json()["error"] == "invalid_client"
    assert program.asked == 0


def test_a_code_is_redeemed_once(flow: Flow) -> None:
    """Its second use ends the connection: somebody has it who should not."""
    code = flow.code()
    tokens = flow.redeem(code).json()
    assert flow.message(tokens["access_token"]).status_code == 200
    assert error_of(flow.redeem(code)) == (
        400,
        "invalid_grant",
        "This code was used before, so that the connection was ended.",
    )
    assert flow.message(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    reason = AuditEvent.objects.get(object_type="connectedprogram", action="delete").details["reason"]
    assert reason == "its code was used again"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_verifier": "x" * 64}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"redirect_uri": "https://agent.example/callback"}, "invalid_request"),
        ({"client_id": "https://elsewhere.example/client.json"}, "invalid_client"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_worth_nothing_to_others(changed: dict[str, str | None], error: str, flow: Flow) -> None:
    """Nor is it used up by them: the program itself gets its tokens afterwards."""
    code = flow.code()
    refused = flow.redeem(code, **changed)
    assert refused.status_code in (400, 401)
    assert refused.json()["error"] == error
    assert not AccessToken.objects.exists()
    assert flow.redeem(code).status_code == 200


def test_a_code_is_worth_nothing_after_a_minute(flow: Flow) -> None:
    """It has expired."""
    code = flow.code()
    Grant.objects.update(expires=timezone.now())
    assert error_of(flow.redeem(code)) == (
        400,
        "invalid_grant",
        "There is no such code, or it has expired. Begin again.",
    )


def test_a_refresh_token_is_used_once(flow: Flow) -> None:
    """Its second use ends the connection, with the tokens that came of the first."""
    first = flow.connect()
    second = flow.refresh(first["refresh_token"]).json()
    assert flow.message(second["access_token"]).status_code == 200
    assert error_of(flow.refresh(first["refresh_token"])) == (
        400,
        "invalid_grant",
        "This refresh token was used before, so that the connection was ended.",
    )
    assert flow.message(second["access_token"]).status_code == 401
    assert flow.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    reason = AuditEvent.objects.get(object_type="connectedprogram", action="delete").details["reason"]
    assert (reason, ConnectedProgram.objects.exists()) == ("a refresh token was used again", False)


def at_the_same_moment(send: Callable[[], httpx2.Response], table: str) -> list[httpx2.Response]:
    """Return the responses to two requests, of which neither writes to a table before both have come to it."""
    waiting = "SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
    with ThreadPoolExecutor(2) as threads:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
            sent = [threads.submit(send) for _ in range(2)]
            for _ in range(600):
                cursor.execute(waiting, [table])
                if cursor.fetchone()[0] == len(sent):
                    break
                time.sleep(0.1)
            else:
                raise AssertionError("the requests do not come to the table")
        return [each.result() for each in sent]


def test_a_code_is_redeemed_once_at_the_same_moment(flow: Flow) -> None:
    """Of two requests that both found it unused the second gets nothing, and ends the connection of the first.

    The first gets an error, or has got tokens that do not work any more: as the end came before its own or after it.
    """
    code = flow.code()
    said = at_the_same_moment(lambda: flow.redeem(code), ConnectedProgram._meta.db_table)
    reused = (400, "invalid_grant", "This code was used before, so that the connection was ended.")
    (first,) = (each for each in said if each.status_code == 200 or error_of(each) != reused)
    if first.status_code == 200:
        assert flow.message(first.json()["access_token"]).status_code == 401
    else:
        assert error_of(first) == (400, "invalid_grant", ENDED)
    assert not ConnectedProgram.objects.exists()


def test_a_refresh_token_is_used_once_at_the_same_moment(flow: Flow) -> None:
    """Of two requests that both found it unused the second gets nothing; that is a program's haste, and no theft."""
    first = flow.connect()
    said = at_the_same_moment(lambda: flow.refresh(first["refresh_token"]), RefreshToken._meta.db_table)
    given, refused = sorted(said, key=lambda response: response.status_code)
    assert (given.status_code, *error_of(refused)) == (
        200,
        400,
        "invalid_grant",
        "This refresh token was replaced by another one.",
    )
    assert flow.message(given.json()["access_token"]).status_code == 200


def test_another_programs_refresh_token_is_none(flow: Flow, cast: Cast) -> None:
    """Whoever presents or revokes it under another name changes nothing of the connection."""
    tokens = flow.connect()
    other = Application.objects.get(client_id=flow.client_id)
    other.pk, other.client_id = None, "another"
    other.registration_source, other.cimd_expires_at = "dcr", None
    other.save()
    assert error_of(flow.refresh(tokens["refresh_token"], client_id="another")) == (
        400,
        "invalid_grant",
        "There is no such refresh token.",
    )
    assert flow.post("/oauth/revoke", token=tokens["refresh_token"], client_id="another").status_code == 200
    assert flow.message(tokens["access_token"]).status_code == 200
    assert flow.refresh(tokens["refresh_token"]).status_code == 200


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_program_revokes_its_connection_by_either_token(which: str, flow: Flow) -> None:
    """RFC 7009. A token that there is not is no error."""
    tokens = flow.connect()
    assert flow.revoke(tokens[which]).status_code == 200
    assert flow.message(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert flow.revoke(tokens[which]).status_code == 200
    assert not ConnectedProgram.objects.exists()


def test_a_connection_ends_in_time(flow: Flow) -> None:
    """However often it is refreshed."""
    tokens = flow.connect()
    ConnectedProgram.objects.update(expires_at=timezone.now())
    assert flow.message(tokens["access_token"]).status_code == 401
    assert error_of(flow.refresh(tokens["refresh_token"]))[2] == "The connection has ended. Connect the program again."


def test_an_access_token_opens_mcp_alone(flow: Flow, settings: Settings) -> None:
    """Not REST, by either header; and MCP only of the installation that it was given for."""
    tokens = flow.connect()
    access = tokens["access_token"]
    for scheme in ("Bearer", "Token"):
        headers = {"Authorization": f"{scheme} {access}"}
        said = httpx2.get(f"{flow.site}/api/v1/queries", headers=headers)
        assert said.status_code == 401
    assert flow.message(tokens["refresh_token"]).status_code == 401
    assert httpx2.post(f"{flow.site}/mcp?access_token={access}", json={}).status_code == 401
    AccessToken.objects.update(resource=["https://elsewhere.example/mcp"])
    assert flow.message(access).status_code == 401
    AccessToken.objects.update(resource=[])
    assert flow.message(access).status_code == 401


def test_a_refusal_tells_a_program_where_to_begin(flow: Flow, cast: Cast) -> None:
    """RFC 9728: the challenge names the metadata, the metadata the server, and the server its addresses."""
    asked = flow.message(None)
    at = f"{flow.site}/.well-known/oauth-protected-resource/mcp"
    assert asked.status_code == 401
    assert asked.headers["www-authenticate"] == f'Bearer scope="ask",resource_metadata="{at}"'
    resource = httpx2.get(at).json()
    assert resource == httpx2.get(f"{flow.site}/.well-known/oauth-protected-resource").json()
    assert (resource["resource"], resource["authorization_servers"]) == (flow.resource, [flow.site])
    assert resource["scopes_supported"] == ["ask"]
    server = httpx2.get(f"{flow.site}/.well-known/oauth-authorization-server").json()
    assert server == {
        "issuer": flow.site,
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "scopes_supported": ["ask"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
        "authorization_endpoint": f"{flow.site}/oauth/authorize",
        "token_endpoint": f"{flow.site}/oauth/token",
        "revocation_endpoint": f"{flow.site}/oauth/revoke",
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
    }
    assert httpx2.post(f"{flow.site}/oauth/register", json={"redirect_uris": [flow.back]}).status_code == 404


def test_a_tool_beyond_the_scopes_is_refused_with_what_is_missing(flow: Flow) -> None:
    """RFC 6750, section 3.1: a program may then ask its person for more."""
    access = flow.connect()["access_token"]
    ConnectedProgram.objects.update(scopes=["reports"])
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "search", "arguments": {}}}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {access}"}
    refused = httpx2.post(flow.resource, json=body, headers=headers)
    assert refused.status_code == 403
    told = refused.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in told
    assert 'scope="ask"' in told
    assert flow.message(access).status_code == 200


def test_only_digests_are_kept(flow: Flow) -> None:
    """Of codes and of both kinds of tokens."""
    code = flow.code()
    assert code not in str(list(Grant.objects.values())) + str(list(ConnectedProgram.objects.values()))
    tokens = flow.redeem(code).json()
    kept = str([*AccessToken.objects.values(), *RefreshToken.objects.values()])
    assert tokens["access_token"] not in kept
    assert tokens["refresh_token"] not in kept


def test_pasted_tokens_go_on_as_before(flow: Flow, cast: Cast) -> None:
    """For scripts."""
    _row, token = AuthToken.objects.create(cast.bob)
    assert flow.message(token).status_code == 200


def test_the_addresses_of_tokens_have_a_limit(flow: Flow) -> None:
    """As a signed-in person has for the page."""
    said: list[Any] = [flow.refresh("x").status_code for _ in range(121)]
    assert said[-2:] == [401, 429]
    pages = [flow.look(client_id="x").status_code for _ in range(31)]
    assert pages[-2:] == [400, 429]


def test_a_registered_program_names_usable_addresses(flow: Flow, settings: Settings) -> None:
    """Registration is on; the program's other wishes are not granted."""
    settings.MCP_REGISTRATION = True
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "DCR_ENABLED": True}
    at = f"{flow.site}/oauth/register"
    for wrong in ([], "x", ["http://elsewhere.example/callback"], ["myapp:/callback"]):
        assert httpx2.post(at, json={"redirect_uris": wrong}).status_code == 400
    made = httpx2.post(at, json={"redirect_uris": [flow.back], "grant_types": ["password"], "scope": "grant"})
    assert made.status_code == 201
    assert made.json().keys() == {"client_id", "redirect_uris", "grant_types", "token_endpoint_auth_method"}
    assert not AccessToken.objects.exists()
    assert User.objects.filter(is_superuser=True).count() == 0
    metadata = httpx2.get(f"{flow.site}/.well-known/oauth-authorization-server").json()
    assert metadata["registration_endpoint"] == at


def test_a_connection_that_was_never_begun_is_cleared_away(flow: Flow) -> None:
    """And one that is over; what works stays."""
    from core.programs.connections import clear

    kept = flow.connect()
    flow.code()
    assert ConnectedProgram.objects.count() == 2
    clear()
    assert ConnectedProgram.objects.count() == 2
    ConnectedProgram.objects.update(created_at=timezone.now() - dt.timedelta(hours=2))
    clear()
    assert ConnectedProgram.objects.count() == 1
    assert flow.message(kept["access_token"]).status_code == 200
