"""Give and take away grants of roles, and roles of people: here alone, so that each leaves its audit row with it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.errors import InvalidFilterError
from core.models import AuditEvent, Document, Role, RoleDocumentAccess, User, UserRole, WithdrawnGrant
from core.models.querysets import Grants


def grant(
    role: Role,
    documents: Iterable[Document],
    *,
    by: User | None,
    by_ingestion: bool = False,
    until: dt.datetime | None = None,
) -> int:
    """Let a role read documents. Returns how many grants are new; those that existed stay, or end later than before.

    What is withdrawn because it is gone at its source is given to nobody. Who reads a part of a document follows from
    the document: parts are passed over.
    by_ingestion: that the grant comes with a text, rather than from somebody's decision about the document. It makes
    no grant longer that somebody gave an end.
    until: when the new grants end by themselves; never by default.
    """
    chosen = {document.pk for document in documents}
    with transaction.atomic():
        chosen -= set(Document.objects.filter(pk__in=chosen, part_of__isnull=False).values_list("pk", flat=True))
        take_expired(role)
        grants = RoleDocumentAccess.objects.filter(role=role)
        new = chosen - set(grants.values_list("document_id", flat=True))
        if not by_ingestion:
            _prolong_grants(grants.filter(document__in=chosen - new), role, until, by)
        RoleDocumentAccess.objects.bulk_create(
            (
                RoleDocumentAccess(
                    role=role, document_id=pk, granted_by=by, by_ingestion=by_ingestion, expires_at=until
                )
                for pk in sorted(new)
            ),
            ignore_conflicts=True,
        )
        new -= _take_back_withdrawn(role, new)
        _write_audit_row(AuditEvent.Action.GRANT, role, new, by, **_note_end(until))
    return len(new)


def revoke(role: Role, documents: Iterable[Document], *, by: User | None) -> int:
    """Take a role's access to documents away, at once. Returns how many grants there were.

    A grant that was put aside while its document is withdrawn is taken too: it does not come back with the document.
    """
    return _revoke_grants({}, role, documents, by)


def revoke_ingested(role: Role, documents: Iterable[Document]) -> int:
    """Revoke as `revoke`, where the grant came with a text; what somebody decided about a document stays."""
    return _revoke_grants({"by_ingestion": True}, role, documents, None)


def find_end(last_day: dt.date) -> dt.datetime:
    """Return the moment at which a day that is the last one of a grant is over, in the server's time zone.

    InvalidFilterError for a day that is over already.
    """
    end = timezone.make_aware(dt.datetime.combine(last_day + dt.timedelta(days=1), dt.time()))
    if end <= timezone.now():
        raise InvalidFilterError("The last day of a grant must not be over already.")
    return end


def take_expired(role: Role | None = None) -> int:
    """Take away the grants, of one role or of all, that have come to their end. Returns how many there were.

    Nobody reads by them any more, so this decides nothing: it keeps the table short and the audit trail whole.
    """
    rows = RoleDocumentAccess.objects.expired().decided()
    taken: defaultdict[Role, set[UUID]] = defaultdict(set)
    with transaction.atomic():
        locked = (
            (rows if role is None else rows.filter(role=role)).select_related("role").select_for_update(of=("self",))
        )
        for row in locked:
            taken[row.role].add(row.document_id)
        for of, documents in taken.items():
            RoleDocumentAccess.objects.filter(role=of, document__in=documents).delete()
            _write_audit_row(AuditEvent.Action.REVOKE, of, documents, None, expired=True)
    return sum(len(documents) for documents in taken.values())


def change_members(role: Role, people: Iterable[User], *, give: bool, by: User | None) -> int:
    """Give people a role or take it from them, each change with its audit row. Returns how many changed.

    What somebody holds through a usergroup of Slack's is apart: it is neither a reason not to give the role nor taken.
    """
    chosen = {person.pk for person in people}
    with transaction.atomic():
        rows = UserRole.objects.filter(role=role, user__in=chosen, usergroup=None)
        held = set(rows.values_list("user_id", flat=True))
        changed = chosen - held if give else held
        if give:
            UserRole.objects.bulk_create((UserRole(role=role, user_id=pk) for pk in changed), ignore_conflicts=True)
        else:
            rows.delete()
        AuditEvent.objects.bulk_create(
            AuditEvent(
                actor=by,
                action=AuditEvent.Action.CHANGE_ROLES,
                object_type="user",
                object_id=str(pk),
                details={"given": [str(role.pk)] if give else [], "taken": [] if give else [str(role.pk)]},
            )
            for pk in sorted(changed)
        )
    return len(changed)


def _revoke_grants(which: dict[str, Any], role: Role, documents: Iterable[Document], by: User | None) -> int:
    """Delete the grants of a role to documents. which: further conditions on the grants, by column."""
    asked = {document.pk for document in documents}
    with transaction.atomic():
        # A withdrawal and its end move grants from one table to the other while they hold the document.
        rows = Document.objects.whole().select_for_update(no_key=True).filter(pk__in=asked).order_by("pk")
        chosen = set(rows.values_list("pk", flat=True))
        taken: set[UUID] = set()
        for model in (RoleDocumentAccess, WithdrawnGrant):
            grants = model.objects.filter(role=role, document__in=chosen, **which)
            taken.update(grants.values_list("document_id", flat=True))
            grants.delete()
        _write_audit_row(AuditEvent.Action.REVOKE, role, taken, by)
    return len(taken)


def _take_back_withdrawn(role: Role, document_ids: set[UUID]) -> set[UUID]:
    """Delete the grants of withdrawn documents, and return those documents.

    It runs after the grants are made, which wait for a withdrawal in progress.
    """
    rows = RoleDocumentAccess.objects.filter(role=role, document__in=document_ids, document__withdrawn_at__isnull=False)
    withdrawn = set(rows.values_list("document_id", flat=True))
    if withdrawn:
        rows.delete()
    return withdrawn


def _prolong_grants(grants: Grants, role: Role, until: dt.datetime | None, by: User | None) -> None:
    """Give grants that end earlier the later end. What has no end keeps none."""
    earlier = grants.exclude(expires_at=None)
    earlier = earlier if until is None else earlier.filter(expires_at__lt=until)
    documents = set(earlier.values_list("document_id", flat=True))
    earlier.update(expires_at=until, granted_by=by)
    _write_audit_row(AuditEvent.Action.PROLONG, role, documents, by, **_note_end(until))


def _note_end(until: dt.datetime | None) -> dict[str, str]:
    return {} if until is None else {"until": until.isoformat()}


def _write_audit_row(
    action: AuditEvent.Action, role: Role, document_ids: set[UUID], by: User | None, **details: Any
) -> None:
    if document_ids:
        AuditEvent.objects.create(
            actor=by,
            action=action,
            object_type="role",
            object_id=str(role.pk),
            details={"documents": sorted(str(pk) for pk in document_ids), **details},
        )
