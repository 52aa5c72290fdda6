"""The quantised copy of the vectors, for as long as something is measured."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.library.retrieval.vector_copy import current_copy, drop_copy, load_copy
from core.models.row_security import bypass_row_security
from core.models.versions import current_versions
from core.values.sizes import MEGABYTE


@dataclass(frozen=True, kw_only=True, slots=True)
class Copied:
    """The memory and time that the copy takes."""

    is_there: bool  # False when it would be larger than VECTOR_MEMORY_MB
    memory_mb: float
    build_s: float


@contextmanager
def hold_copy(model: str) -> Iterator[Copied]:
    """Within the block this process has a copy of the vectors of a model, where there is room for it."""
    started = time.perf_counter()
    load_copy(model)
    build_s = time.perf_counter() - started
    try:
        with bypass_row_security():
            copy = current_copy(current_versions(), model)
        if copy is None:
            yield Copied(is_there=False, memory_mb=0.0, build_s=0.0)
        else:
            vectors = copy.vectors
            arrays = (vectors.codes, vectors.scales, vectors.ids, vectors.documents)
            memory_mb = sum(array.nbytes for array in arrays) / MEGABYTE
            yield Copied(is_there=True, memory_mb=memory_mb, build_s=build_s)
    finally:
        drop_copy()
