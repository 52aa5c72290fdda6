"""An administrator with a password that is quick to check."""

import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from core.models import User

PASSWORD = "correct horse battery staple"


@pytest.fixture(autouse=True)
def _signing_in(settings: Settings) -> None:
    """Plain http, and hashes that cost nothing: how long they take is not what is tried here."""
    settings.SECURE_SSL_REDIRECT = False
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    cache.clear()  # of the codes that were used


@pytest.fixture
def dana(db: None) -> User:
    """Who may use the admin."""
    return User.objects.create_superuser("dana@example.org", PASSWORD, display_name="Dana")


def sign_in(client: Client, password: str = PASSWORD, email: str = "dana@example.org", **environ: str) -> int:
    """Send the form: 302 when it was right, 200 when the page is shown once more."""
    form = {"username": email, "password": password, "next": "/admin/"}
    return client.post("/admin/login/", form, **environ).status_code  # type: ignore[arg-type]


def is_in(client: Client) -> bool:
    """Whether the browser may use the admin."""
    return client.get("/admin/").status_code == 200


def code_of(secret: str, *, later: int = 0) -> str:
    """What an authenticator app shows, some steps of 30 seconds from now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + later))
