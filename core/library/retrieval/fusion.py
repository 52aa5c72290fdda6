"""Merging scored lists. Pure."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def merge_weighted(
    scored: Mapping[Item, float], other: Mapping[Item, float], *, weight: float, trust: float = 1.0
) -> dict[Item, float]:
    """Merge two lists into one, best first: weight * the first's score + (1 - weight) * trust * the other's, 0..1.

    trust: 0..1, how much the other list's best is worth; brought to 0..1, a poor best would count like a good one.
    Scores are brought to 0..1 within each list, from its worst to its best; what is not in a list has 0 there.
    Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023: with a weight that fits, such
    a sum ranks better than reciprocal rank fusion, as it did here (docs/decisions/0013).
    """
    first, second = _min_max(scored), _min_max(other)
    merged = {
        item: weight * first.get(item, 0.0) + (1.0 - weight) * trust * second.get(item, 0.0)
        for item in {**first, **second}
    }
    return dict(sorted(merged.items(), key=lambda pair: -pair[1]))


def _min_max(scored: Mapping[Item, float]) -> dict[Item, float]:
    if not scored:
        return {}
    low, high = min(scored.values()), max(scored.values())
    if high == low:
        return dict.fromkeys(scored, 1.0)
    return {item: (score - low) / (high - low) for item, score in scored.items()}
