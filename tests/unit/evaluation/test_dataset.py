"""Reading datasets."""

import datetime as dt
import json
from typing import Any

import pytest

from core.quality.evaluation.datasets.dataset import DatasetError, Item, read
from core.types import Filters


def item(**line: Any) -> Item:
    """The item of one line."""
    return read([json.dumps({"question": "How often?", **line})]).items[0]


def test_a_line_says_who_asks_what_is_expected_and_what_is_forbidden() -> None:
    """Every part of a line reaches the item."""
    assert item(
        id="crane",
        kind="page-specific",
        **{"as": "bob@example.com"},
        expected={"all": ["six weeks", ["engineer", "inspector"]]},
        sources=["crane", ["hoist", "winch"]],
        all_sources=True,
        refusal_too=True,
        page=[3, 4],
        forbidden=["minutes"],
        conversation="cranes",
        selected_text="The crane is yellow.",
        filters={"document_type": "manual", "date_from": "2025-01-01"},
    ) == Item(
        identifier="crane",
        kind="page-specific",
        question="How often?",
        email="bob@example.com",
        expected=(("six weeks",), ("engineer", "inspector")),
        sources=(("crane",), ("hoist", "winch")),
        all_sources=True,
        refusal_too=True,
        pages=(3, 4),
        forbidden=("minutes",),
        conversation="cranes",
        selected_text="The crane is yellow.",
        filters=Filters(document_type="manual", date_from=dt.date(2025, 1, 1)),
    )


def test_a_bare_question_expects_nothing() -> None:
    """It is named by its line; a refusal is expected where the answer is said to be null, or a list without texts."""
    assert item() == Item(identifier="line 1", kind="question", question="How often?", email=None)
    assert [
        item(**line).refusal_expected for line in ({}, {"expected": None}, {"expected": []}, {"expected": "x"})
    ] == [
        False,
        True,
        True,
        False,
    ]
    assert item(source="crane").sources == (("crane",),)


def test_the_hash_follows_what_is_asked() -> None:
    """Blank lines and white space around a line do not count, a word does."""
    lines = ['{"question": "How?"}', '{"question": "Why?"}']
    assert read(lines).content_hash == read([f" {lines[0]}", "", lines[1]]).content_hash
    assert read(lines).content_hash != read(lines[:1]).content_hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The dataset has no questions."),
        ('{"question": "How?"}\n{"question": ', "Line 2 is not JSON: Expecting value at column 14."),
        ("[]", "Line 1: not a JSON object."),
        ('\n{"as": "a@example.com"}', "Line 2: it needs a question as text."),
        ('{"question": "How?", "expectd": "x"}', "Line 1: unknown: expectd; known: id, question, as, kind, expected"),
        (
            '{"question": "How?", "expected": 3}',
            "Line 1: expected must be a text, a list of texts of which one is enough",
        ),
        ('{"question": "How?", "expected": [" "]}', "Line 1: expected must hold texts that are not empty."),
        (
            '{"question": "How?", "expected": {"any": ["x"]}}',
            'Line 1: expected as an object must be {"all": [text, ...]}.',
        ),
        ('{"question": "How?", "as": 3}', "Line 1: as must be text."),
        ('{"question": "How?", "sources": "x"}', "Line 1: sources must be a list."),
        ('{"question": "How?", "source": "x", "sources": ["y"]}', "Line 1: source and sources mean the same"),
        ('{"question": "How?", "page": 0}', "Line 1: page must be a page number"),
        ('{"question": "How?", "all_sources": 1}', "Line 1: all_sources must be true or false."),
        (
            '{"question": "How?", "expected": null, "refusal_too": true}',
            "Line 1: refusal_too is only for a question that also has",
        ),
        ('{"question": "How?", "filters": {"colour": "red"}}', "Line 1: Unknown filter: colour."),
        ('{"id": "a", "question": "How?"}\n{"id": "a", "question": "Why?"}', "Line 2: the id a appears twice."),
    ],
)
def test_a_line_that_cannot_be_used_is_named(text: str, message: str) -> None:
    """Before anything is asked."""
    with pytest.raises(DatasetError) as caught:
        read(text.splitlines())
    assert caught.value.message.startswith(message)


def test_the_lines_of_a_library_and_a_half_can_be_read_alone() -> None:
    """Its hash is that of those lines; a line that cannot be used is named all the same."""
    lines = [
        json.dumps({"question": f"{library} {half}?", "library": library, "half": half})
        for library in ("samples", "corpus")
        for half in ("build", "check")
    ]
    assert [one.question for one in read(lines, library="corpus").items] == ["corpus build?", "corpus check?"]
    assert [one.question for one in read(lines, half="check").items] == ["samples check?", "corpus check?"]
    alone = read(lines, library="corpus", half="check")
    assert [one.identifier for one in alone.items] == ["line 4"]
    assert alone.content_hash == read(lines[3:]).content_hash != read(lines).content_hash
    assert [one.question for one in read(lines, half="check", most=1).items] == ["samples check?"]
    with pytest.raises(DatasetError, match="no questions of this library and half"):
        read(lines, half="spare")
    with pytest.raises(DatasetError, match="Line 5"):
        read([*lines, "{"], library="samples", most=1)
