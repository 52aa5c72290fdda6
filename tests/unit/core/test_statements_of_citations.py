"""Test which of an answer's statements a citation supports, read from the answer as it is shown."""

import pytest

from core.serialization import _list_statements


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("It opens at noon. [1]", {1: ["It opens at noon."]}),
        ("It opens. [1]\nIt closes. [2][1]", {1: ["It opens.", "It closes."], 2: ["It closes."]}),
        ("It opens. [1] It closes. [2]", {1: ["It opens."], 2: ["It closes."]}),
        ("Here are the steps:\n\n- Open it. [1]\n- Close it. [2]", {1: ["Open it."], 2: ["Close it."]}),
        ("1. Open it. [1]\n2. Close it. [1]", {1: ["Open it.", "Close it."]}),
        ("| Day | Hours |\n| --- | --- |\n| Monday | 9 to 5 [3] |", {3: ["Monday | 9 to 5"]}),
        ("Nothing is marked here.", {}),
        ("", {}),
    ],
)
def test_statements_are_found_by_the_marks_behind_them(text: str, stated: dict[int, list[str]]) -> None:
    """Sentences, items and rows, without what lists and tables put around them."""
    assert _list_statements(text) == stated
