"""Decide about a pair: one holds, both hold, ask an owner, or open it again. Each leaves its row in the audit trail.

Whoever may not see the pair, or not decide about it, is told that there is none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.access.audiences import audience_of
from core.errors import FootnoteError, NotFoundError
from core.infrastructure import queue
from core.library.contradictions.following import SIDES
from core.library.contradictions.listing import find_owner_to_ask, may_decide, select_visible
from core.models import AuditEvent, ContradictionWords, SourceContradiction, User
from core.models.row_security import bypass_row_security

LONGEST_REASON = 1000  # characters
State = SourceContradiction.State


class NobodyToAskError(FootnoteError):
    """Nobody who may read both documents owns this one. Set an owner for it or its collection, or decide yourself."""

    code = "nobody_to_ask"


class NoReasonError(FootnoteError):
    """Say in a few words why both hold, so that the next reader knows."""

    code = "no_reason"


def say_that_one_holds(pair: UUID, side: str, *, by: User) -> None:
    """Note which of the two documents holds. side: "newer" or "older", as the pair has it."""
    _check_side(side)
    with _locked(pair, by) as row:
        _set(row, by, state=State.ONE_HOLDS, holds=side, decided_by=by, decided_at=timezone.now())


def say_that_both_hold(pair: UUID, reason: str, *, by: User) -> None:
    """Note that the two only seem to contradict each other, and why. NoReasonError without a reason."""
    reason = reason.strip()[:LONGEST_REASON]
    if not reason:
        raise NoReasonError
    with _locked(pair, by) as row:
        _set(row, by, reason=reason, state=State.BOTH_HOLD, holds="", decided_by=by, decided_at=timezone.now())


def ask_owner(pair: UUID, side: str, *, by: User) -> User:
    """Ask the owner of a side's document which of the two holds, and return them.

    NobodyToAskError where it has no owner who may read both: nobody else learns that there is another document.
    """
    _check_side(side)
    with _locked(pair, by) as row:
        owner = find_owner_to_ask(row, side)
        if owner is None:
            raise NobodyToAskError
        _set(row, by, state=State.ASKED, holds="", owner_asked=owner, asked_at=timezone.now(), decided_by=None)
        queue.enqueue(queue.ASK_ABOUT_CONTRADICTION, contradiction=str(row.pk))
    return owner


def open_again(pair: UUID, *, by: User) -> None:
    """Take back what was decided."""
    with _locked(pair, by) as row:
        _set(row, by, state=State.OPEN, holds="", decided_by=None, decided_at=None)


@contextmanager
def _locked(pair: UUID, by: User) -> Iterator[SourceContradiction]:
    """Lock a pair that somebody may decide about. NotFoundError for every other, and for one that is gone."""
    with transaction.atomic():
        rows = select_visible(by, audience_of([by.pk])).exclude(state=State.GONE)
        found = rows.select_for_update(of=("self",)).filter(pk=pair)
        row = found.select_related("newer__collection", "older__collection").first()
        if row is None or not may_decide(by, row):
            raise NotFoundError
        yield row


def _check_side(side: str) -> None:
    if side not in SIDES:
        raise NotFoundError


def _set(row: SourceContradiction, by: User, *, reason: str = "", **fields: Any) -> None:
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=list(fields))
    with bypass_row_security():
        ContradictionWords.objects.filter(contradiction=row.pk).update(reason=reason)
    held = {"holds": str(getattr(row, f"{row.holds}_id"))} if row.holds else {}
    AuditEvent.objects.create(
        actor=by,
        action=AuditEvent.Action.CHANGE,
        object_type="sourcecontradiction",
        object_id=str(row.pk),
        details={"state": str(row.state), **held},
    )
