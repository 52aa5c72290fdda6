"""Queue the digests that are due: stored with their job in one transaction, once for each channel and week."""

import datetime as dt
import logging

from django.db import transaction
from django.utils import timezone

from bot.models import Digest
from core.infrastructure import queue
from core.models import ChannelSetting

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
    """The Monday of the week that has ended; None before the hour of Monday from which on it is told of."""
    local = timezone.localtime(now)
    this_monday = local.date() - dt.timedelta(days=local.weekday())
    if local.date() == this_monday and local.hour < _FROM_HOUR:
        return None
    return this_monday - dt.timedelta(weeks=1)
