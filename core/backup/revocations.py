"""What was taken from people after a backup, as an export of the audit trail tells it: taken from them again.

Only what takes away is repeated, in whatever order: what was revoked and given again stays revoked, until somebody
gives it once more. Nobody reads by mistake what they read no longer.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from core.access.grants import revoke
from core.access.members import change_members
from core.audit import Head
from core.errors import BackupError
from core.models import AuditEvent, Document, Role, User

_Action = AuditEvent.Action
# What else lets fewer people read or do less, and is for people to repeat.
_BY_HAND = frozenset(
    {
        _Action.CHANGE_DEFAULT_ROLES,
        _Action.CHANGE_MEMBERS,
        _Action.DELETE,
        _Action.END_INSTALLATION,
        _Action.ERASE_TEXT,
        _Action.CHANGE,
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Repeated:
    """What was taken away again, and what is left to do."""

    grants: int = 0
    roles: int = 0
    people: int = 0  # deactivated
    by_hand: Counter[str] = field(default_factory=Counter)  # events by "action type", such as "delete document"


def read(path: Path, *, since: Head) -> list[dict[str, Any]]:
    """The events of an export (JSON lines) that came after the head of a backup. BackupError for anything else."""
    try:
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        later = [event for event in events if event["number"] > since.number]
        joins = [event for event in later if event["number"] == since.number + 1]
        {key: event[key] for event in later for key in ("action", "object_type", "object_id", "details")}
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError):
        raise BackupError(
            f"{path} is no export of the audit trail. Make one with export_audit --format jsonl."
        ) from None
    if later and (not joins or joins[0]["previous"] != since.digest):
        raise BackupError(
            f"{path} does not go on from where this backup ends. Export from event {since.number + 1} or earlier, of "
            "the same installation."
        )
    return later


@transaction.atomic
def repeat(events: Iterable[dict[str, Any]]) -> Repeated:
    """Take away again what these events took away. Roles, people and documents that are not there are passed over."""
    counts: Counter[str] = Counter()
    by_hand: Counter[str] = Counter()
    for event in events:
        action = _REPEATED.get(event["action"])
        if action is not None:
            counts[event["action"]] += action(event)
        elif event["action"] in _BY_HAND:
            by_hand[f"{event['action']} {event['object_type']}"] += 1
    return Repeated(
        grants=counts[_Action.REVOKE],
        roles=counts[_Action.CHANGE_ROLES],
        people=counts[_Action.DEACTIVATE],
        by_hand=by_hand,
    )


def _revoke(event: dict[str, Any]) -> int:
    role = Role.objects.filter(pk=event["object_id"]).first()
    return revoke(role, Document.objects.filter(pk__in=event["details"].get("documents", [])), by=None) if role else 0


def _take_roles(event: dict[str, Any]) -> int:
    person = User.objects.filter(pk=event["object_id"])
    roles = Role.objects.filter(pk__in=event["details"].get("taken", []))
    return sum(change_members(role, person, give=False, by=None) for role in roles)


def _deactivate(event: dict[str, Any]) -> int:
    changed = User.objects.filter(pk=event["object_id"], is_active=True).update(is_active=False)
    if changed:
        AuditEvent.objects.create(action=AuditEvent.Action.DEACTIVATE, object_type="user", object_id=event["object_id"])
    return changed


_REPEATED: dict[str, Callable[[dict[str, Any]], int]] = {
    _Action.REVOKE: _revoke,
    _Action.CHANGE_ROLES: _take_roles,
    _Action.DEACTIVATE: _deactivate,
}
