"""The weekly digest: figures of the last week, posted once to each channel that wants them. No text of questions.

The digests that are due are stored with their job in one transaction, once for each channel and week; the worker
gathers the figures, which are counts alone, and posts them once, by however many attempts and processes.
"""

import datetime as dt
import logging
import math
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from bot.blocks.digest import DigestFigures, digest_message
from bot.blocks.message import Message
from bot.channels.settings import find_language, find_setting
from bot.models import Digest
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import find_client
from core.infrastructure import queue
from core.language.i18n.translation import speak_language
from core.models import ChannelSetting, ContentGap
from core.quality.reports.figures import make_total
from core.quality.reports.period import Period

logger = logging.getLogger(__name__)

_FROM_HOUR = 8  # of Monday, in the time zone of the settings: then the last week is told of


def queue_due(now: dt.datetime | None = None) -> int:
    """Queue the digests of the last week that no channel has got yet; how many these are.

    Whoever calls it again, or in another process, queues nothing twice: there is one row for each channel and week.
    """
    monday = find_last_week(now or timezone.now())
    if monday is None:
        return 0
    queued = 0
    for team_id, channel_id in ChannelSetting.objects.filter(weekly_digest=True).values_list("team_id", "channel_id"):
        with transaction.atomic():
            row, is_new = Digest.objects.get_or_create(team_id=team_id, channel_id=channel_id, week=monday)
            if is_new:
                queue.enqueue(queue.DIGEST, digest=str(row.pk))
        queued += is_new
    return queued


def find_last_week(now: dt.datetime) -> dt.date | None:
    """Find the Monday of the week that has ended; None before the hour of Monday from which on it is told of."""
    local = timezone.localtime(now)
    this_monday = local.date() - dt.timedelta(days=local.weekday())
    if local.date() == this_monday and local.hour < _FROM_HOUR:
        return None
    return this_monday - dt.timedelta(weeks=1)


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
    _build_message(row).ensure(lambda: _compose_message(row))
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


def _compose_message(row: Digest) -> Message:
    with speak_language(find_language(row.team_id, row.channel_id)):
        return digest_message(_gather_figures(row.week))


def _gather_figures(monday: dt.date) -> DigestFigures:
    """Gather the figures of the week that began on this Monday."""
    week = Period(since=monday, until=monday + dt.timedelta(days=6))
    before = Period.last(7, until=monday - dt.timedelta(days=1))
    total = make_total(week)
    gaps = ContentGap.objects.filter(first_seen__gte=week.start, first_seen__lt=week.end)
    return DigestFigures(
        since=week.since,
        until=week.until,
        questions=total.questions,
        questions_before=make_total(before).questions,
        answered=total.answered,
        closest=total.closest,
        refused=total.refused,
        up=total.up,
        down=total.down,
        half_within_s=_round_up(total.latency_p50_ms),
        most_within_s=_round_up(total.latency_p95_ms),
        cost_usd=total.cost_usd,
        new_gaps=gaps.count(),
        open_gaps=ContentGap.objects.filter(state=ContentGap.State.OPEN).count(),
    )


def _round_up(milliseconds: float | None) -> int | None:
    """Round up to full seconds.

    A digest goes to a whole channel, and in a week of one question its times are that question's. To the millisecond
    they tell how much was searched, and so of what the asker may read and the channel may not.
    """
    return None if milliseconds is None else math.ceil(milliseconds / 1000)
