"""Say what follows from a check: the change is made, waits for a yes, or was looked at alone; and take decisions."""

import logging
from collections import Counter
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import FootnoteError
from core.models import AuditEvent, ChangeCheck, ChangeCheckLine, User
from core.quality.change_checks.kinds import load_change
from core.quality.change_checks.kinds.change import Change, ChangeNotPossibleError
from core.quality.change_checks.limits import find_crossed
from core.values.change_checks import DECIDABLE, UNDER_WAY, AskedFor, CheckState, Outcome

logger = logging.getLogger(__name__)

VIEW, DECIDE = "core.view_changecheck", "core.decide_changes"
RESTORED = "A backup was restored: what was decided about this change after it is not known. Decide, or check again."
KEPT = 20  # checks of which the single questions are kept


class DecisionError(FootnoteError):
    """This cannot be decided as the check is now."""


def may_check(person: User) -> bool:
    """Return True if a person may check changes before they are live."""
    return person.is_active and person.has_perm(DECIDE)


def may_decide(person: User, check: ChangeCheck) -> bool:
    """Return True if a person may decide about a check: the change itself must be theirs to make, too."""
    if not may_check(person):
        return False
    try:
        return load_change(check).may_be_made_by(person)
    except FootnoteError:
        return False


def conclude(check: ChangeCheck) -> None:
    """End a check whose questions are all asked: make the change where it may be, or let it wait for a yes."""
    check = ChangeCheck.objects.select_related("examination", "run__source", "job").get(pk=check.pk)
    change = load_change(check)  # with what the try left with the check
    figures = count_outcomes(check) | dict(change.measure_effect()) | {"documents": change.count_documents()}
    crossed = find_crossed(check.limits, figures)
    state = CheckState.TRIED
    if check.is_gate:
        state = CheckState.HELD if crossed or change.waits_always else CheckState.MADE
    reason = ""
    with transaction.atomic():
        row = ChangeCheck.objects.select_for_update().get(pk=check.pk)
        if row.state != CheckState.RUNNING or row.is_stopping:
            return
        if state == CheckState.MADE:
            state, reason = _make_by_itself(row, change)
        row.state, row.reason, row.figures, row.crossed = state, reason, figures, [each.value for each in crossed]
        row.finished_at = timezone.now()
        row.save(update_fields=["state", "reason", "figures", "crossed", "finished_at"])
    logger.info("change_check_ended", extra={"check": str(check.pk), "state": state.value})
    kept = ChangeCheck.objects.order_by("-created_at").values_list("pk", flat=True)[:KEPT]
    ChangeCheckLine.objects.exclude(check_of__in=list(kept)).delete()


def _make_by_itself(row: ChangeCheck, change: Change) -> tuple[CheckState, str]:
    """Make a change that crosses no limit, as whoever asked for it. It waits where they may not make it any more."""
    try:
        with transaction.atomic():
            change.make(by=row.asked_by)
    except ChangeNotPossibleError as error:
        return CheckState.HELD, error.message
    return CheckState.MADE, ""


def count_outcomes(check: ChangeCheck) -> dict[str, Any]:
    """Count the outcomes of a check, and the people whose answers change or get worse."""
    lines = list(check.lines.all())
    outcomes = Counter(line.outcome for line in lines)
    differ = [line for line in lines if line.outcome != Outcome.SAME]
    return {
        "questions": len(lines),
        "of_people": sum(line.asked_for == AskedFor.PERSON for line in lines),
        **{outcome.value: outcomes[outcome] for outcome in Outcome},
        "worse": sum(line.is_worse for line in lines),
        "worse_of_people": sum(line.is_worse for line in lines if line.person_id),
        "moved": sum(line.outcome == Outcome.SOURCES and (line.is_displaced or line.gains > 0) for line in lines),
        "gaining": sum(line.gains > 0 for line in lines),
        "people_changed": len({line.person_id for line in differ if line.person_id}),
        "people_worse": len({line.person_id for line in differ if line.person_id and line.is_worse}),
    }


def approve(check: ChangeCheck, *, by: User) -> None:
    """Make the change of a check: somebody said yes. DecisionError where it does not wait, or they may not."""
    with transaction.atomic():
        row = _lock_decidable(check)
        change = _load(row, by)
        try:
            change.make(by=by)
        except ChangeNotPossibleError as error:
            raise DecisionError(error.message) from error
        _store_decision(row, CheckState.MADE, by)


def decline(check: ChangeCheck, *, by: User) -> None:
    """Say no: the change is not made. Errors as of `approve`."""
    with transaction.atomic():
        row = _lock_decidable(check)
        _load(row, by).drop()
        _store_decision(row, CheckState.DECLINED, by)


def stop(check: ChangeCheck, *, by: User) -> None:
    """Stop a check that waits or runs; its change is not made. DecisionError for one that has ended."""
    with transaction.atomic():
        row = ChangeCheck.objects.select_for_update().get(pk=check.pk)
        if row.state not in UNDER_WAY:
            raise DecisionError("This check has ended.")
        if row.asked_by_id != by.pk and not may_decide(by, row):
            raise DecisionError("You may not stop this check.")
        if row.state == CheckState.WAITING:
            row.state, row.reason, row.finished_at = CheckState.STOPPED, "Stopped before it began.", timezone.now()
        row.is_stopping = True
        row.save(update_fields=["state", "reason", "finished_at", "is_stopping"])


def stop_restored() -> int:
    """Stop every check under way that a restore brought back, and return how many: one may be declined since."""
    return ChangeCheck.objects.filter(state__in=UNDER_WAY).update(
        state=CheckState.STOPPED, reason=RESTORED, finished_at=timezone.now()
    )


def _lock_decidable(check: ChangeCheck) -> ChangeCheck:
    row = ChangeCheck.objects.select_for_update().get(pk=check.pk)
    if row.state not in DECIDABLE:
        raise DecisionError("This check waits for no decision.")
    return row


def _load(row: ChangeCheck, by: User) -> Change:
    try:
        change = load_change(row)
    except ChangeNotPossibleError as error:
        raise DecisionError(error.message) from error
    if not may_check(by) or not change.may_be_made_by(by):
        raise DecisionError("You may not decide about this change.")
    return change


def _store_decision(row: ChangeCheck, state: CheckState, by: User) -> None:
    row.state, row.decided_by, row.decided_at = state, by, timezone.now()
    row.save(update_fields=["state", "decided_by", "decided_at"])
    AuditEvent.objects.create(
        actor=by,
        action=AuditEvent.Action.DECIDE_CHANGE,
        object_type="check of a change",
        object_id=str(row.pk),
        details={"kind": row.kind, "made": state == CheckState.MADE},
    )
