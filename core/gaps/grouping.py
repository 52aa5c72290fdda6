"""Group questions of the same meaning, by the cosine similarity of their embeddings."""

import numpy as np

# Measured over questions that ask for the same thing in other words: docs/decisions/0049.
SAME_MEANING = 0.62


def nearest_group(vectors: np.ndarray, middles: np.ndarray, *, at_least: float = SAME_MEANING) -> list[int | None]:
    """For each question, the place of the group whose middle is nearest; None when none is near enough.

    vectors: (questions, dimension), middles: (groups, dimension); rows of unit length.
    """
    if not len(middles):
        return [None] * len(vectors)
    similarities = vectors @ middles.T
    best = similarities.argmax(axis=1)
    return [int(place) if similarities[row, place] >= at_least else None for row, place in enumerate(best)]


def group(vectors: np.ndarray, *, at_least: float = SAME_MEANING) -> list[int]:
    """The group of each question, numbered from 0: questions of a group are on average this similar.

    vectors: (questions, dimension), rows of unit length.
    """
    if len(vectors) < 2:
        return [0] * len(vectors)
    from sklearn.cluster import AgglomerativeClustering

    clustering = AgglomerativeClustering(
        n_clusters=None, metric="cosine", linkage="average", distance_threshold=1 - at_least
    )
    return [int(number) for number in clustering.fit_predict(vectors)]


def middle_of(vectors: np.ndarray) -> np.ndarray:
    """The middle of a group as a vector of unit length."""
    middle = vectors.mean(axis=0)
    return np.asarray(middle / max(float(np.linalg.norm(middle)), 1e-12), dtype=np.float32)
