"""Test the rules for the readers of files."""

import pytest

from core.errors import SourceError
from core.library.sync.files.patterns import read_rules

RULES = """\
# Everybody here, and less below.
*: staff

board/: directors, "Miller, Sons and partners", directors
board/drafts/:
board/drafts/final.md: directors
"""


@pytest.mark.parametrize(
    ("path", "groups"),
    [
        ("handbook.md", ("staff",)),
        ("board/minutes.md", ("directors", "Miller, Sons and partners")),
        ("Board/minutes.md", ("directors", "Miller, Sons and partners")),
        ("board/drafts/new.md", ()),
        ("board/drafts/final.md", ("directors",)),
    ],
)
def test_the_last_line_that_fits_decides(path: str, groups: tuple[str, ...]) -> None:
    """A line without groups names nobody."""
    assert read_rules(RULES, where="The rules").groups(path) == groups


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "board/: directors"])
def test_what_no_line_fits_is_read_by_nobody(text: str) -> None:
    """Rules that say nothing are no permission."""
    assert read_rules(text, where="The rules").groups("handbook.md") == ()


@pytest.mark.parametrize(
    "line", ["board directors", "board/:directors", ": staff", "a: staff,", 'a: "staff', "../a: staff", "a: , staff"]
)
def test_a_line_that_is_no_rule_is_named(line: str) -> None:
    """Nobody is guessed."""
    with pytest.raises(SourceError, match="The rules, line 2: "):
        read_rules(f"*: staff\n{line}\n", where="The rules")
