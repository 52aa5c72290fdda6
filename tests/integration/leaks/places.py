"""Generated places of Slack's, and who can read them, in plain Python."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from core.types import Audience
from tests.integration.leaks.worlds import Built, Shelf, World, worlds

_PUBLIC = {"is_private": False}
# What conversations.info says of each kind of place; None where Slack refuses to say.
KINDS: dict[str, dict[str, Any] | None] = {
    "private": {},
    "private, of the organisation": {"is_org_shared": True},
    "group message": {"is_mpim": True},
    "public": _PUBLIC,
    "public, with everyone in it": _PUBLIC | {"is_general": True},
    "private, shared": {"is_ext_shared": True},
    "private, about to be shared": {"is_pending_ext_shared": True},
    "public, shared": _PUBLIC | {"is_ext_shared": True},
    "public, about to be shared": _PUBLIC | {"is_pending_ext_shared": True},
    "public, of the organisation": _PUBLIC | {"is_org_shared": True},
    "untold": None,
}
OPEN = frozenset({"public", "public, with everyone in it"})  # to the workspace, and to nobody else
CLOSED = frozenset({"private", "private, of the organisation", "group message"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A place in a workspace whose people are those of a world."""

    world: World
    away: frozenset[int]  # people whose account is of another workspace
    everyone: frozenset[int] | None  # numbers of the roles that everyone holds; None where nobody has decided
    elsewhere: frozenset[int] | None  # what was decided about another workspace
    members: tuple[int, ...]
    kind: str
    becomes: str  # its kind later
    joins: int  # who becomes a member later

    def reader_roles(self, kind: str, members: Iterable[int]) -> list[frozenset[int]]:
        """The roles of everyone who can read the place while it is of that kind and has these members."""
        held = [frozenset() if person in self.away else self.world.held[person] for person in members]
        if kind in CLOSED:
            return held
        return [*held, self.everyone or frozenset()] if kind in OPEN else [*held, frozenset()]

    def readable(self, here: Built, kind: str, members: Iterable[int]) -> set[UUID]:
        """The documents that all of them may read."""
        readers = self.reader_roles(kind, members)
        granted = enumerate(map(self.world.granted, range(len(self.world.documents))))
        return {here.documents[at].pk for at, allowed in granted if all(allowed & roles for roles in readers)}

    def readable_in_passing(self, here: Built, person: int) -> set[UUID]:
        """The documents that somebody of the workspace may read in its public channels."""
        roles = self.world.held[person] | (self.everyone or frozenset())
        granted = enumerate(map(self.world.granted, range(len(self.world.documents))))
        return {here.documents[at].pk for at, allowed in granted if allowed & roles}

    def audience(self, role_ids: list[UUID], kind: str, members: Iterable[int]) -> Audience:
        """The same readers as an audience."""
        return Audience.of({role_ids[number] for number in roles} for roles in self.reader_roles(kind, members))


def places() -> st.SearchStrategy[Place]:
    """Places of every kind, with one member or more, in worlds of 1 to 8 people."""
    return worlds(guests=False).flatmap(_places)


def _places(world: World) -> st.SearchStrategy[Place]:
    person = st.integers(0, len(world.held) - 1)
    roles = st.frozensets(st.integers(0, world.roles - 1), max_size=3)
    # In most of them something can be shown: open or closed, decided, and everyone at home.
    kind = st.one_of(st.sampled_from(sorted(OPEN | CLOSED)), st.sampled_from(sorted(KINDS)))
    away = st.one_of(st.just(frozenset[int]()), st.just(frozenset[int]()), st.frozensets(person, max_size=2))
    decided = st.one_of(roles, roles, st.none())
    return st.builds(
        Place,
        world=st.just(world),
        away=away,
        everyone=decided,
        elsewhere=decided,
        members=st.lists(person, min_size=1, max_size=3, unique=True).map(tuple),
        kind=kind,
        becomes=kind,
        joins=person,
    )


# Corners that chance seldom finds: staff are in a channel that everyone can open, and an account from elsewhere is.
STAFF_IN_PUBLIC = Place(
    world=World(
        held=(frozenset({0, 1}), frozenset({0, 1}), frozenset({1})),
        documents=tuple(
            Shelf(granted=frozenset(granted), topics=(0, 1), kind=0) for granted in ({0}, {1}, {0, 1}, {2})
        ),
        readers=(0, 1),
        guest_roles=frozenset(),
        revoked=frozenset(),
    ),
    away=frozenset(),
    everyone=frozenset({1}),
    elsewhere=frozenset({0}),
    members=(0, 1),
    kind="public",
    becomes="public",
    joins=2,
)
MADE_PUBLIC = replace(STAFF_IN_PUBLIC, kind="private")
SHARED_LATER = replace(STAFF_IN_PUBLIC, kind="private", becomes="private, shared")
UNDECIDED = replace(STAFF_IN_PUBLIC, everyone=None)
ONE_AWAY = replace(STAFF_IN_PUBLIC, kind="private", becomes="private", away=frozenset({2}))
