"""A change of grants before it is made: which documents it gives or takes, and who gains or loses them by that.

Counted by the rule itself: a document is gained by who could not read it and then can. Whoever holds it through another
role gains nothing by one more, and loses nothing while that role is left.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction

from core.access.grants import grant, revoke
from core.errors import NotFoundError
from core.models import (
    AuditEvent,
    ChannelSetting,
    Document,
    Role,
    RoleDocumentAccess,
    User,
    UserRole,
    WithdrawnGrant,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class GrantChange:
    """For each role the documents that it is given, or that are taken from it. Only what is not so already."""

    gives: bool
    documents: Mapping[UUID, frozenset[UUID]]  # by role

    @property
    def all_documents(self) -> frozenset[UUID]:
        """Return the documents of all roles together."""
        return frozenset().union(*self.documents.values())

    @property
    def grants(self) -> int:
        """Return the number of grants that are made or taken away."""
        return sum(len(documents) for documents in self.documents.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """The readers who gain or lose documents by a change."""

    people: Mapping[UUID, int]  # how many documents each of them gains or loses
    documents: Mapping[UUID, int]  # how many people gain or lose each of them
    channels: tuple[ChannelSetting, ...]  # that answer by roles of their own, of which some change


def plan_change(
    *, gives: bool, collections: Iterable[tuple[UUID, UUID]] = (), documents: Iterable[tuple[UUID, UUID]] = ()
) -> GrantChange:
    """Plan the change that gives pairs of a role and a collection, or of a role and a document, or takes them away.

    What is withdrawn is given to nobody, and a part of a document follows that. What is taken away includes grants that
    are put aside while their document is withdrawn, by which nobody reads now.
    """
    shelves = list(collections)
    on_shelf: defaultdict[UUID, set[UUID]] = defaultdict(set)
    chosen = Document.objects.whole().filter(collection__in={collection for _, collection in shelves})
    for document, collection in chosen.values_list("pk", "collection_id"):
        on_shelf[collection].add(document)
    asked: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for role, collection in shelves:
        asked[role] |= on_shelf[collection]
    for role, document in documents:
        asked[role].add(document)
    return limit_to_what_changes(gives, asked)


def plan_undoing(event: AuditEvent) -> GrantChange:
    """Plan the change that takes back what an event of the audit trail gave or took, as far as it is still so.

    NotFoundError for an event that is no grant and no revocation, or whose role has been deleted.
    """
    gave = event.action == AuditEvent.Action.GRANT
    is_change = gave or event.action == AuditEvent.Action.REVOKE
    if not is_change or event.object_type != "role" or not Role.objects.filter(pk=event.object_id).exists():
        raise NotFoundError("There is nothing to undo here: the event is no grant, or the role has been deleted.")
    documents = {UUID(pk) for pk in event.details.get("documents", ())}
    return limit_to_what_changes(not gave, {UUID(event.object_id): documents})


def find_effect(change: GrantChange) -> Effect:
    """Find the readers who gain or lose documents by a change, as things are now."""
    held = _find_roles_held(change.documents)
    granted = _find_grants(change.all_documents, frozenset().union(*held.values()))
    people: dict[UUID, int] = {}
    documents: Counter[UUID] = Counter()
    found: dict[frozenset[UUID], frozenset[UUID]] = {}  # many people hold the same roles
    for person, roles in held.items():
        if roles not in found:
            found[roles] = _find_difference(change, roles, granted)
        if found[roles]:
            people[person] = len(found[roles])
            documents.update(found[roles])
    channels = ChannelSetting.objects.filter(uses_own_roles=True, roles__in=[*change.documents]).distinct()
    return Effect(people=people, documents=documents, channels=tuple(channels.order_by("name", "channel_id")))


def apply_change(change: GrantChange, *, by: User | None, until: dt.datetime | None = None) -> int:
    """Make the change, all of it or nothing, each role with its row in the audit trail. Returns how many grants.

    until: when what is given ends by itself; never by default.
    """
    write = partial(grant, until=until) if change.gives else revoke
    with transaction.atomic():
        roles = Role.objects.in_bulk(list(change.documents))
        return sum(
            write(roles[role], Document.objects.only("pk").filter(pk__in=documents), by=by)
            for role, documents in change.documents.items()
            if role in roles
        )


def limit_to_what_changes(gives: bool, asked: Mapping[UUID, Iterable[UUID]]) -> GrantChange:
    """Return the change as far as it is not so already. asked: for each role the documents it is to get or to lose."""
    documents = Document.objects.whole().filter(pk__in=set().union(*asked.values()))
    if gives:
        documents = documents.filter(withdrawn_at=None)  # `grant` gives these alone
    there = set(documents.values_list("pk", flat=True))
    granted = _find_grants(there, asked)
    if not gives:
        aside = WithdrawnGrant.objects.filter(role__in=list(asked), document__in=there)
        for role, document in aside.values_list("role_id", "document_id"):
            granted[role].add(document)
    changes = {
        role: frozenset((there & set(chosen)) - granted[role] if gives else granted[role] & set(chosen))
        for role, chosen in asked.items()
    }
    return GrantChange(gives=gives, documents={role: chosen for role, chosen in changes.items() if chosen})


def _find_grants(documents: Iterable[UUID], roles: Iterable[UUID]) -> defaultdict[UUID, set[UUID]]:
    granted: defaultdict[UUID, set[UUID]] = defaultdict(set)
    rows = RoleDocumentAccess.objects.in_force().filter(role__in=list(roles), document__in=list(documents))
    for role, document in rows.values_list("role_id", "document_id"):
        granted[role].add(document)
    return granted


def _find_roles_held(changed: Iterable[UUID]) -> dict[UUID, frozenset[UUID]]:
    """Return all roles of each active person who holds one that changes."""
    # Two queries: as one, a table joined with itself, it ran for minutes where PostgreSQL had no statistics yet.
    touched = set(
        UserRole.objects.filter(role__in=list(changed), user__is_active=True).values_list("user_id", flat=True)
    )
    held: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for person, role in UserRole.objects.filter(user__in=touched).values_list("user_id", "role_id"):
        held[person].add(role)
    return {person: frozenset(roles) for person, roles in held.items()}


def _find_difference(change: GrantChange, roles: frozenset[UUID], granted: Mapping[UUID, set[UUID]]) -> frozenset[UUID]:
    """Return the documents that a holder of these roles gains or loses."""
    none: frozenset[UUID] = frozenset()
    read = none.union(*(granted.get(role, none) for role in roles))
    if change.gives:
        return none.union(*(change.documents.get(role, none) for role in roles)) - read
    return read - none.union(*(granted.get(role, none) - change.documents.get(role, none) for role in roles))
