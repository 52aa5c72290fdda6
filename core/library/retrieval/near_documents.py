"""List documents near in meaning, whoever may read them, as ids alone. For those who decide access."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from core.library.retrieval.dense import nearest_by_index
from core.models import Chunk
from core.models.row_security import bypass_row_security

_CHUNKS = 50  # looked at for their documents


def list_near_documents(vector: np.ndarray, *, model: str, at_least: float) -> Sequence[UUID]:
    """The documents with a chunk that is at least this similar to a vector, nearest first, of the whole library.

    vector: shape (dimension,), unit length, by the embedding model of that name. What is done with the ids is up to
    the rule of access: no title may be shown of a document that the viewer may not read.
    """
    with bypass_row_security():
        found = nearest_by_index(Chunk.objects.filter(embedding_model=model), vector, _CHUNKS)
        near = [pk for pk, similarity in found.items() if similarity >= at_least]
        documents = dict(Chunk.objects.filter(pk__in=near).values_list("pk", "document_id"))
    return list(dict.fromkeys(documents[pk] for pk in near if pk in documents))
