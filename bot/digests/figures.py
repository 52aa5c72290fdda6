"""Gather the figures of a digest: the week's and those of the week before. Counts alone."""

import datetime as dt
import math

from bot.blocks.digest import DigestFigures
from core.models import ContentGap
from core.quality.reports.figures import make_total
from core.quality.reports.period import Period


def gather(monday: dt.date) -> DigestFigures:
    """The figures of the week that began on this Monday."""
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
    """Full seconds. A digest goes to a whole channel, and in a week of one question its times are that question's.

    To the millisecond they tell how much was searched, and so of what the asker may read and the channel may not.
    """
    return None if milliseconds is None else math.ceil(milliseconds / 1000)
