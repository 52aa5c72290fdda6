"""Measure how near people's questions are to passages that a change brings."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from core.library import embedding
from core.models import Query


def measure_nearness(asked: Sequence[Query], vectors: Sequence[np.ndarray]) -> dict[UUID, float]:
    """Return how near each question is to the nearest passage: the cosine of their embeddings; 0 without passages.

    vectors: of the passages, of unit length, some in each array.
    """
    if not vectors or not asked:
        return dict.fromkeys((query.pk for query in asked), 0.0)
    questions = embedding.provider().embed([query.standalone_question or query.question_text for query in asked])
    nearness = (questions @ np.concatenate(vectors).T).max(axis=1)
    return {query.pk: float(value) for query, value in zip(asked, nearness, strict=True)}
