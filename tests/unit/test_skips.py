"""The plugin that reports skipped tests, and that lets none be skipped when asked to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

def test_passes(): pass

@pytest.mark.skip(reason="no bells")
def test_by_mark(): pass

def test_inside(): pytest.skip("no whistles")

@pytest.mark.xfail(strict=True)
def test_known_fault(): assert False
"""
MODULE = 'import pytest\npytest.skip("no brass", allow_module_level=True)\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A test that passes, three that are skipped in the three ways there are, and a known fault."""
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_module.py").write_text(MODULE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def _pytest(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "FOOTNOTE_NO_SKIPS"}
    command = [sys.executable, "-m", "pytest", "-p", "tests.skips", "-p", "no:django", "-p", "no:randomly", str(folder)]
    return subprocess.run(command, cwd=ROOT, env=kept | env, capture_output=True, text=True, check=False)


def test_what_was_skipped_is_said_at_the_end(folder: Path) -> None:
    """Each reason once, with its number of tests."""
    done = _pytest(folder)
    assert done.returncode == 0
    assert "1 test: no bells" in done.stdout
    assert "1 test: no whistles" in done.stdout
    assert "1 test: no brass" in done.stdout
    assert "1 passed, 3 skipped, 1 xfailed" in done.stdout


def test_where_nothing_may_be_skipped_a_skip_is_a_failure(folder: Path) -> None:
    """In all three ways; a known fault is no skip."""
    done = _pytest(folder, FOOTNOTE_NO_SKIPS="1")
    assert done.returncode != 0
    assert "FOOTNOTE_NO_SKIPS allows none: no brass" in done.stdout
    (folder / "test_module.py").unlink()
    done = _pytest(folder, FOOTNOTE_NO_SKIPS="1")
    assert "FOOTNOTE_NO_SKIPS allows none: no bells" in done.stdout
    assert "FOOTNOTE_NO_SKIPS allows none: no whistles" in done.stdout
    assert "1 failed, 1 passed, 1 xfailed, 1 error" in done.stdout
