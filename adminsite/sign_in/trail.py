"""What is left of every sign-in: an audit row with ids, and a line in the log. Never what was typed."""

import logging
from typing import Any

from allauth.account.signals import authentication_step_completed, user_logged_in
from allauth.mfa.signals import authentication_failed, authenticator_added, authenticator_removed
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from adminsite.sign_in.backend import LIMITED
from core.models import AuditEvent, User

logger = logging.getLogger(__name__)

SECOND_FACTOR = "second_factor"  # in a session: a code was given in it
SINGLE_SIGN_ON = "single_sign_on"  # in a session: the provider vouched for the person


def failed(person: User | None, reason: str) -> None:
    """Somebody did not get in. person: whose account was tried, when there is one. reason: a code, no text."""
    AuditEvent.objects.create(
        action="sign_in_failed",
        object_type="user",
        object_id=str(person.pk) if person else "",
        details={"reason": reason},
    )
    logger.warning("sign_in_failed", extra={"user_id": str(person.pk) if person else None, "reason": reason})


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    factors = {
        "single_sign_on": bool(request.session.get(SINGLE_SIGN_ON)),
        "second_factor": bool(request.session.get(SECOND_FACTOR)),
    }
    AuditEvent.objects.create(actor=user, action="sign_in", object_type="user", object_id=str(user.pk), details=factors)
    logger.info("signed_in", extra={"user_id": str(user.pk), **factors})


@receiver(user_logged_out)
def _signed_out(user: User | None, **_: Any) -> None:
    if user is not None:
        AuditEvent.objects.create(actor=user, action="sign_out", object_type="user", object_id=str(user.pk))
        logger.info("signed_out", extra={"user_id": str(user.pk)})


@receiver(user_login_failed)
def _password_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    if request is not None and getattr(request, LIMITED, False):
        # No row: whoever is over the limit could fill the table.
        logger.warning("sign_in_refused", extra={"reason": "too_many"})
        return
    email = str(credentials.get("username") or "").strip().casefold()
    failed(User.objects.filter(email=email).first(), "password")


@receiver(authentication_failed)
def _code_failed(user: User, **_: Any) -> None:
    failed(user, "code")


@receiver(authentication_step_completed)
def _step_completed(request: HttpRequest, method: str, **_: Any) -> None:
    if method == "mfa":
        request.session[SECOND_FACTOR] = True


@receiver(authenticator_added)
def _factor_added(request: HttpRequest, user: User, **_: Any) -> None:
    request.session[SECOND_FACTOR] = True  # the code was just given
    AuditEvent.objects.create(actor=user, action="add_second_factor", object_type="user", object_id=str(user.pk))


@receiver(authenticator_removed)
def _factor_removed(user: User, **_: Any) -> None:
    AuditEvent.objects.create(actor=user, action="remove_second_factor", object_type="user", object_id=str(user.pk))
