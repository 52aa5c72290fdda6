"""The key-free answer model: it quotes the sentences that answer best. It writes no word of its own."""

from typing import Any

from core.llm.client import provide

PROVIDER = "extractive"


def provide_extractive() -> None:
    """Make `extractive/sentences` a model of this process."""
    provide(PROVIDER, _model)


def _model() -> Any:
    from core.asking.generation.extractive.provider import ExtractiveModel  # loads litellm
    from core.asking.reading.reader import recall
    from core.library.embedding.similarity import similarities

    return ExtractiveModel(similarities, recall)
