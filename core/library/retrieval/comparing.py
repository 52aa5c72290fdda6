"""Comparing chunks with a question's vector, each and exactly, by PostgreSQL: what every strategy ends in."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from django.db.models import FloatField, Value
from pgvector.django import CosineDistance

from core.models.querysets import ChunkQuerySet
from core.models.reading import search_connection

# Adding zero keeps PostgreSQL off the vector index; see nearest_of.
_NEAREST_AMONG = """
    SELECT id, (embedding <=> %s::vector) + 0.0::float8 AS distance FROM core_chunk
    WHERE id = ANY (%s::uuid[]) AND footnote_is_among(document_number, %s) AND embedding_model = %s
    ORDER BY distance, id LIMIT %s
"""


def nearest_among(
    candidates: Sequence[str], documents: bytes, vector: np.ndarray, model: str, limit: int
) -> dict[UUID, float]:
    """Return the nearest of the chunks of a model with these ids, in documents given as bits of their numbers.

    Cosine similarity by id, most similar first. It is one statement with two large parameters, however many candidates
    there are: with Django's list of placeholders it takes three times as long.
    """
    ids = f"{{{','.join(candidates)}}}"
    parameters: list[str | bytes | int] = [_as_text(vector), ids, documents, model, limit]
    with search_connection().cursor() as cursor:
        cursor.execute(_NEAREST_AMONG, parameters)
        return {pk: 1.0 - distance for pk, distance in cursor.fetchall()}


def _as_text(vector: np.ndarray) -> str:
    """Write a vector (float32, (dimension,)) for PostgreSQL: nine digits distinguish a float32 from all others.

    It takes a third of the time of pgvector's own form, which writes seventeen.
    """
    digits = ",".join(["%.9g"] * len(vector))
    return f"[{digits}]" % tuple(vector.tolist())


def nearest_of(chunks: ChunkQuerySet, vector: np.ndarray, limit: int) -> dict[UUID, float]:
    """Return the nearest of these chunks, each compared: cosine similarity by id, most similar first.

    Adding zero to the distance keeps PostgreSQL off the vector index, which under a filter gives only a part of the
    true neighbours.
    """
    rows = (
        chunks.annotate(distance=CosineDistance("embedding", vector) + Value(0.0, output_field=FloatField()))
        .order_by("distance", "pk")
        .values_list("pk", "distance")[:limit]
    )
    return {pk: 1.0 - distance for pk, distance in rows}
