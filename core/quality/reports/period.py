"""The days that a report covers."""

import datetime as dt
from dataclasses import dataclass
from typing import Self

from django.utils import timezone

from core.errors import ReportError

MOST_DAYS = 366
DEFAULT_DAYS = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Period:
    """Days from the first to the last, both included, in the time zone of the settings."""

    since: dt.date
    until: dt.date

    @classmethod
    def last(cls, days: int, *, until: dt.date | None = None) -> Self:
        """Return so many days up to a day; to today without one."""
        end = until or timezone.localdate()
        return cls(since=end - dt.timedelta(days=days - 1), until=end)

    @classmethod
    def of(cls, since: dt.date | None, until: dt.date | None) -> Self:
        """The days given; what is missing is as in the last 30 days. ReportError for days that make no report."""
        end = until or timezone.localdate()
        start = since or end - dt.timedelta(days=DEFAULT_DAYS - 1)
        if start > end:
            raise ReportError("The first day is after the last.")
        if (end - start).days >= MOST_DAYS:
            raise ReportError(f"A report covers at most {MOST_DAYS} days.")
        return cls(since=start, until=end)

    @property
    def start(self) -> dt.datetime:
        """Its first moment."""
        return _begin_of(self.since)

    @property
    def end(self) -> dt.datetime:
        """The first moment after it."""
        return _begin_of(self.until + dt.timedelta(days=1))

    def days(self) -> list[dt.date]:
        """Return each of its days, oldest first."""
        return [self.since + dt.timedelta(days=n) for n in range((self.until - self.since).days + 1)]


def _begin_of(day: dt.date) -> dt.datetime:
    return timezone.make_aware(dt.datetime.combine(day, dt.time.min))
