"""Runs of a data source: begun by the schedule or a person, stopped, asked about, tried again. The worker does them in
slices.
"""

import contextlib
import datetime as dt
import time

from croniter import croniter
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core.errors import SourceError
from core.infrastructure.queue import SYNC, SYNC_READERS, enqueue, enqueue_once
from core.infrastructure.tracing.spans import begin_trace
from core.library.ingestion.checked import request_check
from core.models import AuditEvent, ChangeCheck, DataSource, SyncRun, User
from core.values.change_checks import DECIDABLE, UNDER_WAY, CheckState

State = SyncRun.State
Scope = SyncRun.Scope
_LANES = 3  # in which the slices of all sources go: the other places of a worker are left for questions
_FIRST_DISTANCE = dt.timedelta(minutes=5)  # until a run that failed is tried again; doubled each time
_LONGEST_DISTANCE = dt.timedelta(hours=6)


class RunGoesOnError(SourceError):
    """This source is being asked already."""

    retry = False


def start(
    source: DataSource, *, by: User | None = None, lists: bool = True, scope: SyncRun.Scope = SyncRun.Scope.ALL
) -> SyncRun:
    """Queue a run. A run that waits for a decision or its check is stopped: the new one asks again if it has to.

    by: who wants it so; None: the schedule. scope: READERS for one that loads nothing, and leaves a run that waits.
    RunGoesOnError while one goes on, and for readers alone also while one waits.
    """
    started = time.time()
    if scope == Scope.READERS:
        return _start_comparing(source, by)
    try:
        with transaction.atomic():
            _end_checks(Q(run__source=source, run__state=State.CHECKING), "A later run took the place of this one.")
            source.runs.filter(state__in=SyncRun.WAITING).update(state=State.STOPPED, finished_at=timezone.now())
            run = SyncRun.objects.create(source=source, started_by=by, lists=lists)
            _write_audit(run, AuditEvent.Action.SYNC, by)
            enqueue_slice(run)
    except IntegrityError:
        raise RunGoesOnError from None
    begin_trace(run.pk, "sync.run", started=started, run=run.pk)
    return run


def _start_comparing(source: DataSource, by: User | None) -> SyncRun:
    """Queue a run that compares readers alone. One by the schedule is no event: what it changes has events."""
    started = time.time()
    if source.runs.filter(state__in=SyncRun.WAITING).exists():
        raise RunGoesOnError
    try:
        with transaction.atomic():
            run = SyncRun.objects.create(source=source, started_by=by, scope=Scope.READERS)
            if by is not None:
                _write_audit(run, AuditEvent.Action.SYNC, by, readers=True)
            enqueue_slice(run)
    except IntegrityError:
        raise RunGoesOnError from None
    begin_trace(run.pk, "sync.run", started=started, run=run.pk)
    return run


def forget_idle(run: SyncRun) -> None:
    """Delete the earlier runs of a source that compared readers and found nothing: one every few minutes is many."""
    earlier = run.source.runs.filter(scope=Scope.READERS, state=State.DONE, started_by=None, changes=None, error="")
    earlier.exclude(pk=run.pk).delete()


def decide(run: SyncRun, *, withdraw: bool, by: User | None) -> None:
    """Answer a run that waits: withdraw what is gone and go on, or stop it. SourceError when it does not wait."""
    with transaction.atomic():
        waiting = SyncRun.objects.select_for_update().filter(pk=run.pk, state=State.ASKING)
        if withdraw:
            changed = waiting.update(state=State.APPLYING, may_withdraw=True)
        else:
            changed = waiting.update(state=State.STOPPED, finished_at=timezone.now())
        if not changed:
            raise SourceError("This run waits for no decision any more.")
        _write_audit(run, AuditEvent.Action.SYNC, by, withdraws=withdraw)
        if withdraw:
            enqueue_slice(run)


def stop(run: SyncRun, *, by: User | None) -> None:
    """Stop a run before its next slice, or within its listing. What it did stays; the next run goes on from there."""
    with transaction.atomic():
        active = (*SyncRun.ACTIVE, *SyncRun.WAITING)
        _end_checks(Q(run=run, run__state=State.CHECKING), "The run was stopped.")
        if SyncRun.objects.filter(pk=run.pk, state__in=active).update(state=State.STOPPED, finished_at=timezone.now()):
            _write_audit(run, AuditEvent.Action.SYNC, by, stopped=True)


