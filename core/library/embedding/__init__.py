"""Turning text into vectors, behind an interface so that the model can be exchanged.

The corpus has one embedding model, which a row of EmbeddingModel names. EMBEDDING_MODEL is what a new corpus begins
with; `manage.py reembed` changes it later, and every process follows with the next text that it embeds.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from core.library.embedding.corpus import claim, load_provider, of_corpus
from core.library.embedding.local import PACKAGED, PACKAGED_NAME, SentenceTransformerProvider
from core.library.embedding.provider import EmbeddingProvider, check_texts
from core.library.embedding.remote import LiteLLMProvider

__all__ = [
    "PACKAGED",
    "PACKAGED_NAME",
    "EmbeddingProvider",
    "LiteLLMProvider",
    "SentenceTransformerProvider",
    "check_texts",
    "claim",
    "load_provider",
    "provider",
    "use",
]

_override: list[EmbeddingProvider] = []


def provider() -> EmbeddingProvider:
    """The provider of the corpus's model, or the one that `use` put in its place.

    One small query finds out which it is. Its model is loaded at the first use and kept.
    """
    return _override[-1] if _override else of_corpus()


@contextmanager
def use(other: EmbeddingProvider) -> Iterator[None]:
    """Embed with another provider within the block."""
    _override.append(other)
    try:
        yield
    finally:
        _override.pop()
