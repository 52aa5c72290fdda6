"""Posting a digest: once, by however many attempts and processes."""

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from bot.blocks.digest import digest_message
from bot.blocks.message import Message
from bot.channels.languages import find_language
from bot.channels.settings import find_setting
from bot.digests.figures import gather
from bot.models import Digest
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import find_client
from core.language.i18n.translation import speak_language

logger = logging.getLogger(__name__)


def post(digest_id: UUID) -> None:
    """Post a digest, unless an earlier attempt did or its channel wants none any more.

    SlackUnavailableError when a later attempt may succeed.
    """
    with transaction.atomic():
        row = Digest.objects.select_for_update().get(pk=digest_id)
        if row.state != Digest.State.WAITING:
            return
        row.attempts += 1
        row.save(update_fields=["attempts"])
    setting = find_setting(row.team_id, row.channel_id)
    if setting is None or not setting.weekly_digest:
        fail(digest_id, code="turned_off")
        return
    _build_message(row).ensure(lambda: _compose(row))
    Digest.objects.filter(pk=row.pk).update(state=Digest.State.POSTED)


def fail(digest_id: UUID, *, code: str) -> None:
    """End a digest that could not be posted. The next week has another one."""
    waiting = Digest.objects.filter(pk=digest_id, state=Digest.State.WAITING)
    waiting.update(state=Digest.State.FAILED, error_code=code)
    logger.warning("digest_failed", extra={"digest": str(digest_id), "code": code})


def _build_message(row: Digest) -> IdempotentMessage:
    def record(ts: str) -> None:
        Digest.objects.filter(pk=row.pk).update(ts=ts, posted_at=timezone.now())

    return IdempotentMessage(
        client=find_client(row.team_id),
        team_id=row.team_id,
        channel_id=row.channel_id,
        thread_ts="",
        marker=f"digest-{row.pk}",
        ts=row.ts,
        since=f"{row.created_at.timestamp():.6f}" if row.attempts > 1 else "",
        record=record,
    )


def _compose(row: Digest) -> Message:
    with speak_language(find_language(row.team_id, row.channel_id)):
        return digest_message(gather(row.week))
