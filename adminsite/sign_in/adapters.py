"""Adapt django-allauth: nobody registers, and people are found by their verified e-mail address."""

import base64
from typing import Any, NoReturn

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import perform_login
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, logout
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare, salted_hmac

from adminsite.sign_in import limits, readers, trail
from adminsite.sign_in.claims import RefusedClaimsError, person_of, reader_of
from core.models import User

# One answer for who is unknown, has left or may not use the admin: a stranger learns nothing from it.
NOT_LET_IN = (
    "You could not be signed in through single sign-on. Ask an administrator whether Footnote knows your e-mail "
    "address."
)


NOT_LET_IN_BY_SLACK = (
    "You could not be signed in with Slack. Ask an administrator whether Footnote knows the e-mail address of your "
    "Slack account."
)
SLACK = "slack"  # the name of its provider in addresses and in settings
_BEGUN_WITH = "begun_with"  # in a session whose person has yet to give a code: see core.models.User


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators, and their e-mail addresses are theirs."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: nobody registers."""
        return False

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: the pages do."""

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send nothing: the audit trail has it."""

    def pre_login(self, request: HttpRequest, user: User, **_: Any) -> None:
        """Keep what let the person begin to sign in: until the code comes, minutes may pass."""
        request.session[_BEGUN_WITH] = user.get_session_auth_hash()

    def login(self, request: HttpRequest, user: User) -> None:
        """Begin the session, unless the person was deactivated or what let them begin has changed since."""
        begun_with = request.session.pop(_BEGUN_WITH, "")
        if not user.is_active or not constant_time_compare(begun_with, user.get_session_auth_hash()):
            trail.record_failure(user, "inactive" if not user.is_active else "changed")
            raise ImmediateHttpResponse(redirect(settings.LOGIN_URL))
        super().login(request, user)

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Return the ways to confirm one's identity: with a second factor only by a code, not by a password.

        Else a password and a browser that somebody left open would be enough to remove the factor.
        """
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [one for one in methods if one["id"] == "mfa_reauthenticate"] or methods

    def reauthenticate(self, user: User, password: str) -> bool:
        """Return True if the password is the signed-in user's; within the same limits as signing in."""
        return authenticate(context.request, username=user.email, password=password) == user


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """Whoever the provider vouches for is the person with that e-mail address. Nothing of the provider is stored."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Return False: nobody registers."""
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> NoReturn:
        """Let the person in, through the second factor where they have one, or send them back to the sign-in page."""
        with_slack = sociallogin.account.provider == SLACK
        target, told = sociallogin.get_redirect_url(request), sociallogin.account.extra_data
        try:
            if with_slack:
                readers.let_in(request, reader_of(told))
                raise ImmediateHttpResponse(redirect(target))
            person = person_of(told)
        except RefusedClaimsError as refusal:
            refuse(request, refusal.reason, refusal.person, with_slack=with_slack)
        if request.user.is_authenticated and request.user != person:
            logout(request)
        request.session[trail.SINGLE_SIGN_ON] = str(person.pk)
        raise ImmediateHttpResponse(perform_login(request, person, redirect_url=target))

    def on_authentication_error(self, request: HttpRequest, provider: Any, **_: Any) -> NoReturn:
        """Refuse: the provider did, or what it said does not hold."""
        refuse(request, "provider", with_slack=getattr(provider, "sub_id", provider) == SLACK)


def refuse(request: HttpRequest, reason: str, person: User | None = None, *, with_slack: bool = False) -> NoReturn:
    """Send the user back to sign in, with a message that hides the reason; the audit trail has it."""
    try:
        limits.begin("single sign-on", request)  # which limits nothing but the rows that it may cost
        trail.record_failure(person, reason)
    except limits.TooManySignInsError:
        trail.record_refusal()
    messages.error(request, NOT_LET_IN_BY_SLACK if with_slack else NOT_LET_IN)
    raise ImmediateHttpResponse(redirect("reader-sign-in" if with_slack else settings.LOGIN_URL))


class SecondFactorAdapter(DefaultMFAAdapter):
    """Second factors, whose secrets are stored encrypted."""

    def get_totp_issuer(self) -> str:
        """Return the name that the authenticator app shows."""
        return "Footnote"

    def encrypt(self, text: str) -> str:
        """Encrypt a text for the database: whoever reads it without SECRET_KEY makes no codes."""
        return _make_fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a text. cryptography.fernet.InvalidToken after a change of SECRET_KEY."""
        return _make_fernet().decrypt(encrypted_text.encode()).decode()

    def can_delete_authenticator(self, authenticator: Any) -> bool:
        """Return False where one is required."""
        return not settings.ADMIN_REQUIRE_MFA


def _make_fernet() -> Fernet:
    key = salted_hmac("footnote.second_factor", "key", algorithm="sha256").digest()  # made from SECRET_KEY
    return Fernet(base64.urlsafe_b64encode(key))
