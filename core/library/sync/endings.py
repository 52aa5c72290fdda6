"""End listings that do not end by themselves: at their bounds, when a person stops them, or with the worker.

Every answer of a source is bounded in bytes and time where it is asked. Here is what bounds all of them together: it is
looked at before each request and after each thing that was named.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings

from core.models import SyncRun

WORKER_STOPS = threading.Event()  # while this process ends its jobs

_MOST_ITEMS = 1_000_000
_LOOK_S = 2.0  # between two looks at the run's row
_STAYS = "What it had not named by then stays as it was."
_Item = TypeVar("_Item")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """Limits on the duration and the number of items of a listing."""

    hours: float
    idle_minutes: float  # in which nothing is named
    items: int = _MOST_ITEMS

    @classmethod
    def from_settings(cls) -> "Bounds":
        """Return those of this installation."""
        return cls(hours=settings.SYNC_LISTING_HOURS, idle_minutes=settings.SYNC_LISTING_IDLE_MINUTES)


class ListingEndedError(Exception):
    """The listing was ended. Not an error of the source, for which connectors have answers of their own."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message  # the reason, for the run


class OverBoundsError(ListingEndedError):
    """It went over one of its bounds."""


class StoppedError(ListingEndedError):
    """A person stopped its run."""


class WorkerStopsError(ListingEndedError):
    """The process is told to stop. The run goes on in another one, and lists anew."""


class Watch:
    """Watches over the listing of a run."""

    def __init__(self, run: SyncRun, bounds: Bounds | None = None) -> None:
        """bounds: others than those of the settings."""
        self._run = run
        self._bounds = bounds or Bounds.from_settings()
        self._is_on = False
        self._began = self._heard = self._looked = 0.0  # by the monotonic clock

    def over(self, found: Iterable[_Item]) -> Iterator[_Item]:
        """Yield the items of a listing. ListingEndedError when it is ended."""
        self._is_on = True
        self._began = self._heard = time.monotonic()
        self._looked = float("-inf")
        try:
            for count, one in enumerate(found, start=1):
                if count > self._bounds.items:
                    raise OverBoundsError(f"The source named more than {self._bounds.items:,} things. {_STAYS}")
                yield one
                self._heard = time.monotonic()
                self.check()
        finally:
            self._is_on = False

    def check(self) -> None:
        """Raise ListingEndedError if the listing has to end. Nothing while none goes on."""
        if not self._is_on:
            return
        now, bounds = time.monotonic(), self._bounds
        if WORKER_STOPS.is_set():
            raise WorkerStopsError("The worker was stopped while the source was listed. It is listed again.")
        if now - self._looked >= _LOOK_S:
            self._looked = now
            if not SyncRun.objects.filter(pk=self._run.pk, state__in=SyncRun.ACTIVE).exists():
                raise StoppedError(f"The run was stopped while the source was listed. {_STAYS}")
        if now - self._began >= bounds.hours * 3600:
            raise OverBoundsError(f"The source was not listed within {bounds.hours:g} hours. {_STAYS}")
        if now - self._heard >= bounds.idle_minutes * 60:
            raise OverBoundsError(f"The source named nothing for {bounds.idle_minutes:g} minutes. {_STAYS}")
