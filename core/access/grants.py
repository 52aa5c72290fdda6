"""Grants, written and taken away here alone, so that each leaves its audit row in the same transaction."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from core.models import AuditEvent, Document, Role, RoleDocumentAccess, User


def grant(role: Role, documents: Iterable[Document], *, by: User | None, by_ingestion: bool = False) -> int:
    """Let a role read documents. Returns how many grants are new; those that existed stay as they were.

    by_ingestion: that the grant comes with a text, rather than from somebody's decision about the document.
    """
    with transaction.atomic():
        known = set(RoleDocumentAccess.objects.filter(role=role).values_list("document_id", flat=True))
        new = {document.pk for document in documents} - known
        RoleDocumentAccess.objects.bulk_create(
            (
                RoleDocumentAccess(role=role, document_id=pk, granted_by=by, by_ingestion=by_ingestion)
                for pk in sorted(new)
            ),
            ignore_conflicts=True,
        )
        _audit(AuditEvent.Action.GRANT, role, new, by)
    return len(new)


def revoke(role: Role, documents: Iterable[Document], *, by: User | None) -> int:
    """Take a role's access to documents away, at once. Returns how many grants there were."""
    with transaction.atomic():
        rows = RoleDocumentAccess.objects.filter(role=role, document__in=[document.pk for document in documents])
        taken = set(rows.values_list("document_id", flat=True))
        rows.delete()
        _audit(AuditEvent.Action.REVOKE, role, taken, by)
    return len(taken)


def _audit(action: AuditEvent.Action, role: Role, document_ids: set[UUID], by: User | None) -> None:
    if document_ids:
        AuditEvent.objects.create(
            actor=by,
            action=action,
            object_type="role",
            object_id=str(role.pk),
            details={"documents": sorted(str(pk) for pk in document_ids)},
        )
