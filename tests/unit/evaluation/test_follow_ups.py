"""The follow-ups keep the rule by which they were written: evaluation/README.md says it."""

import hashlib
from pathlib import Path

import pytest

from core.library.ingestion.document import Block
from core.quality.evaluation.datasets.dataset import Item, read
from core.quality.evaluation.datasets.verdict import contains
from tests.unit.evaluation.test_ordinary import passages

__all__ = ["passages"]

ROOT = Path(__file__).resolve().parents[3]
KINDS = {"opener", "same-subject", "subject-replaced", "about-the-answer", "no-answer"}
LEAST = 120  # questions that are follow-ups


@pytest.fixture(scope="module")
def conversations() -> dict[str, list[Item]]:
    """The questions by conversation, in their order."""
    lines = (ROOT / "evaluation/follow_ups.jsonl").read_text(encoding="utf-8").splitlines()
    found: dict[str, list[Item]] = {}
    for item in read(lines, name="follow_ups.jsonl").items:
        found.setdefault(item.conversation, []).append(item)
    return found


def test_each_conversation_opens_and_goes_on(conversations: dict[str, list[Item]]) -> None:
    """As one person, within one half; and there are enough that go on."""
    for label, items in conversations.items():
        assert [item.kind == "opener" for item in items] == [True, *[False] * (len(items) - 1)], label
        assert len({item.email for item in items}) == 1
        even = hashlib.sha256(label.encode()).digest()[0] % 2 == 0
        assert {item.half for item in items} == {"build" if even else "check"}, label
    everything = [item for items in conversations.values() for item in items]
    assert {item.kind for item in everything} == KINDS
    assert sum(item.kind != "opener" for item in everything) >= LEAST


def test_what_is_expected_stands_in_the_source(
    conversations: dict[str, list[Item]], passages: list[tuple[str, Block]]
) -> None:
    """Each of the expected facts, or one of several that are each right; and where nothing is expected, no source."""
    missing = []
    for item in (item for items in conversations.values() for item in items):
        if item.kind == "no-answer":
            assert item.refusal_expected
            assert not item.sources
            continue
        named = [part.casefold() for choice in item.sources for part in choice]
        texts = "\n".join(block.text for name, block in passages if any(part in name.casefold() for part in named))
        if not contains(texts, item.expected):
            missing.append((item.identifier, item.question, item.expected))
    assert missing == []
