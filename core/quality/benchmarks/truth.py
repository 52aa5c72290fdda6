"""The true nearest chunks, by comparing all permitted ones. Pure."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np

# Two similarities that differ by less may change places by rounding alone.
AS_NEAR = 1e-6


def truths(similarities: np.ndarray, rows: np.ndarray, ids: Sequence[UUID], k: int) -> list[frozenset[UUID]]:
    """For each question the ids of the k nearest rows of those permitted, and of rows as near as the last of them.

    similarities: (questions, chunks). rows: which are permitted, bool, (chunks,). ids: of the chunks.
    """
    permitted = np.flatnonzero(rows)
    return [_nearest(similarity[permitted], permitted, ids, k) for similarity in similarities]


def _nearest(similarity: np.ndarray, numbers: np.ndarray, ids: Sequence[UUID], k: int) -> frozenset[UUID]:
    if not len(numbers):
        return frozenset()
    last = min(k, len(numbers))
    least = np.partition(similarity, len(similarity) - last)[len(similarity) - last]
    return frozenset(ids[number] for number in numbers[similarity >= least - AS_NEAR])
