"""Alerts about drift: a week in which many more questions were refused, or answers voted down, than in the four before.

By chance alone a week is alarmed on about once in a thousand: the shares have to differ by three standard errors, and
by a tenth.
"""

import datetime as dt
import logging
import math
from decimal import Decimal

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from core.models import Alert, Feedback, QueryLog
from core.quality.reports.period import Period
from core.types import NOBODY_ASKED, FeedbackReason, RefusalReason

logger = logging.getLogger(__name__)

REFUSED_SHARE, VOTED_DOWN_SHARE = "refused_share", "voted_down_share"
_WEEK, _BEFORE = 7, 28  # days
_FEWEST = 50  # questions or votes of the week, and of the weeks before
_ERRORS = 3.0  # standard errors
_LEAST = 0.1  # by which a share has to be higher
_REFUSED = (RefusalReason.NOTHING_FOUND, RefusalReason.INSUFFICIENT, RefusalReason.UNSURE)


def raise_alerts(today: dt.date | None = None) -> list[Alert]:
    """Compare the last whole week, Monday to Sunday, with the four before it; return the alerts that were raised."""
    day = today or timezone.localdate()
    week = Period.last(_WEEK, until=day - dt.timedelta(days=day.weekday() + 1))
    before = Period.last(_BEFORE, until=week.since - dt.timedelta(days=1))
    raised = []
    for metric, count in ((REFUSED_SHARE, _count_refused), (VOTED_DOWN_SHARE, _count_down)):
        now, then = count(week), count(before)
        if not has_risen(now, then):
            continue
        shares = {"score": _divide_exactly(*now), "threshold": _divide_exactly(*then)}
        alert, is_new = Alert.objects.get_or_create(since=week.since, metric=metric, defaults=shares)
        if is_new:
            logger.warning("drift_alert", extra={"since": str(week.since), "metric": metric})
            raised.append(alert)
    return raised


def has_risen(now: tuple[int, int], then: tuple[int, int]) -> bool:
    """Return True if a share has risen by more than chance explains; each given as how many, and of how many."""
    (some, of), (before, of_before) = now, then
    if min(of, of_before) < _FEWEST:
        return False
    together = (some + before) / (of + of_before)
    error = math.sqrt(together * (1 - together) * (1 / of + 1 / of_before))
    return some / of - before / of_before >= max(_LEAST, _ERRORS * error)


def _count_refused(period: Period) -> tuple[int, int]:
    asked = QueryLog.objects.filter(created_at__gte=period.start, created_at__lt=period.end)
    people = asked.exclude(query__conversation__origin__in=NOBODY_ASKED).exclude(query__is_overheard=True)
    return _count_share(people, Q(refusal_reason__in=_REFUSED))


def _count_down(period: Period) -> tuple[int, int]:
    votes = Feedback.objects.filter(created_at__gte=period.start, created_at__lt=period.end)
    return _count_share(votes.exclude(reasons=[FeedbackReason.TOO_SLOW]), Q(verdict=Feedback.Verdict.DOWN))


def _count_share(rows: QuerySet[QueryLog] | QuerySet[Feedback], condition: Q) -> tuple[int, int]:
    found = rows.order_by().aggregate(some=Count("pk", filter=condition), all=Count("pk"))
    return found["some"], found["all"]


def _divide_exactly(some: int, of: int) -> Decimal:
    return (Decimal(some) / of).quantize(Decimal("0.001"))
