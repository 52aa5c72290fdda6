"""An engine on loopback, and none that fails remembered from another test."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from core.library.retrieval import by_engine
from tests.integration.vector_engine.qdrant_server import QdrantServer


@pytest.fixture
def server(settings: Settings) -> Iterator[QdrantServer]:
    """An empty engine, which the settings name."""
    by_engine._paused_until = 0.0
    server = QdrantServer()
    server.start()
    settings.VECTOR_ENGINE_URL = server.url
    settings.VECTOR_ENGINE_TIMEOUT_S = 5.0  # a busy machine is not what is tested
    yield server
    server.stop()
    by_engine._paused_until = 0.0
