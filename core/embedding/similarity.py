"""Compare sentences with a question by meaning, and cache the vectors of recent ones."""

import threading
from collections.abc import Sequence

import numpy as np
from cachetools import LRUCache

from core import embedding
from core.embedding.provider import EmbeddingProvider

MOST_KEPT = 8_000  # vectors; of 384 dimensions 12 MB

_kept: LRUCache[tuple[str, str], np.ndarray] = LRUCache(MOST_KEPT)
_lock = threading.Lock()


def similarities(question: str, texts: Sequence[str]) -> list[float]:
    """The cosine similarity of each text with the question, -1..1, by the corpus's model. Nothing for no texts."""
    if not texts:
        return []
    vectors = vectors_of(embedding.provider(), [question, *texts])
    return [float(cosine) for cosine in vectors[1:] @ vectors[0]]


def vectors_of(model: EmbeddingProvider, texts: Sequence[str]) -> np.ndarray:
    """The vectors of texts, as the model's `embed` gives them, a text that was embedded of late not anew."""
    with _lock:
        known = {text: vector for text in texts if (vector := _kept.get((model.name, text))) is not None}
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if new:
        known |= zip(new, model.embed(new), strict=True)
        with _lock:
            _kept.update({(model.name, text): known[text] for text in new})
    return np.stack([known[text] for text in texts])
