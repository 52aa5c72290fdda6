"""Define a source of candidates, which PostgreSQL compares again under the rule of access.

The copy in memory (vector_copy.py) and an engine beside PostgreSQL (by_engine.py) implement it. Both may be wrong or
behind about access, and their proposals decide nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.library.retrieval.access_filter import collect_permitted_bits, narrows_documents, select_permitted_documents
from core.library.vector_engine.classes import list_permitted_classes
from core.models.querysets import DocumentQuerySet
from core.models.versions import Versions
from core.types import Audience, Filters


@dataclass(frozen=True, kw_only=True, slots=True)
class Permitted:
    """An audience's documents after the filters, in the form that each source of candidates needs."""

    audience: Audience
    filters: Filters
    versions: Versions

    def as_bits(self) -> bytes:
        """Return the documents' numbers as a string of bits."""
        return collect_permitted_bits(self.audience, self.filters, self.versions)

    @property
    def is_narrowed(self) -> bool:
        """True if filters leave some documents out."""
        return narrows_documents(self.filters)

    def as_classes(self) -> tuple[int, ...]:
        """Return the classes of access, whatever the filters."""
        return list_permitted_classes(self.audience, self.versions.grants)

    def as_documents(self) -> DocumentQuerySet:
        """Return the documents, after the filters."""
        return select_permitted_documents(self.audience, self.filters)


class CandidateSource(Protocol):
    """Something that knows about the nearest chunks of those that are permitted."""

    def nearest(self, vector: np.ndarray, permitted: Permitted, limit: int) -> Sequence[str]:
        """About the nearest chunks, `limit` of them or all there are, with a vector of unit length.

        Their ids in hexadecimal, as core.library.retrieval.comparing takes them: making UUIDs of many takes longer than
        finding them.
        """
