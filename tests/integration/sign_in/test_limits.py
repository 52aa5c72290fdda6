"""Test the limits of attempts to sign in, and that nobody is locked out for good."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth import hashers
from django.db import connection
from django.db.models import F
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from adminsite.sign_in import limits
from adminsite.sign_in.limits import TooManySignInsError, begin, client_network
from core.models import AuditEvent, SignInAttempt, User
from tests.integration.sign_in.conftest import is_in, sign_in

pytestmark = pytest.mark.django_db
TOO_MANY = b"Too many attempts to sign in"


def _fail(times: int, *, email: str = "dana@example.org", address: str = "192.0.2.1") -> None:
    for _ in range(times):
        sign_in(Client(), "wrong", email, REMOTE_ADDR=address)


def _later(minutes: int) -> None:
    """Let the attempts be as old as if so much time had passed."""
    SignInAttempt.objects.update(created_at=F("created_at") - dt.timedelta(minutes=minutes))


def test_after_five_wrong_passwords_the_right_one_is_not_looked_at(dana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """And none is hashed, which is what costs the server. It is said how long that lasts, and lasts no longer."""
    _fail(5)
    hashed = []
    monkeypatch.setattr(hashers, "check_password", lambda *args, **kwargs: hashed.append(args))
    form = {"username": dana.email, "password": "correct horse battery staple"}
    refused = Client().post("/admin/login/", form, REMOTE_ADDR="192.0.2.1")
    assert (refused.status_code, TOO_MANY in refused.content, b"15 minutes" in refused.content) == (200, True, True)
    assert hashed == []
    monkeypatch.undo()
    _later(14)
    assert sign_in(Client(), REMOTE_ADDR="192.0.2.1") == 200
    _later(2)
    assert sign_in(Client(), REMOTE_ADDR="192.0.2.1") == 302


def test_a_stranger_elsewhere_locks_nobody_out(dana: User) -> None:
    """Their tries count at their own address; being refused there prolongs nothing."""
    _fail(9, address="203.0.113.9")
    assert sign_in(Client(), REMOTE_ADDR="192.0.2.1") == 302
    assert SignInAttempt.objects.filter(succeeded=False).count() == 5


def test_many_strangers_do_not_lock_out_who_was_there_before(dana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit for the account as a whole holds for addresses that are not known as the person's own."""
    monkeypatch.setattr(limits, "PER_ACCOUNT", 6)
    assert sign_in(Client(), REMOTE_ADDR="192.0.2.1") == 302
    for number in range(6):
        _fail(1, address=f"203.0.113.{number}")
    assert sign_in(Client(), REMOTE_ADDR="203.0.113.99") == 200
    assert sign_in(Client(), REMOTE_ADDR="192.0.2.1") == 302


def test_an_address_has_a_limit_whatever_accounts_it_tries(dana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with accounts that there are not. Other addresses go on."""
    monkeypatch.setattr(limits, "PER_ADDRESS", 6)
    for number in range(6):
        _fail(1, email=f"nobody{number}@example.org", address="2001:db8:0:1::1")
    assert sign_in(Client(), REMOTE_ADDR="2001:db8:0:1::2") == 200  # the same network
    assert sign_in(Client(), REMOTE_ADDR="2001:db8:0:2::1") == 302


def test_a_right_password_forgets_the_wrong_ones_before_it(dana: User) -> None:
    """Whoever mistypes now and then is never locked out."""
    for _ in range(3):
        _fail(4)
        assert sign_in(Client(), REMOTE_ADDR="192.0.2.1") == 302


def test_the_table_holds_neither_names_nor_addresses(dana: User) -> None:
    """Digests with a key; and old rows go."""
    _fail(1)
    (row,) = SignInAttempt.objects.all()
    assert "dana" not in row.account
    assert len(row.account) == len(row.address) == 64
    SignInAttempt.objects.update(created_at=timezone.now() - dt.timedelta(days=31))
    _fail(1, email="other@example.org")
    assert not SignInAttempt.objects.filter(pk=row.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_are_looked_at() -> None:
    """Each is counted before its password is hashed."""

    def attempt(_: int) -> bool:
        try:
            begin("dana@example.org", RequestFactory().post("/", REMOTE_ADDR="192.0.2.1"))
        except TooManySignInsError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(24))) == limits.PER_ACCOUNT_AND_ADDRESS


@pytest.mark.parametrize(
    ("behind", "environ", "expected"),
    [
        (False, {"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_FOR": "203.0.113.1"}, "192.0.2.1"),
        (True, {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "198.51.100.7, 203.0.113.1"}, "203.0.113.1"),
        (True, {"REMOTE_ADDR": "127.0.0.1"}, "127.0.0.1"),
        (False, {"REMOTE_ADDR": "2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"),
        (False, {"REMOTE_ADDR": "::ffff:192.0.2.1"}, "192.0.2.1"),
        (False, {"REMOTE_ADDR": ""}, ""),
    ],
)
def test_what_a_client_says_of_itself_is_not_believed(
    behind: bool, environ: dict[str, str], expected: str, settings: Settings
) -> None:
    """Only the proxy's own entry, and only behind one."""
    settings.BEHIND_PROXY = behind
    assert client_network(RequestFactory().get("/", **environ)) == expected  # type: ignore[arg-type]


def test_the_old_password_is_no_door_without_limits(dana: User) -> None:
    """On the page of one's own password, for who found a browser signed in; the owner's new one is on record."""
    client = Client()
    sign_in(client, REMOTE_ADDR="192.0.2.1")
    new = {"new_password1": "another battery staple", "new_password2": "another battery staple"}

    def change(old: str, address: str) -> bytes:
        return client.post("/admin/password_change/", {"old_password": old, **new}, REMOTE_ADDR=address).content

    for number in range(5):
        assert b"old password was entered incorrectly" in change(f"wrong{number}", "192.0.2.1")
    assert TOO_MANY in change("correct horse battery staple", "192.0.2.1")
    assert AuditEvent.objects.filter(action="sign_in_failed", object_id=str(dana.pk)).count() == 5
    change("correct horse battery staple", "203.0.113.9")
    assert User.objects.get(pk=dana.pk).check_password("another battery staple")
    event = AuditEvent.objects.get(action="change")
    assert (event.actor, event.object_id, event.details) == (dana, str(dana.pk), {"fields": ["password"]})


def test_a_session_is_new_at_sign_in_and_ends_when_it_is_idle(dana: User, settings: Settings) -> None:
    """Whoever planted a session's key knows nothing; each request puts the end off."""
    client = Client()
    client.get("/admin/login/")
    planted = client.session
    planted.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(planted.session_key)
    assert sign_in(client) == 302
    assert client.session.session_key != planted.session_key
    for idle, still in ((settings.SESSION_COOKIE_AGE - 60, True), (settings.SESSION_COOKIE_AGE + 60, False)):
        session = client.session
        session["seen"] = int(timezone.now().timestamp()) - idle
        session.save()
        assert is_in(client) is still
