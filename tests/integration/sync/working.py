"""Working off runs without a worker."""

from core.library.sync.slices import work
from core.models import SyncRun


def work_to_the_end(run: SyncRun) -> None:
    """Do all slices of a run here and now."""
    while SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).exists():
        work(run.pk)
