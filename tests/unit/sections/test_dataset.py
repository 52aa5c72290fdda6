"""The measurement of docs/evaluation.md, for one document of each kind: no restricted word becomes open."""

import json

import pytest

from benchmarks.sections import CHANGES, DOCUMENTS, count_opened, follow_into, name_outcome

KINDS = {"markdown", "html", "docx", "workbook"}


def test_no_restricted_word_becomes_open_in_a_new_edition() -> None:
    """Whatever was changed; and what is the same but for its place or its name stays restricted without a question."""
    lines = map(json.loads, DOCUMENTS.read_text(encoding="utf-8").splitlines())
    documents = {one["kind"]: one for one in lines}
    assert set(documents) == KINDS
    became = {
        (kind, change): name_outcome(follow_into(one, make(one)))
        for kind, one in documents.items()
        for change, make in CHANGES.items()
    }
    assert "open" not in became.values()
    for change in ("renumbered", "renamed", "renamed and retyped", "moved and renamed", "another section added"):
        assert {became[kind, change] for kind in KINDS} == {"restricted"}
    assert {became[kind, "removed"] for kind in KINDS} == {"withheld"}


@pytest.mark.parametrize(
    ("shown", "words"), [("The code is nine of ten, Ann says.", 6), ("The code is nine of.", 5), ("The code is.", 0)]
)
def test_words_count_as_open_in_a_run_of_five(shown: str, words: int) -> None:
    """Fewer in a row stand in many texts."""
    assert count_opened("the code is nine of ten", [shown]) == words
