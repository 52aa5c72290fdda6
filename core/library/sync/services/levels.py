"""Compute the readers of a page guarded at several levels: its space, its ancestors, and itself. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

ANYONE = "anyone"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """A user or a group at a source."""

    id: str
    name: str = field(compare=False)  # by which an administrator knows it
    is_group: bool = False


EVERYBODY = Reader(id=ANYONE, name=ANYONE, is_group=True)

Level = frozenset[Reader]
Members = Callable[[Reader], frozenset[str] | None]  # the ids of a group's users; None: they cannot be read


def readers_of(levels: Iterable[Level], members: Members) -> tuple[str, ...]:
    """Return the names of those who pass every level.

    Somebody passes a level who is named there. So does a user whom a group there contains, and a group of which the
    groups there contain every user; users who happen to be all of a group do not let it pass. Where members cannot be
    read, only who is named counts.
    """
    all_levels = [level for level in levels if EVERYBODY not in level]
    if not all_levels:
        return (ANYONE,)
    named = frozenset[Reader]().union(*all_levels)
    passing = [reader for reader in named if all(_passes_level(reader, level, members) for level in all_levels)]
    return tuple(sorted({reader.name for reader in passing}))


def _passes_level(reader: Reader, level: Level, members: Members) -> bool:
    if reader in level:
        return True
    users = members(reader) if reader.is_group else frozenset({reader.id})
    if not users:
        return False
    there = frozenset[str]()
    for group in (each for each in level if each.is_group):
        there |= members(group) or frozenset()
        if users <= there:
            return True
    return False
