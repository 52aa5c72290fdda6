"""Record every sign-in: an audit row with ids, and a line in the log. Never anything that was typed."""

import logging
from typing import Any

from allauth.account.signals import authentication_step_completed, user_logged_in
from allauth.mfa.signals import authentication_failed, authenticator_added, authenticator_removed
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from adminsite.sign_in.backend import LIMITED
from core.models import AuditEvent, User
from core.values.addresses import fold_address

logger = logging.getLogger(__name__)

# In a session, the id of the person: one browser may begin as one person and go on as another.
SECOND_FACTOR = "second_factor"  # who gave a code
SINGLE_SIGN_ON = "single_sign_on"  # for whom the provider vouched


def record_failure(person: User | None, reason: str) -> None:
    """Somebody did not get in. person: whose account was tried, when there is one. reason: a code, no text."""
    AuditEvent.objects.create(
        action=AuditEvent.Action.SIGN_IN_FAILED,
        object_type="user",
        object_id=str(person.pk) if person else "",
        details={"reason": reason},
    )
    logger.warning("sign_in_failed", extra={"user_id": str(person.pk) if person else None, "reason": reason})


def record_reader(action: AuditEvent.Action, reader: User) -> None:
    """Somebody signed in with Slack, or out again, to open documents."""
    AuditEvent.objects.create(
        actor=reader, action=action, object_type="user", object_id=str(reader.pk), details={"slack": True}
    )
    logger.info("reader_signed", extra={"user_id": str(reader.pk), "action": action.value})


def record_own_password(person: User) -> None:
    """Somebody has changed their own password."""
    AuditEvent.objects.create(
        actor=person,
        action=AuditEvent.Action.CHANGE,
        object_type="user",
        object_id=str(person.pk),
        details={"fields": ["password"]},
    )


def record_refusal() -> None:
    """Somebody is over the limit: no row, for they could fill the table."""
    logger.warning("sign_in_refused", extra={"reason": "too_many"})


@receiver(user_logged_in)
def _record_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    factors = {kind: request.session.get(kind) == str(user.pk) for kind in (SINGLE_SIGN_ON, SECOND_FACTOR)}
    AuditEvent.objects.create(
        actor=user, action=AuditEvent.Action.SIGN_IN, object_type="user", object_id=str(user.pk), details=factors
    )
    logger.info("signed_in", extra={"user_id": str(user.pk), **factors})


@receiver(user_logged_out)
def _record_sign_out(user: User | None, **_: Any) -> None:
    if user is not None:
        AuditEvent.objects.create(
            actor=user, action=AuditEvent.Action.SIGN_OUT, object_type="user", object_id=str(user.pk)
        )
        logger.info("signed_out", extra={"user_id": str(user.pk)})


@receiver(user_login_failed)
def _password_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    if request is not None and getattr(request, LIMITED, False):
        record_refusal()
        return
    email = fold_address(str(credentials.get("username") or ""))
    record_failure(User.objects.filter(email=email).first(), "password")


@receiver(authentication_failed)
def _code_failed(user: User, **_: Any) -> None:
    record_failure(user, "code")


@receiver(authentication_step_completed)
def _step_completed(request: HttpRequest, user: User, method: str, **_: Any) -> None:
    if method == "mfa":
        request.session[SECOND_FACTOR] = str(user.pk)


@receiver(authenticator_added)
def _factor_added(request: HttpRequest, user: User, **_: Any) -> None:
    request.session[SECOND_FACTOR] = str(user.pk)  # the code was just given
    AuditEvent.objects.create(
        actor=user, action=AuditEvent.Action.ADD_SECOND_FACTOR, object_type="user", object_id=str(user.pk)
    )


@receiver(authenticator_removed)
def _factor_removed(user: User, **_: Any) -> None:
    AuditEvent.objects.create(
        actor=user, action=AuditEvent.Action.REMOVE_SECOND_FACTOR, object_type="user", object_id=str(user.pk)
    )
