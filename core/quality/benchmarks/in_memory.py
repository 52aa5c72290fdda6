"""The yardstick: every permitted vector compared in this process's memory, by faiss, on one thread.

It is not part of the product and only in the requirements of development: where it is missing, there is no yardstick.
"""

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from core.quality.benchmarks.measuring import Found
from core.quality.benchmarks.ways import INDEX_TYPES, MEMORY
from core.types import Audience


def is_available() -> bool:
    """Return True if faiss can be used. On macOS it cannot be in one process with torch: each brings its own OpenMP."""
    return importlib.util.find_spec("faiss") is not None and not (sys.platform == "darwin" and "torch" in sys.modules)


class InMemory:
    """IndexFlatIP with a bitmap of the permitted rows, made beforehand for each audience."""

    def __init__(self, vectors: np.ndarray, ids: Sequence[UUID], rows: Mapping[Audience, np.ndarray], k: int) -> None:
        self._faiss: Any = importlib.import_module("faiss")
        self._faiss.omp_set_num_threads(1)
        self._index = self._faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)
        self._ids, self._k = ids, k
        self._permitted = {audience: np.packbits(mask, bitorder="little") for audience, mask in rows.items()}

    def __call__(self, vector: np.ndarray, audience: Audience) -> Found:
        """Compare the question with every permitted vector."""
        selector = self._faiss.IDSelectorBitmap(self._permitted[audience])
        parameters = self._faiss.SearchParameters(sel=selector)
        _, [numbers] = self._index.search(vector[np.newaxis], self._k, params=parameters)
        return Found(ids=[self._ids[number] for number in numbers if number >= 0], index_type=INDEX_TYPES[MEMORY])
