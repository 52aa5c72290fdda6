"""Repeat revocations that were made after a backup, from an export of the audit trail.

Only revocations are repeated, in whatever order: a right that was revoked and granted again stays revoked, until
somebody grants it once more. Nobody reads by mistake what they may no longer read. If a statement of rights follows the
events, every right that it does not list is revoked as well.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from core.access.audit import Head
from core.access.grants import change_members, revoke
from core.errors import BackupPathError
from core.models import AuditEvent, Document, Role, User
from core.operations.backup import reducing, statement
from core.operations.backup.statement import Statement

_Action = AuditEvent.Action
# What else lets fewer people read or do less, and without a statement is for people to repeat.
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
class Export:
    """Revocations after a backup, as an export records them."""

    events: list[dict[str, Any]]
    rights: Statement | None  # that there are now; None where it was made without


@dataclass(frozen=True, kw_only=True, slots=True)
class Repeated:
    """The revocations repeated after a restore, and those left to do by hand."""

    grants: int = 0
    roles: int = 0
    people: int = 0  # deactivated
    is_whole: bool = False  # whatever else gives a right was compared with a statement
    taken: Counter[str] = field(default_factory=Counter)  # by it, by kind
    by_hand: Counter[str] = field(default_factory=Counter)  # by kind, or events by "action type"


def read(path: Path, *, since: Head) -> Export:
    """Read the part of an export (JSON lines) that came after the head of a backup. BackupPathError for other files."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        events = [line for line in lines if "number" in line]
        later = [event for event in events if event["number"] > since.number]
        joins = [event for event in later if event["number"] == since.number + 1]
        {key: event[key] for event in later for key in ("action", "object_type", "object_id", "details")}
        head = f"{events[-1]['number']}:{events[-1]['digest']}" if events else ""
        rights = statement.read((line for line in lines if "number" not in line), head=head)
    except OSError as error:
        raise BackupPathError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError):
        raise BackupPathError(
            f"{path} is no export of the audit trail. Make one with export_audit --format jsonl."
        ) from None
    if (later or rights) and (not joins or joins[0]["previous"] != since.digest):
        raise BackupPathError(
            f"{path} does not go on from where this backup ends. Export from event {since.number + 1} or earlier, of "
            "the same installation."
        )
    return Export(events=later, rights=rights)


@transaction.atomic
def repeat(export: Export) -> Repeated:
    """Take away again what was taken away. Roles, people and documents that are not there are passed over."""
    counts: Counter[str] = Counter()
    by_hand: Counter[str] = Counter()
    for event in export.events:
        action = _REPEATED.get(event["action"])
        if action is not None:
            counts[event["action"]] += action(event)
        elif event["action"] in _BY_HAND:
            by_hand[f"{event['action']} {event['object_type']}"] += 1
    reduced = None if export.rights is None else reducing.reduce(export.rights)
    return Repeated(
        grants=counts[_Action.REVOKE],
        roles=counts[_Action.CHANGE_ROLES],
        people=counts[_Action.DEACTIVATE],
        is_whole=reduced is not None,
        taken=Counter() if reduced is None else reduced.taken,
        by_hand=by_hand if reduced is None else reduced.by_hand,
    )


def _revoke_grants(event: dict[str, Any]) -> int:
    role = Role.objects.filter(pk=event["object_id"]).first()
    return revoke(role, Document.objects.filter(pk__in=event["details"].get("documents", [])), by=None) if role else 0


def _take_roles(event: dict[str, Any]) -> int:
    person = User.objects.filter(pk=event["object_id"])
    roles = Role.objects.filter(pk__in=event["details"].get("taken", []))
    return sum(change_members(role, person, give=False, by=None) for role in roles)


def _deactivate_person(event: dict[str, Any]) -> int:
    changed = User.objects.filter(pk=event["object_id"], is_active=True).update(is_active=False)
    if changed:
        AuditEvent.objects.create(action=AuditEvent.Action.DEACTIVATE, object_type="user", object_id=event["object_id"])
    return changed


_REPEATED: dict[str, Callable[[dict[str, Any]], int]] = {
    _Action.REVOKE: _revoke_grants,
    _Action.CHANGE_ROLES: _take_roles,
    _Action.DEACTIVATE: _deactivate_person,
}
