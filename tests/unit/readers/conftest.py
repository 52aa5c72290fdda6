"""A tiny reader to begin with."""

from pathlib import Path

import pytest

from tests.unit.reading.conftest import make_folder


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny reader that takes 16 tokens of question and 32 of passage, apart from tmp_path."""
    return make_folder(tmp_path_factory.mktemp("tiny"), question_tokens=16, passage_tokens=32)
