"""The handbook in a repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from core.models import User
from core.testing import Cast
from tests.integration.changes.world import Handbook, make_writer, open_handbook


@pytest.fixture
def handbook(cast: Cast, tmp_path: Path, settings: Settings, fast: None) -> Iterator[Handbook]:
    """The handbook, which Alice and Bob read."""
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    with open_handbook(cast, tmp_path) as found:
        yield found


@pytest.fixture
def writer(cast: Cast) -> User:
    """Alice, who looks after gaps and proposes changes."""
    return make_writer(cast)
