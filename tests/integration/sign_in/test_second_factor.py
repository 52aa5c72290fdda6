"""A code after the password: set up, asked for, required, lost."""

import datetime as dt
from collections.abc import Callable
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from pytest_django import Settings

from adminsite.sign_in.urls import urlpatterns
from core.models import AuditEvent, User
from tests.integration.sign_in.conftest import PASSWORD, STEP_S, code_of, is_in, reads_as, sign_in

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CODE_PAGE = "/admin/second-factor/code/"
CONFIRM_PAGE = "/admin/second-factor/confirm/"
REMOVE_PAGE = "/admin/second-factor/app/remove/"


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


def _confirm(client: Client, code: str) -> None:
    client.post(CONFIRM_PAGE, {"code": code})


@pytest.mark.parametrize("again", [_give, _confirm], ids=["to sign in", "to confirm"])
def test_a_code_works_once_whichever_process_is_asked(again: Callable[[Client, str], None], with_app: User) -> None:
    """Each process has a cache of its own: who looked over the shoulder has half a minute for another one."""
    client, other = Client(), Client()
    sign_in(client)
    sign_in(other)
    code = code_of(SECRET)
    _give(client, code)
    assert is_in(client)
    cache.clear()
    again(other if again is _give else client, code)
    assert not is_in(other)
    assert client.get(REMOVE_PAGE)["Location"].startswith(CONFIRM_PAGE)
    assert AuditEvent.objects.get(action="sign_in_failed").details == {"reason": "code"}


def test_the_next_code_works(with_app: User) -> None:
    """Only the step in which one was taken is over."""
    client = Client()
    sign_in(client)
    Authenticator.objects.update(last_used_at=timezone.now() - dt.timedelta(seconds=STEP_S))
    _give(client, code_of(SECRET))
    assert is_in(client)


@pytest.mark.parametrize("page", ["code", "confirm"])
def test_codes_are_limited_as_passwords_are(page: str, with_app: User) -> None:
    """Six digits would else be found by trying, also by who found a browser signed in, and by asking each process."""
    client = Client()
    if page == "confirm":
        client.force_login(with_app)
    else:
        sign_in(client)
    address = CODE_PAGE if page == "code" else CONFIRM_PAGE
    for number in range(5):
        cache.clear()
        client.post(address, {"code": f"wrong{number}"})
    assert b"Too many attempts" in client.post(address, {"code": code_of(SECRET)}).content
    assert is_in(client) is (page == "confirm")
    assert page == "code" or client.get(REMOVE_PAGE).status_code == 302


@pytest.mark.parametrize("name", ["mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"])
def test_a_password_does_not_stand_for_the_second_factor(name: str, with_app: User) -> None:
    """Else a browser that somebody left open and the password would be enough to take it away."""
    client = Client()
    client.force_login(with_app)
    confirm = client.post("/admin/confirm/", {"password": PASSWORD})
    assert confirm["Location"] == CONFIRM_PAGE
    assert client.get(reverse(name))["Location"].startswith(CONFIRM_PAGE)
    client.post(reverse(name))
    assert Authenticator.objects.filter(type="totp").exists()
    _confirm(client, code_of(SECRET))
    assert client.get(reverse(name)).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        lambda person: person.set_password("another battery staple"),
        lambda person: setattr(person, "is_active", False),
        lambda person: setattr(person, "is_staff", False),
    ],
    ids=["another password", "deactivated", "no administrator"],
)
def test_what_changed_since_the_password_counts_at_the_code(change: Callable[[User], None], with_app: User) -> None:
    """A sign-in that had begun with the old password does not end with a code."""
    client = Client()
    sign_in(client)
    change(with_app)
    with_app.save()
    _give(client, code_of(SECRET))
    assert not is_in(client)
    assert not AuditEvent.objects.filter(action="sign_in").exists()


def test_nothing_is_reached_before_the_code(with_app: User) -> None:
    """Neither by its address, nor by the page of another way to confirm; and signing out forgets the password."""
    client = Client()
    sign_in(client)
    pages = [path.name for path in urlpatterns if path.name not in {"account_login", "mfa_authenticate"}]
    addresses = [reverse(str(name)) for name in pages if name not in {"openid_connect_callback", "single-sign-on"}]
    addresses += ["/admin/", "/admin/core/user/", "/api/v1/documents", "/slack/install", "/mcp"]
    assert len(addresses) > 12
    for address in addresses:
        for answer in (client.get(address), client.post(address, {"password": PASSWORD, "code": "000000"})):
            refused = answer.status_code in (401, 403, 405) or answer["Location"].startswith("/admin/login/")
            assert refused, (address, answer.status_code)
    assert reads_as(client) == ""
    client.post("/sign-out/")
    assert client.get(CODE_PAGE)["Location"] == "/admin/login/"


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
    own = client.get(reverse("mfa_index")).content.decode()
    assert "Second factor | Footnote" in own
    assert "An authenticator app is set up." in own
    assert "10 of 10 recovery codes are left." in own
    for address in ("mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"):
        assert f'href="{reverse(address)}"' in own


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
    """A session opened by a password alone does not stay open."""
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
