"""The review of a role: somebody looks at who is in it and what it may read, and says that it is still right."""

import datetime as dt
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from core.access.unused import find_unused
from core.models import AuditEvent, Role, RoleDocumentAccess, User, UserRole


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleInReview:
    """The facts about a role for its review."""

    members: int  # active people
    inactive: int  # people who read nothing by it now, and would again when they are activated
    collections: tuple[tuple[str, int], ...]  # documents of each, the most first
    ending: int  # grants that end by themselves
    unused: int  # grants that nobody used, as core.access.unused counts
    new_members: int  # since the last review
    new_documents: int


def describe_role(role: Role) -> RoleInReview:
    """A role as it is now. Four queries."""
    since = role.reviewed_at or dt.datetime.min.replace(tzinfo=dt.UTC)
    grants = RoleDocumentAccess.objects.in_force().filter(role=role)
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
