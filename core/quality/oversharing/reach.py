"""Count who may read documents, for many of them at once, by the rule's own tables of roles and grants."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from django.conf import settings

from core.models import ChannelSetting, Role, RoleDocumentAccess, SlackWorkspace, User, UserRole
from core.values.oversharing import measure_reach

Roles = frozenset[UUID]


@dataclass(slots=True)
class _Kept:
    people: dict[Roles, frozenset[UUID]] = field(default_factory=dict)


class Readership:
    """The active people of each role, and the roles that guests, workspaces and channels hold, as they are now.

    It is read once, in four queries, and counts any number of documents.
    """

    def __init__(self) -> None:
        self._by_set = _Kept()

    @cached_property
    def people_of(self) -> dict[UUID, frozenset[UUID]]:
        """The active people of each role."""
        found: defaultdict[UUID, set[UUID]] = defaultdict(set)
        for role, user in UserRole.objects.filter(user__is_active=True).values_list("role_id", "user_id"):
            found[role].add(user)
        return {role: frozenset(users) for role, users in found.items()}

    @cached_property
    def total(self) -> int:
        """The number of active people."""
        return User.objects.filter(is_active=True).count()

    @cached_property
    def for_everyone(self) -> Roles:
        """The roles of guests, and of everyone in a workspace that somebody decided about."""
        workspaces = SlackWorkspace.objects.filter(decided_at__isnull=False, roles__isnull=False)
        guests = Role.objects.filter(name=settings.GUEST_ROLE) if settings.GUEST_ROLE else Role.objects.none()
        return frozenset([*workspaces.values_list("roles", flat=True), *guests.values_list("pk", flat=True)])

    @cached_property
    def of_channels(self) -> Roles:
        """The roles of channels that answer by roles of their own, whoever is in them."""
        rows = ChannelSetting.objects.filter(uses_own_roles=True, roles__isnull=False)
        return frozenset(rows.values_list("roles", flat=True))

    def list_people(self, roles: Iterable[UUID]) -> frozenset[UUID]:
        """Return the active people who hold any of some roles."""
        wanted = frozenset(roles)
        if wanted not in self._by_set.people:
            none: frozenset[UUID] = frozenset()
            self._by_set.people[wanted] = none.union(*(self.people_of.get(role, none) for role in wanted))
        return self._by_set.people[wanted]

    def count(self, roles: Iterable[UUID]) -> int:
        """Count the active people who hold any of some roles."""
        return len(self.list_people(roles))

    def measure(self, roles: Iterable[UUID]) -> int:
        """Measure the reach of what these roles may read, 1 to 5."""
        wanted = frozenset(roles)
        reach = measure_reach(self.count(wanted), self.total, is_for_everyone=bool(wanted & self.for_everyone))
        return max(reach, 3) if wanted & self.of_channels else reach


def find_roles(document_ids: Collection[UUID]) -> dict[UUID, Roles]:
    """Return the roles that may read each of some documents now. One query."""
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    rows = RoleDocumentAccess.objects.in_force().filter(document__in=document_ids)
    for document, role in rows.values_list("document_id", "role_id"):
        found[document].add(role)
    return {document: frozenset(roles) for document, roles in found.items()}
