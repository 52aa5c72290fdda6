"""Making a REST token, and reading for whom it asks: the one way in which the admin and the command do it."""

import datetime as dt
import re
from collections.abc import Sequence

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from core.models import AuditEvent, AuthToken, User
from core.models.token_audiences import columns_of
from core.values.addresses import fold_address
from core.values.token_audience import TokenAudience

_CHANNEL = re.compile(r"([TE][A-Z0-9]{1,31})/([CG][A-Z0-9]{1,31})")  # as Slack forms the ids of teams and channels


def read_audience(people: Sequence[str], channel: str, scopes: Sequence[str]) -> TokenAudience:
    """Return for whom a token is to ask, from what somebody typed.

    people: e-mail addresses. channel: TEAM/CHANNEL, by their ids in Slack, or "". ValidationError for both, for an
    address that no active person has, for what is no channel's id, and for others together with a scope besides ask.
    """
    if not people and not channel:
        return TokenAudience()
    if people and channel:
        raise ValidationError("Give people or a channel, not both.")
    if set(scopes) != {AuthToken.Scope.ASK.value}:
        raise ValidationError("A token that asks for others can have no scope but ask.")
    if channel:
        named = _CHANNEL.fullmatch(channel)
        if named is None:
            raise ValidationError(f"{channel!r} is not a channel. Write it like T0123ABCD/C0123ABCD.")
        return TokenAudience(team_id=named[1], channel_id=named[2])
    active = User.objects.filter(is_active=True)
    found = {address: active.filter(email=fold_address(address)).first() for address in people}
    if unknown := sorted(address for address, person in found.items() if person is None):
        raise ValidationError(f"Nobody active has this e-mail address: {', '.join(unknown)}.")
    return TokenAudience(people=frozenset(person.pk for person in found.values() if person))


def default_days() -> int:
    """Return the default lifetime of a token, in days."""
    ttl: dt.timedelta = settings.REST_KNOX["TOKEN_TTL"]
    return ttl.days


def issue(
    person: User,
    *,
    name: str,
    scopes: Sequence[str],
    networks: Sequence[str],
    days: int,
    by: User | None,
    asks_for: TokenAudience | None = None,
) -> str:
    """Make a token for a person, with its audit row, and return it: it can be shown this once.

    scopes: of AuthToken.Scope, at least one. networks: from which it works; none: from anywhere. days: how long.
    by: who makes it; None: the command line. asks_for: who must be able to read what it is given, besides the person;
    then its one scope is ask.
    """
    others = asks_for or TokenAudience()
    with transaction.atomic():
        row, token = AuthToken.objects.create(
            person,
            expiry=dt.timedelta(days=days),
            name=name,
            scopes=list(scopes),
            networks=list(networks),
            **columns_of(others),
        )
        details = {"user": str(person.pk), "scopes": list(scopes), "networks": len(networks), "days": days}
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.CREATE,
            object_type="authtoken",
            object_id=row.token_key,
            details=details | _describe_audience(others),
        )
    return token


def _describe_audience(asks_for: TokenAudience) -> dict[str, object]:
    """Return for whom a token asks besides its person, for the audit trail: ids, or nothing."""
    if asks_for.channel_id:
        return {"for_channel": f"{asks_for.team_id}/{asks_for.channel_id}"}
    return {"for_people": [str(pk) for pk in sorted(asks_for.people)]} if asks_for else {}
