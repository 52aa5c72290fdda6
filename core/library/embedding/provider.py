"""Define what an embedding model offers to the rest of Footnote, and which models know English alone."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from core.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Models that know more, to name to people: each is free, runs on processors, and has at most 1,900 dimensions.
MULTILINGUAL = (
    "intfloat/multilingual-e5-small",
    "BAAI/bge-m3",
    "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
)

_MORE = re.compile(r"multi-?lingual|arctic-embed-[a-z]-v2|nomic-embed-text-v2|english-and|xlm|labse", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\ball-(?:minilm|mpnet|distilroberta|roberta)|multi-qa-|msmarco|-en\b|\b(?:e5|gte)-(?:small|base|large)\b|english"
    r"|nomic-embed-text|mxbai-embed|arctic-embed|\bgtr-|sentence-t5|\binstructor\b|uae-large|text-embedding-ada-001",
    re.IGNORECASE,
)


class EmbeddingProvider(Protocol):
    """A model that embeds text."""

    @property
    def name(self) -> str:
        """The model's name, stored with every chunk that it embedded."""

    @property
    def dimension(self) -> int:
        """Length of its vectors."""

    @property
    def max_tokens(self) -> int:
        """The most word pieces of one text that it reads; it cuts the rest silently."""

    @property
    def tokenizer(self) -> "Tokenizer":
        """The tokenizer that counts those word pieces. Not truncating."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts into a float32 array of shape (len(texts), dimension), rows of unit length.

        ValueError when there is no text or one of them is blank, EmbeddingError when the model fails.
        """


def check_texts(texts: Sequence[str]) -> None:
    """Raise ValueError when there is nothing to embed."""
    if not texts or any(not text.strip() for text in texts):
        raise ValueError("cannot embed empty text")


def of_unit_length(vectors: np.ndarray, *, name: str) -> np.ndarray:
    """Vectors as float32 rows of unit length. EmbeddingError when one of them has no direction."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbeddingError(
            f"The embedding model {name!r} returned a vector without a direction. Check the setting EMBEDDING_MODEL."
        )
    return np.asarray(rows / lengths, dtype=np.float32)


def knows_only_english(model: str) -> bool:
    """Return True if an embedding model of this name is known to know no language but English."""
    return bool(_ENGLISH.search(model)) and not _MORE.search(model)
