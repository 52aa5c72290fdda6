"""A pytest plugin: where several workers share the tests, the long files come first.

Whole files are handed out in this order, so that at the end there are only short ones and no worker waits for another.
"""

from pathlib import Path

import pytest

_FOLDERS = ("acceptance", "upgrade", "integration", "architecture")  # the rest takes seconds


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by folder; within one the order stays as it is."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _rank(item.path.relative_to(config.rootpath)))


def _rank(file: Path) -> int:
    return next((rank for rank, folder in enumerate(_FOLDERS) if folder in file.parts), len(_FOLDERS))
