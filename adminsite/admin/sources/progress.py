"""Describe the progress of a data source's run, in figures and words."""

import datetime as dt
from typing import Any

from django.db.models import Count
from django.utils import timezone

from core.library.ingestion.languages import count_languages
from core.library.sync.removals import count_gone
from core.models import SyncChange, SyncRun

State = SyncRun.State
RUN_LABELS = {
    State.QUEUED.label: "info",
    State.LISTING.label: "primary",
    State.ASKING.label: "warning",
    State.APPLYING.label: "primary",
    State.INGESTING.label: "primary",
    State.DONE.label: "success",
    State.PARTLY_FAILED.label: "warning",
    State.FAILED.label: "danger",
    State.STOPPED.label: "info",
}
REFRESH_SECONDS = 3
_FEWEST_DONE = 5  # before there is an estimate


def progress_of(run: SyncRun) -> dict[str, Any]:
    """The figures of a run's panel. `share` is in per cent, `left` None or words."""
    running = run.state in SyncRun.ACTIVE
    pending = run.source.items.filter(is_pending=True).count() if running else 0
    done = max(run.to_load - pending, 0)
    counts = dict(run.changes.values_list("outcome").annotate(count=Count("pk")).order_by())
    touched = {SyncChange.Outcome.ADDED, SyncChange.Outcome.CHANGED, SyncChange.Outcome.RETURNED}
    languages, missed = count_languages([run.languages] if run.languages else [])
    changed = sum(counts.get(outcome, 0) for outcome in touched) + counts.get(SyncChange.Outcome.FAILED, 0)
    return {
        "run": run,
        "source": run.source,
        "state": run.get_state_display(),
        "state_label": RUN_LABELS[run.get_state_display()],
        "running": running,
        "asking": run.state == State.ASKING,
        "gone": count_gone(run) if run.state == State.ASKING else counts.get(SyncChange.Outcome.GONE, 0),
        "counts": [(outcome.value, outcome.label, counts.get(outcome, 0)) for outcome in SyncChange.Outcome],
        "languages": languages,
        "missed": missed,
        "unchanged": max(run.listed - changed, 0) if run.finished_at and run.lists else None,
        "done": done,
        "to_load": run.to_load,
        "share": round(100 * done / run.to_load) if run.to_load else 0,
        "left": _time_left(run, done, pending) if running else None,
        "refresh_seconds": REFRESH_SECONDS,
    }


def _time_left(run: SyncRun, done: int, pending: int) -> str | None:
    """Estimate the remaining time at the rate so far, in words."""
    if done < _FEWEST_DONE or run.listed_at is None:
        return None
    left = (timezone.now() - run.listed_at) / done * pending
    if left < dt.timedelta(minutes=1):
        return "less than a minute"
    minutes = round(left.total_seconds() / 60)
    return f"about {minutes} min" if minutes < 120 else f"about {round(minutes / 60)} h"