def hold_for_check(run: SyncRun) -> bool:
    """Let a run wait until what it brings is checked. False where somebody stopped it.

    Its source is asked again when it next would be: by a schedule that is over, it would be each minute.
    """
    with transaction.atomic():
        if not SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).update(state=State.CHECKING):
            return False
        schedule_next(run.source)
        request_check(run=run)
    return True


def schedule_next(source: DataSource) -> None:
    """Store when a source is asked next, by its schedule from now on: it has answered."""
    source.failures = 0
    source.next_run_at = next_run(source, timezone.now())
    source.save(update_fields=["failures", "next_run_at"])


def release_checked(run: SyncRun) -> bool:
    """Let a run that waits for its check go on. False where it does not wait."""
    goes_on_with = State.APPLYING if run.lists else State.INGESTING
    with transaction.atomic():
        if not SyncRun.objects.filter(pk=run.pk, state=State.CHECKING).update(state=goes_on_with):
            return False
        enqueue_slice(run)
    return True


def decline_checked(run: SyncRun) -> None:
    """Stop a run that waits for its check. What it would have brought is marked again by the next listing."""
    with transaction.atomic():
        waiting = SyncRun.objects.filter(pk=run.pk, state=State.CHECKING)
        if waiting.update(state=State.STOPPED, finished_at=timezone.now()):
            run.source.items.filter(is_pending=True, is_gone=False).update(is_pending=False)


def _end_checks(which: Q, reason: str) -> None:
    """End the checks of runs that do not wait any more. Before the runs: a decision locks both in this order."""
    checks = ChangeCheck.objects.filter(which, state__in=[*UNDER_WAY, *DECIDABLE])
    for pk in checks.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True):
        ChangeCheck.objects.filter(pk=pk).update(
            state=CheckState.STOPPED, is_stopping=True, reason=reason, finished_at=timezone.now()
        )


def next_run(source: DataSource, now: dt.datetime) -> dt.datetime | None:
    """Return when a source next runs by itself: by its schedule, or sooner after a failure. None: never."""
    if not source.is_enabled or not source.schedule:
        return None
    due: dt.datetime = croniter(source.schedule, timezone.localtime(now)).get_next(dt.datetime)
    if source.failures:
        due = min(due, now + min(_FIRST_DISTANCE * 2 ** min(source.failures - 1, 10), _LONGEST_DISTANCE))
    return due


def enqueue_slice(run: SyncRun) -> None:
    """Queue the next slice of a run: one of a source at a time."""
    enqueue(SYNC, lock=f"sync/{run.source_id.int % _LANES}", run=str(run.pk))


def start_due() -> None:
    """Queue the runs that are due: whole ones by the schedules, such that only try again what failed, and comparisons
    of readers.

    A run whose questions are being asked is left alone, or a source that is asked often would never be done with them.
    While one waits for a yes, the source is listed, and readers that it takes away lose their right, as ever.
    """
    now = timezone.now()
    runs = SyncRun.objects.filter(source=OuterRef("pk"), state=State.CHECKING)
    being_checked = runs.filter(Q(checks=None) | Q(checks__state__in=UNDER_WAY))
    for source in DataSource.objects.filter(~Exists(being_checked), is_enabled=True, next_run_at__lte=now):
        with contextlib.suppress(RunGoesOnError):
            start(source)
    waiting = SyncRun.objects.filter(source=OuterRef("pk"), state__in=SyncRun.WAITING)
    again = DataSource.objects.filter(
        ~Exists(waiting), is_enabled=True, items__next_try_at__lte=now, items__is_gone=False, items__is_pending=False
    )
    for source in again.distinct():
        with contextlib.suppress(RunGoesOnError):
            start(source, lists=False)
    due = Q(next_readers_at=None) | Q(next_readers_at__lte=now)
    comparing = DataSource.objects.filter(
        due, ~Exists(waiting), is_enabled=True, takes_readers=True, readers_minutes__gt=0, listed_at__isnull=False
    )
    for source in comparing:
        again_at = now + dt.timedelta(minutes=source.readers_minutes or 0)
        DataSource.objects.filter(pk=source.pk).update(next_readers_at=again_at)
        with contextlib.suppress(RunGoesOnError):
            start(source, scope=Scope.READERS)


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


def _write_audit(run: SyncRun, action: AuditEvent.Action, by: User | None, **details: bool) -> None:
    AuditEvent.objects.create(
        actor=by,
        action=action,
        object_type="data source",
        object_id=str(run.source_id),
        details={"run": str(run.pk), **details},
    )
