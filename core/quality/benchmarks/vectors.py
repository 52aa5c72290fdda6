"""Vectors that are like those of a library, drawn by chance: topics, documents about them, and their chunks."""

import tempfile
from dataclasses import dataclass

import numpy as np

from core.models.library import EMBEDDING_DIMENSION

CHUNKS_PER_DOCUMENT = 20
_TOPICS = 200
_DECAY = 0.45  # of the spread along the principal directions, from the first to the last
_AT_ONCE = 100_000  # chunks drawn in one go


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SyntheticVectors:
    """Rows of unit length. Chunk i belongs to document i // CHUNKS_PER_DOCUMENT."""

    chunks: np.ndarray  # float32, (documents * CHUNKS_PER_DOCUMENT, EMBEDDING_DIMENSION)
    questions: np.ndarray  # float32, (questions, EMBEDDING_DIMENSION)
    topics: np.ndarray  # the number of each document's topic, (documents,)


def draw(documents: int, questions: int, chance: np.random.Generator) -> SyntheticVectors:
    """Draw a library and questions about documents of it; the same chance draws the same.

    The spread differs by direction, as with vectors of texts: few directions hold most of it. A chunk leans to its
    document as a document leans to its topic, and a question is about as near to its document as to something else.
    """
    spread = (np.arange(1, EMBEDDING_DIMENSION + 1) ** -_DECAY).astype(np.float32)
    spread /= np.linalg.norm(spread)
    square = chance.standard_normal((EMBEDDING_DIMENSION, EMBEDDING_DIMENSION))
    rotation = np.linalg.qr(square)[0].astype(np.float32)

    def noise(rows: int) -> np.ndarray:
        drawn = chance.standard_normal((rows, EMBEDDING_DIMENSION)).astype(np.float32)
        return _unit((drawn * spread) @ rotation)

    topic = noise(_TOPICS)
    per_topic = -(-documents // _TOPICS)
    topics = chance.permutation(np.repeat(np.arange(_TOPICS), per_topic)[:documents])
    document = _unit(0.65 * topic[topics] + 0.75 * noise(documents))
    owner = np.repeat(np.arange(documents), CHUNKS_PER_DOCUMENT)
    chunks = _on_disk((len(owner), EMBEDDING_DIMENSION))
    for start in range(0, len(owner), _AT_ONCE):
        part = owner[start : start + _AT_ONCE]
        chunks[start : start + len(part)] = _unit(0.70 * document[part] + 0.71 * noise(len(part)))
    asked = chance.choice(documents, questions, replace=questions > documents)
    about = 0.55 * document[asked] + 0.25 * topic[topics[asked]]
    return SyntheticVectors(chunks=chunks, questions=_unit(about + 0.78 * noise(questions)), topics=topics)


def _on_disk(shape: tuple[int, int]) -> np.ndarray:
    """An array in a file that has no name, so that memory need not hold millions of vectors beside the copy of them."""
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=np.float32, mode="w+", shape=shape)


def near(vectors: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Questions near given vectors, as an embedded question is to a passage that answers it: cosine about 0.8."""
    drawn = _unit(chance.standard_normal(vectors.shape).astype(np.float32))
    return _unit(0.8 * _unit(vectors) + 0.6 * drawn)


def _unit(rows: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled.astype(np.float32)
