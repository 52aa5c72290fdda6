"""Renew tokens that expire, before they do, by one process at a time.

With token rotation a token lives twelve hours, and Slack gives a refresh token with it that is exchanged, once, for the
next pair: https://docs.slack.dev/authentication/using-token-rotation. Exchanging it revokes it, so the exchange is made
under the lock of the installation's row, and the new pair is stored in the same transaction. Where a process dies after
Slack's answer and before the commit, the new pair is lost and the stored refresh token used up: the next exchange is
refused, which ends the installation.
"""

import datetime as dt
import logging
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.models import Installation
from bot.slack.encryption import decrypt, encrypt
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, find_code, translate_errors
from core.errors import FootnoteError
from core.models import AuditEvent

logger = logging.getLogger(__name__)

# How long before its end the worker renews a token: as slack_sdk's TokenRotator does. While Slack is away, the old
# token still works, and a job every ten minutes has a dozen attempts.
MARGIN = dt.timedelta(hours=2)
# How long before its end whoever uses a token renews it, since no worker has: as long as one answer may take.
MARGIN_ON_USE = dt.timedelta(minutes=10)

REFUSED = "invalid_refresh_token"  # Slack's code for one that was used already, revoked, or never given


def find_token(installation: Installation, client: WebClient) -> str:
    """Return an installation's token, renewed where it is about to expire; empty where that ended the installation.

    client: without a token of its own, for the exchange.
    A token that could not be renewed is returned while it works. SlackUnavailableError or SlackRefusedError after that;
    NoTokenKeyError or UnreadableTokenError when it cannot be decrypted.
    """
    current: Installation | None = installation
    # What a surrounding transaction rolls back, Slack would not: there it stays with the token as it is.
    if _is_due(installation, MARGIN_ON_USE) and not connection.in_atomic_block:
        try:
            current = renew(installation.pk, client, margin=MARGIN_ON_USE)
        except (SlackRefusedError, SlackUnavailableError) as error:
            logger.warning("token_not_renewed", extra={"team": installation.team_id, "code": error.code})
            if _is_due(installation, dt.timedelta()):
                raise
    return decrypt(current.encrypted_token) if current else ""


def renew_due(client: WebClient) -> None:
    """Renew every token that expires within MARGIN. What fails is logged, and tried again by the next call."""
    due = Installation.objects.filter(is_active=True, token_expires_at__lte=timezone.now() + MARGIN)
    for pk, team_id in due.values_list("pk", "team_id"):
        try:
            renew(pk, client, margin=MARGIN)
        except FootnoteError as error:
            logger.warning("token_not_renewed", extra={"team": team_id, "code": find_code(error)})


def renew(pk: UUID, client: WebClient, *, margin: dt.timedelta) -> Installation | None:
    """Exchange the refresh token of an installation whose token expires within the margin, and return it as it is now.

    None when it is not in use any more; Slack's refusal of the refresh token ends it. Whoever comes while another
    process renews waits for that, and finds it done. SlackUnavailableError or SlackRefusedError when nothing changed.
    """
    with transaction.atomic(durable=True):
        row = Installation.objects.select_for_update().filter(pk=pk, is_active=True).first()
        if row is None or not _is_due(row, margin):
            return row
        refresh_token = decrypt(row.encrypted_refresh_token)  # before Slack is asked: without the key nothing is lost
        try:
            token, refresh_token, lives_s = _exchange_token(client, refresh_token)
        except SlackRefusedError as error:
            if error.code != REFUSED:
                raise
            _end_installation(row)
            return None
        row.encrypted_token, row.encrypted_refresh_token = encrypt(token), encrypt(refresh_token)
        row.token_expires_at = timezone.now() + dt.timedelta(seconds=lives_s)
        row.save(update_fields=["encrypted_token", "encrypted_refresh_token", "token_expires_at"])
    logger.info("token_renewed", extra={"team": row.team_id})
    return row


def _is_due(installation: Installation, margin: dt.timedelta) -> bool:
    expires_at = installation.token_expires_at
    return expires_at is not None and expires_at <= timezone.now() + margin


def _exchange_token(client: WebClient, refresh_token: str) -> tuple[str, str, int]:
    """Return the new token, the new refresh token, and how many seconds the token lives."""
    with translate_errors():
        told = client.oauth_v2_access(
            client_id=settings.SLACK_CLIENT_ID,
            client_secret=settings.SLACK_CLIENT_SECRET,
            grant_type="refresh_token",
            refresh_token=refresh_token,
        )
    token, following, lives_s = (told.get(name) for name in ("access_token", "refresh_token", "expires_in"))
    if not (isinstance(token, str) and isinstance(following, str) and isinstance(lives_s, int)):
        raise SlackUnavailableError("unreadable_response")
    return token, following, lives_s


def _end_installation(row: Installation) -> None:
    Installation.objects.filter(pk=row.pk).end(REFUSED)
    AuditEvent.objects.create(
        action=AuditEvent.Action.END_INSTALLATION,
        object_type="installation",
        object_id=row.team_id,
        details={"because": REFUSED},
    )
    logger.error("installation_ended", extra={"team": row.team_id, "because": REFUSED})
