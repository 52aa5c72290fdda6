"""Share fixtures among the tests of the two benchmarks."""

from collections.abc import Iterator

import pytest

from core.testing import fast_embedding


@pytest.fixture
def outside_transaction(transactional_db: None) -> Iterator[None]:
    """Embeds by hashing words; the command leaves the database for another one, which no transaction survives."""
    with fast_embedding():
        yield
