"""Draw by chance what a benchmark searches: vectors like those of a library, and access to its documents.

Vectors are of topics, documents about them, and their chunks. Access is roles with grants, and people who hold them.
`find_permitted` restates the rule of access simply, and every strategy's results are compared with it.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.models.library import EMBEDDING_DIMENSION

CHUNKS_PER_DOCUMENT = 20
_TOPICS = 200
_DECAY = 0.45  # of the spread along the principal directions, from the first to the last
_AT_ONCE = 100_000  # chunks drawn in one go

PEOPLE_IN_CHANNEL = 200
_ROLE_SETS = 12  # distinct ones among them
_PARTS = 3  # roles that together grant what all of the channel may read
_EXTRA_SHARE = 0.1  # of the documents, granted by a role that only some people of the channel hold


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SyntheticVectors:
    """Rows of unit length. Chunk i belongs to document i // CHUNKS_PER_DOCUMENT."""

    chunks: np.ndarray  # float32, (documents * CHUNKS_PER_DOCUMENT, EMBEDDING_DIMENSION)
    questions: np.ndarray  # float32, (questions, EMBEDDING_DIMENSION)
    topics: np.ndarray  # the number of each document's topic, (documents,)


def draw(documents: int, questions: int, chance: np.random.Generator) -> SyntheticVectors:
    """Draw a library and questions about documents of it; the same chance draws the same.

    The spread differs by direction, as with vectors of texts: few directions hold most of it. A chunk leans to its
    document as a document leans to its topic, and a question is about as near to its document as to something else.
    """
    spread = (np.arange(1, EMBEDDING_DIMENSION + 1) ** -_DECAY).astype(np.float32)
    spread /= np.linalg.norm(spread)
    square = chance.standard_normal((EMBEDDING_DIMENSION, EMBEDDING_DIMENSION))
    rotation = np.linalg.qr(square)[0].astype(np.float32)

    def noise(rows: int) -> np.ndarray:
        drawn = chance.standard_normal((rows, EMBEDDING_DIMENSION)).astype(np.float32)
        return _normalise((drawn * spread) @ rotation)

    topic = noise(_TOPICS)
    per_topic = -(-documents // _TOPICS)
    topics = chance.permutation(np.repeat(np.arange(_TOPICS), per_topic)[:documents])
    document = _normalise(0.65 * topic[topics] + 0.75 * noise(documents))
    owner = np.repeat(np.arange(documents), CHUNKS_PER_DOCUMENT)
    chunks = _on_disk((len(owner), EMBEDDING_DIMENSION))
    for start in range(0, len(owner), _AT_ONCE):
        part = owner[start : start + _AT_ONCE]
        chunks[start : start + len(part)] = _normalise(0.70 * document[part] + 0.71 * noise(len(part)))
    asked = chance.choice(documents, questions, replace=questions > documents)
    about = 0.55 * document[asked] + 0.25 * topic[topics[asked]]
    return SyntheticVectors(chunks=chunks, questions=_normalise(about + 0.78 * noise(questions)), topics=topics)


def _on_disk(shape: tuple[int, int]) -> np.ndarray:
    """An array in a file that has no name, so that memory need not hold millions of vectors beside the copy of them."""
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=np.float32, mode="w+", shape=shape)


def near(vectors: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Questions near given vectors, as an embedded question is to a passage that answers it: cosine about 0.8."""
    drawn = _normalise(chance.standard_normal(vectors.shape).astype(np.float32))
    return _normalise(0.8 * _normalise(vectors) + 0.6 * drawn)


def _normalise(rows: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled.astype(np.float32)


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
