"""Test which paths a pattern matches."""

import time

import pytest

from core.library.sync.files.patterns import read_pattern, read_patterns


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("*.pdf", {"a.pdf", "x/y/a.PDF", "scans.pdf/page.txt"}, {"a.pdf.md", "pdf"}),
        ("board", {"board", "board/a.md", "x/Board/a.md"}, {"boards/a.md", "aboard"}),
        ("board/", {"board/a.md", "x/board/y/a.md"}, {"board", "x/board"}),
        ("/board/", {"board/a.md"}, {"board", "x/board/a.md"}),
        ("board/minutes", {"board/minutes", "board/minutes/a.md"}, {"x/board/minutes", "minutes"}),
        ("board/**", {"board/a.md", "board/x/a.md"}, {"board", "boards/a.md"}),
        ("**/2024-*", {"2024-01.md", "x/y/2024-q1/a.md"}, {"x2024-01.md"}),
        ("reports/**/final.md", {"reports/final.md", "reports/a/b/final.md"}, {"final.md", "reports/final.txt"}),
        ("a?c.md", {"abc.md"}, {"ac.md", "abbc.md"}),
        ("[ab].md", {"a.md"}, {"c.md"}),
        ("caf\u00e9", {"cafe\u0301/a.md"}, {"cafe/a.md"}),
    ],
)
def test_what_fits(pattern: str, fitting: set[str], other: set[str]) -> None:
    """A name fits anywhere, a path from the root, and a folder with all below it."""
    read = read_pattern(pattern)
    assert {path for path in fitting | other if read.fits(path)} == fitting


def test_a_folder_is_told_by_its_end() -> None:
    """So that what is excluded need not be listed."""
    assert read_pattern("drafts/").fits("x/drafts/")
    assert not read_pattern("drafts/").fits("x/")


@pytest.mark.parametrize("pattern", ["/", "a//b", "../a", "./a", "**/..", "x" * 501])
def test_what_can_fit_nothing_is_refused(pattern: str) -> None:
    """With the number of its line."""
    with pytest.raises(ValueError, match="Line 3: "):
        read_patterns(f"*.md\n\n{pattern}")


def test_a_hostile_pattern_takes_no_time() -> None:
    """Rules come from where the files do."""
    patterns = [read_pattern("*a" * 200 + "b"), read_pattern("**/" * 150 + "*b")]
    began = time.monotonic()
    assert not any(pattern.fits("/".join(["a" * 200] * 40)) for pattern in patterns)
    assert time.monotonic() - began < 1
