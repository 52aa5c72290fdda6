"""Merging ranked lists."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

# Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
# SIGIR 2009: k = 60 "was fixed during a pilot investigation and not altered".
RECIPROCAL_RANK_CONSTANT = 60


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[Item]], *, constant: int = RECIPROCAL_RANK_CONSTANT
) -> list[tuple[Item, float]]:
    """Merge rankings, best first, into one: (item, score) with score = sum of 1 / (constant + rank), rank from 1.

    Equal scores keep the order in which the items first appeared.
    """
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (constant + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
