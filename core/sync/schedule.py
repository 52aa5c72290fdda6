"""What happens to data sources by itself: runs that are due, and new tries of what failed."""

import contextlib

from django.utils import timezone

from core.models import DataSource
from core.queue import SYNC_READERS, enqueue_once
from core.sync.runs import RunGoesOnError, start


def start_due() -> None:
    """Queue the runs that are due: whole ones by the schedules, and such that only try again what failed."""
    now = timezone.now()
    for source in DataSource.objects.filter(is_enabled=True, next_run_at__lte=now):
        with contextlib.suppress(RunGoesOnError):
            start(source)
    again = DataSource.objects.filter(
        is_enabled=True, items__next_try_at__lte=now, items__is_gone=False, items__is_pending=False
    )
    for source in again.distinct():
        with contextlib.suppress(RunGoesOnError):
            start(source, lists=False)


def apply_readers_soon(source: DataSource) -> None:
    """Queue that what changed in the roles or the mapping of a source is applied to its documents."""
    enqueue_once(SYNC_READERS, f"sync_readers/{source.pk}", source=str(source.pk))
