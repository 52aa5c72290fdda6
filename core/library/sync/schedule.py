"""Start the runs of data sources that are due, and try failed ones again."""

import contextlib

from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core.infrastructure.queue import SYNC, SYNC_READERS, enqueue_once
from core.library.sync.runs import RunGoesOnError, enqueue_slice, start
from core.models import DataSource, SyncRun


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


def resume_lost() -> None:
    """Queue the next slice of runs that go on and have none waiting: its job was lost with the database, for one."""
    jobs = ProcrastinateJob.objects.filter(task_name=SYNC, status__in=("todo", "doing"))
    waiting = {job.args.get("run") for job in jobs}
    for run in SyncRun.objects.filter(state__in=SyncRun.ACTIVE):
        if str(run.pk) not in waiting:
            enqueue_slice(run)


def apply_readers_soon(source: DataSource) -> None:
    """Queue that what changed in the roles or the mapping of a source is applied to its documents."""
    enqueue_once(SYNC_READERS, f"sync_readers/{source.pk}", source=str(source.pk))
