"""Grants, written and taken away here alone, so that each leaves its audit row in the same transaction."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.errors import InvalidFilterError
from core.models import AuditEvent, Document, Role, RoleDocumentAccess, User, WithdrawnGrant
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

    What is withdrawn because it is gone at its source is given to nobody.
    by_ingestion: that the grant comes with a text, rather than from somebody's decision about the document. It makes
    no grant longer that somebody gave an end.
    until: when the new grants end by themselves; never by default.
    """
    chosen = {document.pk for document in documents}
    with transaction.atomic():
        take_expired(role)
        grants = RoleDocumentAccess.objects.filter(role=role)
        new = chosen - set(grants.values_list("document_id", flat=True))
        if not by_ingestion:
            _prolong(grants.filter(document__in=chosen - new), role, until, by)
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
        _audit(AuditEvent.Action.GRANT, role, new, by, **_tell_end(until))
    return len(new)


def revoke(role: Role, documents: Iterable[Document], *, by: User | None) -> int:
    """Take a role's access to documents away, at once. Returns how many grants there were.

    A grant that was put aside while its document is withdrawn is taken too: it does not come back with the document.
    """
    return _revoke({}, role, documents, by)


def revoke_ingested(role: Role, documents: Iterable[Document]) -> int:
    """As `revoke`, where the grant came with a text; what somebody decided about a document stays."""
    return _revoke({"by_ingestion": True}, role, documents, None)


def find_end(last_day: dt.date) -> dt.datetime:
    """The moment at which a day that is the last one of a grant is over, in the server's time zone.

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
    rows = RoleDocumentAccess.objects.expired()
    taken: defaultdict[Role, set[UUID]] = defaultdict(set)
    with transaction.atomic():
        locked = (
            (rows if role is None else rows.filter(role=role)).select_related("role").select_for_update(of=("self",))
        )
        for row in locked:
            taken[row.role].add(row.document_id)
        for of, documents in taken.items():
            RoleDocumentAccess.objects.filter(role=of, document__in=documents).delete()
            _audit(AuditEvent.Action.REVOKE, of, documents, None, expired=True)
    return sum(len(documents) for documents in taken.values())


def _revoke(which: dict[str, Any], role: Role, documents: Iterable[Document], by: User | None) -> int:
    """Delete the grants of a role to documents. which: further conditions on the grants, by column."""
    chosen = {document.pk for document in documents}
    with transaction.atomic():
        # A withdrawal and its end move grants from one table to the other while they hold the document.
        list(Document.objects.select_for_update(no_key=True).filter(pk__in=chosen).order_by("pk").values_list("pk"))
        taken: set[UUID] = set()
        for model in (RoleDocumentAccess, WithdrawnGrant):
            rows = model.objects.filter(role=role, document__in=chosen, **which)
            taken.update(rows.values_list("document_id", flat=True))
            rows.delete()
        _audit(AuditEvent.Action.REVOKE, role, taken, by)
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


def _prolong(grants: Grants, role: Role, until: dt.datetime | None, by: User | None) -> None:
    """Give grants that end earlier the later end. What has no end keeps none."""
    earlier = grants.exclude(expires_at=None)
    earlier = earlier if until is None else earlier.filter(expires_at__lt=until)
    documents = set(earlier.values_list("document_id", flat=True))
    earlier.update(expires_at=until, granted_by=by)
    _audit(AuditEvent.Action.PROLONG, role, documents, by, **_tell_end(until))


def _tell_end(until: dt.datetime | None) -> dict[str, str]:
    return {} if until is None else {"until": until.isoformat()}


def _audit(action: AuditEvent.Action, role: Role, document_ids: set[UUID], by: User | None, **details: Any) -> None:
    if document_ids:
        AuditEvent.objects.create(
            actor=by,
            action=action,
            object_type="role",
            object_id=str(role.pk),
            details={"documents": sorted(str(pk) for pk in document_ids), **details},
        )
