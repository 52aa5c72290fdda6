"""Connections of programs: found by a token, begun by a person, ended by whoever may, each with its audit row.

A person may let a program ask for a channel, one of those that they and Footnote are in.
"""

import datetime as dt
import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken, clear_expired

from core.models import AuditEvent, ConnectedProgram, SlackChannel, SlackIdentity, User
from core.models.token_audiences import columns_of
from core.signals import own_channels_asked
from core.values.token_audience import TokenAudience

USE_IS_NOTED_EVERY = dt.timedelta(minutes=1)  # at most, as for pasted tokens
UNREDEEMED = dt.timedelta(hours=1)  # after which a connection whose code nobody redeemed is cleared away
UNUSED_REGISTRATION = dt.timedelta(days=90)  # after which a registered program that nobody has connected is
UNUSED_DOCUMENT = dt.timedelta(days=1)  # likewise of one with a document, which is fetched anew


class Ending(StrEnum):
    """The reason for a connection's end, as the audit trail gives it."""

    PERSON = "disconnected by the person"
    ADMINISTRATOR = "disconnected by an administrator"
    PROGRAM = "revoked by the program"
    CODE_REUSED = "its code was used again"
    REFRESH_REUSED = "a refresh token was used again"


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a code or token, in hexadecimal: what is kept of it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def begin(
    person: User, application: Application, *, scopes: Sequence[str], code_digest: str, asks_for: TokenAudience
) -> ConnectedProgram:
    """Connect a program for a person, with its audit row. Call it in the transaction that keeps the code.

    asks_for: who must be able to read what it is given, besides the person.
    """
    connection = ConnectedProgram.objects.create(
        user=person,
        client_id=application.client_id,
        name=application.name,
        scopes=list(scopes),
        code_digest=code_digest,
        **columns_of(asks_for),
        expires_at=timezone.now() + dt.timedelta(days=settings.MCP_CONNECTION_DAYS),
    )
    details = {"days": settings.MCP_CONNECTION_DAYS, "channel": asks_for.channel_id, "people": len(asks_for.people)}
    _record_event(AuditEvent.Action.CREATE, connection, by=person, details=details)
    return connection


def end(connection: ConnectedProgram, why: Ending, *, by: User | None = None) -> None:
    """End a connection: none of its tokens and codes works from the next request on.

    by: who ends it; None: the program, or what was found of it.
    """
    with transaction.atomic():
        kept = ConnectedProgram.objects.select_for_update().filter(pk=connection.pk).first()
        if kept is None:
            return
        _record_event(AuditEvent.Action.DELETE, kept, by=by, details={"reason": why.value})
        Grant.objects.filter(code=kept.code_digest).delete()
        RefreshToken.revoke_family(kept.token_family)
        kept.delete()


def find_by_token(token: str, *, resource: str) -> ConnectedProgram | None:
    """Return the connection of an access token and note its use; None for a token that does not work.

    resource: the address of what is asked, for which the token must have been given. It takes two queries, and one more
    a minute.
    """
    found = (
        AccessToken.objects.filter(token_checksum=digest_of(token), expires__gt=timezone.now(), user__is_active=True)
        .values_list("refresh_token__token_family", "resource", "user_id")
        .first()
    )
    if found is None or found[1] != [resource] or found[0] is None:
        return None
    connection = find_live(found[0])
    if connection is None or connection.user_id != found[2]:
        return None
    _note_use(connection)
    return connection


def find_live(family: UUID | None) -> ConnectedProgram | None:
    """Return the connection of a family of tokens, while it lasts and its person is active."""
    if family is None:
        return None
    return (
        ConnectedProgram.objects.select_related("user")
        .filter(token_family=family, expires_at__gt=timezone.now(), user__is_active=True)
        .first()
    )


def clear() -> None:
    """Delete what no longer works: connections that are over, their tokens, and programs that nobody has connected."""
    now = timezone.now()
    over = Q(expires_at__lte=now) | Q(token_family=None, created_at__lte=now - UNREDEEMED)
    for family in ConnectedProgram.objects.filter(over).values_list("token_family", flat=True):
        RefreshToken.revoke_family(family)
    ConnectedProgram.objects.filter(over).delete()
    clear_expired()
    connected = Exists(ConnectedProgram.objects.filter(client_id=OuterRef("client_id")))
    sources = Application.RegistrationSource
    unused = Q(registration_source=sources.CIMD, updated__lte=now - UNUSED_DOCUMENT) | Q(
        registration_source=sources.DCR, updated__lte=now - UNUSED_REGISTRATION
    )
    Application.objects.filter(unused).exclude(connected).delete()


def _note_use(connection: ConnectedProgram) -> None:
    now = timezone.now()
    if connection.last_used_at is None or now - connection.last_used_at >= USE_IS_NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_IS_NOTED_EVERY)
        ConnectedProgram.objects.filter(stale, pk=connection.pk).update(last_used_at=now)


def _record_event(
    action: AuditEvent.Action, connection: ConnectedProgram, *, by: User | None, details: dict[str, object]
) -> None:
    AuditEvent.objects.create(
        actor=by,
        action=action,
        object_type="connectedprogram",
        object_id=str(connection.pk),
        details={"user": str(connection.user_id), "scopes": connection.scopes, **details},
    )


def list_own_channels(person: User) -> list[SlackChannel]:
    """Return the channels that both the person and Footnote are in, by name; none where Slack cannot be asked."""
    found: list[SlackChannel] = []
    for team_id, account in SlackIdentity.objects.filter(user=person).values_list("team_id", "slack_user_id"):
        answers: list[tuple[Any, Any]] = own_channels_asked.send(
            sender=list_own_channels, team_id=team_id, slack_user_id=account
        )
        own: frozenset[str] = next((answer for _, answer in answers), frozenset())
        found += SlackChannel.objects.filter(team_id=team_id, channel_id__in=own)
    return sorted(found, key=lambda channel: channel.name)
