"""A server of embeddings that the settings point to."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.integration.embedding.server import Embeddings, serving


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Embeddings]:
    """Models litellm:openai/hash-N of N dimensions; that of 384 is the one in the settings."""
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
    with serving() as embeddings:
        settings.EMBEDDING_API_BASE = embeddings.address
        settings.EMBEDDING_MODEL = "litellm:openai/hash-384"
        settings.LLM_RETRIES = 0
        yield embeddings
