"""Take a change: make it at once where nothing holds it, or have it checked before it is live."""

import datetime as dt
from typing import Any

from django.db import transaction

from core.access.changes import GrantChange, apply_change
from core.asking.confidence.threshold_values import Thresholds
from core.errors import FootnoteError
from core.infrastructure.queue import CHECK_CHANGE, enqueue
from core.models import AuditEvent, ChangeCheck, ModelExamination, User
from core.quality.change_checks.kinds.grants import Grants
from core.quality.change_checks.kinds.thresholds import NewThresholds
from core.quality.change_checks.limits import find_limit, keep_limits
from core.values.change_checks import DECIDABLE, UNDER_WAY, ChangeKind, CheckState


class CheckError(FootnoteError):
    """This change cannot be checked."""


def check_grants(
    change: GrantChange,
    *,
    by: User | None,
    until: dt.datetime | None = None,
    is_gate: bool = False,
    is_queued: bool = True,
) -> ChangeCheck:
    """Have a change of grants checked. is_gate: it is made where it crosses no limit; otherwise it is looked at.

    is_queued: for the worker; otherwise the caller runs it.
    """
    kept = Grants(asked=change, until=until).as_json()
    return queue_check(ChangeKind.GRANTS, kept, by=by, is_gate=is_gate, is_queued=is_queued)


def is_large_enough(change: GrantChange) -> bool:
    """Return True if a change of grants is of so many documents that the limit of grants has it checked first."""
    limit = find_limit(ChangeKind.GRANTS)
    return limit is not None and len(change.all_documents) >= limit.from_documents


def change_grants(change: GrantChange, *, by: User, until: dt.datetime | None = None) -> int | ChangeCheck:
    """Make a change of grants and return how many there were; or its check, where the limit of grants holds it."""
    if is_large_enough(change):
        return check_grants(change, by=by, until=until, is_gate=True)
    return apply_change(change, by=by, until=until)


def change_thresholds(thresholds: Thresholds | None, *, by: User) -> ChangeCheck | None:
    """Put thresholds live, and return None; or their check, where the limit of thresholds holds them.

    thresholds: None for those of the settings. CheckError for thresholds that do not fit together.
    """
    change = _build_thresholds(thresholds)
    if find_limit(ChangeKind.THRESHOLDS) is not None:
        return queue_check(ChangeKind.THRESHOLDS, change.as_json(), by=by, is_gate=True)
    with transaction.atomic():
        change.make(by=by)
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.CHANGE,
            object_type="answer thresholds",
            object_id="",
            details=change.as_json(),
        )
    return None


def check_thresholds(
    thresholds: Thresholds | None, *, by: User | None, is_gate: bool = False, is_queued: bool = True
) -> ChangeCheck:
    """Have thresholds checked. is_gate, is_queued: as of `check_grants`. CheckError as of `change_thresholds`."""
    kept = _build_thresholds(thresholds).as_json()
    return queue_check(ChangeKind.THRESHOLDS, kept, by=by, is_gate=is_gate, is_queued=is_queued)


def _build_thresholds(thresholds: Thresholds | None) -> NewThresholds:
    # So that what is no number is refused, too: it compares to nothing.
    if thresholds is not None and not 0 <= thresholds.closest_from <= thresholds.answer_from <= 1:
        raise CheckError("Both thresholds lie between 0 and 1, and the one of closest passages is not the higher one.")
    return NewThresholds(thresholds=thresholds)


def check_model(examination: ModelExamination, *, by: User) -> ChangeCheck:
    """Have last month's questions asked of an examined model; it is admitted by a yes alone.

    CheckError unless the examination has come to its end.
    """
    if examination.state != ModelExamination.State.EXAMINED:
        raise CheckError("Only a model whose examination came to its end can be checked.")
    return queue_check(ChangeKind.MODEL, {}, by=by, is_gate=True, examination=examination)


def queue_check(
    kind: ChangeKind,
    change: dict[str, Any],
    *,
    by: User | None,
    is_gate: bool,
    is_queued: bool = True,
    **subject: Any,
) -> ChangeCheck:
    """Store a check, for the worker unless the caller runs it. subject: the run, job or examination that it is about.

    An earlier check of the same subject that nobody has decided about is declined: this one takes its place.
    """
    with transaction.atomic():
        if subject:
            earlier = ChangeCheck.objects.filter(**subject, state__in=[*UNDER_WAY, *DECIDABLE])
            earlier.update(state=CheckState.STOPPED, is_stopping=True, reason="A later check took its place.")
        check = ChangeCheck.objects.create(
            kind=kind,
            is_gate=is_gate,
            change=change,
            limits=keep_limits(find_limit(kind)),
            asked_by=by,
            **subject,
        )
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.CHECK_CHANGE,
            object_type="check of a change",
            object_id=str(check.pk),
            details={"kind": kind.value, "is_gate": is_gate},
        )
        if is_queued:
            enqueue(CHECK_CHANGE, lock=CHECK_CHANGE, check=str(check.pk))
    return check
