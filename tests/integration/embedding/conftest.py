"""A server of embeddings that the settings point to."""

import asyncio
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.integration.embedding.server import Embeddings, serving


@pytest.fixture
def event_loop_of_litellm() -> Iterator[None]:
    """An event loop that is closed afterwards.

    LiteLLM asks for the thread's loop after every embedding. Where there is none, asyncio makes one that nobody
    closes: it would warn in whichever test the garbage happens to be collected.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def server(event_loop_of_litellm: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Embeddings]:
    """Models litellm:openai/hash-N of N dimensions; that of 384 is the one in the settings."""
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
    with serving() as embeddings:
        settings.EMBEDDING_API_BASE = embeddings.address
        settings.EMBEDDING_MODEL = "litellm:openai/hash-384"
        settings.LLM_RETRIES = 0
        yield embeddings
