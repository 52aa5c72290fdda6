"""Making a REST token: the one way in which the admin and the command do it."""

import datetime as dt
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction

from core.models import AuditEvent, AuthToken, User


def default_days() -> int:
    """How many days a new token works unless it is said otherwise."""
    ttl: dt.timedelta = settings.REST_KNOX["TOKEN_TTL"]
    return ttl.days


def issue(
    person: User, *, name: str, scopes: Sequence[str], networks: Sequence[str], days: int, by: User | None
) -> str:
    """Make a token for a person, with its audit row, and return it: it can be shown this once.

    scopes: of AuthToken.Scope, at least one. networks: from which it works; none: from anywhere. days: how long.
    by: who makes it; None: the command line.
    """
    with transaction.atomic():
        row, token = AuthToken.objects.create(
            person, expiry=dt.timedelta(days=days), name=name, scopes=list(scopes), networks=list(networks)
        )
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.CREATE,
            object_type="authtoken",
            object_id=row.token_key,
            details={"user": str(person.pk), "scopes": list(scopes), "networks": len(networks), "days": days},
        )
    return token
