"""Review a role: somebody looks at who is in it and what it may read, and says that it is still right.

That includes the grants that nobody used: documents that no answer cited, for long, for anybody who has the role.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q
from django.utils import timezone

from core.models import AuditEvent, Citation, Role, RoleDocumentAccess, User, UserRole
from core.models.querysets import Grants
from core.types import NOBODY_WANTED

DAYS = 90


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleInReview:
    """The facts about a role for its review."""

    members: int  # active people
    inactive: int  # people who read nothing by it now, and would again when they are activated
    collections: tuple[tuple[str, int], ...]  # documents of each, the most first
    ending: int  # grants that end by themselves
    unused: int  # grants that nobody used, as `find_unused` counts
    new_members: int  # since the last review
    new_documents: int


@dataclass(frozen=True, kw_only=True, slots=True)
class UnusedGrants:
    """The grants of a role in a collection, and how many of them nobody used."""

    role: UUID
    role_name: str
    collection: UUID
    collection_name: str
    unused: int
    total: int


def find_unused(*, days: int = DAYS) -> Grants:
    """Return the grants in force older than so many days by which nobody has been shown a citation in that time.

    A grant is used when an answer to somebody who has the role cites the document, also within a page about a topic.
    Where two roles give a person access to it, both count as used, because it is unknown which of them it was.
    """
    since = _find_first_day(days)
    used = Citation.objects.filter(
        answer__query__created_at__gte=since, answer__query__user__user_roles__role=OuterRef("role")
    ).exclude(answer__query__conversation__origin__in=NOBODY_WANTED)
    whole, part = (used.filter(**{of: OuterRef("document")}) for of in ("document", "document__part_of"))
    return RoleDocumentAccess.objects.in_force().decided().filter(~Exists(whole), ~Exists(part), granted_at__lt=since)


def has_old_grants(*, days: int = DAYS) -> bool:
    """Return True if any grant in force is old enough to be called unused."""
    return RoleDocumentAccess.objects.in_force().decided().filter(granted_at__lt=_find_first_day(days)).exists()


def count_unused(*, days: int = DAYS) -> list[UnusedGrants]:
    """Count the unused grants by role and collection, the most first. Two queries."""
    unused = {(row["role"], row["collection"]): row["n"] for row in _count_grants(find_unused(days=days))}
    total = _count_grants(RoleDocumentAccess.objects.in_force().decided().filter(role__in={role for role, _ in unused}))
    found = [
        UnusedGrants(
            role=row["role"],
            role_name=row["role_name"],
            collection=row["collection"],
            collection_name=row["collection_name"],
            unused=unused[row["role"], row["collection"]],
            total=row["n"],
        )
        for row in total
        if (row["role"], row["collection"]) in unused
    ]
    return sorted(found, key=lambda row: (-row.unused, row.role_name, row.collection_name))


def _find_first_day(days: int) -> dt.datetime:
    return timezone.now() - dt.timedelta(days=days)


def _count_grants(grants: Grants) -> Iterable[dict[str, Any]]:
    named = grants.order_by().values(
        "role",
        role_name=F("role__name"),
        collection=F("document__collection"),
        collection_name=F("document__collection__name"),
    )
    return named.annotate(n=Count("pk"))


def describe_role(role: Role) -> RoleInReview:
    """Describe a role as it is now. Four queries."""
    since = role.reviewed_at or dt.datetime.min.replace(tzinfo=dt.UTC)
    grants = RoleDocumentAccess.objects.in_force().decided().filter(role=role)
    held = UserRole.objects.filter(role=role).aggregate(
        active=Count("user", filter=Q(user__is_active=True), distinct=True),
        inactive=Count("user", filter=Q(user__is_active=False), distinct=True),
        new=Count("user", filter=Q(created_at__gt=since), distinct=True),
    )
    granted = grants.aggregate(
        ending=Count("pk", filter=Q(expires_at__isnull=False)), new=Count("pk", filter=Q(granted_at__gt=since))
    )
    collections = grants.order_by().values(name=F("document__collection__name")).annotate(n=Count("pk"))
    return RoleInReview(
        members=held["active"],
        inactive=held["inactive"],
        collections=tuple((row["name"], row["n"]) for row in collections.order_by("-n", "name")),
        ending=granted["ending"],
        unused=find_unused().filter(role=role).count(),
        new_members=held["new"],
        new_documents=granted["new"],
    )


def approve(role: Role, *, by: User) -> None:
    """Say that a role's access is still right, with what there was, in the audit trail."""
    seen = describe_role(role)
    with transaction.atomic():
        Role.objects.filter(pk=role.pk).update(reviewed_at=timezone.now(), reviewed_by=by)
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.REVIEW,
            object_type="role",
            object_id=str(role.pk),
            details={"members": seen.members, "documents": sum(count for _, count in seen.collections)},
        )
