"""The ordinary questions keep the rule by which they were written: evaluation/README.md says it."""

import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.language.nlp.text import content_stems
from core.library.ingestion.document import Block
from core.library.ingestion.parsers import parse
from core.quality.evaluation.datasets.dataset import Dataset, Item, read
from core.quality.evaluation.datasets.verdict import contains

ROOT = Path(__file__).resolve().parents[3]
LEAST = 150
MOST_SHARED = 1 / 3  # of a question's content words that stand in the passage
LEAST_UNANSWERABLE = 1 / 5


def ordinary(**chosen: str) -> Dataset:
    """The questions, or those of a library or half."""
    return read((ROOT / "evaluation/ordinary.jsonl").read_text(encoding="utf-8").splitlines(), **chosen)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def passages() -> list[tuple[str, Block]]:
    """Every block of the sample library, after the name of its document."""
    collections = tomllib.loads((ROOT / "samples/library.toml").read_text(encoding="utf-8"))["collections"]
    files = {file for each in collections for pattern in each["paths"] for file in ROOT.glob(pattern)}
    return [
        (f"{document.title} {document.source_url}", block)
        for file in sorted(files)
        for document in parse(file.read_bytes(), str(file.relative_to(ROOT))).documents
        for block in document.blocks
    ]


def test_there_are_enough_of_them_over_both_libraries_and_in_both_halves() -> None:
    """And a fifth of each has no answer for who asks."""
    items = ordinary().items
    assert len(items) >= LEAST
    for name in ("library", "half"):
        parts = Counter(getattr(item, name) for item in items)
        assert set(parts) == ({"samples", "corpus"} if name == "library" else {"build", "check"})
        assert min(parts.values()) > LEAST / 4
        for part in parts:
            refusals = [item.refusal_expected for item in ordinary(**{name: part}).items]
            assert sum(refusals) >= LEAST_UNANSWERABLE * len(refusals) * 0.9, part


def test_a_questions_half_follows_from_its_words() -> None:
    """So that nobody chooses what is looked at while building."""
    for item in ordinary().items:
        even = hashlib.sha256(item.question.encode()).digest()[0] % 2 == 0
        assert item.half == ("build" if even else "check"), item.question


def test_at_most_a_third_of_a_questions_words_stand_in_the_passage(passages: list[tuple[str, Block]]) -> None:
    """The passage: any block that holds the most of what is expected, under its headings."""
    too_near = []
    for item in ordinary(library="samples").items:
        if item.refusal_expected:
            continue
        blocks = list(_holding(item, passages))
        assert blocks, f"{item.identifier}: no source holds what is expected"
        asked = content_stems(item.question)
        for block in blocks:
            there = set(content_stems(f"{block.chapter} {block.section} {block.text}"))
            if sum(stem in there for stem in asked) > MOST_SHARED * len(asked):
                too_near.append((item.identifier, [stem for stem in asked if stem in there]))
    assert too_near == []


def _holding(item: Item, passages: list[tuple[str, Block]]) -> Iterator[Block]:
    """The blocks of right sources that hold most of the expected facts."""
    held = [
        (sum(contains(block.text, (fact,)) for fact in item.expected), block)
        for name, block in passages
        if any(part.casefold() in name.casefold() for choice in item.sources for part in choice)
    ]
    most = max((count for count, _ in held), default=0)
    return (block for count, block in held if most and count == most)
