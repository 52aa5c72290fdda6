"""A code after the password: set up, asked for, required, lost."""

from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, reverse
from pytest_django import Settings

from core.models import AuditEvent, User
from tests.integration.sign_in.conftest import PASSWORD, code_of, is_in, sign_in

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CODE_PAGE = "/admin/second-factor/code/"


@pytest.fixture
def with_app(dana: User) -> User:
    """Dana has set up an authenticator app."""
    TOTP.activate(dana, SECRET)
    RecoveryCodes.activate(dana)
    return dana


def _give(client: Client, code: str) -> None:
    client.post(CODE_PAGE, {"code": code})


def test_the_password_alone_lets_nobody_in(with_app: User) -> None:
    """Only with a code, which works once; a wrong one is on record."""
    client = Client()
    assert sign_in(client) == 302
    assert not is_in(client)
    assert b"authenticator app" in client.get(CODE_PAGE).content
    _give(client, "000000" if code_of(SECRET) != "000000" else "000001")
    assert not is_in(client)
    assert AuditEvent.objects.get(action="sign_in_failed").details == {"reason": "code"}
    code = code_of(SECRET)
    _give(client, code)
    assert is_in(client)
    assert AuditEvent.objects.get(action="sign_in").details == {"single_sign_on": False, "second_factor": True}

    again = Client()
    sign_in(again)
    _give(again, code)
    assert not is_in(again)


def test_codes_are_limited_as_passwords_are(with_app: User) -> None:
    """Six digits would else be found by trying."""
    client = Client()
    sign_in(client)
    for number in range(5):
        _give(client, f"wrong{number}")
    assert b"Too many attempts" in client.post(CODE_PAGE, {"code": code_of(SECRET)}).content
    assert not is_in(client)


def test_a_recovery_code_works_once(with_app: User) -> None:
    """For who has not the telephone at hand."""
    codes = Authenticator.objects.get(user_id=with_app.pk, type="recovery_codes").wrap().get_unused_codes()
    for expected in (True, False):
        client = Client()
        sign_in(client)
        _give(client, codes[0])
        assert is_in(client) is expected


def test_the_secret_is_stored_encrypted(with_app: User) -> None:
    """Whoever reads the database makes no codes."""
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in stored
    assert Authenticator.objects.get(type="totp").wrap().validate_code(code_of(SECRET))


@pytest.mark.django_db(transaction=True)  # what is written down of it waits for the commit
def test_an_app_is_set_up_after_the_password_is_asked_once_more(dana: User) -> None:
    """A session that somebody left open is not enough to take the account over, nor to remove the factor."""
    client = Client()
    sign_in(client)
    address = reverse("mfa_activate_totp")
    confirm = client.get(address)
    assert confirm["Location"].startswith(reverse("account_reauthenticate"))
    assert b"Confirm" in client.get(confirm["Location"]).content
    client.post(confirm["Location"], {"password": "wrong"})
    assert client.get(address).status_code == 302
    client.post(confirm["Location"], {"password": PASSWORD})
    page = client.get(address)
    assert b"data:image/svg+xml" in page.content
    done = client.post(address, {"code": code_of(page.context["form"].secret)}, follow=True)
    assert b"Recovery Codes" in done.content
    assert set(Authenticator.objects.values_list("type", flat=True)) == {"totp", "recovery_codes"}
    assert AuditEvent.objects.filter(action="add_second_factor", actor=dana).exists()
    assert b"Authenticator App" in client.get(reverse("mfa_index")).content


@pytest.mark.django_db(transaction=True)  # what is written down of it waits for the commit
def test_where_it_is_required_nothing_else_is_reached_first(dana: User, settings: Settings) -> None:
    """Neither the admin nor REST in its session, until the app is set up; then it stays."""
    settings.ADMIN_REQUIRE_MFA = True
    client = Client()
    sign_in(client)
    for path in ("/admin/", "/admin/core/user/", "/api/v1/documents", "/admin/password_change/"):
        refused = client.get(path)
        assert (refused.status_code, refused["Location"]) == (302, reverse("mfa_activate_totp")), path
    confirm = client.get(reverse("mfa_activate_totp"))["Location"]
    client.post(confirm, {"password": PASSWORD})
    secret = client.get(reverse("mfa_activate_totp")).context["form"].secret
    client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    assert is_in(client)
    client.post(reverse("mfa_deactivate_totp"))
    assert Authenticator.objects.filter(type="totp").exists()


def test_a_session_from_before_it_was_required_signs_in_anew(with_app: User, settings: Settings) -> None:
    """What was opened by a password alone does not stay open."""
    client = Client()
    client.force_login(with_app)
    assert is_in(client)
    settings.ADMIN_REQUIRE_MFA = True
    assert client.get("/admin/")["Location"] == reverse("account_login")
    settings.ADMIN_REQUIRE_MFA = False
    assert not is_in(client)


def test_an_operator_removes_what_somebody_has_lost(with_app: User) -> None:
    """With an audit row; the password alone lets them in then."""
    call_command("remove_second_factor", with_app.email, stdout=StringIO())
    client = Client()
    sign_in(client)
    assert is_in(client)
    assert AuditEvent.objects.filter(action="remove_second_factor", object_id=str(with_app.pk)).exists()


@pytest.mark.parametrize(
    "name", ["account_signup", "account_reset_password", "account_email", "socialaccount_connections", "account_logout"]
)
def test_nobody_registers_or_resets_by_mail(name: str) -> None:
    """Of the library's addresses only those that are needed are there."""
    with pytest.raises(NoReverseMatch):
        reverse(name)
