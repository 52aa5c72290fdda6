"""Servers for the tests of data sources."""

from collections.abc import Iterator

import pytest

from tests.integration.sync.served import Server, served


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that knows no page yet."""
    with served() as running:
        yield running


@pytest.fixture
def elsewhere() -> Iterator[Server]:
    """Another one: another port is another host."""
    with served() as running:
        yield running
