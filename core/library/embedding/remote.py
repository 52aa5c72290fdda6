"""Embedding by a model behind LiteLLM."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.errors import EmbeddingError
from core.library.embedding.local import load_packaged_tokenizer
from core.library.embedding.provider import check_texts, of_unit_length
from core.llm import embeddings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Most of these models read 512 tokens or more, and theirs are not ours: half of that leaves room for texts of which
# their tokenizers make more.
MAX_TOKENS = 256


class LiteLLMProvider:
    """An embedding model of LiteLLM, "openai/text-embedding-3-small" for example.

    Its word pieces are counted by the packaged model's tokenizer, since most providers publish none.
    """

    max_tokens = MAX_TOKENS

    def __init__(self, model: str, *, batch_size: int, api_base: str = "") -> None:
        self.name = model
        self._batch_size = batch_size
        self._api_base = api_base

    @cached_property
    def dimension(self) -> int:
        """Length of its vectors, found out by embedding a word when nothing was embedded yet."""
        return len(self._call_model(["dimension"])[0])

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The packaged model's tokenizer."""
        return load_packaged_tokenizer()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see EmbeddingProvider."""
        check_texts(texts)
        rows: list[list[float]] = []
        for start in range(0, len(texts), self._batch_size):
            rows += self._call_model(texts[start : start + self._batch_size])
        if any(len(row) != self.dimension for row in rows):
            raise EmbeddingError(
                f"The embedding model {self.name!r} returned vectors of different lengths. Check the settings "
                "EMBEDDING_MODEL and EMBEDDING_API_BASE."
            )
        return of_unit_length(np.array(rows, dtype=np.float32), name=self.name)

    def _call_model(self, texts: Sequence[str]) -> list[list[float]]:
        return embeddings.embed(self.name, texts, api_base=self._api_base)
