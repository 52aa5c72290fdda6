"""Runs of a data source: begun by the schedule or a person, worked off in slices, stopped, or asked about.

A slice ends after some seconds and queues the next one, so that no worker is held for hours and a run goes on where
it was when one is killed. Slices of all sources share a few lanes: the other places of a worker are left for questions.
"""

import datetime as dt
import logging
from uuid import UUID

from croniter import croniter
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import FootnoteError, SourceError
from core.ingestion.cleaning import one_line
from core.models import AuditEvent, DataSource, SyncChange, SyncRun, User
from core.models.data_sources import LONGEST_MESSAGE
from core.queue import SYNC, enqueue
from core.sync.connecting import connect
from core.sync.gone import withdraw_gone, would_withdraw_too_much
from core.sync.ingesting import ingest_pending
from core.sync.listing import mark_failed, store_listing
from core.sync.readers import apply_to_all, give_back_answered

logger = logging.getLogger(__name__)

State = SyncRun.State
_SLICE_S = 15.0  # well below the time that a worker has to stop in
_LANES = 3
_FIRST_DISTANCE = dt.timedelta(minutes=5)  # until a run that failed is tried again; doubled each time
_LONGEST_DISTANCE = dt.timedelta(hours=6)


class RunGoesOnError(SourceError):
    """This source is being asked already."""

    retry = False


def start(source: DataSource, *, by: User | None = None, lists: bool = True) -> SyncRun:
    """Queue a run. A run that waits for a decision is stopped: the new one asks again if it has to.

    by: who wants it so; None: the schedule. RunGoesOnError while one goes on.
    """
    try:
        with transaction.atomic():
            source.runs.filter(state=State.ASKING).update(state=State.STOPPED, finished_at=timezone.now())
            run = SyncRun.objects.create(source=source, started_by=by, lists=lists)
            _audit(run, AuditEvent.Action.SYNC, by)
            _enqueue(run)
    except IntegrityError:
        raise RunGoesOnError from None
    return run


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
        _audit(run, AuditEvent.Action.SYNC, by, withdraws=withdraw)
        if withdraw:
            _enqueue(run)


def stop(run: SyncRun, *, by: User | None) -> None:
    """Stop a run before its next slice. What it did stays, and the next run goes on from there."""
    with transaction.atomic():
        active = (*SyncRun.ACTIVE, State.ASKING)
        if SyncRun.objects.filter(pk=run.pk, state__in=active).update(state=State.STOPPED, finished_at=timezone.now()):
            _audit(run, AuditEvent.Action.SYNC, by, stopped=True)


def work(run_id: UUID, *, seconds: float = _SLICE_S) -> None:
    """Do a slice of a run and queue the next one. Safe to call again after a crash, at any point."""
    run = SyncRun.objects.select_related("source__collection").filter(pk=run_id, state__in=SyncRun.ACTIVE).first()
    if run is None:
        return
    try:
        goes_on = _advance(run, seconds)
    except _StoppedError:
        return
    except FootnoteError as error:
        _fail(run, error.message)
        return
    except Exception:
        _fail(run, "Something went wrong that was not foreseen. The worker's log says more.")
        raise
    if goes_on:
        _enqueue(run)


def work_to_the_end(run: SyncRun) -> None:
    """Do all slices of a run here, rather than in the worker."""
    while SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).exists():
        work(run.pk)


def _advance(run: SyncRun, seconds: float) -> bool:
    """Whether there is more to do."""
    connector = connect(run.source)
    if run.state == State.QUEUED:
        _set(run, State.LISTING, started_at=timezone.now())
    if run.state == State.LISTING:
        if run.lists:
            store_listing(run, connector)
        else:
            mark_failed(run)
        if run.lists and would_withdraw_too_much(run):
            _set(run, State.ASKING)
            return False
        _set(run, State.APPLYING if run.lists else State.INGESTING)
    if run.state == State.APPLYING:
        withdraw_gone(run)
        give_back_answered(run.source, run=run)
        apply_to_all(run.source, run=run)
        _set(run, State.INGESTING)
    if ingest_pending(run, connector, seconds=seconds):
        return True
    failed = run.changes.filter(outcome=SyncChange.Outcome.FAILED).exists()
    _finish(run, State.PARTLY_FAILED if failed else State.DONE)
    return False


def _set(run: SyncRun, state: State, *, started_at: dt.datetime | None = None) -> None:
    """Go on to a state, unless somebody stopped the run meanwhile."""
    changes = {"state": state} | ({"started_at": started_at} if started_at else {})
    if not SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).update(**changes):
        raise _StoppedError
    run.state = state


class _StoppedError(Exception):
    """Somebody stopped the run."""


def _finish(run: SyncRun, state: State, error: str = "") -> None:
    now = timezone.now()
    with transaction.atomic():
        ended = SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE)
        if not ended.update(state=state, error=one_line(error, LONGEST_MESSAGE), finished_at=now):
            return
        source = DataSource.objects.select_for_update().get(pk=run.source_id)
        source.failures = source.failures + 1 if state == State.FAILED else 0
        source.next_run_at = next_run(source, now)
        source.save(update_fields=["failures", "next_run_at"])
    logger.info("sync_run_ended", extra={"run": str(run.pk), "source": str(run.source_id), "state": state})


def _fail(run: SyncRun, error: str) -> None:
    run.source.items.filter(is_pending=True).update(is_pending=False)
    _finish(run, State.FAILED, error)


def next_run(source: DataSource, now: dt.datetime) -> dt.datetime | None:
    """When a source is asked next by itself: as its schedule says, after a failure sooner. None: never."""
    if not source.is_enabled or not source.schedule:
        return None
    due: dt.datetime = croniter(source.schedule, timezone.localtime(now)).get_next(dt.datetime)
    if source.failures:
        due = min(due, now + min(_FIRST_DISTANCE * 2 ** min(source.failures - 1, 10), _LONGEST_DISTANCE))
    return due


def _enqueue(run: SyncRun) -> None:
    enqueue(SYNC, lock=f"sync/{run.source_id.int % _LANES}", run=str(run.pk))


def _audit(run: SyncRun, action: AuditEvent.Action, by: User | None, **details: bool) -> None:
    AuditEvent.objects.create(
        actor=by,
        action=action,
        object_type="data source",
        object_id=str(run.source_id),
        details={"run": str(run.pk), **details},
    )
