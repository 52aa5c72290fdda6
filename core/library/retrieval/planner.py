"""Choosing how to find the nearest chunks of those that an audience may read. Pure."""

from collections.abc import Collection
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


# What a search costs in milliseconds, measured on 20,000 and 200,000 chunks (docs/decisions/0066).
_EXACT_MS = 2.3
_EXACT_MS_PER_CHUNK = 0.0022  # permitted
_QUANTISED_MS = 1.7
_QUANTISED_MS_PER_CANDIDATE = 0.007  # that is wanted and can be had: read again, exactly
_QUANTISED_MS_PER_CHUNK = 0.000027  # of the library
_QUANTISED_MS_PER_COPIED_CHUNK = 0.00008  # permitted, where they are few and copied together first
_ENGINE_MS = 10.0  # the way there and back, with the walk (docs/decisions/0065)
_ENGINE_MS_PER_CANDIDATE = 0.03  # that is wanted: compared again
_INDEX_MS = 8.0
_INDEX_MS_PER_CANDIDATE = 0.06  # that is wanted

# Under this share of the library the index misses neighbours: at a half, with whole topics granted, it found 0.90 of
# the true ones, for a walk through a topic that is not permitted ends before it has found its way out. Of all of a
# million it found 0.993 in 24 ms, and the copy 1.000 in 20 (docs/benchmarks.md): beside a copy it is not walked.
_INDEX_SHARE = 0.95


def choose(*, permitted: int, total: int, wanted: int, possible: Collection[Strategy]) -> Plan:
    """Return the cheapest of the strategies that find the true neighbours.

    permitted: chunks that the audience may read, after filters; an upper bound will do. total: chunks in the library.
    wanted: how many neighbours are asked for. possible: which of QUANTISED, ENGINE and INDEX have what they need.
    """
    if permitted == 0:
        return Plan(Strategy.NONE, "no chunk is permitted")
    costs = estimate_ms(permitted=permitted, total=total, wanted=wanted)
    finding = {strategy: costs[strategy] for strategy in (Strategy.EXACT, *possible)}
    if Strategy.QUANTISED in possible or permitted / max(total, permitted) < _INDEX_SHARE:
        finding.pop(Strategy.INDEX, None)
    cheapest = min(finding, key=lambda strategy: finding[strategy])
    return Plan(cheapest, f"{_WORDS[cheapest]}, with about {permitted} chunks permitted")


def estimate_ms(*, permitted: int, total: int, wanted: int) -> dict[Strategy, float]:
    """Estimate the cost of a search with each strategy, in milliseconds; the numbers are those of choose."""
    compared = min(total * _QUANTISED_MS_PER_CHUNK, permitted * _QUANTISED_MS_PER_COPIED_CHUNK)
    read_again = min(wanted, permitted) * _QUANTISED_MS_PER_CANDIDATE
    return {
        Strategy.EXACT: _EXACT_MS + permitted * _EXACT_MS_PER_CHUNK,
        Strategy.QUANTISED: _QUANTISED_MS + compared + read_again,
        Strategy.ENGINE: _ENGINE_MS + wanted * _ENGINE_MS_PER_CANDIDATE,
        Strategy.INDEX: _INDEX_MS + wanted * _INDEX_MS_PER_CANDIDATE,
    }


# Without the library's size, which with the number of permitted chunks would reveal how many are not.
_WORDS = {
    Strategy.EXACT: "comparing every permitted chunk is cheapest",
    Strategy.QUANTISED: "comparing vectors in memory is cheapest",
    Strategy.ENGINE: "asking the vector engine is cheapest",
    Strategy.INDEX: "walking the index is cheapest and leaves out little",
}
