"""The key-free answer model: it quotes the sentences that answer best. It writes no word of its own."""

from typing import Any

from core.llm.client import provide

PROVIDER = "extractive"


def provide_extractive() -> None:
    """Make `extractive/sentences` a model of this process."""
    provide(PROVIDER, _model)


def _model() -> Any:
    from core.embedding.similarity import similarities
    from core.generation.extractive.provider import ExtractiveModel  # loads litellm
    from core.reading.reader import recall

    return ExtractiveModel(similarities, recall)
