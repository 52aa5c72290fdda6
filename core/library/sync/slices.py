"""Working a run off in slices: listing, withdrawing what is gone, who reads, and then document by document.

A slice ends after some seconds and queues the next one, so that no worker is held for hours and a run goes on where it
was when one is killed. A listing is one slice, however long it takes; `endings` bounds it.
"""

import datetime as dt
import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.errors import FootnoteError
from core.infrastructure.measures.families import sync_run_seconds
from core.library.ingestion.checked import must_be_checked
from core.library.ingestion.cleaning import one_line
from core.library.sync.connecting import connect
from core.library.sync.connector import Connector
from core.library.sync.endings import ListingEndedError, Watch, WorkerStopsError
from core.library.sync.ingesting import ingest_pending
from core.library.sync.listing import mark_failed, store_listing
from core.library.sync.readers import apply_to_all, give_back_answered
from core.library.sync.removals import are_believed, withdraw_gone, would_withdraw_too_much
from core.library.sync.runs import Scope, State, enqueue_slice, forget_idle, hold_for_check, next_run, schedule_next
from core.models import DataSource, SyncChange, SyncRun
from core.models.data_sources import LONGEST_MESSAGE

logger = logging.getLogger(__name__)

_TOO_MUCH_GONE = "More is gone at the source than is withdrawn without asking. Its next run for documents asks."
_SLICE_S = 15.0  # well below the time that a worker has to stop in


def work(run_id: UUID, *, seconds: float = _SLICE_S) -> None:
    """Do a slice of a run and queue the next one. Safe to call again after a crash, at any point."""
    run = SyncRun.objects.select_related("source__collection").filter(pk=run_id, state__in=SyncRun.ACTIVE).first()
    if run is None:
        return
    try:
        goes_on = _advance_run(run, seconds)
    except _StoppedError:
        return
    except ListingEndedError as error:
        _end_listing(run, error)
        return
    except FootnoteError as error:
        _fail_run(run, error.message)
        return
    except Exception:
        _fail_run(run, "Something went wrong that was not foreseen. The worker's log says more.")
        raise
    if goes_on:
        enqueue_slice(run)


def _advance_run(run: SyncRun, seconds: float) -> bool:
    """Advance a run for so many seconds, and return True if work is left."""
    watch = Watch(run)
    connector = connect(run.source, check=watch.check)
    if run.state == State.QUEUED:
        _set_state(run, State.LISTING, started_at=timezone.now())
    if run.state == State.APPLYING and not are_believed(run.source):
        _set_state(run, State.LISTING)  # it waited for so long that nobody knows any more who may read what it listed
    if run.state == State.LISTING:
        _mark_what_is_to_be_loaded(run, connector, watch)
    if run.state == State.APPLYING:
        if run.is_complete:
            withdraw_gone(run)
        give_back_answered(run.source, run=run)
        apply_to_all(run.source, run=run)
        _begin_ingesting(run)
    if run.state in SyncRun.WAITING:
        return False
    if ingest_pending(run, connector, seconds=seconds):
        return True
    failed = run.changes.filter(outcome=SyncChange.Outcome.FAILED).exists()
    _finish_run(run, State.PARTLY_FAILED if failed else State.DONE)
    return False


def _mark_what_is_to_be_loaded(run: SyncRun, connector: Connector, watch: Watch) -> None:
    """List the source, or find what is to be tried again, and go on to what follows."""
    if not run.lists:
        mark_failed(run)
        _begin_ingesting(run)
        return
    store_listing(run, connector, watch)
    if run.is_complete and would_withdraw_too_much(run):
        if run.scope == Scope.READERS:
            run.is_complete, run.error = False, _TOO_MUCH_GONE
            run.save(update_fields=["is_complete", "error"])
            _set_state(run, State.APPLYING)
            return
        _set_state(run, State.ASKING)
        schedule_next(run.source)
    else:
        _set_state(run, State.APPLYING)


def _begin_ingesting(run: SyncRun) -> None:
    """Go on to loading, or let the run wait where what it would bring is checked first.

    Only here: what is gone at the source, and readers that it takes away, have lost their right by now.
    """
    pending = run.source.items.filter(is_pending=True)
    is_to_be_checked = must_be_checked(pending.count(), run=run)
    if is_to_be_checked and run.scope == Scope.READERS:
        pending.update(is_pending=False)  # whoever gains so much gains it with a run that is checked
    if not is_to_be_checked or run.scope == Scope.READERS:
        _set_state(run, State.INGESTING)
        return
    if not hold_for_check(run):
        raise _StoppedError
    run.state = State.CHECKING


def _set_state(run: SyncRun, state: State, *, started_at: dt.datetime | None = None) -> None:
    """Go on to a state, unless somebody stopped the run meanwhile."""
    changes = {"state": state} | ({"started_at": started_at} if started_at else {})
    if not SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE).update(**changes):
        raise _StoppedError
    run.state = state


class _StoppedError(Exception):
    """Somebody stopped the run."""


def _end_listing(run: SyncRun, ended: ListingEndedError) -> None:
    """Say in the run why its listing was ended. Another worker lists anew if this one is stopped."""
    listed = run.source.items.filter(seen_in=run).count()
    said = {"error": one_line(ended.message, LONGEST_MESSAGE), "is_complete": False, "listed": listed}
    with transaction.atomic():
        SyncRun.objects.filter(pk=run.pk).update(**said)
        if isinstance(ended, WorkerStopsError):
            enqueue_slice(run)


def _finish_run(run: SyncRun, state: State, error: str = "") -> None:
    now = timezone.now()
    with transaction.atomic():
        ended = SyncRun.objects.filter(pk=run.pk, state__in=SyncRun.ACTIVE)
        said = {"error": one_line(error, LONGEST_MESSAGE)} if error else {}
        if not ended.update(state=state, finished_at=now, **said):
            return
        if run.scope == Scope.READERS:
            forget_idle(run)
            return  # when documents are asked for next is none of its business
        source = DataSource.objects.select_for_update().get(pk=run.source_id)
        source.failures = source.failures + 1 if state == State.FAILED else 0
        source.next_run_at = next_run(source, now)
        source.save(update_fields=["failures", "next_run_at"])
    began = run.started_at or now
    sync_run_seconds.labels(source.kind, state).observe((now - began).total_seconds())
    logger.info("sync_run_ended", extra={"run": str(run.pk), "source": str(run.source_id), "state": state})


def _fail_run(run: SyncRun, error: str) -> None:
    run.source.items.filter(is_pending=True).update(is_pending=False)
    _finish_run(run, State.FAILED, error)
