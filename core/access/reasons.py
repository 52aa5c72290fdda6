"""Explain why a person may read a document: the roles that lead to it, and how people and places hold them.

The verdict is that of the rule, `visible_to`. This module gives its reasons, and tests compare the two.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Count, F, QuerySet, When

from core.access.audiences import audience_of
from core.models import ChannelSetting, Document, Role, RoleDocumentAccess, SlackWorkspace, User, UserRole

BY_HAND = "given by hand"


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The verdict for one person and one document, and the roles that it rests on."""

    person: User
    may_read: bool
    held: tuple[str, ...]  # names of the person's roles
    granted: tuple[str, ...]  # names of the roles that may read the document
    deciding: tuple[str, ...]  # names in both, where the person may read it


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """A role that somebody holds, and through what."""

    role: str
    through: str  # BY_HAND, or the usergroup


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Readers that are no list of people: a channel with roles of its own, everyone in a workspace, or guests."""

    kind: str  # channel, workspace or guests
    name: str
    roles: tuple[str, ...]  # those that lead to the document


@dataclass(frozen=True, kw_only=True, slots=True)
class Stream:
    """So many people, or documents, on one way."""

    way: Way
    target: str  # a collection's name; empty for people
    count: int


def explain(person: User, document: Document) -> Explanation:
    """Report whether a person may read a document, by the rule itself, and which roles decide it."""
    may_read = Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()
    held = set(person.roles.values_list("name", flat=True))
    granted = set(Role.objects.filter(pk__in=_select_granted_roles(document)).values_list("name", flat=True))
    return Explanation(
        person=person,
        may_read=may_read,
        held=tuple(sorted(held)),
        granted=tuple(sorted(granted)),
        deciding=tuple(sorted(held & granted)) if may_read else (),
    )


def list_readers(document: Document) -> QuerySet[User]:
    """List every active person who may read a document, by address."""
    holding = UserRole.objects.filter(role__in=_select_granted_roles(document)).values("user")
    return User.objects.filter(is_active=True, pk__in=holding).order_by("email")


def find_ways(people: Iterable[User], document: Document) -> dict[UUID, tuple[Way, ...]]:
    """Find the ways by which each of several people reads a document. One query."""
    rows = UserRole.objects.filter(user__in=list(people), role__in=_select_granted_roles(document))
    ways: defaultdict[UUID, list[Way]] = defaultdict(list)
    for row in rows.select_related("role", "usergroup").order_by("role__name", "usergroup__handle"):
        ways[row.user_id].append(_describe_way(row))
    return {person: tuple(found) for person, found in ways.items()}


def find_places(document: Document) -> tuple[Place, ...]:
    """Return the channels, workspaces and guests that are shown a document, whoever the people there are."""
    granted = dict(Role.objects.filter(pk__in=_select_granted_roles(document)).values_list("pk", "name"))
    channels = ChannelSetting.objects.filter(uses_own_roles=True, roles__in=granted)
    workspaces = SlackWorkspace.objects.filter(decided_at__isnull=False, roles__in=granted)
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for channel, role in channels.values_list(_name_or_field("channel_id"), "roles__name"):
        names["channel", channel].append(role)
    for workspace, role in workspaces.values_list(_name_or_field("team_id"), "roles__name"):
        names["workspace", workspace].append(role)
    if settings.GUEST_ROLE in granted.values():
        names["guests", "people whom Footnote does not know"].append(settings.GUEST_ROLE)
    return tuple(
        Place(kind=kind, name=name, roles=tuple(sorted(roles))) for (kind, name), roles in sorted(names.items())
    )


def count_readers(document: Document) -> list[Stream]:
    """Count the active people who may read a document, by each way, most first."""
    rows = UserRole.objects.filter(role__in=_select_granted_roles(document), user__is_active=True).order_by()
    counted = rows.values("role__name", "usergroup__handle", "usergroup__usergroup_id").annotate(n=Count("user"))
    streams = [
        Stream(way=Way(role=row["role__name"], through=_name_usergroup(row)), target="", count=row["n"])
        for row in counted
    ]
    return sorted(streams, key=lambda stream: (-stream.count, stream.way.role, stream.way.through))


def list_readable(person: User) -> QuerySet[Document]:
    """List every whole document that a person may read by themselves, by title."""
    return Document.objects.whole().visible_to(audience_of([person.pk])).order_by("title", "pk")


def find_roles_to(person: User, documents: Iterable[Document]) -> dict[UUID, tuple[str, ...]]:
    """Return the roles through which a person may read each of some documents, with what they hold each through."""
    ways = _find_ways_of(person)
    rows = RoleDocumentAccess.objects.in_force().filter(role__in=list(ways), document__in=list(documents))
    found: defaultdict[UUID, list[str]] = defaultdict(list)
    for document, role in rows.order_by("role__name").values_list("document_id", "role_id"):
        found[document] += [f"{way.role} ({way.through})" for way in ways[role]]
    return {document: tuple(names) for document, names in found.items()}


def count_readable(person: User) -> list[Stream]:
    """Count the whole documents of each collection that a person may read, by each way, most first."""
    ways = _find_ways_of(person)
    rows = RoleDocumentAccess.objects.in_force().decided().filter(role__in=list(ways)).order_by()
    counted = rows.values("role_id", collection=F("document__collection__name")).annotate(n=Count("pk"))
    streams = [
        Stream(way=way, target=row["collection"], count=row["n"]) for row in counted for way in ways[row["role_id"]]
    ]
    return sorted(streams, key=lambda stream: (-stream.count, stream.target, stream.way.role))


def _select_granted_roles(document: Document) -> QuerySet[RoleDocumentAccess, Any]:
    return RoleDocumentAccess.objects.in_force().filter(document=document).values("role_id")


def _find_ways_of(person: User) -> dict[UUID, tuple[Way, ...]]:
    """Find the ways of a person by role; none of somebody who is inactive, for they read nothing."""
    ways: defaultdict[UUID, list[Way]] = defaultdict(list)
    for row in person.user_roles.filter(user__is_active=True).select_related("role", "usergroup"):
        ways[row.role_id].append(_describe_way(row))
    return {role: tuple(found) for role, found in ways.items()}


def _describe_way(row: UserRole) -> Way:
    return Way(role=row.role.name, through=str(row.usergroup) if row.usergroup else BY_HAND)


def _name_usergroup(row: dict[str, str | None]) -> str:
    name = row["usergroup__handle"] or row["usergroup__usergroup_id"]
    return f"@{name}" if name else BY_HAND


def _name_or_field(field: str) -> Case:
    return Case(When(name="", then=F(field)), default=F("name"))
