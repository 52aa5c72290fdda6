"""The secret key of a machine that was given none."""

from pathlib import Path

import pytest

from adminsite.home import local_secret_key
from core.errors import FootnoteError


def test_the_key_is_made_once_and_kept_to_oneself(tmp_path: Path) -> None:
    """Each folder has its own, which stays the same, and which only its owner can read."""
    first, second = tmp_path / "first", tmp_path / "second"
    key = local_secret_key(first)
    assert len(key) >= 50
    assert local_secret_key(first) == key
    assert local_secret_key(second) != key
    assert [(file.name, file.stat().st_mode & 0o777) for file in first.iterdir()] == [("secret_key", 0o600)]


def test_a_folder_that_cannot_be_used_is_said_so(tmp_path: Path) -> None:
    """The message names the folder and the setting."""
    (tmp_path / "file").touch()
    with pytest.raises(FootnoteError, match=r"/file cannot be used: File exists\. Set FOOTNOTE_HOME"):
        local_secret_key(tmp_path / "file")
