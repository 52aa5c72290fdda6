"""Take a change: make it at once where nothing holds it, or have it checked before it is live."""

import datetime as dt
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.access.changes import GrantChange, apply_change
from core.asking.confidence.threshold_values import Thresholds
from core.errors import FootnoteError
from core.infrastructure.queue import CHECK_CHANGE, enqueue
from core.models import AuditEvent, ChangeCheck, ModelExamination, User
from core.quality.change_checks.kinds.grants import Grants
from core.quality.change_checks.kinds.thresholds import NewThresholds
from core.quality.change_checks.limits import find_limit, keep_limits
from core.quality.examination import deciding as examinations
from core.values.change_checks import DECIDABLE, UNDER_WAY, ChangeKind, CheckState

REPLACED = "A later check took its place."


class CheckError(FootnoteError):
    """This change cannot be checked."""


def check_grants(
    change: GrantChange, *, by: User | None, until: dt.datetime | None = None, is_gate: bool = False
) -> ChangeCheck:
    """Have a change of grants checked. is_gate: it is made where it crosses no limit; otherwise it is looked at."""
    kept = Grants(asked=change, until=until).as_json()
    return queue_check(ChangeKind.GRANTS, kept, by=by, is_gate=is_gate)


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

    thresholds: None for those of the settings.
    """
    change = NewThresholds(thresholds=thresholds)
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


def check_thresholds(thresholds: Thresholds | None, *, by: User) -> ChangeCheck:
    """Have thresholds looked at."""
    kept = NewThresholds(thresholds=thresholds).as_json()
    return queue_check(ChangeKind.THRESHOLDS, kept, by=by, is_gate=False)


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
    """Have the same change checked anew, in the place of an earlier check, by the rights and grants of now.

    CheckError for a change that is live or was declined.
    """
    subject = {name: value for name in ("run", "job", "examination") if (value := getattr(check, name)) is not None}
    with transaction.atomic():
        row = ChangeCheck.objects.select_for_update().get(pk=check.pk)
        if row.state not in {*UNDER_WAY, *DECIDABLE}:
            raise CheckError("This change is live, or was declined. Ask for it anew.")
        again = queue_check(ChangeKind(row.kind), row.change, by=by, is_gate=row.is_gate, **subject)
        ChangeCheck.objects.filter(pk=row.pk).update(state=CheckState.DECLINED, is_stopping=True, reason=REPLACED)
    return again


def queue_check(
    kind: ChangeKind, change: dict[str, Any], *, by: User | None, is_gate: bool, **subject: Any
) -> ChangeCheck:
    """Store a check for the worker. subject: the run, the job or the examination that it is about.

    An earlier check of the same subject that nobody has decided about is declined: this one takes its place.
    """
    with transaction.atomic():
        if subject:
            earlier = ChangeCheck.objects.filter(**subject, state__in=[*UNDER_WAY, *DECIDABLE])
            earlier.update(state=CheckState.STOPPED, is_stopping=True, reason=REPLACED)
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
        enqueue(CHECK_CHANGE, lock=CHECK_CHANGE, check=str(check.pk))
    return check
