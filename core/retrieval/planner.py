"""Choosing how to find the nearest chunks of those that an audience may read. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class Strategy(StrEnum):
    """A way to find the nearest permitted chunks."""

    NONE = "none"  # nothing is permitted, nothing is asked
    EXACT = "exact"  # every permitted chunk is compared by PostgreSQL
    QUANTISED = "quantised"  # every chunk is compared in memory, by eight bits a number; the best exactly
    ENGINE = "engine"  # an engine beside PostgreSQL proposes; what it proposes is compared exactly
    INDEX = "index"  # the HNSW index is walked, and goes on until enough permitted chunks are found


@dataclass(frozen=True, slots=True)
class Plan:
    """A strategy and the reason for it, in words that name no one and nothing."""

    strategy: Strategy
    reason: str


# What a search costs in milliseconds, measured on 200,000 chunks by `manage.py benchmark_index` (docs/decisions/0012).
_EXACT_MS = 1.0
_EXACT_MS_PER_CHUNK = 0.002  # permitted
_QUANTISED_MS = 3.0  # reading the best again exactly
_QUANTISED_MS_PER_CHUNK = 0.00006  # of the library
_QUANTISED_MS_PER_COPIED_CHUNK = 0.0001  # permitted, where they are few and copied together first
_ENGINE_MS = 10.0  # the way there and back, with the walk
_ENGINE_MS_PER_CHUNK = 0.03  # that is wanted: compared again (docs/decisions/0065)
_INDEX_MS = 6.0
_INDEX_MS_PER_CHUNK = 0.05  # that is wanted

# Under this share of the library the index misses neighbours: at a half, with whole topics granted, it found 0.90 of
# the true ones, for a walk through a topic that is not permitted ends before it has found its way out.
_INDEX_SHARE = 0.95


def choose(*, permitted: int, total: int, wanted: int, has_copy: bool, has_engine: bool = False) -> Plan:
    """The cheapest of the strategies that find the true neighbours.

    permitted: chunks that the audience may read, after filters; an upper bound will do. total: chunks in the library.
    wanted: how many neighbours are asked for. has_copy: whether a quantised copy is in memory. has_engine: whether
    an engine can be asked, which it is only where there is no copy.
    """
    if permitted == 0:
        return Plan(Strategy.NONE, "no chunk is permitted")
    costs = {Strategy.EXACT: _EXACT_MS + permitted * _EXACT_MS_PER_CHUNK}
    if has_copy:
        costs[Strategy.QUANTISED] = _QUANTISED_MS + min(
            total * _QUANTISED_MS_PER_CHUNK, permitted * _QUANTISED_MS_PER_COPIED_CHUNK
        )
    if has_engine and not has_copy:
        costs[Strategy.ENGINE] = _ENGINE_MS + wanted * _ENGINE_MS_PER_CHUNK
    share = permitted / max(total, permitted)
    if share >= _INDEX_SHARE:
        costs[Strategy.INDEX] = _INDEX_MS + wanted * _INDEX_MS_PER_CHUNK
    cheapest = min(costs, key=lambda strategy: costs[strategy])
    return Plan(cheapest, f"{_WORDS[cheapest]}, with about {permitted} chunks permitted")


# Without the library's size, which with the number of permitted chunks would tell how many are not.
_WORDS = {
    Strategy.EXACT: "comparing every permitted chunk is cheapest",
    Strategy.QUANTISED: "comparing vectors in memory is cheapest",
    Strategy.ENGINE: "asking the vector engine is cheapest",
    Strategy.INDEX: "walking the index is cheapest and leaves out little",
}
