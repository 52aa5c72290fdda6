"""Define what an embedding model offers to the rest of Footnote."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from core.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


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
    """ValueError when there is nothing to embed."""
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
