"""Grants that nobody used: documents that no answer cited, for long, for anybody who has the role."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef
from django.utils import timezone

from core.models import Citation, RoleDocumentAccess
from core.models.querysets import Grants
from core.types import NOBODY_ASKED

DAYS = 90


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
    """The grants in force that are older than so many days, and by which nobody has been shown a citation in them.

    A grant is used when an answer to somebody who has the role cites the document. Where two roles give a person access
    to it, both count as used, because it is unknown which of them it was.
    """
    since = timezone.now() - dt.timedelta(days=days)
    used = Citation.objects.filter(
        answer__query__created_at__gte=since,
        document=OuterRef("document"),
        answer__query__user__user_roles__role=OuterRef("role"),
    ).exclude(answer__query__conversation__origin__in=NOBODY_ASKED)
    return RoleDocumentAccess.objects.in_force().filter(~Exists(used), granted_at__lt=since)


def count_unused(*, days: int = DAYS) -> list[UnusedGrants]:
    """By role and collection, those with the most unused grants first. Two queries."""
    unused = {(row["role"], row["collection"]): row["n"] for row in _count(find_unused(days=days))}
    total = _count(RoleDocumentAccess.objects.in_force().filter(role__in={role for role, _ in unused}))
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


def _count(grants: Grants) -> Iterable[dict[str, Any]]:
    named = grants.order_by().values(
        "role",
        role_name=F("role__name"),
        collection=F("document__collection"),
        collection_name=F("document__collection__name"),
    )
    return named.annotate(n=Count("pk"))
