"""Take a change: make it at once where nothing holds it, or have it checked before it is live."""

import datetime as dt
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.access.changes import GrantChange, apply_change
from core.asking.confidence.threshold_values import Thresholds
from core.errors import FootnoteError
from core.infrastructure.queue import CHECK_CHANGE, enqueue
from core.models import AuditEvent, ChangeCheck, IngestionJob, ModelExamination, SyncRun, User
from core.quality.change_checks.deciding import DecisionError, may_decide
from core.quality.change_checks.kinds.grants import Grants
from core.quality.change_checks.kinds.thresholds import NewThresholds
from core.quality.change_checks.limits import find_limit, keep_limits
from core.quality.examination import deciding as examinations
from core.values.change_checks import DECIDABLE, UNDER_WAY, ChangeKind, CheckState

REPLACED = "A later check took its place."


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


def is_held_by_limit(change: GrantChange) -> bool:
    """Return True if the limit of grants has a change of so many documents checked before it is made."""
    limit = find_limit(ChangeKind.GRANTS)
    return limit is not None and len(change.all_documents) >= limit.from_documents


def change_grants(change: GrantChange, *, by: User, until: dt.datetime | None = None) -> int | ChangeCheck:
    """Make a change of grants and return how many there were; or its check, where the limit of grants holds it."""
    if is_held_by_limit(change):
        return check_grants(change, by=by, until=until, is_gate=True)
    return apply_change(change, by=by, until=until)


def change_thresholds(thresholds: Thresholds | None, *, by: User) -> ChangeCheck | None:
    """Put thresholds live, and return None; or their check, where the limit of thresholds holds them.

    thresholds: None for those of the settings. CheckError for thresholds that do not fit together.
    """
    change = _build_thresholds(thresholds)
    if find_limit(ChangeKind.THRESHOLDS) is not None:
        return queue_check(ChangeKind.THRESHOLDS, change.as_json(), by=by, is_gate=True)
    details = change.as_json()  # with what held before
    with transaction.atomic():
        change.make(by=by)
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.CHANGE,
            object_type="answer thresholds",
            object_id="",
            details=details,
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


def must_be_checked(examination: ModelExamination) -> bool:
    """Return True if the limit of models asks for a check of this examination before the model answers people."""
    if find_limit(ChangeKind.MODEL) is None:
        return False
    return not examination.checks.exclude(figures={}).exists()  # there are figures once every question is asked


def admit_model(examination: ModelExamination, *, by: User) -> None:
    """Let an examined model answer people.

    CheckError where the limit of models asks for a check first, ExaminationError as of `examinations.admit`.
    """
    if must_be_checked(examination):
        raise CheckError("Ask last month's questions first: the limit of answer models asks for that.")
    with transaction.atomic():
        examinations.admit(examination, by=by)
        _close_checks(examination, CheckState.MADE, by)


def refuse_model(examination: ModelExamination, *, by: User) -> None:
    """Keep a model from answering, and say no to what waits for it. ExaminationError as of `examinations.refuse`."""
    with transaction.atomic():
        examinations.refuse(examination, by=by)
        _close_checks(examination, CheckState.DECLINED, by)


def _close_checks(examination: ModelExamination, state: CheckState, by: User) -> None:
    """Store the decision about a model with the checks of it that wait for one."""
    waiting = examination.checks.filter(state=CheckState.HELD)
    waiting.update(state=state, decided_by=by, decided_at=timezone.now())


def check_again(check: ChangeCheck, *, by: User) -> ChangeCheck:
    """Have the change of a check that nobody has decided about checked again, as the library is now.

    The earlier check ends. DecisionError where it waits for no decision, or they may not decide about it.
    """
    with transaction.atomic():
        row = ChangeCheck.objects.select_for_update().get(pk=check.pk)
        if row.state not in DECIDABLE:
            raise DecisionError("This check waits for no decision.")
        if not may_decide(by, row):
            raise DecisionError("You may not decide about this change.")
        subject = {name: one for name in ("run", "job", "examination") if (one := getattr(row, name)) is not None}
        ChangeCheck.objects.filter(pk=row.pk).update(state=CheckState.DECLINED, reason=REPLACED)
        kind = ChangeKind(row.kind)
        change = {} if kind == ChangeKind.EDITIONS else row.change  # what was tried is tried anew
        return queue_check(kind, change, by=by, is_gate=row.is_gate, **subject)


def check_waiting(*, run: UUID | None = None, job: UUID | None = None) -> ChangeCheck | None:
    """Queue the check of a run or an upload that waits for one. None where it does not, or has one already."""
    with transaction.atomic():
        checks = ChangeCheck.objects.filter(state__in=[*UNDER_WAY, *DECIDABLE])
        if run is not None:
            waiting = SyncRun.objects.select_for_update(of=("self",)).select_related("started_by")
            found = waiting.filter(pk=run, state=SyncRun.State.CHECKING).first()
            if found is None or checks.filter(run=found).exists():
                return None
            return queue_check(ChangeKind.EDITIONS, {}, by=found.started_by, is_gate=True, run=found)
        held = IngestionJob.objects.select_for_update(of=("self",)).select_related("created_by")
        upload = held.filter(pk=job, state=IngestionJob.State.HELD).first() if job else None
        if upload is None or checks.filter(job=upload).exists():
            return None
        return queue_check(ChangeKind.EDITIONS, {}, by=upload.created_by, is_gate=True, job=upload)


def check_lost() -> int:
    """Queue the checks of runs and uploads that wait for one whose task was lost. Returns how many there were."""
    runs = SyncRun.objects.filter(state=SyncRun.State.CHECKING).values_list("pk", flat=True)
    jobs = IngestionJob.objects.filter(state=IngestionJob.State.HELD).values_list("pk", flat=True)
    queued = [*(check_waiting(run=pk) for pk in runs), *(check_waiting(job=pk) for pk in jobs)]
    return sum(check is not None for check in queued)


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
            earlier.update(state=CheckState.DECLINED, is_stopping=True, reason=REPLACED)
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
