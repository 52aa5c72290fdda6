"""Withdraw documents that are gone at their source, and give them back when they return.

The grants of a withdrawn document are put aside, so the one rule of access finds none and nobody reads it. What
somebody decided about the document is given back with it; what came with its text only to roles that it is for now.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.infrastructure.queue import check_footnotes
from core.models import AuditEvent, Citation, Document, Role, RoleDocumentAccess, WithdrawnGrant


def withdraw(document_ids: Collection[UUID], *, are_gone: bool = True) -> list[UUID]:
    """Withdraw documents from everybody, at once. Returns those that were not withdrawn already.

    Parts of a document go and come with it, as the database sees to.
    are_gone: True if their source has deleted them, in which case the askers of answers from them are notified.
    """
    with transaction.atomic():
        rows = Document.objects.whole().select_for_update().filter(pk__in=document_ids, withdrawn_at=None)
        taken = list(rows.order_by("pk").values_list("pk", flat=True))
        grants = list(RoleDocumentAccess.objects.select_for_update().filter(document__in=taken))
        WithdrawnGrant.objects.bulk_create(
            (WithdrawnGrant(**_copy_fields(row)) for row in grants), ignore_conflicts=True
        )
        RoleDocumentAccess.objects.filter(pk__in=[row.pk for row in grants]).delete()
        Document.objects.filter(pk__in=taken).update(withdrawn_at=timezone.now())
        pairs = [(row.role_id, row.document_id) for row in grants]
        _write_audit_rows(AuditEvent.Action.REVOKE, pairs, withdrawn=True)
        if are_gone:
            _check_footnotes(taken, pairs)
    return taken


def restore(document_ids: Collection[UUID], *, roles: Collection[Role]) -> list[UUID]:
    """Give withdrawn documents back to their readers. Returns those that were withdrawn.

    roles: those that the documents are for now. A grant that came with a text of the documents is given back to these
    alone, one that somebody gave by hand also to others, unless it has come to its end.
    """
    wanted = {role.pk for role in roles}
    with transaction.atomic():
        rows = Document.objects.whole().select_for_update().filter(pk__in=document_ids, withdrawn_at__isnull=False)
        back = list(rows.order_by("pk").values_list("pk", flat=True))
        aside = WithdrawnGrant.objects.filter(document__in=back)
        kept = [row for row in aside if _is_in_force(row) and (not row.by_ingestion or row.role_id in wanted)]
        RoleDocumentAccess.objects.bulk_create(
            (RoleDocumentAccess(**_copy_fields(row)) for row in kept), ignore_conflicts=True
        )
        aside.delete()
        Document.objects.filter(pk__in=back).update(withdrawn_at=None)
        _write_audit_rows(AuditEvent.Action.GRANT, [(row.role_id, row.document_id) for row in kept], returned=True)
    return back


def _copy_fields(row: RoleDocumentAccess | WithdrawnGrant) -> dict[str, Any]:
    """Return the fields of a grant that are kept while its document is withdrawn, and restored after."""
    return {
        "document_id": row.document_id,
        "role_id": row.role_id,
        "granted_by_id": row.granted_by_id,
        "expires_at": row.expires_at,
        "since_version": row.since_version,
        "by_ingestion": row.by_ingestion,
    }


def _check_footnotes(document_ids: Sequence[UUID], pairs: Sequence[tuple[UUID, UUID]]) -> None:
    """Have the answers looked at that quote these documents, by the roles that read them until now."""
    for document in Citation.objects.filter(document__in=document_ids).values_list("document", flat=True).distinct():
        check_footnotes(document, last_readers=[role for role, of in pairs if of == document])


def _is_in_force(row: WithdrawnGrant) -> bool:
    return row.expires_at is None or row.expires_at > timezone.now()


def _write_audit_rows(action: AuditEvent.Action, pairs: Sequence[tuple[UUID, UUID]], **details: Any) -> None:
    documents: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for role, document in pairs:
        documents[role].add(document)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            action=action,
            object_type="role",
            object_id=str(role),
            details={"documents": sorted(str(pk) for pk in of), **details},
        )
        for role, of in documents.items()
    )
