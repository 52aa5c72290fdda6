"""Draw access for a benchmark: roles with grants, and people who hold them. Pure.

`permitted` restates the rule of access simply, and every strategy's results are compared with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

PEOPLE_IN_CHANNEL = 200
_ROLE_SETS = 12  # distinct ones among them
_PARTS = 3  # roles that together grant what all of the channel may read
_EXTRA_SHARE = 0.1  # of the documents, granted by a role that only some people of the channel hold


class Grants(StrEnum):
    """The documents that are granted together."""

    RANDOM = "random"
    TOPIC = "topic"  # whole topics, as departments read


class DrawnReaders(StrEnum):
    """The readers of the results."""

    ONE = "one"  # a person with one role
    CHANNEL = "channel"  # 200 people with 12 distinct role sets


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The readers of one measurement."""

    grants: Grants
    share: float  # of the documents that all of them may read, in percent
    readers: DrawnReaders
    people: tuple[frozenset[str], ...]  # each one's roles, by name


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class World:
    """Roles and groups of readers."""

    documents: int
    roles: Mapping[str, np.ndarray]  # numbers of the documents that a role is granted, by its name
    groups: tuple[Group, ...]


def make_world(topics: np.ndarray, shares: Sequence[float], chance: np.random.Generator) -> World:
    """Readers of every kind for each share, in percent. topics: the number of each document's topic."""
    extras = [f"extra {number}" for number in range(_ROLE_SETS)]
    most = max(1, round(len(topics) * _EXTRA_SHARE))
    roles = {name: chance.choice(len(topics), most, replace=False) for name in extras}
    groups = []
    for grants in Grants:
        for share in shares:
            name = f"{grants} {share:g}"
            granted = chance.permutation(_choose_granted(grants, share, topics, chance))
            parts = {f"{name} part {number}": part for number, part in enumerate(np.array_split(granted, _PARTS))}
            roles |= {name: granted, **parts}
            channel = [frozenset({*parts, extras[number % _ROLE_SETS]}) for number in range(PEOPLE_IN_CHANNEL)]
            for readers, people in ((DrawnReaders.ONE, [frozenset({name})]), (DrawnReaders.CHANNEL, channel)):
                groups.append(Group(grants=grants, share=share, readers=readers, people=tuple(people)))
    return World(documents=len(topics), roles=roles, groups=tuple(groups))


def find_permitted(world: World, people: Sequence[frozenset[str]]) -> np.ndarray:
    """Find the documents that all of these people may read, each through any role of theirs: bool, (documents,)."""
    by_all = np.full(world.documents, bool(people))
    for held in set(people):
        by_one = np.zeros(world.documents, dtype=bool)
        for role in held:
            by_one[world.roles[role]] = True
        by_all &= by_one
    return by_all


def _choose_granted(grants: Grants, share: float, topics: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Numbers of documents, at least one."""
    count = max(1, round(len(topics) * share / 100))
    if grants is Grants.RANDOM:
        return chance.choice(len(topics), count, replace=False)
    by_topic = [np.flatnonzero(topics == topic) for topic in chance.permutation(topics.max() + 1)]
    return np.concatenate(by_topic)[:count]
