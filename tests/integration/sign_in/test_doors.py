"""Test every page of signing in: where it leads, which forms it takes, and the session's new key."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.urls import URLPattern, get_resolver

from core.models import User
from tests.integration.sign_in.conftest import PASSWORD, code_of, is_in, sign_in

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CODE_PAGE = "/admin/second-factor/code/"
ELSEWHERE = [
    "https://evil.example/",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    " //evil.example",
    "\x00//evil.example",
    "http:evil.example",
    "https:///evil.example",
    "https://testserver@evil.example/",
    "https://testserver.evil.example/",
    "javascript:alert(1)",
    "data:text/html,evil",
]


@pytest.mark.parametrize("target", ELSEWHERE, ids=repr)
def test_no_door_leads_to_another_site(target: str, dana: User) -> None:
    """The password's page, before and after, the code's, that of confirming, and signing out."""
    TOTP.activate(dana, SECRET)
    client, query = Client(), urlencode({"next": target})
    password = {"username": dana.email, "password": PASSWORD, "next": target}
    asked = [client.post("/admin/login/", password), client.post(CODE_PAGE, {"code": code_of(SECRET)})]
    assert is_in(client)
    other = Client()
    other.force_login(User.objects.create_superuser("erin@example.org", PASSWORD))
    asked += [other.post(f"/admin/confirm/?{query}", {"password": PASSWORD}), other.get(f"/admin/login/?{query}")]
    asked += [client.post(f"/admin/logout/?{query}")]
    places = [urljoin("http://testserver/", answer["Location"]) for answer in asked if answer.status_code == 302]
    assert len(places) >= 4
    assert {urlsplit(place)[:2] for place in places} == {("http", "testserver")}


@pytest.mark.parametrize("signed_in", [False, True])
def test_no_form_of_another_site_is_taken(signed_in: bool, dana: User) -> None:
    """So nobody is signed in as somebody else, nor out, nor loses a second factor, by opening a page elsewhere."""
    TOTP.activate(dana, SECRET)
    client = Client(enforce_csrf_checks=True)
    if signed_in:
        client.force_login(dana)
    pages = ["login/", "logout/", "password_change/", "confirm/", "second-factor/code/", "second-factor/confirm/"]
    pages += ["second-factor/app/", "second-factor/app/remove/", "second-factor/recovery/new/"]
    form = {"username": dana.email, "password": PASSWORD, "code": "000000"}
    answers = {page: client.post(f"/admin/{page}", form).status_code for page in pages}
    assert set(answers.values()) == {403}, answers
    assert client.post("/sign-out/").status_code == 403
    assert is_in(client) is signed_in


def _list_addresses(patterns: list[Any], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from _list_addresses(pattern.url_patterns, route)
        elif not pattern.pattern.converters and "(" not in route:
            yield f"/{route}"


def test_a_password_opens_one_page_alone(dana: User) -> None:
    """Of all addresses; no page of a library signs somebody in past the limits and the second factor."""
    addresses = set(_list_addresses(get_resolver().url_patterns))
    assert len(addresses) > 100
    form = {"username": dana.email, "email": dana.email, "login": dana.email, "password": PASSWORD}
    opened = set()
    for address in addresses:
        client = Client(raise_request_exception=False)
        client.post(address, form)
        opened |= {address} if is_in(client) else set()
    assert opened == {"/admin/login/"}


@pytest.mark.parametrize("has_app", [False, True], ids=["password", "code"])
def test_a_planted_session_is_worth_nothing_after(has_app: bool, dana: User) -> None:
    """Whoever knows the key that a browser had before knows nothing of the session after."""
    if has_app:
        TOTP.activate(dana, SECRET)
    planter = Client()
    session = planter.session
    session.save()
    planter.cookies["sessionid"] = str(session.session_key)
    victim = Client(headers={"cookie": f"sessionid={session.session_key}"})
    sign_in(victim)
    if has_app:
        victim = _with_cookie_of(victim)
        victim.post(CODE_PAGE, {"code": code_of(SECRET)})
    assert is_in(_with_cookie_of(victim))
    assert not is_in(planter)


def _with_cookie_of(client: Client) -> Client:
    """A browser with the session that this one was given, and no other."""
    other = Client()
    other.cookies = client.cookies
    return other
