"""Tests without a database."""

from collections.abc import Iterator

import pytest

from core.asking.confidence import threshold_values


@pytest.fixture(autouse=True, scope="module")
def _nothing_put_live() -> Iterator[None]:
    """Go by the thresholds of the settings: without a database nobody has put others live."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threshold_values, "_read_put_live", lambda: None)
        yield
