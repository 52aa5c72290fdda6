"""Test the length of an administrator's session, and everything that ends it at the next request."""

import time
from collections.abc import Callable

import pytest
from allauth.mfa.internal.flows.trust import trust_browser
from allauth.mfa.totp.internal.auth import TOTP
from django.http import HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from core.models import AuditEvent, User
from tests.integration.sign_in.conftest import PASSWORD, is_in, sign_in

pytestmark = pytest.mark.django_db
HOUR_S = 3600


@pytest.fixture
def browser(dana: User) -> Client:
    """Dana has signed in."""
    client = Client()
    assert sign_in(client) == 302
    assert is_in(client)
    return client


def _set_password(person: User) -> None:
    person.set_password("another battery staple")


def _take_password(person: User) -> None:
    person.set_unusable_password()


@pytest.mark.parametrize(
    "change",
    [
        _set_password,
        _take_password,
        lambda person: setattr(person, "email", "dana.new@example.org"),
        lambda person: setattr(person, "is_staff", False),
        lambda person: setattr(person, "is_active", False),
    ],
    ids=["another password", "no password", "another address", "no administrator", "deactivated"],
)
def test_a_session_ends_with_what_let_the_person_in(
    change: Callable[[User], None], browser: Client, dana: User
) -> None:
    """For good: it does not go on when the change is undone. REST and the pages of documents know it no more."""
    before = {name: getattr(dana, name) for name in ("password", "email", "is_staff", "is_active")}
    change(dana)
    dana.save()
    assert not is_in(browser)
    User.objects.filter(pk=dana.pk).update(**before)
    assert not is_in(browser)
    assert b"You read documents as" not in browser.get("/sign-in/").content
    assert browser.get("/api/v1/documents").status_code == 401


def test_other_changes_of_a_person_leave_their_session(browser: Client, dana: User) -> None:
    """Their name, and the password that they change themselves in it."""
    User.objects.filter(pk=dana.pk).update(display_name="Dana D.")
    assert is_in(browser)
    new = {"new_password1": "another battery staple", "new_password2": "another battery staple"}
    other = Client()
    sign_in(other)
    assert browser.post("/admin/password_change/", {"old_password": PASSWORD, **new}).status_code == 302
    assert (is_in(browser), is_in(other)) == (True, False)


@pytest.mark.parametrize(
    ("began", "still"), [(12 * HOUR_S - 60, True), (12 * HOUR_S + 60, False)], ids=["late", "too long"]
)
def test_a_session_ends_after_its_time_however_busy_it_is(began: int, still: bool, browser: Client) -> None:
    """No request puts that end off; signing in anew does."""
    session = browser.session
    session["began"] -= began
    session["seen"] = int(time.time()) - 60
    session.save()
    assert is_in(browser) is still
    assert AuditEvent.objects.filter(action="sign_out").exists() is not still
    assert browser.session.get("began", 0) < time.time() - 11 * HOUR_S
    sign_in(browser)
    assert browser.session["began"] > time.time() - HOUR_S
    assert is_in(browser)


def test_a_session_of_an_earlier_version_gets_an_end(browser: Client) -> None:
    """From its first request on."""
    session = browser.session
    del session["began"]
    session.save()
    assert is_in(browser)
    assert browser.session["began"] > time.time() - HOUR_S


def test_nobody_is_remembered_for_longer(dana: User, settings: Settings) -> None:
    """Whatever the form says; and a browser that a library would trust is asked for the code."""
    client = Client()
    form = {"username": dana.email, "password": PASSWORD, "remember": "on", "remember_me": "on"}
    client.post("/admin/login/", form)
    assert client.cookies["sessionid"]["max-age"] == settings.SESSION_COOKIE_AGE
    TOTP.activate(dana, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    trusting = HttpResponse()
    trust_browser(RequestFactory().get("/"), dana, trusting)
    other = Client()
    other.cookies.update(trusting.cookies)
    sign_in(other)
    assert other.cookies["mfa_trusted"].value
    assert not is_in(other)
