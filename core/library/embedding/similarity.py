"""Compare sentences with a question by meaning, and cache the vectors of recent ones."""

import threading
from collections.abc import Sequence

import numpy as np
from cachetools import LRUCache

from core.language.nlp.scripts import is_beyond_latin
from core.library import embedding
from core.library.embedding.provider import EmbeddingProvider, knows_only_english

MOST_KEPT = 8_000  # vectors; of 384 dimensions 12 MB

_kept: LRUCache[tuple[str, str], np.ndarray] = LRUCache(MOST_KEPT)
_lock = threading.Lock()


def similarities(question: str, texts: Sequence[str]) -> list[float]:
    """Return the cosine similarity of each text with the question, -1..1, by the corpus's model. Nothing for no texts.

    0 where the model knows English alone, and one of the two is in writing other than Latin: it would be chance.
    """
    if not texts:
        return []
    model = embedding.provider()
    is_english = knows_only_english(model.name)
    if is_english and is_beyond_latin(question):
        return [0.0] * len(texts)
    vectors = vectors_of(model, [question, *texts])
    cosines = [float(cosine) for cosine in vectors[1:] @ vectors[0]]
    if not is_english:
        return cosines
    return [0.0 if is_beyond_latin(text) else cosine for text, cosine in zip(texts, cosines, strict=True)]


def count_kept(model: EmbeddingProvider, texts: Sequence[str]) -> int:
    """Count the texts that were embedded of late, of which `vectors_of` has the vectors at hand."""
    with _lock:
        return sum((model.name, text) in _kept for text in texts)


def vectors_of(model: EmbeddingProvider, texts: Sequence[str]) -> np.ndarray:
    """Return the vectors of texts, as the model's `embed` gives them, a text that was embedded of late not anew."""
    with _lock:
        known = {text: vector for text in texts if (vector := _kept.get((model.name, text))) is not None}
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if new:
        known |= zip(new, model.embed(new), strict=True)
        with _lock:
            _kept.update({(model.name, text): known[text] for text in new})
    return np.stack([known[text] for text in texts])
