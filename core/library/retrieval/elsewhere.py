"""Read passages for those who look after the library: of one document, and those of others that are near in meaning.

Whoever may read them: nothing of it may be shown but by the rule of access.
"""

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from core.library.retrieval.dense import nearest_by_index
from core.library.retrieval.search import passage_of
from core.models import Chunk
from core.models.row_security import bypass_row_security
from core.types import Passage


def list_passages(document_id: UUID) -> tuple[Passage, ...]:
    """Return the whole text of a document's current edition, passage by passage."""
    with bypass_row_security():
        chunks = Chunk.objects.for_reading().filter(document_id=document_id).order_by("chunk_index")
        return tuple(passage_of(chunk, 0.0, 0.0, place) for place, chunk in enumerate(chunks, 1))


def find_elsewhere(vector: np.ndarray, *, model: str, besides: UUID, limit: int) -> Sequence[Passage]:
    """Return the passages of other documents that are nearest to a vector, nearest first.

    vector: shape (dimension,), unit length, by the embedding model of that name.
    """
    with bypass_row_security():
        near = nearest_by_index(Chunk.objects.filter(embedding_model=model).exclude(document_id=besides), vector, limit)
        chunks = Chunk.objects.for_reading().in_bulk(near)
    return [
        passage_of(chunks[pk], similarity, similarity, rank)
        for rank, (pk, similarity) in enumerate(near.items(), 1)
        if pk in chunks
    ]
